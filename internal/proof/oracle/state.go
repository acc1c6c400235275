package oracle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// State is the content of a store at one instant, with the memory of earlier
// instants that the rules need. It is an immutable value, safe for concurrent use.
// States that differ only in versions, generations, or the order of references and
// finalizers are one state.
type State struct {
	objects  []object    // sorted by key
	spent    []graph.UID // W3, sorted: every UID that lived
	orphaned []graph.Key // T3, sorted: owners whose orphaning a collector ended
	archives bool        // the store keeps entries
	entries  []Ended     // sorted by UID
}

// object is a live object in its present version.
type object struct {
	form
	judged []form // J1, sorted: its forms after the judged steps
	trail  trail
}

// form is an object with its text. Its slices are shared and never changed.
type form struct {
	graph.Object
	text string
}

func newForm(o graph.Object) form {
	o = tidy(o)
	return form{o, o.String()}
}

// tidy returns o without the differences that a state ignores.
func tidy(o graph.Object) graph.Object {
	o = o.Clone()
	o.Version, o.Generation, o.ObservedGeneration = "", 0, 0
	slices.Sort(o.Finalizers)
	if len(o.Owners) > 1 {
		slices.SortFunc(o.Owners, func(a, b graph.Owner) int {
			return cmp.Or(a.Key.Compare(b.Key), strings.Compare(a.String(), b.String()))
		})
	}
	return o
}

// NewState returns the state of a store with these live objects. Each key occurs
// once, and each place has one object. The state shares no memory with them.
func NewState(objects []graph.Object) State {
	var s State
	for _, o := range objects {
		s = s.insert(o)
	}
	return s
}

// Objects returns the live objects, sorted by key. The caller owns them.
func (s State) Objects() []graph.Object {
	out := make([]graph.Object, len(s.objects))
	for i, o := range s.objects {
		out[i] = o.Clone()
	}
	return out
}

// String returns the live objects in the form of Line.
func (s State) String() string { return Line(s.Objects()) }

// Line returns the objects in the notation of package graph, sorted, without versions
// and generations. Ends returns end states in this form.
func Line(objects []graph.Object) string {
	sorted := make([]graph.Object, len(objects))
	for i, o := range objects {
		sorted[i] = tidy(o)
	}
	return graph.Format(sorted)
}

// find returns the index of the object with this key, or -1.
func (s State) find(key graph.Key) int {
	return slices.IndexFunc(s.objects, func(o object) bool { return o.Key == key })
}

// insert adds an object and spends its UID.
func (s State) insert(o graph.Object) State {
	s = s.spend(o.UID)
	i, _ := slices.BinarySearchFunc(s.objects, o.Key, func(p object, k graph.Key) int { return p.Key.Compare(k) })
	s.objects = slices.Insert(slices.Clone(s.objects), i, object{})
	return s.write(i, newForm(o), false)
}

// write replaces the i-th object by a new version. It is the only write of this
// package, and follows W2 and W6. It may be a deletion.
func (s State) write(i int, f form, deletion bool) State {
	s.objects = slices.Clone(s.objects)
	old := s.objects[i]
	trail := old.trail
	trail.orphaned = trail.orphaned || !deletion && old.Orphaning() && !f.HasFinalizer(graph.FinalizerOrphan)
	if f.Deleting && len(f.Finalizers) == 0 && f.GraceSeconds == 0 {
		s.objects = slices.Delete(s.objects, i, i+1)
		s = s.end(f.Object, trail)
	} else {
		s.objects[i] = object{form: f, trail: trail}
	}
	return s
}

func (s State) spend(uid graph.UID) State {
	if i, found := slices.BinarySearch(s.spent, uid); !found {
		s.spent = slices.Insert(slices.Clone(s.spent), i, uid)
	}
	return s
}

// refersTo reports whether the reference leads to the object with this key.
func refersTo(r graph.Owner, key graph.Key) bool {
	return r.Key == key || r.Unresolved && r.UID == key.UID
}

// refs returns the references of the d-th object to the i-th. An object has none to
// itself.
func (s State) refs(d, i int) (list []graph.Owner) {
	if d == i {
		return nil
	}
	for _, r := range s.objects[d].Owners {
		if refersTo(r, s.objects[i].Key) {
			list = append(list, r)
		}
	}
	return list
}

// freed returns the references of the d-th object that the orphaning of the i-th drops: those
// that count for it, except Restrict references of an unmarked object.
func (s State) freed(d, i int, cfg Config) []graph.Owner {
	stays := func(r graph.Owner) bool {
		return r.OnDelete == graph.OnDeleteRestrict && cfg.unmarked(s.objects[d].Object)
	}
	return slices.DeleteFunc(s.counts(d, i, cfg), stays)
}

// counts returns the references of the d-th object that count for the orphaning of the i-th: those
// to it, and those with its UID.
func (s State) counts(d, i int, cfg Config) (list []graph.Owner) {
	if d == i {
		return nil
	}
	for _, r := range s.objects[d].Owners {
		if refersTo(r, s.objects[i].Key) || cfg.hasUID(s.objects[d].Object, r, s.objects[i].Key) {
			list = append(list, r)
		}
	}
	return list
}

// frees reports whether a reference counts for the orphaning of the i-th object.
func (s State) frees(i int, cfg Config) bool {
	for d := range s.objects {
		if len(s.counts(d, i, cfg)) > 0 {
			return true
		}
	}
	return false
}

// referred reports whether any other object refers to the i-th.
func (s State) referred(i int) bool {
	for d := range s.objects {
		if len(s.refs(d, i)) > 0 {
			return true
		}
	}
	return false
}

// blocked reports whether any other object refers to the i-th with Block.
func (s State) blocked(i int) bool {
	for d := range s.objects {
		if blocks(s.refs(d, i)) {
			return true
		}
	}
	return false
}

// blocks reports whether one of the references blocks.
func blocks(refs []graph.Owner) bool {
	return slices.ContainsFunc(refs, func(r graph.Owner) bool { return r.Block })
}
