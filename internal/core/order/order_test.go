package order

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fence"
)

// phases returns the own, due, delete and done phases of the objects, from 1, or "stays".
func (r *rig) phases(objects string) string {
	r.Helper()
	var out []string
	o := r.m.orders[r.id("r/R")]
	for name := range strings.FieldsSeq(objects) {
		switch p := o.places[r.id(name)]; {
		case p == nil || p.status == outside:
			out = append(out, "none")
		case p.status != goes:
			out = append(out, "stays")
		default:
			out = append(out, fmt.Sprintf("%d%d%d%d", p.own+1, p.due+1, p.del+1, p.done+1))
		}
	}
	return strings.Join(out, " ")
}

// TestPhases: the due, delete and done phases of objects, and the objects that stay.
func TestPhases(t *testing.T) {
	const top = "r/R~[foreground]; "
	for _, c := range []struct{ objects, names, want, reason string }{
		{"x1/a -> r/R!; x2/b -> r/R!; x3/c -> r/R!", "x1/a x2/b x3/c", "1111 2222 3333", "nothing moves objects beside each other"},
		{"x2/a -> r/R!; x1/b -> x2/a!", "x2/a x1/b", "2211 1111", "b goes only after the mark of a"},
		{"x1/a -> r/R!; x2/b -> x1/a!", "x1/a x2/b", "1111 2111", "a goes only after b"},
		{"x3/a -> r/R!; x1/b -> x3/a!; x2/c -> x3/a!", "x3/a x1/b x2/c", "3312 1111 2222", "a is marked for b and stays for c"},
		{"x2/a -> r/R!; x3/b -> x2/a!; x3/c -> x3/b!; x1/d -> r/R!", "x2/a x3/b x3/c x1/d", "2222 3222 3222 1111", "an operator goes whole, and not in the first phase"},
		{"x2/a -> r/R!; x2/b -> r/R!; x1/c -> x2/a!, x2/b!", "x2/a x2/b x1/c", "2211 2211 1111", "c needs the marks of both owners"},
		{"x3/a -> r/R!; x3/b -> x3/a!; x1/c -> x3/b!; x2/d -> x3/a!", "x3/a x3/b x1/c x2/d", "3312 3311 1111 2222", "a mark is moved over several owners"},
		{"x1/a -> r/R; x2/b -> x1/a", "x1/a x2/b", "1111 2111", "a reference that does not block counts as well"},
		{"x1/a -> r/R!, x1/a!", "x1/a", "1111", "a self reference counts for nothing"},
		{"x1/a -> r/R!; x2/solid; x1/b -> r/R!, x2/solid; x1/c -> x1/b!", "x1/a x1/b x1/c", "1111 stays none", "another solid owner keeps b, and so c"},
		{"x2/a -> r/R!; x1/b -> x2/a!, x2/c!; x2/c -> x1/b!", "x2/a x1/b x2/c", "2222 stays none", "members of a living ring keep each other"},
		{"x1/a~[foreground] -> r/R!, x2/b!; x2/b -> x1/a!", "x1/a x2/b", "1111 2111", "a marked member of a ring goes"},
		{"x2/a~* -> r/R!; x1/b -> x2/a!", "x2/a x1/b", "2211 1111", "an object that a user has marked counts"},
		{"x2/a[orphan] -> r/R!; x1/b -> x2/a!", "x2/a x1/b", "2222 none", "a orphans b"},
		{"x2/a~[ownergraph.github.io/hold,foreground] -> r/R!; x1/b -> x2/a!", "x2/a x1/b", "stays none", "a withheld mark is none"},
		{"x1/a -> r/R!, r/R?", "x1/a", "stays", "an unresolved reference keeps a"},
		{"x1/a -> r/R!, y/gone", "x1/a", "stays", "the kind of an owner is not served"},
		{"x1/a -> r/R!, x2/unseen", "x1/a", "1111", "a read is about to tell whether the owner exists"},
		{"s/S~[foreground]; x1/a -> r/R!, s/S!", "x1/a", "1111", "the other owner waits, too"},
		{"r/P~*; x1/a -> r/R!, r/P!", "x1/a", "stays", "a background mark is no wait"},
	} {
		r := newRig(t, top+c.objects)
		r.rest()
		if got := r.phases(c.names); got != c.want {
			t.Errorf("%s: the phases of %s are %s, want %s", c.reason, c.names, got, c.want)
		}
	}
}

// TestScenario: the story of the issue. Object a waits for b, and b may not die before a.
func TestScenario(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x2/a -> r/R!; x1/b -> x2/a!; x2/c -> r/R!")
	r.waits("x2/a x1/b x2/c", "x2/a x2/c", "a walk has not come to them")
	ids, _ := r.rest()
	if !slices.Contains(ids, r.id("x2/a")) || !slices.Contains(ids, r.id("x2/c")) {
		t.Errorf("after the walk %v are decided again", ids)
	}
	r.waits("x2/a x1/b x2/c", "x2/c", "a goes with b")
	if s := r.m.Statuses(r.view(), 9); len(s) != 1 || s[0].Forward != 1 || s[0].Open != 1 || fmt.Sprint(s[0].Phases) != "[{one 2 0} {phase 2 1 0} {the rest 0 0}]" || s[0].Guard != "rs" {
		t.Errorf("the status is %+v", s)
	}
	r.put("x2/a#2~[foreground] -> r/R!")
	r.gone("x1/b x2/a")
	r.rest()
	r.waits("x2/c", "x2/c", "no fence has passed")
	if root, phase, some, ok := r.m.Awaited(r.view(), r.id("x2/c"), 9); !ok || root.Name != "R" || phase.Name != "phase 2" || !slices.Equal(some, []graph.NodeID{r.id("x2/c")}) {
		t.Errorf("c waits for %v of %s, by %v", phase, root, some)
	}
	r.opens()
	ids, _ = r.rest()
	if !slices.Contains(ids, r.id("x2/c")) {
		t.Error("c is not decided when its phase opens")
	}
	r.waits("x2/c", "", "its phase is open")
	if !r.tryRelease(r.id("r/R")) {
		t.Error("the root goes before c")
	}
	r.gone("x2/c")
	if ids, _ := r.rest(); !slices.Contains(ids, r.id("r/R")) || r.tryRelease(r.id("r/R")) {
		t.Error("the root waits for nothing")
	}
	if r.gone("r/R"); r.m.Orders() != 0 {
		t.Error("the order outlives its root")
	}
}

// TestLateArrival: an object of an earlier phase that arrives late closes the later phases, and
// calls that no caller has begun are revoked. The phase counts the wave.
func TestLateArrival(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x2/a -> r/R!; x2/b -> r/R!")
	r.rest()
	r.opens()
	r.rest()
	r.waits("x2/a x2/b", "", "the first phase is empty")
	for wave := 1; wave <= 3; wave++ {
		r.put("x1/late -> r/R!")
		if _, revoked := r.looks(); !revoked {
			t.Error("no call is revoked")
		}
		r.waits("x2/a x1/late", "x2/a", "the order is stale")
		r.rest()
		r.waits("x2/a x1/late", "x2/a", "late goes first")
		r.gone("x1/late")
		r.rest()
		r.opens()
		r.rest()
		r.waits("x2/a", "", "late has gone")
		if s := r.m.Statuses(r.view(), 9); s[0].Phases[0].Waves != wave {
			t.Errorf("wave %d: the status is %+v", wave, s)
		}
	}
	r.put("x3/late -> r/R!")
	r.rest()
	r.waits("x2/a x3/late", "x3/late", "an arrival of a later phase closes none")
}

// TestFenceBeforeTheEnd: a fence that began before the last object of a phase was known to be
// gone opens nothing.
func TestFenceBeforeTheEnd(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x1/a -> r/R!; x2/b -> r/R!")
	r.rest()
	r.fence.Want(r.stamps.Stamp(), start)
	if !r.beginFence() {
		t.Fatal("no fence begins")
	}
	r.gone("x1/a")
	r.looks()
	r.passFence()
	r.rest()
	r.waits("x2/b", "x2/b", "the fence began too early")
	r.opens()
	r.rest()
	r.waits("x2/b", "", "the next fence has passed")
	r.m.TakeBack()
	r.rest()
	r.waits("x2/b", "x2/b", "a kind has joined")
	r.opens()
	r.rest()
	r.waits("x2/b", "", "a fence of all kinds has passed")
}

// TestKeptObject: a protected object delays no phase, nor does the owner that it blocks.
func TestKeptObject(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x1/a -> r/R!; x1/kept -> x1/a!; x1/below -> x1/kept!; x2/b -> r/R!")
	r.stays[r.id("x1/kept")] = true
	r.rest()
	if got := r.phases("x1/a x1/kept x1/below x2/b"); got != "1111 stays none 2222" {
		t.Errorf("the phases are %s", got)
	}
	if p := r.m.orders[r.id("r/R")].places[r.id("x1/a")]; p.kept != 1 {
		t.Errorf("%d references to a are kept", p.kept)
	}
}

// TestKeep: a decision that keeps an object takes it out of the order, and a decision that
// deletes it after all puts it in.
func TestKeep(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x1/a -> r/R!; x2/b -> r/R!; x3/c -> r/R!; x2/solid; x2/d -> r/R!, x2/solid")
	r.rest()
	r.stays[r.id("x1/a")] = true
	r.m.Keep(r.view(), r.id("x1/a"))
	r.rest()
	if got := r.phases("x1/a"); got != "stays" {
		t.Errorf("a kept object has the phases %s", got)
	}
	delete(r.stays, r.id("x1/a"))
	r.waits("x1/a", "", "its phase is always open")
	r.waits("x2/d", "x2/d", "a decision deletes it, and its phase is not open")
	r.rest()
	if got := r.phases("x2/d"); got != "2222" {
		t.Errorf("an object that goes after all has the phases %s", got)
	}
	r.m.Spare(r.view(), r.id("x2/d"))
	r.rest()
	if got := r.phases("x2/d"); got != "stays" {
		t.Errorf("an object that stays after all has the phases %s", got)
	}
}

// TestRelease: an owner stays until the objects below it have gone that can go with the root.
func TestRelease(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x1/a~[foreground] -> r/R!; x1/b -> x1/a; x1/kept -> x1/a; x2/solid; x1/other -> x1/a, x2/solid")
	r.stays[r.id("x1/kept")] = true
	a := r.id("x1/a")
	if !r.tryRelease(a) {
		t.Error("a goes before a walk has come to it")
	}
	r.rest()
	if !r.tryRelease(a) {
		t.Error("a goes before b, although it blocks nothing")
	}
	r.gone("x1/b")
	r.rest()
	if r.tryRelease(a) {
		t.Error("a waits for objects that stay")
	}
}

// TestSweepBelow: a sweep of a holder below the root deletes in its own phases, since the holder
// waits for its members. A sweep of the root, or of a holder elsewhere, waits for the order.
func TestSweepBelow(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x1/holder -> r/R!; x2/member -> r/R!; x1/first -> r/R!; x3/elsewhere~*")
	r.rest()
	for _, c := range []struct {
		holder string
		wait   bool
		reason string
	}{
		{"x1/holder", false, "the holder goes only after its member"},
		{"r/R", true, "the root goes last"},
		{"x3/elsewhere", true, "no object of the order waits for the holder"},
	} {
		if got := r.tryDelete(r.id("x2/member"), r.id(c.holder)); got != c.wait {
			t.Errorf("%s: the sweep of %s waits: %t", c.reason, c.holder, got)
		}
	}
}

// TestMemberBelow: a member of a holder below the root goes in the holder's phase, and so do the
// objects below the member.
func TestMemberBelow(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x1/holder -> r/R!; x2/member -> r/R!; x3/deep -> x2/member!; x3/c -> r/R!")
	r.rest()
	r.waits("x2/member", "x2/member", "no walk knows that it is a member")
	r.holder = map[graph.NodeID]graph.NodeID{r.id("x2/member"): r.id("x1/holder")}
	r.waits("x2/member", "x2/member", "its phase is not open yet")
	r.rest()
	if got := r.phases("x1/holder x2/member x3/deep x3/c"); got != "1111 2111 3111 3333" {
		t.Errorf("the phases are %s", got)
	}
	r.waits("x2/member x3/deep x3/c", "x3/c", "the holder waits for both")
}

// TestOwnerHasGone: an object belongs to the order although its owner went before the watch
// showed the object.
func TestOwnerHasGone(t *testing.T) {
	for _, c := range []struct{ dependents, reason string }{
		{"", "nothing refers to the owner when it goes"},
		{"x1/other -> x2/a", "another object refers to it"},
	} {
		r := newRig(t, "r/R~[foreground]; x2/a -> r/R; x3/c -> r/R!")
		r.put(c.dependents)
		r.rest()
		r.gone("x2/a")
		r.rest()
		r.put("x1/late -> x2/a; x2/deep -> x1/late")
		r.rest()
		if got := r.phases("x1/late x2/deep"); got != "1111 2111" {
			t.Errorf("%s: the phases are %s", c.reason, got)
		}
	}
}

// TestEvents: an event makes an order stale if and only if a walk may find other places.
func TestEvents(t *testing.T) {
	for _, c := range []struct {
		event  string // an object, or "-" and an object that goes
		stale  bool
		reason string
	}{
		{"x1/a#2 -> r/R!", false, "another version alone"},
		{"x1/a#2~[foreground] -> r/R!", false, "the engine's own mark"},
		{"x1/a#2 -> r/R!, x1/b!", true, "another owner"},
		{"x1/a#2[orphan] -> r/R!", true, "it orphans its dependents from now on"},
		{"x1/a#2[x.io/y] -> r/R!", false, "a finalizer"},
		{"x1/kept#2~* -> r/R!, x2/solid", true, "an object that stayed is marked"},
		{"x2/solid#2~*", false, "a background mark is no wait"},
		{"x2/solid#2~[foreground]", true, "the owner that keeps an object waits"},
		{"-x2/solid", true, "the owner that keeps an object has gone"},
		{"-x1/b", false, "an object goes"},
		{"-x1/kept", true, "an object goes that was to stay: it may have kept others"},
		{"x1/new -> x1/a!", true, "a new object below"},
		{"x1/new -> x1/kept!", false, "a new object below one that stays"},
		{"x1/new -> x2/solid", false, "a new object elsewhere"},
	} {
		r := newRig(t, "r/R~[foreground]; x1/a -> r/R!; x1/b -> x1/a!; x2/solid; x1/kept -> r/R!, x2/solid")
		r.rest()
		if key, is := strings.CutPrefix(c.event, "-"); is {
			r.gone(key)
		} else {
			r.put(c.event)
		}
		if o := r.m.orders[r.id("r/R")]; o.stale != c.stale {
			t.Errorf("%s: %s makes the order stale: %t", c.reason, c.event, o.stale)
		}
		r.rest()
	}
}

// TestRoots: an order begins and ends by the observed state of its root alone.
func TestRoots(t *testing.T) {
	for _, c := range []struct {
		root, reason string
		is           bool
	}{
		{"r/R#2", "it is not marked", false},
		{"r/R#2~[x.io/y]", "it is marked in the background", false},
		{"r/R#2~[orphan]", "it orphans", false},
		{"r/R#2~[foreground,ownergraph.github.io/hold]", "it is held", false},
		{"r/R#2~[foreground,ownergraph.github.io/new]", "it has passed", true},
		{"x1/R#2~[foreground]", "no guard selects it", false},
		{"s/R#2~[foreground]", "the second guard with phases selects it", true},
	} {
		r := newRig(t, c.root+"; x2/a -> r/R!")
		if got := r.m.Orders() == 1; got != c.is {
			t.Errorf("%s: an order begins for %s: %t", c.reason, c.root, got)
		}
	}
	r := newRig(t, "r/R~[foreground]; x2/a -> r/R!")
	r.rest()
	r.waits("x2/a", "x2/a", "its phase is not open")
	r.put("r/R#2~[orphan]")
	if ids, _ := r.rest(); r.m.Any() || !slices.Contains(ids, r.id("x2/a")) {
		t.Errorf("after the end of the order %v are decided", ids)
	}
}

// TestTwoRoots: an object below two roots has the earliest of its phases, which has to be open
// for both.
func TestTwoRoots(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; r/S~[foreground]; s/T~[foreground]; x2/a -> r/R!, r/S!; x1/b -> r/S!; x2/c -> r/R!, s/T!; x3/d -> r/R!, s/T!; x1/e -> s/T!")
	r.rest()
	r.opens()
	r.rest()
	r.waits("x2/a x1/b x2/c x3/d x1/e", "x2/a x3/d x1/e", "S has b left, and T has c left")
	r.gone("x1/b")
	r.rest()
	r.opens()
	r.rest()
	r.waits("x2/a x3/d x1/e", "x3/d x1/e", "both have come to the second phase")
}

// TestUnplaced: while a walk is under way, the delete of an object below the root waits, and that
// of another object does not.
func TestUnplaced(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x2/a~[foreground] -> r/R!; x2/b -> x2/a!; x1/c -> x2/a!; s/gone~*; x2/d -> s/gone!")
	r.waits("x2/b x1/c x2/d", "x2/b", "no walk has come to them")
	r.rest()
	r.waits("x2/b x2/d", "x2/b", "c is left")
}

// TestClone: a copy of a machine in the middle of a walk comes to the same places, and shares
// nothing.
func TestClone(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x2/a -> r/R!; x1/b -> x2/a!; x3/c -> r/R!")
	for steps := 0; ; steps++ {
		c := r.clone()
		c.rest()
		if got := c.phases("x2/a x1/b x3/c"); got != "2211 1111 3333" {
			t.Fatalf("after %d steps the copy has the phases %s", steps, got)
		}
		c.gone("x1/b")
		r.check()
		if !r.m.HasWork() {
			break
		}
		r.m.Step(r.view(), 1, 1)
		r.looks()
	}
	if r.m.orders[r.id("r/R")].left[0] != 2 {
		t.Error("a copy has changed the counts")
	}
}

// TestRewind: after a rewind nothing but the first phase goes before another walk and fence.
func TestRewind(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x2/a -> r/R!")
	r.rest()
	r.opens()
	r.rest()
	r.waits("x2/a", "", "its phase is open")
	r.m.Rewind(r.view())
	r.rest()
	r.waits("x2/a", "x2/a", "the fence was of another history")
	r.m.Doubt(r.view())
	r.waits("x2/a", "x2/a", "all places are in doubt")
}

// TestWithoutFences: a store without fences has no exact order, and its phases open at once.
func TestWithoutFences(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x1/a -> r/R!; x2/b -> r/R!")
	r.fence = fence.New(false, 0)
	r.rest()
	r.waits("x2/b", "x2/b", "a is left")
	r.gone("x1/a")
	r.rest()
	r.waits("x2/b", "", "a has gone")
}

// TestWork: a cascade without changes by others takes work in proportion to its references.
// Each step takes a bounded part of that.
func TestWork(t *testing.T) {
	for _, n := range []int{1000, 4000} {
		r := newRig(t, "r/R~[foreground]")
		for i := range n {
			owner := "r/R"
			if i%10 > 0 {
				owner = fmt.Sprintf("x%d/%d", (i-1)%3+1, i-1)
			}
			r.put(fmt.Sprintf("x%d/%d -> %s!", i%3+1, i, owner))
		}
		before := r.m.Looked()
		for r.m.HasWork() {
			at := r.m.Looked()
			if r.m.Step(r.view(), 100, 10); r.m.Looked()-at > 120 {
				t.Fatalf("a step looks at %d", r.m.Looked()-at)
			}
			r.looks()
		}
		for i := n - 1; i >= 0; i-- {
			id := r.id(fmt.Sprintf("x%d/%d", i%3+1, i))
			j := r.m.JudgeDelete(r.view(), id, 0)
			r.m.Commit(r.view(), id, &j)
			r.mark(id)
			r.gone(fmt.Sprintf("x%d/%d", i%3+1, i))
			r.looks()
		}
		if looks := r.m.Looked() - before; looks > uint64(20*n) {
			t.Errorf("%d objects take %d looks", n, looks)
		}
	}
}

// mark makes the watch show the mark of an object.
func (r *rig) mark(id graph.NodeID) {
	r.Helper()
	o := r.nodes.Node(id).Object()
	o.Version, o.Deleting, o.Finalizers = "2", true, []string{"x.io/y"}
	r.apply(graph.Event{Type: graph.Put, Object: o})
}
