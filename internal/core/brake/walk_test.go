package brake

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestWalk: a walk counts the objects that the cascade would delete, each once.
func TestWalk(t *testing.T) {
	for _, c := range []struct {
		objects string
		found   int
		reason  string
	}{
		{"a", 0, "nothing is below the root"},
		{"a; b -> a; c -> b", 2, "an object at each depth"},
		{"a; a/x; b -> a, a/x; c -> b", 0, "an object with another owner stays, and so does the one below"},
		{"a; b/0 -> a; b/1 -> a; c -> b/0, b/1", 3, "both owners go"},
		{"a; b/0 -> a; c/1 -> c/0, b/0; c/0 -> b/0", 3, "an owner is counted after its dependent was visited"},
		{"a; b -> a, a/never", 1, "an owner that is not observed does not keep it"},
		{"a; b~[x] -> a; c -> b", 1, "a marked object counts for nothing, and the one below counts"},
		{"a; b -> a, b; c -> a, a", 2, "a reference to itself, and one that comes twice"},
		{"a; b/0 -> a, b/1; b/1 -> b/0", 0, "a ring keeps its objects"},
		{"a~[foreground]; b -> a!; c -> a", 2, "the root waits"},
		{"a; a/o~[orphan]; b -> a, a/o", 0, "an owner that leaves its dependents keeps this one"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			for limit := 1; limit <= 4; limit++ {
				r := newRig(t, Settings{PerCascade: limit}, c.objects)
				r.begin("a")
				if want := c.found > limit; (r.m.at(r.m.index[key("a")]).state == Tripped) != want {
					t.Errorf("limit %d: the cascade is %v, found should be %d", limit, r.m.at(1).state, c.found)
				}
			}
		})
	}
}

// TestWalkContents: the members of a container that goes with the cascade count, with any owners.
func TestWalkContents(t *testing.T) {
	for _, c := range []struct {
		objects string
		found   int
		reason  string
	}{
		{"a; ns/s -> a; p/s/1; p/s/2; p/r/3", 3, "the container and its two members"},
		{"a; ns/s -> a; a/x; p/s/1 -> a/x", 2, "the actor of the container asks for no owner"},
		{"a; ns/s -> a; p/s/1~[x]; p/s/2", 2, "a marked member counts for nothing"},
		{"a; a/x; ns/s -> a, a/x; p/s/1", 0, "the container stays"},
		{"a; ns/s -> a; ns/r; p/s/1; p/r/2 -> p/s/1", 3, "an object below a member goes, too"},
		{"a; ns/s -> a; p/s/1 -> p/s/2", 2, "an owner that was never observed is no member"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			for limit := 1; limit <= 4; limit++ {
				r := newRig(t, Settings{PerCascade: limit}, "")
				r.apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{
					{Kind: "a"}, {Kind: "p", Scoped: true}, {Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor"}},
				}})
				list, err := graph.Parse(c.objects)
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range list {
					r.apply(graph.Event{Type: graph.Put, Object: o})
				}
				r.begin("a")
				if want := c.found > limit; (r.m.at(r.m.index[key("a")]).state == Tripped) != want {
					t.Errorf("limit %d: the cascade is %v, found should be %d", limit, r.m.at(1).state, c.found)
				}
			}
		})
	}
}

// TestWalkInSteps: a large walk goes on in bounded steps. Objects that go meanwhile count no
// more, and an id that is used again counts for its new object.
func TestWalkInSteps(t *testing.T) {
	objects := "a; a/other" + crowd("a", 1000)
	r := newRig(t, Settings{PerCascade: 700}, objects)
	if a := r.judge("b/0", "a"); a != NeedCount {
		t.Fatalf("%v within one step", a)
	}
	if w, ok := r.m.WaitOf(r.id("b/0")); !ok || w.For != NeedCount || r.m.Waiting() != 1 || w.Cascade.Key != key("a") {
		t.Errorf("%+v, %v", w, ok)
	}
	for i := 700; i < 1000; i++ {
		r.gone(fmt.Sprint("b/", i))
	}
	for i := range 500 {
		o, _ := graph.ParseObject(fmt.Sprintf("c/%d#1 -> a/other", i))
		r.apply(graph.Event{Type: graph.Put, Object: o})
	}
	steps := r.steps()
	if a := r.judge("b/0", "a"); a != Go || steps < 20 || r.woken() != 1 {
		t.Errorf("%v after %d steps, want that 700 objects are within the limit", a, steps)
	}
}

// TestWalkClone: a clone begins the walk anew, and finds the same.
func TestWalkClone(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 700}, "a; a/x"+crowd("a", 800))
	r.judge("b/0", "a")
	r.begin("a/x")
	m := r.m.Clone()
	r.steps()
	one := r.m.at(1).state
	r.m = m
	if r.steps(); one != Tripped || r.m.at(1).state != one || r.m.at(2).state != Open {
		t.Errorf("%v, and %v and %v in the clone", one, r.m.at(1).state, r.m.at(2).state)
	}
}

// TestWalkKnown: members of a sweep count without a walk. A seed that has left the graph
// counts for nothing.
func TestWalkKnown(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 3}, "a; a/x; b -> a")
	r.m.begin(r.view(), key("a"), nil, 4)
	r.m.begin(r.view(), key("a/x"), []graph.NodeID{99}, 3)
	if r.m.at(1).state != Tripped || r.m.at(2).state != Open {
		t.Errorf("%v and %v", r.m.at(1).state, r.m.at(2).state)
	}
}
