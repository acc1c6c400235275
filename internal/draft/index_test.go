package draft

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// TestIndex: the index has the same answers as a walk over all parts, also where many parts share a
// UID.
func TestIndex(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var list []excerpt.Part
		for i := range random.IntN(30) {
			k := graph.Key{Kind: "k", Name: fmt.Sprint("n", i), UID: graph.UID(fmt.Sprint("u", random.IntN(1+int(seed%9)*3)))}
			list = append(list, excerpt.Part{Object: graph.Object{Key: k}, State: []excerpt.State{excerpt.Exists, excerpt.Absent, excerpt.Unknown}[random.IntN(3)]})
		}
		x := NewIndex(list)
		for i := range list {
			k := list[i].Object.Key
			if at, ok := x.Of(k); !ok || int(at) != i {
				t.Errorf("seed %d: %s at %d, %t, want %d", seed, k, at, ok, i)
			}
			other := k
			other.Name = "another"
			if at, ok := x.Of(other); ok {
				t.Errorf("seed %d: %s at %d, want none", seed, other, at)
			}
			exists := slices.ContainsFunc(list, func(p excerpt.Part) bool { return p.Object.UID == k.UID && p.State == excerpt.Exists })
			if at, ok := x.OfUID(k.UID); ok != exists || ok && (list[at].Object.UID != k.UID || list[at].State != excerpt.Exists) {
				t.Errorf("seed %d: UID %s at %d, %t, want %t", seed, k.UID, at, ok, exists)
			}
			all := x.AllOf(k.UID)
			slices.Sort(all)
			for j := range list {
				if slices.Contains(all, int32(j)) != (list[j].Object.UID == k.UID) {
					t.Errorf("seed %d: the parts of UID %s are %v", seed, k.UID, all)
				}
			}
		}
		if _, ok := x.Of(graph.Key{Kind: "k", Name: "n0", UID: "none"}); ok {
			t.Errorf("seed %d: a UID of no part", seed)
		}
	}
}

// TestLinkOwners: the owners of a part are those of which it is a dependent, once each, and the
// references that lead to no part and do not count by their UID. A link blocks if a reference to
// the UID does.
func TestLinkOwners(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		list := make([]excerpt.Part, 2+random.IntN(12))
		for i := range list {
			list[i] = excerpt.Part{
				Object: graph.Object{Key: graph.Key{Kind: "k", Name: fmt.Sprint("n", i), UID: graph.UID(fmt.Sprint("u", i*2/3))}},
				State:  []excerpt.State{excerpt.Exists, excerpt.Exists, excerpt.Absent}[random.IntN(3)],
			}
		}
		q := Question{Parts: list, Dependents: make([][]int32, len(list))}
		for i := range list {
			for range random.IntN(5) {
				o := random.IntN(len(list))
				r := graph.Owner{Key: list[o].Object.Key, Block: random.IntN(2) == 0, Unresolved: random.IntN(5) == 0}
				byUID := true
				if random.IntN(4) == 0 {
					r.Name, byUID = "elsewhere", r.Unresolved || random.IntN(2) == 0
				}
				list[i].Object.Owners = append(list[i].Object.Owners, r)
				if o != i && byUID {
					q.Dependents[o] = append(q.Dependents[o], int32(i))
				}
			}
		}
		s := &survey{Question: q, owners: make([][]link, len(list))}
		s.linkOwners()
		for i := range list {
			got := slices.Clone(s.owners[i])
			for n := range got {
				got[n].references = 0
			}
			if want := ownersOf(&q, i); !slices.Equal(got, want) {
				t.Errorf("seed %d: the owners of part %d are %v, want %v", seed, i, got, want)
			}
		}
	}
}

// ownersOf finds the links of one part by a look at all parts.
func ownersOf(q *Question, part int) (out []link) {
	o := &q.Parts[part].Object
	exists := func(r graph.Owner) bool {
		return slices.ContainsFunc(q.Parts, func(p excerpt.Part) bool { return p.Object.Key == r.Key && p.State == excerpt.Exists })
	}
	byUID := map[graph.UID]bool{}
	for i := range q.Parts {
		uid, references, direct, blocks := q.Parts[i].Object.UID, 0, 0, false
		for _, d := range q.Dependents[i] {
			if int(d) == part {
				references++
			}
		}
		for _, r := range o.Owners {
			if r.UID == uid {
				blocks = blocks || r.Block
				if r.Unresolved || exists(r) {
					direct++
				}
			}
		}
		if q.Parts[i].State == excerpt.Exists && references > 0 {
			out = append(out, link{owner: int32(i), block: blocks})
			byUID[uid] = byUID[uid] || references > direct
		}
	}
	for _, r := range o.Owners {
		if !exists(r) && !r.Unresolved && r.UID != o.UID && !byUID[r.UID] {
			out = append(out, link{owner: -1, block: r.Block})
		}
	}
	return out
}
