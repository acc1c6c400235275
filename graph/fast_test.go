package graph_test

import (
	"github.com/ownergraph/ownergraph/internal/core/fate"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestFast: Fast gives the named answer for x. world.do compares it with the full
// answer for every node in any history.
func TestFast(t *testing.T) {
	const kinds = "kinds node pod+ e- ign; list pod; end pod; prune pod; "
	for _, c := range []struct {
		history string
		owner   string
		want    fate.Fate
		reason  string
	}{
		{"put pod/s/x", "", fate.Alone, "it has no owner"},
		{"put pod/s/x -> pod/s/a", "", fate.Unset, "its owner was not observed"},
		{"put pod/s/x -> node/a", "node/a", fate.Unlisted, "its owner was not observed, and the owner's kind is not listed"},
		{"put pod/s/x~ -> node/a", "", fate.Unset, "it is marked"},
		{"put pod/s/x -> node/a, node/b", "", fate.Unset, "two owners that are not listed take a closer look"},
		{"gone node/a; put pod/s/x -> node/a", "node/a", fate.Unlisted, "an end without a dependent leaves no node"},
		{"put node/a; put pod/s/x -> node/a; gone node/a", "", fate.Unset, "its owner is gone, and no listing has to show that"},
		{"put pod/s/x -> node/a; list node; end node", "", fate.Unset, "the listing of the owner's kind has ended without it"},
		{"put pod/s/a; put pod/s/x -> pod/s/a", "pod/s/a", fate.Owned, "its owner is solid"},
		{"put pod/s/x -> node/a; put node/a", "node/a", fate.Owned, "its owner is solid and global, and came later"},
		{"put pod/s/a; put pod/s/x~ -> pod/s/a", "", fate.Unset, "it is marked"},
		{"put pod/s/a~*; put pod/s/x -> pod/s/a", "", fate.Unset, "its owner is marked"},
		{"put pod/s/a~[foreground]; put pod/s/x -> pod/s/a", "", fate.Unset, "its owner waits"},
		{"put pod/s/a; put pod/s/x -> pod/s/a; gone pod/s/a", "", fate.Unset, "its owner is gone"},
		{"put pod/s/a; put pod/s/b; put pod/s/x -> pod/s/a, pod/s/b", "", fate.Unset, "two owners take a closer look"},
		{"put pod/s/x -> pod/s/x", "", fate.Unset, "its owner is itself"},
		{"put pod/t/a; put pod/s/x -> pod/t/a", "", fate.Unset, "its owner is in another scope"},
		{"put e/a; put pod/s/x -> e/a", "", fate.Unset, "objects of the owner's kind may not own"},
		{"put ign/a; put pod/s/x -> ign/a", "", fate.Unset, "the owner's kind takes no part"},
		{"put node/a; put pod/s/x -> node/a; kinds pod+", "", fate.Unset, "the owner's kind is no longer served"},
		{"put node/a@u; put e/b@u; put pod/s/x -> node/a@u", "", fate.Unset, "two have its owner's UID"},
		{"put pod/s/a; put pod/s/x -> pod/s/a; list pod", "", fate.Unset, "a listing may leave it out"},
		{"put pod/s/a; put pod/s/x -> pod/s/a; list pod; put pod/s/x -> pod/s/a", "pod/s/a", fate.Owned, "the listing has brought it"},
		{"put pod/s/a; put pod/s/x -> pod/s/a^:restrict", "", fate.Unset, "the reference has a policy"},
		{"put pod/s/x~ -> node/a:release", "", fate.Unset, "it is marked"},
		{"put pod/t/a; put pod/s/x -> pod/t/a:release", "", fate.Unset, "its owner is in another scope"},
		{"put node/a; put pod/s/x -> node/a?:release", "", fate.Unset, "its owner is not resolved"},
	} {
		w := play(t, worldConfig, kinds+c.history)
		for n := range w.Nodes() {
			if n.Key().Name != "x" {
				continue
			}
			id, quick := n.Inside(inside.Key{}).Fast()
			owner := ""
			if id != 0 {
				owner = w.Node(id).Key().String()
			}
			if owner != c.owner || quick != c.want {
				t.Errorf("%s: owner %q, %v: %s", c.history, owner, quick, c.reason)
			}
		}
	}
}

// checkFast compares the answers of Fast with the full answers.
func (w *world) checkFast(t rapid.TB) {
	t.Helper()
	for n := range w.Nodes() {
		owner, want, odd := w.fate(n)
		switch got, quick := n.Inside(inside.Key{}).Fast(); {
		case quick != fate.Unset && (quick != want || got != owner):
			t.Fatalf("%s is %v at a glance, for node %d; with its owner, node %d, it is %v", n.Key(), quick, got, owner, want)
		case quick != want && !odd:
			t.Fatalf("%s is %v, and a glance does not show it", n.Key(), want)
		}
	}
}

// fate returns the fate of a node and its only owner. The reference is odd if it names other
// coordinates than its owner's, which the fast path leaves out.
func (w *world) fate(n graph.Node) (owner graph.NodeID, _ fate.Fate, odd bool) {
	calm := func(n graph.Node) bool { return n.State() == graph.Observed && !n.Deleting() }
	if !calm(n) || n.Inside(inside.Key{}).Flawed() || w.Inside(inside.Key{}).PendingPrune(n.ID()) || n.Owners() > 1 {
		return 0, fate.Unset, false
	}
	if n.Owners() == 0 {
		return 0, fate.Alone, false
	}
	if n.OwnerAt(0).OnDelete != graph.OnDeleteUnset {
		return 0, fate.Unset, false
	}
	o, _ := n.OwnerNode(0)
	c, doubt := n.Inside(inside.Key{}).OwnerClass(0)
	odd = n.OwnerAt(0).Key != o.Key()
	_, orphaned := o.Inside(inside.Key{}).OrphanedBy()
	switch {
	case c == graph.Solid && !n.Inside(inside.Key{}).SelfOwner(0) && calm(o):
		return o.ID(), fate.Owned, odd
	case doubt == graph.Unlisted && !orphaned:
		return o.ID(), fate.Unlisted, odd
	}
	return 0, fate.Unset, odd
}

// TestAlike: an object is alike if only a version number is new.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          bool
		reason        string
	}{
		{"a#1 -> b", "a#2 -> b", true, "nothing else is new"},
		{"a#1", "a#2", true, "an object without owners is alike, too"},
		{"a#1 -> b", "a#1 -> b", false, "nothing is new"},
		{"a#1 -> b", "a#2 -> c", false, "another owner"},
		{"a#1 -> b", "a#2", false, "the owner is gone from the references"},
		{"a#1 -> b", "a#2 -> b!", false, "the reference blocks now"},
		{"a#1", "a#2[f]", false, "another finalizer"},
		{"a#1[f]", "a#2[f]", true, "the same finalizer"},
		{"a#1", "a#2~", false, "it is marked"},
		{"a#1", "a#x", false, "a version that is no number: it is not told"},
	} {
		w := play(t, worldConfig, "kinds a; put "+c.before)
		if d := w.do(t, event(t, "put "+c.after)); d.Alike != c.want {
			t.Errorf("%s, then %s: alike %v: %s", c.before, c.after, d.Alike, c.reason)
		}
	}
}

// checkAlike checks that only the version of an alike object is new.
func checkAlike(t rapid.TB, before, after graph.Object, d graph.Delta) {
	t.Helper()
	same := before.Version != after.Version
	before.Version = after.Version
	if d.Alike && (!same || !cmp.Equal(before, after) || d.Class || d.Mark || d.Observed || d.Acknowledged || !d.Version) {
		t.Fatalf("%s is said to be alike, and was %s: %+v", after, before, d)
	}
}
