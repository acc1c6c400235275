package policy

import (
	"github.com/ownergraph/ownergraph/graph"
)

// leaving returns the state of the proof that owners orphan the object. R2: a reference
// is dropped only if its owner was seen orphaning at an instant after the judged version
// was committed. An owner is late while its controller has time to acknowledge its
// deletion. Evidence from after that time covers the acts of the controller, too.
func (in *Facts) leaving(s *Scratch) *verdict {
	v := &s.leaving
	v.clear()
	for i := range in.Owners {
		o := &in.Owners[i]
		switch {
		case o.Self || !o.Orphaning || o.Class == graph.Dangling:
		case o.Unacknowledged:
			v.late = append(v.late, i)
		default:
			v.add(in.proof(o, ReadOrphaning), i)
		}
	}
	return v
}

// orphan drops the references to owners that leave the object, and those to absent
// owners. The collector proposal trims them together. An absent owner may have gone after
// the others were seen orphaning. Its reference is dropped too, so the object stays. If two
// deletions overlap in time, both outcomes are permitted. For a flawed object only the
// references to orphaning owners go. No other write may rest on a flawed object, and without
// this write the owner would never end.
func (in *Facts) orphan(left *verdict, s *Scratch) Decision {
	d := Decision{Action: Orphan, Reason: OwnerOrphans}
	for _, i := range left.proven {
		if in.Owners[i].Overdue {
			d.Reason = AcknowledgementOverdue
		}
	}
	if !in.Flawed {
		left.add(proven, in.classify(s).dangling...)
	}
	d.Owners = distinct(left.proven)
	return d
}
