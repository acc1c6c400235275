package invariant

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// bucket is a group of members that an engine can count at one instant. One group
// has all members that the watch shows, with members = -1. Each other group has
// the members of one kind that one selection shows. The selections of a sweep are
// of different instants. Between them a member of one kind may come as a member of
// another kind goes.
type bucket struct {
	members int
	kind    graph.Kind
}

// counts returns the number of a holder's members in each bucket, with exceptions.
func (s *Sweeps) counts(p *plan.Plan, h graph.Object, except func(o graph.Object) bool) map[bucket]int {
	out := map[bucket]int{}
	labelled := p.LabelledMembers()
	for _, o := range s.all {
		if !p.IsHolder(h) || except != nil && except(o) {
			continue
		}
		if memberAlways(p, h, o) {
			out[bucket{members: -1}]++
		}
		if len(labelled) == 0 {
			continue
		}
		seen := map[int]bool{}
		for x := range s.of(p, o) {
			if m := &p.Sweep().Members[x.Members]; !x.Shadow && (m.Label != "" || m.Selector != "") && !seen[x.Members] && p.Names(h, o, x) {
				seen[x.Members] = true
				out[bucket{x.Members, o.Kind}]++
			}
		}
	}
	return out
}

// fewest records the least number of members in each bucket.
func (s *Sweeps) fewest(t tenure, now map[bucket]int) {
	if least, ok := s.least[t]; ok {
		lower(least, now)
		return
	}
	s.least[t] = now
}

// lower makes each of the figures the lower one.
func lower(least, now map[bucket]int) {
	for b, n := range least {
		least[b] = min(n, now[b])
	}
}

// total returns a lower bound of the number of members. A member of two buckets
// counts once.
func total(least map[bucket]int) int {
	kinds, sum := map[graph.Kind]int{}, 0
	for b, n := range least {
		if b.members >= 0 {
			kinds[b.kind] = max(kinds[b.kind], n)
		}
	}
	for _, n := range kinds {
		sum += n
	}
	return max(sum, least[bucket{members: -1}])
}
