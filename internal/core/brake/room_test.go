package brake

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// crossing returns objects b/0 to b/n-1 in notation, each below as many owners of its own, and
// their roots.
func crossing(n, own int) (objects string, roots [][]string) {
	var all []string
	for i := range n {
		var owners []string
		for j := range own {
			owners = append(owners, fmt.Sprintf("a/%d-%d", i, j))
		}
		all = append(all, owners...)
		all = append(all, fmt.Sprintf("b/%d -> %s", i, strings.Join(owners, ", ")))
		roots = append(roots, owners)
	}
	return strings.Join(all, "; "), roots
}

// TestOwnRoots: the roots of one object never displace each other, also if the brake remembers
// just as many, and all others have handed out more.
func TestOwnRoots(t *testing.T) {
	for own := 1; own <= maxRoots; own++ {
		for _, places := range []int{own, own + 1, 2*own + 1} {
			objects, roots := crossing(12, own)
			r := newRig(t, Settings{PerCascade: 2, Cascades: places}, objects)
			for i, at := range roots {
				name := fmt.Sprint("b/", i)
				if a := r.judge(name, at...); a != Go {
					t.Fatalf("%d roots of %d places: %v for object %d", own, places, a, i)
				}
				for _, root := range at {
					if !r.isKnown(key(root)) {
						t.Fatalf("%d roots of %d places: object %d goes, and its root %s is forgotten", own, places, i, root)
					}
				}
				r.take(uint64(i + 1))
				r.check()
				r.m.Done(uint64(i+1), false)
			}
		}
	}
}

// TestOwnEndedRoots: a new root of an object takes no place of its other roots, also if these have
// ended with fewer deletes than all others. So their deletes still count.
func TestOwnEndedRoots(t *testing.T) {
	for own := 2; own <= maxRoots; own++ {
		for ended := 1; ended < own; ended++ {
			others := own - ended // as many as there are new roots
			objects, roots := crossing(others+2, own)
			r := newRig(t, Settings{PerCascade: 2, Cascades: own}, objects)
			call := uint64(0)
			judge := func(i int, at []string) Answer {
				a := r.judge(fmt.Sprint("b/", i), at...)
				if call++; a == Go {
					r.take(call)
					r.m.Done(call, false)
				}
				return a
			}
			judge(0, roots[0][:ended])
			for i := range others {
				judge(i+1, roots[i+1][:1])
				judge(i+1, roots[i+1][:1])
			}
			if a := judge(0, roots[0]); a != Go {
				t.Fatalf("%d of %d roots have ended: %v, want that the new ones have room", ended, own, a)
			}
			if a := judge(0, roots[0][:ended]); a != Held {
				t.Errorf("%d of %d roots have ended: %v, want that both deletes of an ended one count", ended, own, a)
			}
		}
	}
}

// TestNoRoomForAll: an object whose cascades have no room together is held, takes no place, and is
// decided again when there are enough of them. It does not wait for places that its own cascades
// would give.
func TestNoRoomForAll(t *testing.T) {
	objects, roots := crossing(4, 3)
	r := newRig(t, Settings{PerCascade: 2, Cascades: 5}, objects)
	judge := func(i int) Answer { return r.judge(fmt.Sprint("b/", i), roots[i]...) }
	if judge(0) != Go {
		t.Fatal("the first object has no room")
	}
	r.take(1)
	if a := judge(1); a != NeedRoom || r.m.HasWork(r.now, true) || len(r.m.index) != 3 {
		t.Fatalf("%v with %d cascades, want that the object waits and takes no place", a, len(r.m.index))
	}
	if a := r.judge("b/2", roots[2][:2]...); a != Go {
		t.Fatalf("%v, want the two places for an object with two owners", a)
	}
	if a := judge(2); a != NeedRoom || r.m.HasWork(r.now, true) {
		t.Fatalf("%v, want that its own two cascades give no place to the third", a)
	}
	for range 9 {
		if r.m.Step(r.view(), 9) || r.woken() > 0 {
			t.Fatal("an object is called, and there is no room")
		}
	}
	r.m.Done(1, false)
	for i := range 2 { // three places, and then none
		if !r.m.Step(r.view(), 9) && i == 0 || r.woken() != 1-i {
			t.Fatal("an object is not called once for the places")
		}
	}
	if a := judge(3); a != NeedRoom {
		t.Errorf("%v, want that the places are promised to the object that was called", a)
	}
	if judge(1) != Go {
		t.Error("the called object has no room")
	}
	r.take(2)
	r.check()
}

// TestMoreRootsThanPlaces: an object with more roots than the brake remembers waits, and nothing
// is decided again and again.
func TestMoreRootsThanPlaces(t *testing.T) {
	objects, roots := crossing(1, 3)
	r := newRig(t, Settings{PerCascade: 2, Cascades: 2}, objects)
	for range 3 {
		if a := r.judge("b/0", roots[0]...); a != NeedRoom || r.m.Step(r.view(), 9) {
			t.Fatalf("%v, and there is work", a)
		}
	}
	if w, ok := r.m.WaitOf(r.id("b/0")); !ok || w.For != NeedRoom {
		t.Errorf("%+v, %t", w, ok)
	}
}

// TestRoomLeaves: a called object that is decided otherwise gives its places to the next one.
func TestRoomLeaves(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1, Cascades: 1}, "a/0; a/1; a/2; b/0 -> a/0; b/1 -> a/1; b/2 -> a/2")
	r.judge("b/0", "a/0")
	r.take(1)
	for _, i := range []string{"1", "2"} {
		if a := r.judge("b/"+i, "a/"+i); a != NeedRoom {
			t.Fatal(a)
		}
	}
	r.m.Done(1, false)
	r.m.Step(r.view(), 9)
	r.m.Postpone(r.id("b/1"))
	r.woken()
	if !r.m.Step(r.view(), 9) || r.woken() != 1 || r.judge("b/2", "a/2") != Go {
		t.Error("the place serves no other object")
	}
}

// TestCountKeepsOwn: while one cascade of an object is counted, the others keep their places.
// Otherwise the end of one count could be the beginning of the other one, without end.
func TestCountKeepsOwn(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 2000, Cascades: 2}, "a/x; a/y; a/z; b -> a/x, a/y; c -> a/z"+strings.ReplaceAll(crowd("a/y", 900), "; b/", "; b/y"))
	if a := r.judge("b", "a/x", "a/y"); a != NeedCount {
		t.Fatalf("%v, want that a/y is counted in steps", a)
	}
	if a := r.judge("c", "a/z"); a != NeedRoom {
		t.Fatalf("%v, want that a/x keeps its place", a)
	}
	r.steps()
	if a := r.judge("b", "a/x", "a/y"); a != Go {
		t.Errorf("%v after the count", a)
	}
}

// TestRoomOfBraked: cascades that wait for a user give no place, and neither do their refusals.
func TestRoomOfBraked(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1, Cascades: 3}, "a/0; a/1; a/x; a/y; b/0 -> a/0; b/1 -> a/1; b/2 -> a/x, a/y; c -> a/x")
	for i := range 2 {
		r.m.begin(r.view(), key(fmt.Sprint("a/", i)), []graph.NodeID{}, 2)
		if a := r.judge(fmt.Sprint("b/", i), fmt.Sprint("a/", i)); a != Held {
			t.Fatal(a)
		}
	}
	r.m.TryRefuse(r.view(), key("a/1"), false)
	r.judge("b/1", "a/1")
	r.woken()
	if a := r.judge("b/2", "a/x", "a/y"); a != NeedRoom || r.m.Step(r.view(), 9) {
		t.Fatalf("%v, and there is work", a)
	}
	if a := r.judge("c", "a/x"); a != Go {
		t.Errorf("%v, want the free place", a)
	}
	r.m.TryApprove(r.view(), key("a/0"), r.now.Add(time.Hour), 1)
	if a := r.judge("b/0", "a/0"); a != Go {
		t.Fatal(a)
	}
	r.take(1)
	r.m.Done(1, false)
	if !r.m.Step(r.view(), 9) || r.judge("b/2", "a/x", "a/y") != Go || r.m.CountHeld() != 1 {
		t.Error("the end of an approved cascade makes no room, or a refused one is forgotten")
	}
}
