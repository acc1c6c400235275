package policy_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// TestOwnerOf: the node of an owner is that of the reference, or the object that orphans by the UID.
func TestOwnerOf(t *testing.T) {
	for _, c := range []struct{ objects, of, want, reason string }{
		{"a; b -> a", "b", "a", "the owner is there"},
		{"b -> b/x@x", "b", "b/x@x", "no event has shown the owner"},
		{"o@u~[orphan]; b -> o/other@u", "b", "o@u", "an object with the UID orphans"},
		{"o@u; b -> o/other@u", "b", "o/other@u", "the object with the UID does not orphan"},
		{"o@u~[orphan]; b -> o@u?", "b", "o@u", "an unresolved reference to an orphaning object"},
		{"o@u; b -> o@u?", "b", "", "an unresolved reference has no place to read"},
		{"b -> b", "b", "", "a reference to itself"},
		{"b~[orphan] -> b/other@b", "b", "b/other@b", "no object orphans itself"},
	} {
		n := nodeOf(t, observe(t, c.objects, ""), c.of)
		o, ok := policy.OwnerOf(n, 0)
		if got := ""; ok {
			if got = o.Key().String(); got != c.want {
				t.Errorf("%s: %s, want %s: %s", c.objects, got, c.want, c.reason)
			}
		} else if c.want != "" {
			t.Errorf("%s: none, want %s: %s", c.objects, c.want, c.reason)
		}
	}
}

// note returns the moment 10 for each observed node, and 0 for a phantom.
func note(n graph.Node) policy.Moment {
	if n.State() == graph.Phantom {
		return 0
	}
	return 10
}

// TestAddMoments: each moment is that of the node that the fact is about.
func TestAddMoments(t *testing.T) {
	n := nodeOf(t, observe(t, "w~[foreground]; a; b~[foreground] -> w, a, b/x@x", ""), "b")
	f := policy.FactsOf(n)
	f.AddMoments(n, note)
	if f.Known != 10 || f.Mark != 10 {
		t.Errorf("the object: known %d, mark %d", f.Known, f.Mark)
	}
	for i, want := range []policy.OwnerFacts{{Changed: 10, Mark: 10}, {Changed: 10}, {}} {
		if o := f.Owners[i]; o.Changed != want.Changed || o.Mark != want.Mark {
			t.Errorf("owner %d: changed %d, mark %d, want %+v", i, o.Changed, o.Mark, want)
		}
	}
}

// TestAddRing: a ring counts after a fence that began after all its members were known.
func TestAddRing(t *testing.T) {
	const ring = "a~[foreground] -> b!, c!; b~[foreground] -> a!; c~[foreground]"
	for _, c := range []struct {
		objects string
		fence   policy.Fence
		want    []int
		waits   bool
		reason  string
	}{
		{ring, policy.Fence{Exact: true, Passed: 11}, []int{0}, false, "the reference to c leads out of the ring"},
		{ring, policy.Fence{Exact: true, Passed: 10}, nil, true, "the fence is not later than the versions"},
		{ring, policy.Fence{Released: 11}, []int{0}, false, "best effort without fences"},
		{"a~[foreground] -> b@b?!; b~[foreground] -> a!", policy.Fence{Passed: 11}, []int{0}, false, "an unresolved reference blocks the object with its UID"},
		{"a~[foreground] -> b!; b -> a!", policy.Fence{}, nil, false, "b does not wait"},
		{"a -> b!; b -> a!", policy.Fence{}, nil, false, "nothing waits"},
	} {
		n := nodeOf(t, observe(t, c.objects, ""), "a")
		f := policy.FactsOf(n)
		f.Fence = c.fence
		if waits := f.AddRing(n, note); waits != c.waits || !slices.Equal(f.Ring, c.want) {
			t.Errorf("%s: ring %v, waits %t, want %v and %t: %s", c.objects, f.Ring, waits, c.want, c.waits, c.reason)
		}
	}
}

// TestAddRead: the answer of a read is evidence for the decision, as far as the rules let it count.
func TestAddRead(t *testing.T) {
	const none = "none"
	exact := policy.Fence{Exact: true}
	for _, c := range []struct {
		objects, answer string
		began           policy.Moment
		fence           policy.Fence
		want, reason    string
	}{
		{"b -> a/x@x; a", none, 11, policy.Fence{}, "delete: all owners are gone", "the owner is absent"},
		{"b -> a/x@x; a", none, 10, policy.Fence{}, "verify: an owner has to be read", "the store may have made the owner since"},
		{"b -> a/x@x; a", "a/x@new#1", 11, policy.Fence{}, "delete: all owners are gone", "another UID has the place"},
		{"b -> a/x@x; a", "a/x@x#1", 11, policy.Fence{}, "keep: an owner exists", "the owner is there"},
		{"b -> a/x@x; a", none, 11, exact, "wait: a fence has to pass", "the owner may have another name"},
		{"b -> a/x@x; a", none, 12, policy.Fence{Exact: true, Passed: 11}, "delete: all owners are gone", "a fence has shown the kind since"},
		{"w~[foreground]; b -> w", "w#1~[foreground]", 11, policy.Fence{}, "delete: all owners are gone or wait for it", "the owner waits"},
		{"w~[foreground]; b -> w", "w#2", 11, policy.Fence{}, "wait: a read contradicts the watch", "the owner no longer waits"},
		{"w~[foreground]; b -> w", none, 11, policy.Fence{}, "delete: all owners are gone", "the owner has gone"},
		{"w~[foreground, ownergraph.github.io/hold]; b -> w", "w#1~[foreground]", 11, policy.Fence{}, "keep: an owner exists", "a withheld mark counts for no dependent"},
		{"a; b -> a", none, 10, policy.Fence{}, "keep: an owner exists", "the watch has shown the owner since the read began"},
		{"a; b -> a", "a@former#1", 10, policy.Fence{}, "keep: an owner exists", "the namesake before the owner proves nothing"},
		{"o@u~[orphan]; b -> o/other@u", "o@u#1~[orphan]", 11, policy.Fence{}, "orphan: an owner leaves it", "the object with the UID orphans"},
	} {
		n := nodeOf(t, observe(t, c.objects, ""), "b")
		f := policy.FactsOf(n)
		f.Fence = c.fence
		f.AddMoments(n, note)
		r := policy.Read{Began: c.began, Done: c.began + 1, Err: graph.ErrNotFound}
		if c.answer != none {
			o, err := graph.ParseObject(c.answer)
			if err != nil {
				t.Fatal(err)
			}
			r.Object, r.Err = o, nil
		}
		if err := f.AddRead(n, 0, r); err != nil {
			t.Fatal(err)
		}
		d := policy.Decide(&f, policy.Settings{}, nil)
		if got := d.Action.String() + ": " + d.Reason.String(); got != c.want {
			t.Errorf("%s, read %s at %d: %s, want %s: %s", c.objects, c.answer, c.began, got, c.want, c.reason)
		}
	}
}

// TestAddReadAtOneInstant: with another owner, a waiting owner is read again after the absence of
// the other one was known (RULES, R2).
func TestAddReadAtOneInstant(t *testing.T) {
	n := nodeOf(t, observe(t, "w~[foreground]; b -> w, b/x@x", ""), "b")
	w := nodeOf(t, n.Inside(inside.Key{}).Graph(), "w").Object()
	f := policy.FactsOf(n)
	f.AddMoments(n, note)
	for _, c := range []struct {
		i      int
		r      policy.Read
		want   policy.Action
		reason string
	}{
		{0, policy.Read{Began: 11, Done: 14, Object: w}, policy.Verify, "the other owner is unknown"},
		{1, policy.Read{Began: 12, Done: 13, Err: graph.ErrNotFound}, policy.Verify, "the first read is older than that absence"},
		{0, policy.Read{Began: 12, Done: 14, Object: w}, policy.Verify, "a read beside the other one is no later"},
		{0, policy.Read{Began: 15, Done: 16, Object: w}, policy.Delete, "the read began when the absence was known"},
	} {
		if err := f.AddRead(n, c.i, c.r); err != nil {
			t.Fatal(err)
		}
		if d := policy.Decide(&f, policy.Settings{}, nil); d.Action != c.want {
			t.Errorf("read %+v: %s: %s, want %s: %s", c.r, d.Action, d.Reason, c.want, c.reason)
		}
	}
}

// TestAddReadOfOwnUID: a reference to the object's own UID at an absent place never counts.
func TestAddReadOfOwnUID(t *testing.T) {
	o, err := graph.ParseObject("b#1 -> a/x@b")
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(graph.Config{})
	for _, e := range []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}}, {Type: graph.Put, Object: o}} {
		if _, err := g.Apply(e); err != nil { // the kind of the owner is not listed
			t.Fatal(err)
		}
	}
	n, _ := g.Lookup(o.Key)
	f := policy.FactsOf(n)
	if err := f.AddRead(n, 0, policy.Read{Began: 1, Done: 2, Err: graph.ErrNotFound}); err != nil {
		t.Fatal(err)
	}
	if d := policy.Decide(&f, policy.Settings{}, nil); d.Reason != policy.OnlySelf {
		t.Errorf("%s: %s, want %s", d.Action, d.Reason, policy.OnlySelf)
	}
}

// TestAddReadErrors: a read that proves nothing is an error, and changes nothing.
func TestAddReadErrors(t *testing.T) {
	failed := errors.New("no answer")
	n := nodeOf(t, observe(t, "a; b -> a, b, a/x@x", ""), "b")
	for _, c := range []struct {
		i      int
		r      policy.Read
		is     error
		names  string
		reason string
	}{
		{-1, policy.Read{}, graph.ErrInvalid, "owners[-1]: no such reference", "an index that no object has"},
		{3, policy.Read{}, graph.ErrInvalid, "owners[3]: no such reference", "a reference that the object does not have"},
		{1, policy.Read{}, graph.ErrInvalid, "owners[1]: no owner to read", "a reference to itself"},
		{0, policy.Read{Err: failed}, failed, "owners[0]: no answer", "an error proves nothing"},
		{0, policy.Read{Object: graph.Object{Key: graph.Key{Kind: "a", Name: "a"}, Version: "1"}}, graph.ErrInvalid, "owners[0]: the answer has no UID", "an incomplete answer is no other object"},
		{0, policy.Read{Object: graph.Object{Key: graph.Key{Kind: "a", Name: "a", UID: "u"}}}, graph.ErrInvalid, "owners[0]: the answer has no UID or no version", "nor is one without a version"},
		{2, policy.Read{Object: graph.Object{Key: graph.Key{Kind: "a", Name: "y", UID: "x"}, Version: "1"}}, graph.ErrInvalid, "owners[2]: the object is at a/y", "an object at another place"},
	} {
		f := policy.FactsOf(n)
		before := slices.Clone(f.Owners)
		err := f.AddRead(n, c.i, c.r)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), "add read: b: "+c.names) || !slices.Equal(f.Owners, before) {
			t.Errorf("%d: %v, want %q: %s", c.i, err, c.names, c.reason)
		}
	}
}
