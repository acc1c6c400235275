package properties

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"pgregory.net/rapid"
)

// style is the sort of a world's content.
type style uint8

const (
	// tame: a store that checks references would take all of them, and users delete.
	tame style = iota + 1
	// tight: a few objects, and busy users, for races. Each object has a kind of its
	// own, so that its events have a delay of their own.
	tight
	// wild: all content that the contract allows.
	wild
)

// size bounds a world.
type size struct {
	style                     style
	engines, objects, actions int
	judged                    bool // by the oracle: only users finish a finalizer
	guarded                   bool // roots are guarded, and objects protected
}

// draws makes the choices of one test case. Small numbers are plain choices, so that
// a shrunk case is plain.
type draws struct {
	t    *rapid.T
	size size
}

func (d draws) number(label string, n int) int {
	return rapid.IntRange(0, n-1).Draw(d.t, label)
}

// chance is true in one of n cases.
func (d draws) chance(label string, n int) bool { return d.number(label, n) == n-1 }

const (
	mixedKinds = "ghPQ"
	tightKinds = "abcd"
)

func (d draws) settings() settings {
	s := settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: d.size.engines}
	if d.size.style == tight {
		s.Kinds = tightKinds
	}
	if d.chance("level 1", 8) {
		s.Level = ownergraph.Level1
	}
	s.Override = d.chance("override", 4)
	s.Absent = d.chance("absent", 4)
	s.Counting = d.chance("counting", 3)
	s.Forgetful = d.chance("forgetful", 3)
	s.Waits = d.chance("waits", 4)
	if d.size.guarded {
		d.guards(&s)
	}
	return s
}

// world draws the objects of a store.
func (d draws) world(set settings) []graph.Object {
	n := 1 + d.number("objects", d.size.objects)
	var keys []graph.Key
	for i := range n {
		keys = append(keys, d.key(i, keys))
	}
	out := make([]graph.Object, n)
	for i := range out {
		out[i] = graph.Object{Key: keys[i]}
		for range d.number("references", 4) {
			if r, ok := d.reference(set, out[i], keys); ok {
				out[i].Owners = append(out[i].Owners, r)
			}
		}
		d.condition(&out[i])
	}
	return out
}

// key draws the coordinates of the i-th object. Its UID makes its notation short. Two
// objects of one kind and name live in different scopes.
func (d draws) key(i int, taken []graph.Key) graph.Key {
	own := string(rune('a'+i%26)) + strings.Repeat("z", i/26)
	if d.size.style == tight {
		k := graph.Key{Kind: graph.Kind(tightKinds[i%4 : i%4+1]), Name: own, UID: graph.UID(own)}
		return k
	}
	mixed := settings{Kinds: mixedKinds}.kinds()
	kind := mixed[d.number("kind", len(mixed))]
	k := graph.Key{Kind: kind.Kind, Name: own}
	if kind.Scoped {
		k.Scope = []string{"s", "t"}[d.number("scope", 2)]
		if d.size.style == wild && i > 0 && d.chance("namesake", 3) {
			k.Name = taken[d.number("of", i)].Name
		}
	}
	if k = named(k); slices.Contains(taken, k) {
		k.Name = own
		k = named(k)
	}
	return k
}

// named gives a place the UID that its notation leaves out.
func named(k graph.Key) graph.Key {
	k.UID = ""
	k.UID = graph.UID(strings.TrimSuffix(k.String(), `@""`))
	return k
}

// reference draws an owner reference of an object to one of the keys.
func (d draws) reference(set settings, dep graph.Object, keys []graph.Key) (graph.Owner, bool) {
	r := graph.Owner{Key: keys[d.number("owner", len(keys))], Block: d.chance("block", 2)}
	switch d.size.style {
	case tame:
		return r, r.Key != dep.Key && (r.Scope == "" || r.Scope == dep.Scope)
	case tight:
		return r, r.Key != dep.Key
	}
	r.Controller = d.chance("controller", 8)
	switch d.number("odd", 32) {
	case 31: // an owner that never lived
		r.UID += "/gone"
	case 30: // a place that does not exist
		r.Name += "x"
	case 29:
		r.Kind = set.kinds()[d.number("wrong kind", len(set.Kinds))].Kind
	case 28:
		r.Scope = []string{"", "s", "t", "u"}[d.number("wrong scope", 4)]
	case 27:
		r.Unresolved = true
	case 26:
		r.Kind, r.UID = unserved, r.UID+"/unserved"
	case 25:
		r.Name = ""
	case 24:
		r.UID = ""
	case 23:
		r.Kind = ""
	}
	return r, agreed(set, dep.Key, r)
}

// agreed reports whether engine, ledger and oracle agree on the class of a reference.
// Kubernetes' reading makes an owner in another scope absent. The ledger sees it
// live, and the oracle does not search the object's own scope for it.
func agreed(set settings, dep graph.Key, r graph.Owner) bool {
	return !set.Absent || r.Scope == "" || dep.Scope == "" || r.Scope == dep.Scope
}

// condition draws the finalizers, mark and generation of an object.
func (d draws) condition(o *graph.Object) {
	switch d.size.style {
	case tame:
		return
	case tight:
		if d.chance("foreign", 3) {
			o.Finalizers = []string{"foreign"}
		}
		return
	}
	switch d.number("finalizer", 12) {
	case 11:
		o.Finalizers = []string{graph.FinalizerForeground}
	case 10:
		o.Finalizers = []string{graph.FinalizerOrphan}
	case 9, 8:
		o.Finalizers = []string{"foreign"}
	case 7:
		if !d.size.judged {
			o.Finalizers = []string{handled}
		}
	}
	if len(o.Finalizers) > 0 && d.chance("deleting", 3) {
		o.Deleting = true
	} else if d.chance("graceful", 16) {
		o.Deleting, o.GraceSeconds = true, 30
	}
	if o.Kind == "h" {
		o.Generation, o.ObservedGeneration = 2, int64(1+d.number("observed", 2))
	}
}
