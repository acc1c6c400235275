package relocate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/internal/proof/mutants"
)

// ErrLeft says that a bug has no certain place in the source.
var ErrLeft = errors.New("bugs have to be moved by hand")

// Options says how bugs follow the source.
type Options struct {
	Root  string // the module's directory
	Since string // the commit that has the old declarations, "" for the newest that fits
	Names Names
	Dry   bool // write nothing
}

// Run finds the new home of each bug that does not apply to the source or does not
// compile there. It rewrites the bugs that have one, and prints each. An error wraps
// ErrLeft if some have none.
func Run(ctx context.Context, out io.Writer, o Options) error {
	bugs, err := mutants.Load(o.Root)
	if err != nil {
		return err
	}
	source := mutants.SourceAt(o.Root)
	dirs, err := source.Dirs(Production()...)
	if err != nil {
		return err
	}
	checker, err := mutants.NewChecker(ctx, o.Root, append(dirs, "."))
	if err != nil {
		return err
	}
	past, err := newHistory(ctx, o.Root, o.Since)
	if err != nil {
		return err
	}
	r := &runner{Options: o, source: source, compile: checker.Check, past: past, words: lexicon{votes{}, votes{}}}
	if r.index, err = newIndex(source); err != nil {
		return err
	}
	return errors.Join(r.run(ctx, out, bugs), r.survivors(ctx, out))
}

// runner follows the bugs of one module.
type runner struct {
	Options
	source  *mutants.Source
	compile func(mutants.Edit) error
	past    *history
	index   index
	words   lexicon
}

// lost is a bug without a place.
type lost struct {
	bug, renamed mutants.Bug
	err          error // why it has none
	edited       bool  // renamed is an older version of the bug
	origin       *origin
	found        []aligned
}

// fits reports whether a bug applies and compiles.
func (r *runner) fits(b mutants.Bug) error {
	e, err := b.Edit(r.source)
	if err != nil {
		return err
	}
	return r.compile(e)
}

func (r *runner) run(ctx context.Context, out io.Writer, bugs []mutants.Bug) error {
	var all []*lost
	var changed []mutants.Bug
	t := &tally{out: out}
	for _, b := range bugs {
		err := r.fits(b)
		if err == nil {
			t.fit++
			continue
		}
		l := &lost{bug: b, renamed: r.Names.bug(b), err: err}
		if len(r.Names) > 0 && r.fits(l.renamed) == nil {
			t.renamed(b, l.renamed)
			changed = append(changed, l.renamed)
			continue
		}
		if err := r.seek(ctx, l); err != nil {
			return err
		}
		all = append(all, l)
	}
	for _, l := range all {
		b, err := r.follow(l)
		if err != nil {
			t.left(l, b, err)
			continue
		}
		t.moved(l, b)
		changed = append(changed, b)
	}
	if !r.Dry {
		if err := mutants.Rewrite(r.Root, changed); err != nil {
			return err
		}
	}
	return t.close()
}

// seek fills in the old home of a bug and the declarations that look like it. A bug
// that applies and does not compile stays in its declaration.
func (r *runner) seek(ctx context.Context, l *lost) error {
	now := ""
	p, _, located := r.source.Locate(l.bug.Decl, l.bug.Old)
	if located == nil {
		now = p.Text()
	}
	o, then, err := r.past.origin(ctx, l.bug, now)
	if located == nil && errors.Is(err, errByHand) { // the declaration is as it ever was
		o, err = originOf(l.bug, r.source)
	}
	if errors.Is(err, errByHand) {
		l.err = errors.Join(l.err, err)
		return nil
	}
	if err != nil {
		return err
	}
	l.edited = then.Old != l.bug.Old || then.New != l.bug.New
	l.renamed = r.Names.bug(then)
	r.Names.origin(o)
	l.origin = o
	l.found = r.index.candidates(o)
	if located == nil {
		for _, c := range l.found {
			if c.Decl == p.Decl {
				l.found = []aligned{c}
				break
			}
		}
	}
	if best := l.found[0]; best.score >= sure {
		r.words.learn(o.units, best.units, best.partners)
	}
	return nil
}

// A bug follows into the best declaration if it scores least, and the next one margin
// less. Words are learnt from declarations that score sure.
const (
	least  = 0.5
	margin = 0.04
	sure   = 0.75
)

// telling is the least number of units of a text that is found by itself.
const telling = 8

// follow returns the bug in its new home. With an error the bug is a proposal.
func (r *runner) follow(l *lost) (mutants.Bug, error) {
	if l.origin == nil {
		return l.bug, l.err
	}
	best, err := r.best(l)
	if err != nil {
		return l.bug, err
	}
	if best.exact && !l.edited {
		b := l.renamed
		b.Decl = best.Decl
		if b, err := r.followed(l, b); err == nil {
			return b, nil
		}
	}
	m := learn(l.origin.units, best.units, best.partners, r.words)
	b, err := l.origin.carry(l.renamed, best, m)
	if err != nil {
		return b, err
	}
	if l.edited {
		return b, fmt.Errorf("%w: the bug was edited since it applied", errByHand)
	}
	return r.followed(l, b)
}

// followed returns a bug in its new home, or an error if it does not compile there. The
// unit tests of the root that killed it may have stayed.
func (r *runner) followed(l *lost, b mutants.Bug) (mutants.Bug, error) {
	if err := r.fits(b); err != nil {
		return b, err
	}
	if l.bug.Decl.Dir != "." || b.Decl.Dir == "." {
		return b, nil
	}
	b.Killers = slices.Clone(b.Killers)
	for i, k := range b.Killers {
		if k == mutants.Unit {
			b.Killers[i] = mutants.Root
		}
	}
	slices.Sort(b.Killers)
	b.Killers = slices.Compact(b.Killers)
	return b, nil
}

// best returns the declaration that the bug goes to.
func (r *runner) best(l *lost) (aligned, error) {
	var exact []*entry
	for _, e := range r.index {
		if l.origin.exactIn(e) {
			exact = append(exact, e)
		}
	}
	if len(exact) == 1 && l.origin.after-l.origin.first >= telling {
		return l.origin.compare(exact[0]), nil
	}
	best := l.found[0]
	if best.score < least {
		return best, fmt.Errorf("%w: no declaration looks like the old one", errByHand)
	}
	if len(l.found) < 2 || sameName(best.Decl, l.origin.Decl) && !sameName(l.found[1].Decl, l.origin.Decl) {
		return best, nil
	}
	if l.found[1].score > best.score-margin {
		return best, fmt.Errorf("%w: two declarations look like the old one", errByHand)
	}
	return best, nil
}

// tally prints and counts the results.
type tally struct {
	out                        io.Writer
	fit, anchors, texts, lefts int
}

func (t *tally) renamed(from, to mutants.Bug) {
	t.texts++
	fmt.Fprintf(t.out, "%s renamed: %s -> %s\n", from.Name, from.Decl, to.Decl)
}

func (t *tally) moved(l *lost, b mutants.Bug) {
	if b.Old == l.bug.Old && b.New == l.bug.New {
		t.anchors++
		fmt.Fprintf(t.out, "%s moved: %s -> %s\n", b.Name, l.bug.Decl, b.Decl)
		return
	}
	t.texts++
	fmt.Fprintf(t.out, "%s rewritten (%.2f): %s -> %s\n%s", b.Name, l.score(b.Decl), l.bug.Decl, b.Decl, texts(b))
}

func (l *lost) score(d mutants.Decl) float64 {
	for _, c := range l.found {
		if c.Decl == d {
			return c.score
		}
	}
	return 0
}

// shown is the number of candidates that are printed for a bug.
const shown = 3

func (t *tally) left(l *lost, b mutants.Bug, err error) {
	t.lefts++
	fmt.Fprintf(t.out, "%s BY HAND: %s: %s\n  %s\n", b.Name, l.bug.Decl, l.bug.Rule, strings.ReplaceAll(err.Error(), "\n", "\n  "))
	for _, c := range l.found[:min(len(l.found), shown)] {
		fmt.Fprintf(t.out, "  %.2f %s (%s)\n", c.score, c.Decl, c.File)
	}
	if b.Old != l.bug.Old || b.Decl != l.bug.Decl {
		fmt.Fprintf(t.out, "  proposed in %s:\n%s", b.Decl, texts(b))
	} else {
		fmt.Fprint(t.out, texts(b))
	}
}

// texts returns the texts of a bug as a difference.
func texts(b mutants.Bug) string {
	var out strings.Builder
	for _, side := range []struct{ sign, text string }{{"-", b.Old}, {"+", b.New}} {
		if side.text != "" {
			out.WriteString("  " + side.sign + strings.ReplaceAll(side.text, "\n", "\n  "+side.sign) + "\n")
		}
	}
	return out.String()
}

func (t *tally) close() error {
	fmt.Fprintf(t.out, "seeded bugs: %d fit, %d with a new declaration, %d with new texts, %d by hand\n", t.fit, t.anchors, t.texts, t.lefts)
	if t.lefts > 0 {
		return fmt.Errorf("%w: %d", ErrLeft, t.lefts)
	}
	return nil
}
