package inflight

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestWriteOf: each decision that writes has its write, under UID and version (R1).
func TestWriteOf(t *testing.T) {
	x, y := graph.Owner{Key: graph.Key{Kind: "a", Name: "x", UID: "x"}}, graph.Owner{Key: graph.Key{Kind: "a", Name: "y", UID: "y"}, Block: true}
	o := graph.Object{Key: graph.Key{Kind: "a", Name: "o", UID: "u"}, Version: "7", Owners: []graph.Owner{x, y}}
	pre, grace := graph.Precondition{UID: "u", Version: "7"}, int64(5)
	for _, c := range []struct {
		d      policy.Decision
		want   Write
		reason string
	}{
		{policy.Decision{Action: policy.Trim, Owners: []int{1}}, Write{
			Precondition: pre, Change: graph.Change{DropOwners: []graph.Owner{y}},
		}, "the named references go"},
		{policy.Decision{Action: policy.Orphan, Owners: []int{1, 0}}, Write{
			Precondition: pre, Change: graph.Change{DropOwners: []graph.Owner{y, x}},
		}, "the named references go, in their order"},
		{policy.Decision{Action: policy.Unblock, Owners: []int{1}}, Write{
			Precondition: pre, Change: graph.Change{Unblock: []graph.Owner{y}},
		}, "the reference stays"},
		{policy.Decision{Action: policy.Release, Finalizer: "x.io/y"}, Write{
			Precondition: pre, Change: graph.Change{DropFinalizer: "x.io/y"},
		}, "the finalizer ends no propagation"},
		{policy.Decision{Action: policy.Release, Finalizer: graph.FinalizerForeground}, Write{
			Precondition: pre, Change: graph.Change{DropFinalizer: graph.FinalizerForeground},
		}, "no memory is needed for the end of a foreground deletion"},
		{policy.Decision{Action: policy.Release, Finalizer: graph.FinalizerOrphan}, Write{
			Call: Call{Ending: graph.Orphan}, Precondition: pre, Change: graph.Change{DropFinalizer: graph.FinalizerOrphan},
		}, "late dependents are orphaned, too"},
		{policy.Decision{Action: policy.Attach, Finalizer: "x.io/y"}, Write{
			Precondition: pre, Change: graph.Change{AddFinalizer: "x.io/y"},
		}, "the finalizer comes"},
		{policy.Decision{Action: policy.Delete, Propagation: graph.Foreground, GraceSeconds: &grace}, Write{
			Call: Call{Purpose: Delete}, Options: graph.DeleteOptions{Precondition: pre, Propagation: graph.Foreground, GraceSeconds: &grace},
		}, "the options carry the precondition"},
	} {
		if c.want.Call.Purpose == PurposeUnset {
			c.want.Call.Purpose = Patch
		}
		c.want.Call.Node, c.want.Call.Key, c.want.Call.Version, c.want.Call.Wrote = 3, o.Key, "7", Digest(&o, &c.d)
		got := Write{Change: graph.Change{AddFinalizer: "of a former write"}}
		if WriteOf(&got, 3, &o, &c.d); !cmp.Equal(got, c.want) {
			t.Errorf("%v: %s\n%s", c.d.Action, c.reason, cmp.Diff(c.want, got))
		}
	}
}
