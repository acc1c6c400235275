package rules

import (
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// leaving returns the state of the proof that owners orphan the object. R2: a reference
// is dropped only if its owner was seen orphaning at an instant after the judged version
// was committed. An owner is late while its controller has time to acknowledge its
// deletion. Evidence from after that time covers the acts of the controller, too.
func (in *Input) leaving() (v verdict) {
	for i, o := range in.Owners {
		switch {
		case o.Self || !o.Orphaning || o.Class == observed.Dangling:
		case o.Unacknowledged:
			v.late = append(v.late, i)
		default:
			v.add(in.proof(o, ReadOrphaning), i)
		}
	}
	return v
}

// orphan drops the references to owners that leave the object, and those to absent
// owners. The collector proposal trims them together. An owner may have gone only after
// the others were seen orphaning. Its reference goes along, which keeps the object:
// effects that overlap in time permit either outcome (RULES, Decisions). For a flawed
// object only the references to orphaning owners go. No other write may rest on a flawed
// object, and without this write the owner would never end.
func (in *Input) orphan(proven []int) policy.Decision {
	d := policy.Decision{Action: policy.Orphan, Reason: policy.OwnerOrphans, Owners: proven}
	for _, i := range proven {
		if in.Owners[i].Overdue {
			d.Reason = policy.AcknowledgementOverdue
		}
	}
	if !in.Flawed {
		var scratch few
		d.Owners = distinct(append(d.Owners, in.classify(&scratch).dangling...))
	}
	return d
}
