package rules

import (
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// leaving says how far the evidence is that owners orphan the object. R2: a
// reference is dropped only if its owner was seen orphaning at an instant after
// the judged version was committed. An owner whose controller is given time to
// see its deletion is late: evidence from after that time also covers what the
// controller did until then.
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

// orphan drops the references to owners that leave the object, and with them
// those to absent owners: the collector proposal trims them together. One that
// went only after the others were seen orphaning goes along as well, which keeps
// the object: effects that overlap in time permit either (RULES, Decisions). Of a
// flawed object only the former go: nothing else may rest on it, and without
// them the owner would never end.
func (in *Input) orphan(proven []int) policy.Decision {
	d := policy.Decision{Action: policy.Orphan, Reason: policy.OwnerOrphans, Owners: proven}
	for _, i := range proven {
		if in.Owners[i].Overdue {
			d.Reason = policy.AcknowledgementOverdue
		}
	}
	if !in.Flawed {
		var room few
		d.Owners = distinct(append(d.Owners, in.classify(&room).dangling...))
	}
	return d
}
