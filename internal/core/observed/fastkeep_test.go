package observed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// TestFastKeep: FastKeep gives the named answer for x. world.do compares it with the full
// answer for every node in any history.
func TestFastKeep(t *testing.T) {
	const kinds = "kinds node pod+ e- ign; list pod; end pod; prune pod; "
	for _, c := range []struct {
		history string
		owner   string
		ok      bool
		reason  string
	}{
		{"put pod/s/x", "", true, "it has no owner"},
		{"put pod/s/x -> pod/s/a", "", false, "its owner was not observed"},
		{"put pod/s/a; put pod/s/x -> pod/s/a", "pod/s/a", true, "its owner is solid"},
		{"put pod/s/x -> node/a; put node/a", "node/a", true, "its owner is solid and global, and came later"},
		{"put pod/s/a; put pod/s/x~ -> pod/s/a", "", false, "it is marked"},
		{"put pod/s/a~*; put pod/s/x -> pod/s/a", "", false, "its owner is marked"},
		{"put pod/s/a~[foreground]; put pod/s/x -> pod/s/a", "", false, "its owner waits"},
		{"put pod/s/a; put pod/s/x -> pod/s/a; gone pod/s/a", "", false, "its owner is gone"},
		{"put pod/s/a; put pod/s/b; put pod/s/x -> pod/s/a, pod/s/b", "", false, "two owners take a closer look"},
		{"put pod/s/x -> pod/s/x", "", false, "its owner is itself"},
		{"put pod/t/a; put pod/s/x -> pod/t/a", "", false, "its owner is in another scope"},
		{"put e/a; put pod/s/x -> e/a", "", false, "objects of the owner's kind may not own"},
		{"put ign/a; put pod/s/x -> ign/a", "", false, "the owner's kind takes no part"},
		{"put node/a; put pod/s/x -> node/a; kinds pod+", "", false, "the owner's kind is not served any more"},
		{"put node/a@u; put e/b@u; put pod/s/x -> node/a@u", "", false, "two have its owner's UID"},
		{"put pod/s/a; put pod/s/x -> pod/s/a; list pod", "", false, "a listing may leave it out"},
		{"put pod/s/a; put pod/s/x -> pod/s/a; list pod; put pod/s/x -> pod/s/a", "pod/s/a", true, "the listing has brought it"},
	} {
		w := play(t, worldConfig, kinds+c.history)
		for n := range w.Nodes() {
			if n.Key().Name != "x" {
				continue
			}
			id, ok := n.FastKeep()
			owner := ""
			if id != 0 {
				owner = w.Node(id).Key().String()
			}
			if owner != c.owner || ok != c.ok {
				t.Errorf("%s: owner %q, kept %v: %s", c.history, owner, ok, c.reason)
			}
		}
	}
}

// checkKept compares the answers of FastKeep with the full answers.
func (w *world) checkKept(t rapid.TB) {
	t.Helper()
	for n := range w.Nodes() {
		calm := func(n observed.Node) bool { return n.State() == observed.Observed && !n.Deleting() }
		want := calm(n) && !n.Flawed() && !w.PendingPrune(n.ID()) && n.Owners() <= 1
		var owner observed.NodeID
		odd := false // the reference names other coordinates than its owner's, which the fast path leaves out
		if n.Owners() == 1 {
			o, _ := n.OwnerNode(0)
			c, _ := n.OwnerClass(0)
			owner, want = o.ID(), want && c == observed.Solid && !n.SelfOwner(0) && calm(o)
			odd = n.OwnerAt(0).Key != o.Key()
		}
		switch got, ok := n.FastKeep(); {
		case ok && !want, ok && got != owner:
			t.Fatalf("%s is kept at a prefetchedPut, for node %d; its owner is node %d, which keeps it: %v", n.Key(), got, owner, want)
		case !ok && want && !odd:
			t.Fatalf("%s is kept, and a prefetchedPut does not show it", n.Key())
		}
	}
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
		{"a#1 -> b", "a#2", false, "no owner any more"},
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
func checkAlike(t rapid.TB, before, after graph.Object, d observed.Delta) {
	t.Helper()
	same := before.Version != after.Version
	before.Version = after.Version
	if d.Alike && (!same || !cmp.Equal(before, after) || d.Class || d.Mark || d.Observed || d.Acknowledged || !d.Version) {
		t.Fatalf("%s is said to be alike, and was %s: %+v", after, before, d)
	}
}
