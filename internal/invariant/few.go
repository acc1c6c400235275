package invariant

import (
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// bucket is those members of a holder that can be counted at one instant: all
// whom a watch shows, members being -1, and those of a kind whom a selection for
// some Members does. The selections of a sweep are of different instants, so that
// a member may come in one kind as one in another goes, and nobody can tell.
type bucket struct {
	members int
	kind    graph.Kind
}

// counts returns how many members a holder has in each bucket, but for some.
func (s *Sweeps) counts(p *finalizer.Plan, h graph.Object, except func(o graph.Object) bool) map[bucket]int {
	out := map[bucket]int{}
	labelled := p.LabelledMembers()
	for _, o := range s.all {
		if !p.IsHolder(h) || except != nil && except(o) {
			continue
		}
		if p.Member(h, o) {
			out[bucket{members: -1}]++
		}
		if len(labelled) == 0 {
			continue
		}
		seen := map[int]bool{}
		for x := range s.of(p, o) {
			if m := &p.Sweep().Members[x.Members]; !x.Shadow && (m.Label != "" || m.Selector != "") && !seen[x.Members] && p.Holds(h, o, x) {
				seen[x.Members] = true
				out[bucket{x.Members, o.Kind}]++
			}
		}
	}
	return out
}

// fewest notes how few members a holder had in each bucket.
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

// total returns how many members there were at least: who is in two buckets counts
// once.
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
