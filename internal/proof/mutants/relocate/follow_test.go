package relocate

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ownergraph/ownergraph/internal/proof/mutants"
)

const before = `package m

// step goes on with the search.
func (e *Engine) step(id int, budget int) bool {
	m := e.mind(id)
	if m.known > e.rewound && budget > 0 {
		e.rings.drop(id)
		delete(e.sights, id)
		return true
	}
	for _, x := range e.rings.found {
		e.fan(x)
	}
	m.known = e.next()
	e.counts.Steps++
	goto done
	return false
}

func (e *Engine) other(id int) bool {
	if e.sights[id] == 0 {
		return true
	}
	return false
}
`

// after has the search in a package of its own, with other names.
const after = `package cycle

// Step goes on with the search.
func (c *Cycle) Step(seq *seq.Counter, id int, budget int) bool {
	s := c.states.Get(id)
	if s.Known > seq.Rewound && budget > 0 {
		c.drop(id)
		c.effects.Look = append(c.effects.Look, id)
		return true
	}
	for _, x := range c.found {
		c.effects.Fan(x)
	}
	s.Known = seq.Stamp()
	c.steps++
	return false
}
`

const rest = `package m

func (e *Engine) other(id int) bool {
	if e.sights[id] == 0 {
		return true
	}
	return false
}
`

// moved returns a runner for the module after the move, and its old source.
func moved(t *testing.T, names string) *runner {
	t.Helper()
	past := mutants.NewSource(fstest.MapFS{"a.go": {Data: []byte(before)}})
	now := mutants.NewSource(fstest.MapFS{"a.go": {Data: []byte(rest)}, "internal/core/cycle/step.go": {Data: []byte(after)}})
	r := &runner{source: now, words: lexicon{votes{}, votes{}}, past: &history{
		commits: []string{"old"}, past: map[string]*version{"old": {source: past}},
	}}
	r.compile = func(e mutants.Edit) error {
		if strings.Contains(e.File, "core") && strings.Contains(string(e.Content), "e.rings") {
			return errors.New("undefined: e")
		}
		_, err := parser.ParseFile(token.NewFileSet(), e.File, e.Content, 0)
		return err
	}
	var err error
	if r.Names, err = ParseNames(names); err != nil {
		t.Fatal(err)
	}
	if r.index, err = newIndex(now); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFollow: a bug takes the names of its new home, or is left to a person.
func TestFollow(t *testing.T) {
	for _, c := range []struct{ old, next, wantOld, wantNext, err, reason string }{
		{
			"\tif m.known > e.rewound && budget > 0 {", "\tif m.known > e.rewound {",
			"\tif s.Known > seq.Rewound && budget > 0 {", "\tif s.Known > seq.Rewound {", "",
			"a condition is found in its new words",
		},
		{
			"\t\te.rings.drop(id)", "", "\t\tc.drop(id)", "", "",
			"a removed call stays removed",
		},
		{
			"\tm.known = e.next()", "\tif budget > 1 {\n\t\tm.known = e.rewound\n\t}",
			"\ts.Known = seq.Stamp()", "\tif budget > 1 {\n\t\ts.Known = seq.Rewound\n\t}", "",
			"new code takes the new names, from anywhere in the declaration",
		},
		{
			"\tfor _, x := range e.rings.found {", "\te.rings.reset()\n\tfor _, x := range e.rings.found {",
			"\tfor _, x := range c.found {", "\tc.reset()\n\tfor _, x := range c.found {", "",
			"a name that the declaration does not have takes the new receiver",
		},
		{
			"return true", "return e.rings.open", "return true", "return c.open", "",
			"a text within a line stays within it",
		},
		{
			"\t\tdelete(e.sights, id)\n", "", "\t\tc.effects.Look = append(c.effects.Look, id)", "", "",
			"a statement of another shape is found between its neighbours",
		},
		{
			"\te.counts.Steps++", "\te.counts.Steps--", "\tc.steps++", "\tc.steps--", "",
			"an operator is changed",
		},
		{
			"\tgoto done", "\tgoto again", "", "", "no counterpart",
			"code that is gone is left to a person",
		},
	} {
		r := moved(t, "")
		b := mutants.Bug{Name: "m001", Decl: mutants.Decl{Dir: ".", Name: "Engine.step"}, Old: c.old, New: c.next}
		l := &lost{bug: b, renamed: b}
		if err := r.seek(context.Background(), l); err != nil {
			t.Fatal(err)
		}
		got, err := r.follow(l)
		if c.err != "" {
			if !errors.Is(err, errByHand) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.reason, err, c.err)
			}
			continue
		}
		want := mutants.Decl{Dir: "internal/core/cycle", Name: "Cycle.Step"}
		if err != nil || got.Decl != want || got.Old != c.wantOld || got.New != c.wantNext {
			t.Errorf("%s: %s\n%s\nwant\n%s\n%s\nerror %v", c.reason, got.Decl, texts(got), c.wantOld, c.wantNext, err)
		}
	}
}

// TestFollowExact: a bug gets only a new anchor if a declaration has its text.
func TestFollowExact(t *testing.T) {
	r := moved(t, "")
	b := mutants.Bug{
		Name: "m001", Decl: mutants.Decl{Dir: ".", Name: "Engine.other"},
		Old: "\tif e.sights[id] == 0 {\n\t\treturn true\n\t}", New: "",
	}
	r.past.past["old"].source = mutants.NewSource(fstest.MapFS{"a.go": {Data: []byte(strings.ReplaceAll(before, "other", "former"))}})
	b.Decl.Name = "Engine.former"
	l := &lost{bug: b, renamed: b}
	if err := r.seek(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	got, err := r.follow(l)
	b.Decl.Name = "Engine.other"
	if err != nil || got.Decl != b.Decl || got.Old != b.Old {
		t.Errorf("%s\n%serror %v", got.Decl, texts(got), err)
	}
}

// TestFollowNames: a table of names helps where the declarations share too little.
func TestFollowNames(t *testing.T) {
	r := moved(t, "e.sights[id]\te.reads[id]\nsights reads\n")
	r.source = mutants.NewSource(fstest.MapFS{"a.go": {Data: []byte(strings.ReplaceAll(rest, "sights", "reads"))}})
	b := mutants.Bug{Name: "m001", Decl: mutants.Decl{Dir: ".", Name: "Engine.other"}, Old: "e.sights[id] == 0", New: "e.sights[id] == 1"}
	if r.fits(b) == nil || r.fits(r.Names.bug(b)) != nil {
		t.Errorf("the bug applies without the table, or not with it: %v", r.fits(r.Names.bug(b)))
	}
}

// TestFollowUnknown: a bug that never applied is left to a person.
func TestFollowUnknown(t *testing.T) {
	r := moved(t, "")
	b := mutants.Bug{Name: "m001", Decl: mutants.Decl{Dir: ".", Name: "Engine.step"}, Old: "nothing", New: ""}
	l := &lost{bug: b, renamed: b, err: mutants.ErrNoPlace}
	if err := r.seek(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	if _, err := r.follow(l); !errors.Is(err, errByHand) || !errors.Is(err, mutants.ErrNoPlace) {
		t.Errorf("error %v", err)
	}
}
