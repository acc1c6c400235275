package draft

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// PartsOf returns the parts that the deletion of a target may concern, by key: as a copy of it
// alone would have them. Below and sweeps have the parts that go with a part, and the members of
// its sweeps.
func PartsOf(target int32, parts []excerpt.Part, index *Index, below, sweeps [][]int32) (out []excerpt.Part) {
	holders := make([][]int32, len(parts))
	for h, members := range sweeps {
		for _, m := range members {
			holders[m] = append(holders[m], int32(h))
		}
	}
	const owner, member = 1, 2
	role, todo := make([]uint8, len(parts)), []int32{target}
	role[target] = member
	named := map[graph.UID]bool{}  // each object with the UID has a role
	shared := map[graph.UID]bool{} // so has each reference to the UID at other coordinates
	add := func(i int32, as uint8) {
		if parts[i].Object.Deleting && parts[i].Member {
			as = member
		}
		if role[i] < as {
			if role[i] = as; as == member {
				todo = append(todo, i)
			}
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range below[i] {
			add(d, member)
		}
		if sweeps != nil {
			for _, m := range sweeps[i] {
				add(m, member)
			}
		}
		for _, h := range holders[i] {
			add(h, owner)
		}
		if u := parts[i].Object.UID; !shared[u] {
			shared[u] = true
			for _, o := range index.AllOf(u) {
				as := uint8(member)
				if parts[o].State == excerpt.Exists {
					as = owner
				}
				add(o, as)
			}
		}
		for _, r := range parts[i].Object.Owners {
			if !named[r.UID] {
				named[r.UID] = true
				for _, o := range index.AllOf(r.UID) {
					add(o, owner)
				}
			}
		}
	}
	for i, as := range role {
		if as != 0 {
			p := parts[i]
			p.Member = as == member
			out = append(out, p)
		}
	}
	return out
}
