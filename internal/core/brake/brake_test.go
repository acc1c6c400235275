package brake

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
)

// TestLimit checks G5 (a): a cascade trips before the first delete beyond its limit. Calls
// under way and unknown outcomes count.
func TestLimit(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 2}, "a; b/0 -> a; b/1 -> a; a/x; c -> a, a/x")
	for call := range uint64(2) {
		if a := r.judge(fmt.Sprint("b/", call), "a"); a != Go {
			t.Fatalf("%v within the limit", a)
		}
		r.take(call + 1)
	}
	r.check()
	r.m.Return(2)
	r.m.Return(2) // it is gone
	if a := r.judge("b/1", "a"); a != Go {
		t.Errorf("%v after a call was given back", a)
	}
	r.take(3)
	r.m.Done(1, false)
	if a := r.judge("c", "a", "a/x"); a != Held || r.m.CountHeld() != 1 {
		t.Errorf("%v, %d held cascades, want one beyond the limit", a, r.m.CountHeld())
	}
	want := Status{Key: key("a"), State: Tripped, Cause: LimitReached, Limit: 2, Handed: 2, Objects: 1}
	if all := r.m.Held(); len(all) != 1 || all[0] != want {
		t.Errorf("held %+v, want %+v", all, want)
	}
	r.m.Done(3, true)
	if a := r.judge("b/1", "a"); a != Held {
		t.Errorf("%v after a trip, want that the trip lasts", a)
	}
}

// TestSameRootTwice: an object may name one owner several times, and counts once.
func TestSameRootTwice(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1}, "a; b/0 -> a; b/1 -> a; c -> a")
	for _, c := range []struct {
		name   string
		want   Answer
		reason string
	}{
		{"b/0", Go, "the first delete is within the limit"},
		{"b/1", Held, "it is the second one"},
	} {
		if !r.isKnown(key("a")) {
			r.m.begin(r.view(), key("a"), nil, 0) // without a walk, which would find too many
		}
		if got := r.judge(c.name, "a", "a"); got != c.want {
			t.Errorf("%s: %v, want %v: %s", c.name, got, c.want, c.reason)
		} else if got == Go {
			r.take(1)
		}
		r.check()
	}
}

// TestApprovedCalls: an approval counts its own calls. A call of a former approval gives
// nothing back to a later one.
func TestApprovedCalls(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1}, "a; b/0 -> a; b/1 -> a; b/2 -> a")
	approve := func(n int) {
		t.Helper()
		if !r.m.TryApprove(r.view(), key("a"), r.now.Add(time.Hour), n) {
			t.Fatal("the cascade is not held")
		}
	}
	take := func(name string, call uint64, want Answer) {
		t.Helper()
		if a := r.judge(name, "a"); a != want {
			t.Fatalf("%s: %v, want %v", name, a, want)
		}
		if want == Go {
			r.take(call)
		}
	}
	take("b/0", 0, Held)
	approve(1)
	take("b/0", 1, Go)
	r.m.Done(1, true)
	take("b/0", 2, Go)
	take("b/1", 0, Held)
	approve(1)
	r.m.Done(2, true) // of the former approval
	take("b/1", 3, Go)
	take("b/2", 0, Held)
	if s := r.m.Held()[0]; s.Cause != ApprovalUsed || s.Approved != 1 || s.Handed != 0 {
		t.Errorf("%+v", s)
	}
	approve(1)
	r.now = r.now.Add(time.Hour)
	take("b/2", 0, Held)
	if s := r.m.Held()[0]; s.Cause != ApprovalExpired || r.m.Counts() != (Counts{Trips: 4, Approvals: 3}) {
		t.Errorf("%+v, %+v", s, r.m.Counts())
	}
}

// TestReports: each trip, approval and refusal is reported once, with the key of the cascade.
func TestReports(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1}, "a; b/0 -> a; b/1 -> a")
	r.judge("b/0", "a")
	r.judge("b/1", "a")
	r.m.TryRefuse(r.view(), key("a"), false)
	r.m.TryRefuse(r.view(), key("a"), true)
	r.m.TryApprove(r.view(), key("a"), r.now.Add(1), 1)
	if r.m.TryRefuse(r.view(), key("a"), true) || r.m.TryApprove(r.view(), key("b"), r.now.Add(1), 1) {
		t.Error("an answer is taken for a cascade that is not held")
	}
	var got []string
	for _, x := range r.out.Items() {
		if x.Type == effect.Report {
			got = append(got, fmt.Sprint(x.Key, " ", x.Decision.Action, " ", x.Decision.Reason.Code()))
		}
	}
	const want = "a wait Braked, a keep CascadeRefused, a orphan CascadeRefused, a keep DeletionApproved"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

// TestAnswers: of several cascades the largest answer counts, and every one of them is named.
func TestAnswers(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1}, "a/k; a/o; a/t; b -> a/k, a/o, a/t; b/k -> a/k; b/o -> a/o; b/t -> a/t")
	for _, name := range []string{"k", "o", "t"} {
		r.m.begin(r.view(), key("a/"+name), nil, 2)
		r.judge("b/"+name, "a/"+name)
	}
	r.m.TryRefuse(r.view(), key("a/k"), false)
	r.m.TryRefuse(r.view(), key("a/o"), true)
	for _, c := range []struct {
		roots  []string
		want   Answer
		reason string
	}{
		{[]string{"a/t"}, Held, "one has tripped"},
		{[]string{"a/t", "a/k"}, Keep, "a refusal goes before a trip"},
		{[]string{"a/o", "a/t", "a/k"}, Orphan, "the objects lose their owners"},
	} {
		if a := r.judge("b", c.roots...); a != c.want {
			t.Errorf("%s: %v, want %v", c.reason, a, c.want)
		}
		r.check()
	}
	if n := r.m.CountHeld(); n != 3 || r.m.Held()[1].Objects != 2 {
		t.Errorf("%d cascades are held, %+v", n, r.m.Held())
	}
	r.m.Leave(r.id("b"))
	if s := r.m.Held()[1]; s.Objects != 1 {
		t.Errorf("%+v after an object has left", s)
	}
}

// TestRoom: beyond the bound the objects of further cascades wait. A cascade that has ended
// makes room, and its objects are counted anew.
func TestRoom(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1, Cascades: 2}, "a/0; a/1; a/2; b/0 -> a/0; b/1 -> a/1; b/2 -> a/2; c/0 -> a/0; c/1 -> a/1")
	if a := r.judge("b/0", "a/0"); a != Held {
		t.Fatal(a)
	}
	r.gone("c/1")
	if a := r.judge("b/1", "a/1"); a != Go {
		t.Fatal(a)
	}
	r.take(1)
	if a := r.judge("b/2", "a/2"); a != NeedRoom || r.m.HasWork(r.now, true) {
		t.Fatalf("%v, and work is left", a)
	}
	if w, ok := r.m.WaitOf(r.id("b/2")); !ok || w.For != NeedRoom {
		t.Errorf("%+v, %v", w, ok)
	}
	r.woken()
	r.m.Done(1, false)
	if !r.m.Step(r.view(), 9) || r.woken() != 1 || r.m.HasWork(r.now, true) {
		t.Error("the end of a cascade wakes none, or again and again")
	}
	if a := r.judge("b/2", "a/2"); a != Go || r.isKnown(key("a/1")) || !r.isKnown(key("a/0")) {
		t.Errorf("%v, want the place of the cascade that has ended", a)
	}
}

// TestListings: objects wait until every kind is listed, and then are decided once.
func TestListings(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 5}, "a; b/0 -> a; b/1 -> a")
	v := r.view()
	v.Listed = false
	for range 2 {
		for _, name := range []string{"b/0", "b/1"} {
			if a := r.judgeIn(v, name, []graph.Key{key("a")}); a != NeedListings {
				t.Fatal(a)
			}
		}
	}
	if r.m.Step(v, 9) || !r.m.Step(r.view(), 9) || r.woken() != 2 || r.m.Step(r.view(), 9) {
		t.Error("the end of the listings does not wake both objects once")
	}
	r.judgeIn(v, "b/0", []graph.Key{key("a")}) // another kind has come
	if !r.m.Step(r.view(), 9) || r.woken() == 0 {
		t.Error("an object that waits again is not woken")
	}
}

// TestWindow: no more objects are decided at once than there are tokens, the oldest first.
// An object that was woken goes before another one.
func TestWindow(t *testing.T) {
	r := newRig(t, Settings{Window: 2, Per: time.Minute}, "b/0; b/1; b/2; b/3")
	r.m.Step(r.view(), 9)
	for _, name := range []string{"b/0", "b/1", "b/2"} {
		if a := r.judge(name); a != NeedToken {
			t.Fatal(a)
		}
	}
	if at, ok := r.m.At(); !ok || at != r.now.Add(30*time.Second) || r.m.HasWork(r.now, true) || r.m.Waiting() != 3 {
		t.Errorf("the next token is at %v, %v", at, ok)
	}
	r.now = r.now.Add(30 * time.Second)
	if !r.m.Step(r.view(), 9) || r.m.Step(r.view(), 9) {
		t.Error("one token does not wake one object once")
	}
	if items := r.out.Items(); len(items) != 1 || items[0].Type != effect.Look || items[0].Node != r.id("b/0") {
		t.Errorf("%+v, want the oldest object", items)
	}
	if a := r.judge("b/3"); a != NeedToken {
		t.Errorf("%v for an object that comes later", a)
	}
	if a := r.judge("b/0"); a != Go {
		t.Errorf("%v for the woken object", a)
	}
	r.take(1)
	r.m.Return(1)
	if r.m.Step(r.view(), 9); len(r.out.Items()) != 2 || r.out.Items()[1].Node != r.id("b/1") {
		t.Errorf("%+v, want the next object for the token", r.out.Items())
	}
	r.m.Leave(r.id("b/1")) // it is decided otherwise, and its token serves another one
	if r.m.Step(r.view(), 9); len(r.out.Items()) != 3 || r.out.Items()[2].Node != r.id("b/2") {
		t.Errorf("%+v, want a third object", r.out.Items())
	}
}

// TestRewind: a rewind takes the counts, the approvals and the exemptions back. Deletes that
// were handed out still count, and refusals last.
func TestRewind(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 2}, "a/0; a/1; a/2; a/3; b/0 -> a/0; b/1 -> a/1; b/2 -> a/2; b/3 -> a/3")
	r.judge("b/0", "a/0")
	r.take(1)
	for i, name := range []string{"a/1", "a/2"} {
		r.m.begin(r.view(), key(name), nil, 3)
		r.judge(fmt.Sprint("b/", i+1), name)
	}
	r.m.TryApprove(r.view(), key("a/1"), r.now.Add(time.Hour), 9)
	r.m.TryRefuse(r.view(), key("a/2"), false)
	r.m.Exempt(r.view(), key("a/3"))
	r.m.Rewind(r.view())
	for name, want := range map[string]bool{"a/0": false, "a/1": false, "a/2": true, "a/3": false} {
		if r.isKnown(key(name)) != want {
			t.Errorf("%s: known is %t, want %t", name, !want, want)
		}
	}
	if a := r.judge("b/0", "a/0"); a != Go || r.m.at(1).handed != 1 {
		t.Errorf("%v, %d handed", a, r.m.at(1).handed)
	}
}

// TestExempt: an exempt cascade has no limit. The machine remembers the last exemptions, a bounded
// number. A question about one leaves their order.
func TestExempt(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1}, "a; b/0 -> a; b/1 -> a")
	if a := r.judge("b/0", "a"); a != Held {
		t.Fatal(a)
	}
	r.woken()
	r.m.Exempt(r.view(), key("a"))
	if a := r.judge("b/0", "a"); a != Go || r.woken() != 1 {
		t.Errorf("%v, want that an exempt cascade goes on", a)
	}
	for i := range maxExempt {
		if a := r.judge("b/0", "a"); a != Go {
			t.Fatalf("%v with %d exemptions", a, r.m.exempt.Len())
		}
		r.m.Exempt(r.view(), graph.Key{UID: graph.UID(fmt.Sprint("u", i))})
	}
	if a := r.judge("b/0", "a"); a != Held || r.m.exempt.Len() != maxExempt {
		t.Errorf("%v with %d exemptions", a, r.m.exempt.Len())
	}
}

// TestRecall: another brake takes trips, refusals, approvals and exemptions over. Its own
// knowledge goes first.
func TestRecall(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1}, "a/0; a/1; a/2; a/3; b/0 -> a/0; b/1 -> a/1; b/2 -> a/2; b/3 -> a/3")
	for i := range 3 {
		r.m.begin(r.view(), key(fmt.Sprint("a/", i)), nil, 3)
		r.judge(fmt.Sprint("b/", i), fmt.Sprint("a/", i))
	}
	r.m.TryApprove(r.view(), key("a/0"), r.now.Add(time.Hour), 2)
	r.judge("b/0", "a/0")
	r.take(1)
	r.m.TryRefuse(r.view(), key("a/1"), true)
	r.m.Exempt(r.view(), key("a/3"))
	all := r.m.Memory(r.view())
	r.m = New(Settings{PerCascade: 1})
	r.begin("a/2")
	r.m.Recall(r.view(), all)
	for i, want := range []Answer{Go, Orphan, Go, Go} {
		if a := r.judge(fmt.Sprint("b/", i), fmt.Sprint("a/", i)); a != want {
			t.Errorf("a/%d: %v, want %v", i, a, want)
		}
	}
	if c := r.m.at(r.m.index[key("a/0")]); c.atMost != 1 || !r.m.IsListed() {
		t.Errorf("%d deletes are left, listed %t", c.atMost, r.m.IsListed())
	}
	if got := r.m.Memory(r.view()); !reflect.DeepEqual(got.Cascades, all.Cascades[:2]) || !slices.Equal(got.Exempt, all.Exempt) {
		t.Errorf("%+v, want %+v", got, all)
	}
}

// TestLines: a line drops the nodes that have left, so it stays short.
func TestLines(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1}, "a; b/0 -> a; b/1 -> a")
	for range 1000 {
		r.judge("b/0", "a")
		r.m.Leave(r.id("b/0"))
	}
	if n := r.m.at(1).held.nodes.Len(); n > 70 {
		t.Errorf("%d nodes in a line of none", n)
	}
}

// TestCheck: Check finds each broken invariant.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		broken func(m *Machine)
		want   string
	}{
		{func(m *Machine) { m.waits[99] = wait{} }, "1: node 99"},
		{func(m *Machine) { m.window.live++ }, "2: 0 nodes wait for a token"},
		{func(m *Machine) { m.at(1).held.live++ }, "2: 1 nodes wait for a"},
		{func(m *Machine) { m.at(1).underWay++ }, "3: 0 calls"},
		{func(m *Machine) { m.at(1).handed = 2 }, "4: 2 deletes"},
		{func(m *Machine) { m.index[key("b")] = 1 }, "the slot of b has a"},
		{func(m *Machine) { m.unrecorded++ }, "5: the record lacks 0 cascades"},
	} {
		r := newRig(t, Settings{PerCascade: 1}, "a; b/0 -> a; b/1 -> a")
		r.judge("b/0", "a")
		m := r.m.Clone()
		c.broken(&m)
		if err := m.Check(r.g); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestNames: each value has a name of its own.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for i := range uint8(max(numStates, State(numCauses), State(numAnswers))) {
		for _, s := range []fmt.Stringer{State(i), Cause(i), Answer(i)} {
			name := s.String()
			if id := fmt.Sprintf("%T %s", s, name); name == "" || seen[id] {
				t.Errorf("%T %d is %q", s, i, name)
			} else {
				seen[id] = true
			}
		}
	}
}

// TestLeftOut: an object with roots that are left out goes only with an approval, and each
// approval ends. An exemption of the same UID is about another root.
func TestLeftOut(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 9}, "a; b/0 -> a; b/1 -> a; b/2 -> a")
	r.m.Exempt(r.view(), graph.Key{Kind: "a", UID: LeftOut().UID})
	r.begin("a")
	judge := func(name string) Answer {
		return r.judgeIn(r.view(), name, []graph.Key{key("a"), LeftOut()})
	}
	if a := judge("b/0"); a != Held || r.judge("b/1", "a") != Go {
		t.Fatalf("%v, want that the object with unknown roots is held alone", a)
	}
	want := Status{Key: LeftOut(), State: Tripped, Cause: RootsLeftOut, Limit: 9, Objects: 1}
	if all := r.m.Held(); len(all) != 1 || all[0] != want {
		t.Errorf("held %+v, want %+v", all, want)
	}
	if !r.m.TryApprove(r.view(), LeftOut(), r.now.Add(time.Hour), 1) {
		t.Fatal("it takes no approval")
	}
	for i, c := range []struct {
		name   string
		want   Answer
		reason string
	}{
		{"b/0", Go, "it is approved"},
		{"b/1", Held, "the approval is used up"},
	} {
		if a := judge(c.name); a != c.want {
			t.Errorf("%s: %v, want %v: %s", c.name, a, c.want, c.reason)
		} else if a == Go {
			r.take(uint64(i + 1))
		}
	}
	r.m.TryApprove(r.view(), LeftOut(), r.now.Add(time.Hour), 9)
	r.m.Rewind(r.view())
	r.begin("a")
	if a := judge("b/1"); a != Held {
		t.Errorf("%v after a rewind, want held", a)
	}
}

// TestPostponeCallsNothing: a node that waits for a user, and whose decision waits for a read, is
// called by no line. A read does not end at once, so one call would follow another without end.
func TestPostponeCallsNothing(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1}, "a; b/0 -> a")
	r.begin("a")
	r.steps()
	r.m.Rewind(r.view())
	for _, o := range []string{"b/1#1 -> a", "b/2#1 -> a"} {
		x, err := graph.ParseObject(o)
		if err != nil {
			t.Fatal(err)
		}
		r.apply(graph.Event{Type: graph.Put, Object: x})
	}
	unlisted := r.view()
	unlisted.Listed = false
	if a := r.judgeIn(unlisted, "b/0", []graph.Key{key("a")}); a != NeedListings {
		t.Fatalf("%v, want that it needs listings", a)
	}
	if a := r.judge("b/1", "a"); a != NeedCount && a != Held {
		t.Fatalf("%v, want that the cascade is counted for another object", a)
	}
	r.steps()
	for range 3 {
		r.m.Postpone(r.id("b/0"))
		r.woken()
		if r.m.Step(r.view(), 16); r.woken() > 0 {
			t.Error("the node is called again")
		}
	}
}
