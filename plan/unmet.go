package plan

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Unmet returns the definite outcomes that did not come true, by key. Its argument has the
// objects that are in the store at rest after the deletion. A removed object must be
// absent with its UID, and every other object must be present. An orphaned or trimmed
// object must have lost the references that the plan's steps drop. A possible outcome may
// vary (RULES, P3), and is never unmet.
//
//test:by TestUnmet
func (p Plan) Unmet(left []graph.Object) []Difference {
	at := make(map[graph.Key]*graph.Object, len(left))
	for i := range left {
		at[left[i].Key] = &left[i]
	}
	dropped := p.dropped()
	var out []Difference
	for i := range p.Objects {
		o := &p.Objects[i]
		now := at[o.Key]
		switch {
		case o.Possible:
		case o.Outcome == Removed && now != nil:
			out = append(out, Difference{o.Key, o.state(), "present"})
		case o.Outcome != Removed && now == nil:
			out = append(out, Difference{o.Key, o.state(), "absent"})
		case o.Outcome == Orphaned || o.Outcome == Trimmed:
			for _, r := range now.Owners {
				if slices.Contains(dropped[o.Key], r.Key) {
					out = append(out, Difference{o.Key, o.state(), "owned by " + shown(r.Key)})
					break
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Difference) int { return a.Key.Compare(b.Key) })
	return out
}

// dropped returns the references that the steps drop, by dependent.
func (p *Plan) dropped() map[graph.Key][]graph.Key {
	out := map[graph.Key][]graph.Key{}
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Action == policy.Orphan || s.Action == policy.Trim {
			out[s.Key] = append(out[s.Key], s.Owners...)
		}
	}
	return out
}
