package rules

import (
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// evidence says how far the evidence for an owner's state is.
type evidence uint8

const (
	proven       evidence = iota + 1
	readable              // a read would tell
	fenceable             // the fence that is due anyway will tell, without a read
	contradicted          // a read says otherwise: the watch has to speak
)

// verdict holds references by how far the evidence is that a decision needs of
// them.
type verdict struct {
	proven, read, fence, watch []int
	late                       []int // not acknowledged yet
}

// add notes the references that the evidence is about.
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

// fenced reports whether a fence has passed that began after both the judged
// version and the owner's mark were known: the mark was there at an instant
// after the version was committed.
func (in *Input) fenced(o OwnerFact) bool {
	return o.Mark != 0 && in.Fence.Passed > max(in.Known, o.Mark)
}

// ended reports whether the owner's own fence has passed, or does not matter.
func (in *Input) ended(o OwnerFact) bool {
	return o.Mark != 0 && max(in.Fence.Passed, in.Fence.Released) > o.Mark
}

// read reports whether a read has shown the owner that began after the moment
// and after the judged version was known (R6).
func (in *Input) read(o OwnerFact, after seq.Stamp) bool {
	return o.Read != ReadUnset && o.ReadBegan > max(in.Known, after)
}

// proof says whether the owner is proven to be as want says, at an instant
// after the judged version was committed (R2, presence). Where a read and a
// fence disagree, the later one counts: a change of propagation binds what is
// judged after it is known.
//
// Where the owner's fence has still to come, and can, waiting for it saves a
// read for each owner and a second write for each leaf. Once it has passed,
// later dependents are judged by reads.
func (in *Input) proof(o OwnerFact, want ReadState) evidence {
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

// due reports whether the owner's fence has still to come, and can.
func (in *Input) due(o OwnerFact) bool {
	return in.Fence.Exact && !in.Fence.Held && o.Mark != 0 && !in.ended(o)
}

// keeps says whether the solid owner x is proven to have stood at an instant
// after the mark of the waiting owner o was known. Its read shows that, or o's
// fence if the watch has observed x: a fence says nothing of what nobody
// observed.
func (in *Input) keeps(x, o OwnerFact) evidence {
	read := in.read(x, o.Mark)
	switch {
	case read && (x.Read == ReadSolid || x.Read == ReadOrphaning):
		return proven
	case in.fenced(o) && x.Class == observed.Solid && !(read && x.ReadBegan > in.Fence.Passed):
		return proven
	case read:
		return contradicted
	}
	return readable
}

// common says whether the waiting owner is proven to wait at an instant at
// which every other owner was absent or waiting (R2, one instant): by a read
// that began when all of that was known, and that answered the version in the
// graph. Of an owner that nobody has observed no read can be that.
func (in *Input) common(o OwnerFact) evidence {
	for _, w := range in.Owners {
		if !w.Self && !in.read(o, w.Changed) {
			if in.due(o) { // then a leaf goes in one write
				return fenceable
			}
			return readable
		}
	}
	if o.Read != ReadWaiting || !o.SameVersion {
		return contradicted
	}
	return proven
}
