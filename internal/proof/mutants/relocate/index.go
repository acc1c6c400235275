package relocate

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/internal/proof/mutants"
)

// Production are the directories that a bug may move to, each with all directories
// below it. The root stands for itself alone.
func Production() []string {
	return []string{"graph", "policy", "queue", "finalizer", "guard", "engine", "owners", "lint", "internal/core", "internal/forecast", "internal/run", "internal/draft", "internal/replica", "internal/fault", "internal/proof/world", "adapters/memory"}
}

// entry is one declaration of the source as it is now.
type entry struct {
	mutants.Place
	units []unit
	bag   map[string]int
	total int
}

// index has the declarations that a bug may move to.
type index []*entry

func newIndex(source *mutants.Source) (index, error) {
	dirs, err := source.Dirs(Production()...)
	if err != nil {
		return nil, err
	}
	var all index
	for _, dir := range append([]string{"."}, dirs...) {
		places, err := source.Places(dir)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			e := &entry{Place: p, units: units(p.Text())}
			e.bag, e.total = bagOf(e.units)
			all = append(all, e)
		}
	}
	return all, nil
}

// bagOf counts the last names and literals of units.
func bagOf(all []unit) (map[string]int, int) {
	bag, total := map[string]int{}, 0
	for _, u := range all {
		if u.kind == token.IDENT || u.kind.IsLiteral() {
			bag[u.last()]++
			total++
		}
	}
	return bag, total
}

func shared(a, b map[string]int) (n int) {
	for word, k := range a {
		n += min(k, b[word])
	}
	return n
}

// around is the number of units on each side of a bug that have to look alike.
const around = 20

// window returns the units of a bug and those around them.
func (o *origin) window() []unit {
	return o.units[max(o.first-around, 0):min(o.after+around, len(o.units))]
}

// aligned is a declaration, compared with the old home of a bug.
type aligned struct {
	*entry
	score    float64 // from 0 to 1
	partners []int   // of the old units
	exact    bool    // it has the old text exactly once
}

// closest is the number of declarations that are compared unit by unit.
const closest = 15

// candidates returns the declarations that look most like the old home of a bug,
// the best first.
func (x index) candidates(o *origin) []aligned {
	window, n := bagOf(o.window())
	whole, total := bagOf(o.units)
	type rough struct {
		*entry
		score float64
	}
	var all []rough
	for _, e := range x {
		score := float64(shared(window, e.bag))/float64(max(n, 1)) + float64(shared(whole, e.bag))/float64(max(total+e.total, 1))
		if sameName(e.Decl, o.Decl) {
			score += 0.3
		}
		if o.exactIn(e) {
			score += 0.3
		}
		if e.Decl == o.Decl {
			score += 1
		}
		all = append(all, rough{e, score})
	}
	slices.SortStableFunc(all, func(a, b rough) int { return cmp.Compare(b.score, a.score) })
	var out []aligned
	for _, r := range all[:min(closest, len(all))] {
		out = append(out, o.compare(r.entry))
	}
	slices.SortStableFunc(out, func(a, b aligned) int { return cmp.Compare(b.score, a.score) })
	return out
}

// compare aligns the old home of a bug with a declaration.
func (o *origin) compare(e *entry) aligned {
	c := aligned{entry: e, partners: align(o.units, e.units), exact: o.exactIn(e)}
	var near, nearAll, whole, wholeAll float32
	for i, u := range o.units {
		var l float32
		if j := c.partners[i]; j >= 0 {
			l = likeness(u, e.units[j])
		}
		if i >= o.first-around && i < o.after+around {
			near, nearAll = near+l, nearAll+u.weight()
		}
		whole, wholeAll = whole+2*l, wholeAll+u.weight()
	}
	for _, u := range e.units {
		wholeAll += u.weight()
	}
	c.score = 0.65*float64(near/max(nearAll, 1)) + 0.35*float64(whole/max(wholeAll, 1))
	if sameName(e.Decl, o.Decl) {
		c.score += 0.03
	}
	if c.exact {
		c.score += 0.05
	}
	return c
}

// sameName reports whether two names differ in their types and in case alone.
func sameName(a, b mutants.Decl) bool { return strings.EqualFold(base(a.Name), base(b.Name)) }

// exactIn reports whether a declaration has the old text exactly once.
func (o *origin) exactIn(e *entry) bool { return o.old != "" && len(e.At(o.old)) == 1 }

// base returns a method's name without its type.
func base(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
