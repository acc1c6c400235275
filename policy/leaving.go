package policy

import (
	"github.com/ownergraph/ownergraph/graph"
)

// leaving returns the state of the proof that owners orphan the object. R2: a reference
// is dropped only if its owner was seen orphaning at an instant after the judged version
// was committed. It frees references of every policy but restrict, and that of a marked object too
// (RULES, E3). An owner is late while its controller has time to acknowledge its
// deletion. Evidence from after that time covers the acts of the controller, too.
func (in *Facts) leaving(s *Scratch) *verdict {
	v := &s.leaving
	v.clear()
	for i := range in.Owners {
		o := &in.Owners[i]
		switch {
		case o.Self || !o.Orphaning || o.Class == graph.Dangling:
		case o.OnDelete == graph.OnDeleteRestrict && (!in.Deleting || in.Withheld): // it restricts the owner until it is marked
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
// this write the owner would never end. Absent owners of unset references go along with such a
// reference only: otherwise the object lives or dies by the order (RULES, E3).
func (in *Facts) orphan(left *verdict, s *Scratch) Decision {
	d := Decision{Action: Orphan, Reason: OwnerOrphans}
	counted := false
	for _, i := range left.proven {
		if in.Owners[i].Overdue {
			d.Reason = AcknowledgementOverdue
		}
		counted = counted || in.Owners[i].OnDelete == graph.OnDeleteUnset
	}
	if counted && !in.Flawed {
		left.add(proven, in.classify(graph.OnDeleteUnset, &s.unset).dangling...)
	}
	d.Owners = distinct(left.proven)
	return d
}
