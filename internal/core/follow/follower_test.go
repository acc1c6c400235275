package follow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestMembers: the members are the objects below the root, through each kind of change.
func TestMembers(t *testing.T) {
	for _, c := range []struct {
		reason, objects string
		change          func(r *rig)
		gone            int
		left            string
	}{
		{"dependents at all depths", "k/r; k/a -> k/r; k/b -> k/a; k/x", func(*rig) {}, 0, "a b r"},
		{"a claim on the UID alone", "k/r; k/a -> k/r; k/b -> k/a?", func(*rig) {}, 0, "a b r"},
		{"a reference to oneself", "k/r -> k/r; k/a -> k/r,k/a", func(*rig) {}, 0, "a r"},
		{"an object below a member is new", "k/r; k/a -> k/r", func(r *rig) { r.put("k/b -> k/a") }, 0, "a b r"},
		{"an object with dependents comes under a member", "k/r; k/a; k/b -> k/a", func(r *rig) { r.put("k/a#2 -> k/r") }, 0, "a b r"},
		{"an orphan keeps its own dependents", "k/r; k/a -> k/r; k/b -> k/a", func(r *rig) { r.put("k/a#2") }, 0, "r"},
		{"another way to the root is left", "k/r; k/a -> k/r; k/b -> k/r,k/a", func(r *rig) { r.put("k/b#2 -> k/a") }, 0, "a b r"},
		{"a ring has no way to the root", "k/r; k/a -> k/r,k/b; k/b -> k/a", func(r *rig) { r.put("k/a#2 -> k/b") }, 0, "r"},
		{"a ring has another way", "k/r; k/c -> k/r; k/a -> k/r,k/b; k/b -> k/a,k/c", func(r *rig) { r.put("k/a#2 -> k/b") }, 0, "a b c r"},
		{"the dependents of an object that is gone stay", "k/r; k/a -> k/r; k/b -> k/a", func(r *rig) { r.end("k/a") }, 1, "b r"},
		{"all are gone", "k/r; k/a -> k/r", func(r *rig) { r.end("k/r; k/a") }, 2, ""},
		{"an object comes below one that the graph has forgotten", "k/r; k/a -> k/r", func(r *rig) { r.end("k/a"); r.put("k/b -> k/a") }, 1, "b r"},
		{"the same by the UID alone", "k/r; k/a -> k/r", func(r *rig) { r.end("k/a"); r.put("k/b -> k/a?") }, 1, "b r"},
		{"a claim on the UID of an object that is gone", "k/r; k/a -> k/r; k/b -> k/a?", func(r *rig) { r.end("k/a") }, 1, "b r"},
		{"a trimmed reference", "k/r; k/x; k/a -> k/r,k/x", func(r *rig) { r.end("k/r"); r.walk(); r.put("k/a#2 -> k/x") }, 1, ""},
		{"another incarnation is another object", "k/r; k/a -> k/r", func(r *rig) { r.end("k/a"); r.put("k/a'") }, 1, "r"},
		{"a restored object is no longer gone", "k/r; k/a -> k/r; k/b -> k/a", func(r *rig) {
			r.end("k/a")
			r.observe(graph.Event{Type: graph.Rewound})
			r.Rewind()
			r.put("k/a#1 -> k/r")
		}, 0, "a b r"},
		{"a restored root", "k/r; k/a -> k/r", func(r *rig) {
			r.end("k/r; k/a")
			r.observe(graph.Event{Type: graph.Rewound})
			r.Rewind()
			r.put("k/r")
		}, 1, "r"},
		{"the members of a container", "k/r; ns/s -> k/r; p/s/a; p/t/x; p/s/b -> k/x", func(*rig) {}, 0, "a b r s"},
		{"a member of a container is new", "ns/s; p/s/a", func(r *rig) { r.put("p/s/b; p/t/x") }, 0, "a b s"},
		{"a container leaves the deletion", "k/r; ns/s -> k/r; p/s/a", func(r *rig) { r.put("ns/s#2") }, 0, "r"},
		{"a container comes under a member", "k/r; ns/s; p/s/a", func(r *rig) { r.put("ns/s#2 -> k/r") }, 0, "a r s"},
		{"a container goes after its members, and its name is free", "k/r; ns/s -> k/r", func(r *rig) { r.end("ns/s"); r.put("ns/s'; p/s/a") }, 1, "r"},
		{"a container goes before its members", "k/r; box/s -> k/r; p/s/a", func(r *rig) { r.end("box/s"); r.put("p/s/b") }, 1, "a b r"},
		{"a container goes without its members, against its declaration", "k/r; ns/s -> k/r; p/s/a", func(r *rig) { r.end("ns/s") }, 1, "r"},
		{"a container is back", "k/r; box/s -> k/r; p/s/a", func(r *rig) {
			r.end("box/s")
			r.observe(graph.Event{Type: graph.Rewound})
			r.Rewind()
			r.put("box/s#2")
		}, 0, "r"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, c.objects)
			r.walk()
			c.change(r)
			r.want(c.gone, len(strings.Fields(c.left)), c.reason)
			if got := strings.Join(r.names(), " "); got != c.left {
				t.Errorf("the members are %q, want %q", got, c.left)
			}
			r.Close(r.graph)
		})
	}
}

// TestGoneDuringWalk: an object that goes before the walk has reached it counts, and what
// hangs below it stays a member.
func TestGoneDuringWalk(t *testing.T) {
	for _, c := range []struct {
		reason, objects, ends string
		gone, left            int
	}{
		{"below the root", "k/r; k/a -> k/r; k/b -> k/a", "k/a", 1, 2},
		{"two levels below", "k/r; k/a -> k/r; k/b -> k/a; k/c -> k/b", "k/b", 1, 3},
		{"a whole way", "k/r; k/a -> k/r; k/b -> k/a; k/c -> k/b", "k/a; k/b", 2, 2},
		{"another tree", "k/r; k/a; k/b -> k/a", "k/a", 0, 1},
		{"by the UID alone", "k/r; k/a -> k/r?; k/b -> k/a?", "k/a", 1, 2},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, c.objects)
			r.end(c.ends)
			r.want(c.gone, c.left, c.reason)
		})
	}
	t.Run("a way that is too long to climb counts", func(t *testing.T) {
		r := newRig(t, "k/r; k/a -> k/r")
		last := "k/a"
		for i := range maxClimb + 2 {
			name := "k/n" + strings.Repeat("x", i+1)
			r.put(name + " -> " + last)
			last = name
		}
		r.Close(r.graph)
		r.Follower = open(r.graph, r.root)
		r.Begin(r.view(), r.root)
		r.end(last)
		r.want(1, maxClimb+3, "")
	})
}

// TestHeld: the held members are counted, and a sample names those first that wait for
// something outside.
func TestHeld(t *testing.T) {
	r := newRig(t, "k/r; k/a -> k/r; k/b -> k/r; k/c -> k/r; k/x")
	r.hold("k/r", policy.NeedDependents) // before the walk reaches the others
	r.hold("k/a", policy.NeedFinalizers)
	r.walk()
	r.hold("k/b", policy.KindSick)
	r.hold("k/x", policy.KindSick)
	first := func(limit int, others bool) (out []string) {
		for _, id := range r.Sample(r.view(), limit, others) {
			out = append(out, r.graph.Node(id).Key().Name)
		}
		slices.Sort(out)
		return out
	}
	if c := r.walk(); c.Held != 2 || c.Blocked != 1 || c.Left != 4 {
		t.Errorf("%+v, want 2 held and 1 blocked of 4: x is no member", c)
	}
	for _, s := range []struct {
		limit  int
		others bool
		want   string
		reason string
	}{
		{2, true, "a b", "r waits for them"},
		{3, true, "a b r", "blocked ones come next"},
		{8, false, "a b r", "c is not held"},
		{8, true, "a b c r", "all members"},
	} {
		if got := strings.Join(first(s.limit, s.others), " "); got != s.want {
			t.Errorf("Sample(%d, %v) has %q, want %q: %s", s.limit, s.others, got, s.want, s.reason)
		}
	}
	r.hold("k/b", policy.ReasonUnset)
	r.hold("k/a", policy.NeedDependents)
	r.end("k/r")
	if c := r.walk(); c.Blocked != 1 || c.Left != 3 || c.Gone != 1 {
		t.Errorf("%+v, want 1 blocked, 3 left and 1 gone", c)
	}
}

// TestRoot: the state of the root decides whether the deletion has begun and is over.
func TestRoot(t *testing.T) {
	for _, c := range []struct {
		reason, objects string
		change          func(r *rig)
		begun, over     bool
	}{
		{"not marked", "k/r", func(*rig) {}, false, false},
		{"marked", "k/r", func(r *rig) { r.put("k/r#2~*") }, true, false},
		{"gone, with a dependent", "k/r; k/a -> k/r", func(r *rig) { r.end("k/r") }, true, false},
		{"gone", "k/r; k/a -> k/r", func(r *rig) { r.end("k/r; k/a") }, true, true},
		{"gone, the dependent stays", "k/r; k/a -> k/r", func(r *rig) { r.end("k/r"); r.put("k/a#2") }, true, true},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, c.objects)
			r.walk()
			if r.Changed(r.view()) {
				t.Error("there is something to report, and Counts has reported it")
			}
			c.change(r)
			if n := r.walk(); n.Begun != c.begun || n.Over != c.over {
				t.Errorf("%+v, want begun %v and over %v", n, c.begun, c.over)
			}
		})
	}
}

// TestSearch: a search finds all objects at a place, also those that come meanwhile. More
// references than the bound hide none of them, before or behind.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		places, reason string
	}{{"k/a", "one place"}, {"k/a; k/b", "several places"}} {
		r := newRig(t, "k/r; k/b")
		refer := func(from, to int) {
			for i := from; i < to; i++ {
				r.put(fmt.Sprintf("k/d%d -> k/a@fake%d", i, i))
			}
		}
		refer(0, maxFound+1)
		r.put("k/a; k/a'; k/gone -> k/a@old; k/a@old")
		r.end("k/a@old")
		refer(maxFound+1, maxFound+9)
		var keys []graph.Key
		for _, o := range parse(t, c.places) {
			o.UID = ""
			keys = append(keys, o.Key)
		}
		f := open(r.graph, keys...)
		if f.StepSearch(r.view(), 1) {
			t.Error("the search is over after one node")
		}
		d, err := r.graph.Apply(graph.Event{Type: graph.Put, Object: parse(t, "k/a''")[0]})
		if err != nil {
			t.Fatal(err)
		}
		f.Observe(r.view(), &d)
		for !f.StepSearch(r.view(), 1) {
		}
		x := f.search.places[keys[0]]
		if len(x.Alive) != 3 || len(x.Gone) != 1 || len(x.Named) != maxFound {
			t.Errorf("%d exist, %d are gone and %d are named, want 3, 1 and %d: %s", len(x.Alive), len(x.Gone), len(x.Named), maxFound, c.reason)
		}
		if n := len(f.search.places[keys[len(keys)-1]].Alive); n != 3 && len(keys) == 1 || n != 1 && len(keys) == 2 {
			t.Errorf("%d objects at the last place: %s", n, c.reason)
		}
	}
}

// TestSeveralRoots: the members of several roots are counted together, and each once.
func TestSeveralRoots(t *testing.T) {
	r := newRig(t, "k/r; k/s; k/a -> k/r, k/s; k/b -> k/s; k/x")
	s := parse(t, "k/s")[0].Key
	r.Begin(r.view(), s)
	r.Begin(r.view(), s) // the same key again
	r.want(0, 4, "both roots, a and b")
	r.end("k/r")
	if c := r.walk(); c.Over || !c.Begun {
		t.Errorf("%+v: one root is left", c)
	}
	r.end("k/s; k/b")
	r.want(3, 1, "a is left")
	r.end("k/a")
	if c := r.walk(); !c.Over {
		t.Errorf("%+v: all are gone", c)
	}
}

// TestCheckFinds: Check finds each broken invariant.
func TestCheckFinds(t *testing.T) {
	for _, c := range []struct {
		reason string
		damage func(r *rig)
	}{
		{"an entry is in no list", func(r *rig) { r.set.lists[active].Pop() }},
		{"an entry is in the wrong list", func(r *rig) { r.set.move(1, caused) }},
		{"an object that exists counts as gone", func(r *rig) { r.set.move(1, gone) }},
		{"a member does not depend on one", func(r *rig) {
			n, _ := r.graph.Lookup(parse(r.t, "k/x")[0].Key)
			r.set.put(n.ID(), 1, active)
		}},
		{"a dependent is missing", func(r *rig) {
			n, _ := r.graph.Lookup(parse(r.t, "k/a")[0].Key)
			r.set.take(n.ID())
		}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, "k/r; k/a -> k/r; k/x")
			r.walk()
			if c.damage(r); r.Check(r.view()) == nil {
				t.Error("nothing is wrong")
			}
		})
	}
}
