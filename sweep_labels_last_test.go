package ownergraph_test

import (
	"context"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestSweepByLabelBeforeTheFence: what is made before the fence begins that shows
// nothing to be left is swept too, though a fence says nothing of labels: the last
// selection begins after it.
func TestSweepByLabelBeforeTheFence(t *testing.T) {
	for at := 1; at <= 3; at++ {
		sweptBy(t, "tenant/1; volume/1-a; volume/1-z[x.io/slow]", nil, sweeping(labelled("")), func(t *testing.T, r *rig) {
			r.label(t, "volume/1-a", "x.io/of=1")
			r.label(t, "volume/1-z", "x.io/of=1")
			r.idle()
			fences := 0
			r.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
				if verb == "fence" {
					if fences++; fences == at {
						r.create(t, "volume/1-new")
						r.label(t, "volume/1-new", "x.io/of=1")
					}
				}
				return do()
			}
			r.delete(t, "tenant/1", graph.Unset)
			r.idle()
			r.finish(t, "volume/1-z", "x.io/slow")
			r.idle()
			if r.holds(t, ""); fences < min(at, 2) { // the second may serve WaitIdle, too
				t.Errorf("%d fences", fences)
			}
		})
	}
}
