package inflight

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestWriteOf: each decision that writes has its write, under UID and version (R1).
func TestWriteOf(t *testing.T) {
	n, o := observe(t, "a/o@u#7 -> a/x, a/y!")
	x, y := o.Owners[0], o.Owners[1]
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
			Call: Call{Orphan: Frees}, Precondition: pre, Change: graph.Change{DropOwners: []graph.Owner{y, x}},
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
			Call: Call{Orphan: Ends}, Precondition: pre, Change: graph.Change{DropFinalizer: graph.FinalizerOrphan},
		}, "late dependents are orphaned, too"},
		{policy.Decision{Action: policy.Release, Finalizer: graph.FinalizerOrphan, BestEffort: true}, Write{
			Call: Call{Orphan: EndsUnfenced}, Precondition: pre, Change: graph.Change{DropFinalizer: graph.FinalizerOrphan},
		}, "dependents from before the mark may come late"},
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
		c.want.Call.Node, c.want.Call.Key, c.want.Call.Version = n.ID(), o.Key, "7"
		c.want.Call.Wrote = Digest(&c.d, Subject{retry: &o}.References(c.d.Owners))
		got := Write{Change: graph.Change{AddFinalizer: "of a former write"}}
		if WriteOf(&got, Subject{node: n}, &c.d); !cmp.Equal(got, c.want) {
			t.Errorf("%v: %s\n%s", c.d.Action, c.reason, cmp.Diff(c.want, got))
		}
	}
}

// TestSubject: a decision judges the answer of a conflict's read in place of the graph's
// object, with all of its parts (R1).
func TestSubject(t *testing.T) {
	n, o := observe(t, "a/o#7[f] -> a/x, a/y!")
	calls := NewCalls[int]()
	same := func(s Subject, want graph.Object, reason string) {
		t.Helper()
		key, version := s.Named()
		if key != want.Key || version != want.Version || s.Owner(1) != want.Owners[1] || !cmp.Equal(s.Object(), want) {
			t.Errorf("%s: %s at %s, %v, %+v, want %+v", reason, key, version, s.Owner(1), s.Object(), want)
		}
	}
	same(calls.Subject(n), o, "without a retry")
	retry := o.Clone()
	retry.Version, retry.Owners[1].Block = "8", false
	calls.retries[n.ID()] = retry
	same(calls.Subject(n), retry, "with a retry")
}

// observe returns the node of an object that a graph has observed.
func observe(t *testing.T, object string) (graph.Node, graph.Object) {
	t.Helper()
	g := graph.New(graph.Config{})
	o, err := graph.ParseObject(object)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: o.Kind}}}); err != nil {
		t.Fatal(err)
	}
	d, err := g.Apply(graph.Event{Type: graph.Put, Object: o})
	if err != nil {
		t.Fatal(err)
	}
	return g.Node(d.Node), o
}

// TestOrphanStepNames: each step of an orphaning has a name of its own.
func TestOrphanStepNames(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []OrphanStep{OrphanStepUnset, Frees, Ends, EndsUnfenced} {
		if name := s.String(); name == "" || seen[name] {
			t.Errorf("step %d is %q", s, name)
		}
		seen[s.String()] = true
	}
}
