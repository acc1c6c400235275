package fence

import (
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
)

// TestFence: a fence begins for a waiter, and passes when every kind and the set of kinds
// have passed it (R7).
func TestFence(t *testing.T) {
	r := newRig(t, true, 0)
	if r.begins() {
		t.Error("a fence begins without a waiter")
	}
	at := r.want()
	if _, ok := r.f.Begin(r.now, &r.k, &r.out); !ok || !r.f.Under() || !r.f.Wanted() {
		t.Fatal("the wanted fence does not begin")
	}
	r.f.SetBegan(r.stamps.Stamp())
	if r.f.Wanted() || !r.f.BeganAfter(at) || !r.f.CanJoin(at) {
		t.Error("the fence under way serves the waiters from before it")
	}
	if r.pass("a", "b") || r.f.Passed() != 0 {
		t.Error("the fence passes before the set of kinds has")
	}
	if began := r.f.SetPassed(); !r.pass("") || r.f.Passed() <= at || began != 0 || r.f.SetPassed() <= at {
		t.Error("the fence does not pass with the last kind")
	}
	if r.f.Under() || r.f.Counts().Passed != 1 || !r.f.Serves(at, &r.k) || r.f.Serves(r.stamps.Last(), &r.k) {
		t.Errorf("after the fence: %+v", r.f)
	}
	if r.want(); !r.begins() {
		t.Error("a later mark needs another fence")
	}
}

// TestWant: only a mark that no fence serves wants one.
func TestWant(t *testing.T) {
	r := newRig(t, true, 0)
	at := r.want()
	r.begin()
	if r.f.Want(at, r.now); r.f.Wanted() {
		t.Error("the fence under way began after the mark, and another one is wanted")
	}
	later := r.want()
	if !r.f.Wanted() || r.f.wanted != later || r.begins() {
		t.Error("a mark from after the beginning waits for the next fence")
	}
	r.pass("a", "b", "")
	if r.f.Want(at, r.now); r.f.wanted != later || !r.begins() {
		t.Error("the later mark still wants a fence, and the earlier one does not")
	}
}

// TestPassReports: a report counts for the fence under way alone, and once.
func TestPassReports(t *testing.T) {
	r := newRig(t, true, 0)
	r.want()
	id := r.begin()
	for _, c := range []struct {
		reason string
		kind   graph.Kind
		id     uint64
		want   bool
	}{
		{"no fence has the id 0", "a", 0, false},
		{"a former fence proves nothing", "a", id + 1, false},
		{"an unknown kind is not covered", "x", id, false},
		{"a kind passes", "a", id, true},
		{"a kind passes once", "a", id, false},
	} {
		if p := r.f.Pass(c.kind, c.id, &r.k, &r.out); p.Any() != c.want || p.Set || p.Last {
			t.Errorf("%s: %+v, want a passage: %t", c.reason, p, c.want)
		}
	}
}

// TestBlocked: sick kinds alone block a fence. A blocked fence gives way to a newer one, with
// growing pauses.
func TestBlocked(t *testing.T) {
	r := newRig(t, true, 0)
	r.want()
	r.begin()
	r.sick("b", true)
	if r.f.Blocked(&r.k) || !r.f.Busy(&r.k) {
		t.Error("well kinds have still to pass")
	}
	if r.pass("a", ""); !r.f.Blocked(&r.k) || r.f.Busy(&r.k) {
		t.Error("the sick kind blocks the fence")
	}
	if r.now = r.now.Add(time.Hour); r.begins() {
		t.Error("a blocked fence without newer waiters gives way")
	}
	r.want()
	for i, pause := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		if i > 0 { // the first one is an hour old
			r.now = r.now.Add(pause - time.Nanosecond)
			if r.begins() {
				t.Errorf("fence %d gives way before %v", i, pause)
			}
			r.now = r.now.Add(time.Nanosecond)
		}
		r.begin()
		r.pass("a", "")
		r.want()
	}
	if n, _ := r.f.Lost(); n != 0 || r.f.IsLost() {
		t.Error("a fence that gave way is not lost")
	}
	r.sick("b", false)
	if r.pass("b"); r.f.Under() || r.f.yielded != 0 {
		t.Error("the fence passes after the recovery")
	}
}

// TestLost: a fence that well kinds do not pass in time is lost, and its waiters are decided
// again.
func TestLost(t *testing.T) {
	r := newRig(t, true, 0)
	r.want()
	r.f.AwaitKind("b", r.x)
	r.begin()
	r.pass("a")
	if r.now = r.now.Add(timeout - time.Nanosecond); r.begins() {
		t.Error("the fence is lost too early")
	}
	r.now = r.now.Add(time.Nanosecond)
	r.begin()
	n, late := r.f.Lost()
	if n != 1 || !r.f.IsLost() || !slices.Equal(late, []graph.Kind{"", "b"}) || r.f.Counts().Lost != 1 {
		t.Errorf("%d fences are lost, of kinds %q", n, late)
	}
	if got := Names(late); !slices.Equal(got, []string{"the set of kinds", "b"}) {
		t.Errorf("the report names %q", got)
	}
	if !r.has(effect.WakeFence) || !r.has(effect.Log) || !slices.Equal(r.woken(), []graph.NodeID{r.x}) {
		t.Error("the waiters are not decided again")
	}
	if r.now = r.now.Add(timeout); r.begins() {
		t.Error("the next fence has twice the time")
	}
	if r.now = r.now.Add(timeout); !r.begins() {
		t.Error("the next fence has more than twice the time")
	}
	if !r.pass("a", "b", "") || r.f.IsLost() {
		t.Error("a passed fence ends the losses")
	}
}

// TestReleased: a fence that is blocked for too long releases its waiters, by a setting.
func TestReleased(t *testing.T) {
	r := newRig(t, true, time.Minute)
	at := r.want()
	r.begin()
	r.sick("b", true)
	r.pass("a", "")
	release := func() bool {
		r.f.Release(r.now, &r.k, &r.out)
		return r.f.Freed() > at
	}
	if r.now = start.Add(time.Minute - time.Nanosecond); release() {
		t.Error("released too early")
	}
	if r.now = start.Add(time.Minute); !release() || !r.has(effect.WakeFence) || r.f.Released(&r.k, 99) != r.f.Freed() {
		t.Error("not released in time")
	}
	r.out.Reset()
	if release(); len(r.out.Items()) > 0 {
		t.Error("released twice")
	}
	r.f.TakeBack()
	r.sick("b", false)
	if release() {
		t.Error("a fence that is not blocked releases no waiter")
	}
}

// TestFailed: after a failed call another fence begins, when the pause is over.
func TestFailed(t *testing.T) {
	r := newRig(t, true, 0)
	at := r.want()
	id := r.begin()
	if r.f.Fail(id+1, r.now, errTest, 0, &r.k, &r.out); !r.f.Under() {
		t.Error("the failure of a former fence ends the fence under way")
	}
	r.f.Fail(id, r.now, errTest, 5*time.Second, &r.k, &r.out)
	if r.f.Under() || r.f.wanted < at || len(r.k.OpenKinds()) != 0 || r.begins() {
		t.Error("the failed fence is over, and wanted again after the pause")
	}
	if when, counts := r.f.Times(&r.k); !counts[0] || !when[0].Equal(r.now.Add(5*time.Second)) {
		t.Errorf("the next fence is due at %v", when[0])
	}
	r.now = r.now.Add(5 * time.Second)
	r.f.Fail(r.begin(), r.now, errTest, 0, &r.k, &r.out)
	if r.now = r.now.Add(time.Second - 1); r.begins() {
		t.Error("the pause is at least a second")
	}
	if r.now = r.now.Add(1); !r.begins() {
		t.Error("the pause is over")
	}
}

// TestWaiters: a node is decided once when the fence passes, and when its kind does.
func TestWaiters(t *testing.T) {
	r := newRig(t, true, 0)
	r.want()
	r.begin()
	for range 2 {
		r.f.Await(r.x, r.v.Edit(r.x))
		r.f.AwaitKind("a", r.y)
	}
	if !slices.Equal(r.f.Waiting(), []graph.NodeID{r.x}) || !slices.Equal(r.f.AwaitedKinds(), []graph.Kind{"a"}) {
		t.Errorf("nodes %v wait for the fence, and nodes for the kinds %q", r.f.Waiting(), r.f.AwaitedKinds())
	}
	if got := r.f.Waiters(r.v.Graph, r.v.Table); !slices.Equal(got, []graph.NodeID{r.x, r.y}) || r.f.MaxWaiters() != 2 {
		t.Errorf("nodes %v of at most %d wait, want two", got, r.f.MaxWaiters())
	}
	if r.pass("b"); r.woken() != nil {
		t.Error("another kind wakes a waiter")
	}
	if r.pass("a"); !slices.Equal(r.woken(), []graph.NodeID{r.y}) || len(r.f.AwaitedKinds()) != 0 {
		t.Error("the kind wakes its waiters")
	}
	r.f.Wake(r.v.Graph, r.v.Table, &r.out)
	if !slices.Equal(r.woken(), []graph.NodeID{r.x}) || r.f.Waiting() != nil || r.v.State(r.x).AwaitsFence {
		t.Error("the fence wakes its waiters")
	}
	r.f.Await(r.x, r.v.Edit(r.x))
	r.v.Edit(r.x).AwaitsFence = false // the node is another one now
	if got := r.f.Waiters(r.v.Graph, r.v.Table); len(got) > 0 {
		t.Errorf("nodes %v wait", got)
	}
	if r.f.Wake(r.v.Graph, r.v.Table, &r.out); r.woken() != nil {
		t.Error("an id that no longer waits is woken")
	}
}

// TestVoid: a void fence is wanted again, and passed fences can be taken back.
func TestVoid(t *testing.T) {
	r := newRig(t, true, 0)
	r.f.Void(&r.k) // without a fence it does nothing
	at := r.want()
	r.begin()
	if r.f.Void(&r.k); r.f.Under() || r.f.wanted <= at || !r.begins() {
		t.Error("the void fence has to be wanted again")
	}
	r.begin()
	r.pass("a", "b", "")
	if r.f.TakeBack(); r.f.Passed() != 0 || r.f.SetPassed() != 0 || r.f.Serves(at, &r.k) {
		t.Error("a fence that was taken back proves nothing")
	}
	r.want()
	r.begin()
	if r.f.Rewind(r.now, &r.k); r.f.Under() || r.f.Passed() != 0 || !r.f.Wanted() {
		t.Error("a rewind voids the fence")
	}
}

// TestTimes: the machine has to act at the beginning, at the end, and at the release of a
// fence.
func TestTimes(t *testing.T) {
	r := newRig(t, true, time.Minute)
	counts := func(want [3]bool) {
		t.Helper()
		if _, got := r.f.Times(&r.k); got != want {
			t.Errorf("the times that count are %v, want %v", got, want)
		}
	}
	counts([3]bool{})
	r.want()
	counts([3]bool{true, false, false})
	r.begin()
	counts([3]bool{false, true, false})
	r.sick("a", true)
	r.sick("b", true)
	r.pass("")
	counts([3]bool{false, false, true})
	r.want()
	counts([3]bool{false, true, true})
	at, _ := r.f.Times(&r.k)
	if !at[1].Equal(start.Add(time.Second)) || !at[2].Equal(start.Add(time.Minute)) {
		t.Errorf("the times are %v", at)
	}
	if s := r.f.Status(&r.k); !s.Began.Equal(start) || !slices.Equal(s.Open, []graph.Kind{"a", "b"}) || s.Lost != 0 {
		t.Errorf("the status is %+v", s)
	}
}

// TestWithoutFences: a store without fences begins none, and serves every mark as best
// effort. Only unseen kinds delay the end of a deletion.
func TestWithoutFences(t *testing.T) {
	r := newRig(t, false, 0)
	at := r.want()
	if r.begins() || r.f.Exact() || !r.f.Serves(at, &r.k) || r.f.Busy(&r.k) {
		t.Error("a store without fences begins none")
	}
	if r.f.Released(&r.k, at) != 0 {
		t.Error("unlisted kinds delay the end of a deletion")
	}
	for _, k := range []graph.Kind{"a", "b"} {
		r.k.Apply(&graph.Event{Type: graph.ListBegun, Kind: k}, &r.stamps, nil)
		r.k.Apply(&graph.Event{Type: graph.ListEnded, Kind: k}, &r.stamps, nil)
		r.k.SetListed(k)
	}
	if got := r.f.Released(&r.k, at); got <= at {
		t.Errorf("marks may end up to %d, want past %d", got, at)
	}
	if r.sick("a", true); !r.f.Blocked(&r.k) || r.f.Released(&r.k, at) != 0 {
		t.Error("a sick kind hides the end of a deletion")
	}
}
