package oracle

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// restricted reports whether another object restricts o, C6.
func (s State) restricted(o graph.Object, cfg Config) bool {
	restricts := func(r graph.Owner) bool { return r.OnDelete == graph.OnDeleteRestrict && refersTo(r, o.Key) }
	return slices.ContainsFunc(s.objects, func(d object) bool {
		return d.Key != o.Key && cfg.unmarked(d.Object) && slices.ContainsFunc(d.Owners, restricts)
	})
}

// unmarked reports whether the object has no mark, or one that a guard or a protection withholds.
func (c Config) unmarked(o graph.Object) bool { return !o.Deleting || c.withholds(o) }

// waits reports whether the object waits, V1.
func (s State) waits(o graph.Object, cfg Config) bool {
	return o.Waiting() && !cfg.withholds(o) && !s.restricted(o, cfg)
}

// orphans reports whether the object orphans, V1.
func (s State) orphans(o graph.Object, cfg Config) bool {
	return o.Orphaning() && !cfg.withholds(o) && !s.restricted(o, cfg)
}

// tally has the number of an object's references of each policy and class.
type tally [graph.OnDeleteCascade + 1][classes]int

// count returns the tally of an object. It leaves out references with an unknown policy.
func (s State) count(d graph.Object, cfg Config) (n tally) {
	for _, r := range d.Owners {
		if int(r.OnDelete) < len(n) {
			n[r.OnDelete][s.class(d, r, cfg)]++
		}
	}
	return n
}

// goes reports whether the object has to go by its references, T1.
func (n tally) goes() bool {
	cascade := n[graph.OnDeleteCascade]
	return cascade[absent]+cascade[waiting] > 0 || !n.keeps() && n[graph.OnDeleteUnset][absent]+n[graph.OnDeleteUnset][waiting] > 0
}

// keeps reports whether an unset reference keeps the object. A cascade reference may end it all the
// same.
func (n tally) keeps() bool {
	return n[graph.OnDeleteUnset][solid]+n[graph.OnDeleteUnset][unknown] > 0
}

// waits reports whether an owner waits because of which the object may be deleted, T2.
func (n tally) waits() bool {
	return n[graph.OnDeleteUnset][waiting]+n[graph.OnDeleteCascade][waiting] > 0
}

// release applies T9 to an object, marked or not.
func (s State) release(out []graph.Object, i int, cfg Config) []graph.Object {
	d := s.objects[i].Object
	for _, r := range d.Owners {
		if r.OnDelete != graph.OnDeleteRelease {
			continue
		}
		if c := s.class(d, r, cfg); c == absent || c == waiting {
			out = append(out, drop(d, r)) // T5 has those to owners that orphan
		}
	}
	return out
}

// stops reports whether the store refuses a deletion of o, W5. It knows no settings of an engine.
func (s State) stops(o graph.Object, cfg Config) bool {
	return cfg.Strict && !o.Deleting && s.restricted(o, Config{})
}
