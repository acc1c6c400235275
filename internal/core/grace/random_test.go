package grace

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestOfRandom compares Carry with a search for a fixed point, in random graphs.
func TestOfRandom(t *testing.T) {
	p, err := New([]graph.Kind{"a", "c"})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		objects := drawn(t)
		var list []string
		for _, o := range objects {
			list = append(list, o.String())
		}
		v := nodesOf(t, list...)
		want := int64(0)
		for i := range above(objects) {
			if own := objects[i].GraceSeconds; objects[i].Kind != "b" && own > 0 && (want == 0 || own < want) {
				want = own
			}
		}
		d := policy.Decision{Action: policy.Delete, Reason: policy.OwnersWaiting}
		if got := carried(v, node(t, v, objects[0].Name), p, d); got != want {
			t.Fatalf("%d seconds, want %d, in %v", got, want, list)
		}
	})
}

// drawn returns objects that own each other. The first one is unmarked, and of kind c.
func drawn(t *rapid.T) []graph.Object {
	objects := make([]graph.Object, rapid.IntRange(2, 7).Draw(t, "objects"))
	for i := range objects {
		o := &objects[i]
		o.Key = graph.Key{Kind: rapid.SampledFrom([]graph.Kind{"a", "b", "c"}).Draw(t, "kind"), Name: fmt.Sprint("n", i), UID: graph.UID(fmt.Sprint("n", i))}
		if o.Version = "1"; i == 0 {
			o.Kind = "c"
			continue
		}
		if o.Deleting = rapid.IntRange(0, 3).Draw(t, "marked") > 0; !o.Deleting {
			continue
		}
		o.GraceSeconds = rapid.SampledFrom([]int64{0, 5, 20, 30}).Draw(t, "period")
		o.Finalizers = [][]string{{graph.FinalizerForeground}, {graph.FinalizerForeground}, {graph.FinalizerOrphan}, {graph.FinalizerForeground, graph.FinalizerHold}}[rapid.IntRange(0, 3).Draw(t, "finalizers")]
	}
	for i := range objects {
		for j := range objects {
			if i != j && rapid.IntRange(0, 2).Draw(t, "owns") == 0 {
				objects[i].Owners = append(objects[i].Owners, graph.Owner{Key: objects[j].Key})
			}
		}
	}
	return objects
}

// above returns the waiting objects above the first one.
func above(objects []graph.Object) map[int]bool {
	found, below := map[int]bool{}, map[int]bool{0: true}
	for grew := true; grew; {
		grew = false
		for i := range objects {
			for _, r := range objects[i].Owners {
				for j := range objects {
					waits := objects[j].Propagation() == graph.Foreground && !objects[j].MarkWithheld() && objects[j].Deleting
					if below[i] && waits && r.UID == objects[j].UID && j > 0 && !found[j] {
						found[j], below[j], grew = true, true, true
					}
				}
			}
		}
	}
	return found
}
