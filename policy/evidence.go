package policy

// evidence says how far the evidence for an owner's state is.
type evidence uint8

const (
	proven       evidence = iota + 1
	readable              // a read would tell
	fenceable             // the fence that is due anyway will tell, without a read
	contradicted          // a read says otherwise: the watch has to speak
)

// fenced reports whether a fence has passed that began after both the judged
// version and the owner's mark were known: the mark was there at an instant
// after the version was committed.
func (in Input) fenced(o OwnerFact) bool {
	return o.Mark != 0 && in.Fence.Passed > max(in.Known, o.Mark)
}

// ended reports whether the owner's own fence has passed, or does not matter.
func (in Input) ended(o OwnerFact) bool {
	return o.Mark != 0 && max(in.Fence.Passed, in.Fence.Released) > o.Mark
}

// proof says whether the owner is proven to be as want says, at an instant
// after the judged version was committed (R2, presence).
//
// Where the owner's fence has still to come, and can, waiting for it saves a
// read for each owner and a second write for each leaf. Once it has passed,
// later dependents are judged by reads.
func (in Input) proof(o OwnerFact, want Sight) evidence {
	switch {
	case in.fenced(o):
		return proven
	case o.Seen != SightUnset && o.Began > in.Known:
		if o.Seen == want {
			return proven
		}
		return contradicted
	case in.Fence.Exact && !in.Fence.Held && o.Mark != 0 && !in.ended(o):
		return fenceable
	}
	return readable
}

// common says whether the waiting owner i is proven to wait at an instant at
// which every other owner was absent or waiting (R2, one instant): by a read
// that began when all of that was known, and that answered the version in the
// graph.
func (in Input) common(i int) evidence {
	o := in.Owners[i]
	if o.Seen == SightUnset || o.Began <= in.Known {
		return readable
	}
	for j, w := range in.Owners {
		if !w.Self && o.Began <= w.Changed || j == i && o.Began <= w.Mark {
			return readable
		}
	}
	if o.Seen != SeenWaiting || !o.Same {
		return contradicted
	}
	return proven
}
