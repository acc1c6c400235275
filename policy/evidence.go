package policy

import (
	"github.com/ownergraph/ownergraph/graph"
)

// evidence is the state of the proof of an owner's state.
type evidence uint8

const (
	proven       evidence = iota + 1
	readable              // a read can prove it
	fenceable             // the fence that is due in any case can prove it
	contradicted          // a read contradicts it, and the watch must report a new state
)

// verdict sorts the references of a decision by the state of their proof.
type verdict struct {
	proven, read, fence, watch []int
	late                       []int // not yet acknowledged
}

// clear empties the lists of a verdict.
func (v *verdict) clear() {
	empty(&v.proven, &v.read, &v.fence, &v.watch, &v.late)
}

// add adds the references with the state of their proof.
func (v *verdict) add(e evidence, refs ...int) {
	switch e {
	case proven:
		v.proven = append(v.proven, refs...)
	case readable:
		v.read = append(v.read, refs...)
	case fenceable:
		v.fence = append(v.fence, refs...)
	case contradicted:
		v.watch = append(v.watch, refs...)
	}
}

// fenced reports whether a fence has passed that began after both the judged version and
// the owner's mark were known. The owner then had the mark at an instant after the
// version was committed.
func (in *Facts) fenced(o *OwnerFacts) bool {
	return o.Mark != 0 && in.Fence.Passed > max(in.Known, o.Mark)
}

// ended reports whether the owner's own fence has passed or was released.
func (in *Facts) ended(o *OwnerFacts) bool {
	return o.Mark != 0 && max(in.Fence.Passed, in.Fence.Released) > o.Mark
}

// read reports whether a read has shown the owner, and began after the given moment and
// after the judged version was known (R6).
func (in *Facts) read(o *OwnerFacts, after Moment) bool {
	return o.Read != ReadUnset && o.ReadBegan > max(in.Known, after)
}

// proof returns the state of the proof that the owner has the wanted state, at an instant
// after the judged version was committed (R2, presence). If a read and a fence disagree,
// the later one counts, because a change of propagation binds later judgements.
//
// If the owner's fence is still due, the decision waits for it. That saves one read for each
// owner. It also saves the second write for each object without dependents. After the fence,
// reads serve the later dependents.
func (in *Facts) proof(o *OwnerFacts, want ReadState) evidence {
	read := in.read(o, 0)
	switch {
	case read && o.Read == want:
		return proven
	case in.fenced(o) && !(read && o.ReadBegan > in.Fence.Passed):
		return proven
	case read:
		return contradicted
	case in.due(o):
		return fenceable
	}
	return readable
}

// due reports whether the owner's fence has still to pass, and can pass.
func (in *Facts) due(o *OwnerFacts) bool {
	return in.Fence.Exact && !in.Fence.Blocked && o.Mark != 0 && !in.ended(o)
}

// keeps returns the state of the proof that the solid owner x stood at an instant after
// the mark of the waiting owner o was known. A read of x shows that. The fence of o shows
// it if the watch has observed x. A fence shows nothing of an unobserved owner. A restricted owner x
// is solid as long as another object restricts it. A read of x does not show that object, so it takes
// the fence, where the store has fences (RULES, E4).
func (in *Facts) keeps(x, o *OwnerFacts) evidence {
	read := in.read(x, o.Mark)
	if x.Restricted && in.Fence.Exact {
		if in.fenced(o) && x.Class == graph.Solid {
			return proven
		}
		return fenceable
	}
	switch {
	case read && (x.Read == ReadSolid || x.Read == ReadOrphaning):
		return proven
	case in.fenced(o) && x.Class == graph.Solid && !(read && x.ReadBegan > in.Fence.Passed):
		return proven
	case read:
		return contradicted
	}
	return readable
}

// lastChange returns the moment of the last change of an owner of an unset reference.
func (in *Facts) lastChange() (last Moment) {
	for i := range in.Owners {
		if w := &in.Owners[i]; !w.Self && w.OnDelete == graph.OnDeleteUnset {
			last = max(last, w.Changed)
		}
	}
	return last
}

// common returns the state of the proof that the owner waits at an instant at which every
// other owner of an unset reference was absent or waiting (R2, one instant, and E2). The proof is a read that began
// when all of that was known, and that answered the graph's version. No read of an
// unobserved owner is such a proof.
//
// Last is the result of lastChange, which is the same for all owners of an object.
func (in *Facts) common(o *OwnerFacts, last Moment) evidence {
	if !in.read(o, last) {
		if in.due(o) { // a leaf then takes one write
			return fenceable
		}
		return readable
	}
	if o.Read != ReadWaiting || !o.SameVersion {
		return contradicted
	}
	return proven
}
