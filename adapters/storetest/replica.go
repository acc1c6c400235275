package storetest

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// replica is the state of a reader who believes every event of a watch.
type replica struct {
	infos   []ownergraph.KindInfo
	kinds   map[ownergraph.Kind]*kindView
	rewound bool
	// compared is the last argument of agrees.
	compared *comparison
	passed   map[passage]bool
}

// comparison is the set of objects that a reader should know of a kind.
type comparison struct {
	kind ownergraph.Kind
	want []ownergraph.Object
}

// passage is a fence of a kind.
type passage struct {
	kind ownergraph.Kind
	id   uint64
}

// kindView is the known state of one kind.
type kindView struct {
	objects  map[ownergraph.Key]ownergraph.Object // by key with UID
	listing  map[ownergraph.Key]bool              // the objects of the listing in progress; nil without one
	begun    int                                  // listings
	ended    int
	sick     bool
	vanished bool
}

func replay(events []ownergraph.Event) *replica {
	r := &replica{kinds: map[ownergraph.Kind]*kindView{}, passed: map[passage]bool{}}
	for _, e := range events {
		r.apply(e)
	}
	return r
}

func (r *replica) apply(e ownergraph.Event) {
	switch e.Type {
	case graph.KindsKnown:
		r.infos = e.Kinds
		for _, i := range e.Kinds {
			r.of(i.Kind).vanished = false
		}
	case graph.Rewound:
		r.rewind()
	case graph.FencePassed:
		r.passed[passage{e.Kind, e.Fence}] = true
	default:
		r.of(e.Of()).apply(e)
	}
}

// rewind forgets the listings from before the rewind, because they no longer prove anything.
func (r *replica) rewind() {
	r.rewound = true
	for _, k := range r.kinds {
		k.ended, k.listing = 0, nil
	}
}

func (r *replica) of(kind ownergraph.Kind) *kindView {
	k := r.kinds[kind]
	if k == nil {
		k = &kindView{objects: map[ownergraph.Key]ownergraph.Object{}}
		r.kinds[kind] = k
	}
	return k
}

func (v *kindView) apply(e ownergraph.Event) {
	switch e.Type {
	case graph.ListBegun:
		v.listing = map[ownergraph.Key]bool{}
		v.begun++
	case graph.ListEnded:
		if v.listing != nil {
			maps.DeleteFunc(v.objects, func(key ownergraph.Key, _ ownergraph.Object) bool { return !v.listing[key] })
			v.ended++
		}
		v.listing = nil
	case graph.Put:
		v.objects[e.Object.Key] = e.Object
		if v.listing != nil {
			v.listing[e.Object.Key] = true
		}
	case graph.Gone:
		delete(v.objects, e.Key)
	case graph.KindSick, graph.KindRecovered:
		v.sick = e.Type == graph.KindSick
	case graph.KindVanished:
		*v = kindView{objects: v.objects, vanished: true}
	}
}

// listed reports whether the set of kinds is known and each kind is listed.
func (r *replica) listed() bool {
	return len(r.infos) > 0 && !slices.ContainsFunc(r.infos, func(i ownergraph.KindInfo) bool { return r.of(i.Kind).ended == 0 })
}

// serves reports whether the kind is in the set of kinds.
func (r *replica) serves(kind ownergraph.Kind) bool {
	return slices.ContainsFunc(r.infos, func(i ownergraph.KindInfo) bool { return i.Kind == kind })
}

// knows reports whether exactly this state of the object is known.
func (r *replica) knows(o ownergraph.Object) bool {
	x, ok := r.of(o.Kind).objects[o.Key]
	return ok && x.Version == o.Version
}

// has reports whether any state of this incarnation is known.
func (r *replica) has(key ownergraph.Key) bool {
	_, ok := r.of(key.Kind).objects[key]
	return ok
}

// agrees reports whether the reader knows these objects of the kind, in these
// states, and no others.
func (r *replica) agrees(kind ownergraph.Kind, want []ownergraph.Object) bool {
	r.compared = &comparison{kind, want}
	return len(r.of(kind).objects) == len(want) && !slices.ContainsFunc(want, func(o ownergraph.Object) bool { return !r.knows(o) })
}

// all returns the known objects of the kind, sorted by key.
func (r *replica) all(kind ownergraph.Kind) []ownergraph.Object {
	return slices.SortedFunc(maps.Values(r.of(kind).objects), func(a, b ownergraph.Object) int { return a.Key.Compare(b.Key) })
}
