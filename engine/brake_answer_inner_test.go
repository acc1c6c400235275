package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

func keyAt(name string) graph.Key { return put(name + "#1").Object.Key }

// approvesAll approves every braked cascade, as Collector.ApproveBraked does.
func (e *Engine) approvesAll(a BrakeApproval) (int, error) {
	return driver{e}.answerAll(func(k graph.Key) error { return e.ApproveCascade(e.now, k, a) })
}

func (e *Engine) refusesAll(r Refusal) (int, error) {
	return driver{e}.answerAll(func(k graph.Key) error { return e.RefuseCascade(e.now, k, r) })
}

// tripped returns an engine with a braked cascade of n objects below a, and its events.
func tripped(t *testing.T, limit, n int) (*Engine, *[]DecisionEvent) {
	t.Helper()
	var events []DecisionEvent
	cfg := braking(limit)
	cfg.OnDecision = func(d DecisionEvent) {
		if d.Version == "" { // about the cascade
			events = append(events, d)
		}
	}
	e := listed(t, cfg, append(below("a", n), "a#1")...)
	e.observeEach(t, goneOf("a"))
	if got := e.carries(t, absent); len(got) != 0 || len(e.Braked(9)) != 1 {
		t.Fatalf("%q are deleted, braked %v", got, e.Braked(9))
	}
	return e, &events
}

// TestBrakeApproval checks G5 (e): an approval is valid for a UID, until a time, and up to a
// number of deletes. Then the cascade is held again.
func TestBrakeApproval(t *testing.T) {
	for _, c := range []struct {
		atMost  int
		wait    time.Duration // after the first delete
		deleted int
		held    string
		reason  string
	}{
		{5, 0, 5, "", "every object is approved"},
		{4, 0, 4, "a/a: 4 deletes were approved and handed out, the limit is 2", "the number is used up, and one object would be within the limit"},
		{5, time.Hour, 1, "a/a: 1 delete was handed out before the approval expired, the limit is 2", "the time is over"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			e, events := tripped(t, 2, 5)
			if err := e.ApproveCascade(e.now, keyAt("a"), BrakeApproval{Until: e.now.Add(time.Hour), AtMost: c.atMost}); err != nil {
				t.Fatal(err)
			}
			n := 0
			got := e.carries(t, func(x Call) error {
				if n++; n == 1 {
					e.now = e.now.Add(c.wait)
					e.revokePrepared()
				}
				return absent(x)
			})
			held := ""
			for _, b := range e.Braked(9) {
				held += b.String()
			}
			if len(got) != c.deleted || held != c.held {
				t.Errorf("%q are deleted, braked %q; want %d and %q", got, held, c.deleted, c.held)
			}
			trips := len(*events)
			if s := e.Stats().Brake; s.Approvals != 1 || int(s.Trips)+1 != trips || (*events)[0].Key != keyAt("a") || (*events)[1].Reason != policy.DeletionApproved {
				t.Errorf("%+v, and %d events: %+v", s, trips, *events)
			}
		})
	}
}

// TestBrakeApprovalAgain: a conflict gives the approved delete back, and another approval
// lets the rest go.
func TestBrakeApprovalAgain(t *testing.T) {
	e, _ := tripped(t, 1, 3)
	approve := func(n int) error {
		return e.ApproveCascade(e.now, keyAt("a"), BrakeApproval{Until: e.now.Add(time.Hour), AtMost: n})
	}
	if err := approve(1); err != nil {
		t.Fatal(err)
	}
	if err := approve(1); !errors.Is(err, graph.ErrNotFound) || !strings.Contains(err.Error(), "approve cascade a") {
		t.Errorf("a second approval: %v", err)
	}
	if got := e.carries(t, absent); len(got) != 1 || len(e.Braked(9)) != 1 {
		t.Fatalf("%q are deleted, braked %v", got, e.Braked(9))
	}
	if n, err := e.approvesAll(BrakeApproval{Until: e.now.Add(time.Hour), AtMost: 2}); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	first := true
	got := e.carriesSame(t, func(x Call) error {
		switch {
		case x.Type == CallRead && x.Key.Kind == "b":
			return errReadSame
		case x.Type == CallDelete && first:
			first = false
			return graph.ErrConflict
		}
		return absent(x)
	})
	if len(got) != 3 || len(e.Braked(9)) != 0 || e.Stats().Objects != 0 {
		t.Errorf("%q are deleted, braked %v, %d objects are left", got, e.Braked(9), e.Stats().Objects)
	}
}

// TestBrakeErrors: a wrong answer changes nothing.
func TestBrakeErrors(t *testing.T) {
	e, events := tripped(t, 2, 3)
	soon := e.now.Add(time.Hour)
	other := keyAt("a")
	other.UID = "another"
	for _, c := range []struct {
		do     func() error
		want   error
		text   string
		reason string
	}{
		{func() error { return e.ApproveCascade(e.now, keyAt("a"), BrakeApproval{AtMost: 1}) }, graph.ErrInvalid, "Until", "no time"},
		{func() error { return e.ApproveCascade(e.now, keyAt("a"), BrakeApproval{Until: e.now, AtMost: 1}) }, graph.ErrInvalid, "Until", "a time that is over"},
		{func() error { return e.ApproveCascade(e.now, keyAt("a"), BrakeApproval{Until: soon}) }, graph.ErrInvalid, "AtMost", "no number"},
		{func() error { return e.ApproveCascade(e.now, other, BrakeApproval{Until: soon, AtMost: 1}) }, graph.ErrNotFound, `uid "another"`, "another UID"},
		{func() error { return e.RefuseCascade(e.now, keyAt("a"), RefusalUnset) }, graph.ErrInvalid, "unset", "no answer"},
		{func() error { return e.RefuseCascade(e.now, keyAt("a"), 9) }, graph.ErrInvalid, "refusal(9)", "an unknown answer"},
		{func() error { return e.RefuseCascade(e.now, keyAt("b"), KeepHeld) }, graph.ErrNotFound, "refuse cascade b", "a cascade that is not held"},
	} {
		if err := c.do(); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v with %q", c.reason, err, c.want, c.text)
		}
	}
	if got := e.carries(t, absent); len(got) != 0 || len(*events) != 1 || e.whyHeld() != "3 Braked" {
		t.Errorf("%q are deleted after wrong answers, %d events, held %q", got, len(*events), e.whyHeld())
	}
}

// TestBrakeRefusal: a refused cascade stays, as it is or without its absent owners. A user
// may still approve the first one.
func TestBrakeRefusal(t *testing.T) {
	e, events := tripped(t, 2, 3)
	if err := e.RefuseCascade(e.now, keyAt("a"), KeepHeld); err != nil {
		t.Fatal(err)
	}
	if got := e.carries(t, absent); len(got) != 0 || e.whyHeld() != "3 CascadeRefused" {
		t.Errorf("%q are deleted, held %q", got, e.whyHeld())
	}
	if all := e.Braked(1); len(all) != 1 || all[0].String() != "a/a: more than 2 objects, the limit is 2, refused: keep" || all[0].Refused != KeepHeld {
		t.Errorf("braked %v", all)
	}
	if n, err := e.approvesAll(BrakeApproval{Until: e.now.Add(1), AtMost: 3}); n != 1 || err != nil {
		t.Errorf("approved %d, %v", n, err)
	}
	if got := e.carries(t, absent); len(got) != 3 {
		t.Errorf("%q are deleted after an approval", got)
	}
	var why []policy.Reason
	for _, d := range *events {
		why = append(why, d.Reason)
	}
	if !slices.Equal(why, []policy.Reason{policy.Braked, policy.CascadeRefused, policy.DeletionApproved}) {
		t.Errorf("the events are %v", why)
	}
}

// TestBrakeOrphanSurvives: the answer "orphan" is a write. After a restart nothing is left to
// delete. An object with an owner that waits stays held.
func TestBrakeOrphanSurvives(t *testing.T) {
	e := listed(t, braking(2), append(below("a", 3), "a#1", "a/fg#1~[foreground]", "b/w#1 -> a, a/fg!")...)
	e.observeEach(t, goneOf("a"))
	waiting := func(x Call) error {
		if x.Type == CallRead && x.Key.Name == "fg" {
			return errReadSame
		}
		return absent(x)
	}
	e.carriesSame(t, waiting)
	if n, err := e.refusesAll(OrphanHeld); n != 1 || err != nil {
		t.Fatalf("refused %d, %v", n, err)
	}
	if got := e.carriesSame(t, waiting); len(got) != 0 {
		t.Fatalf("%q are deleted", got)
	}
	var left []string
	for n := range e.graph.Nodes() {
		if n.Kind() == "b" {
			left = append(left, n.Object().String())
		}
	}
	const want = "b/a-0#11; b/a-1#11; b/a-2#11; b/w#1 -> a, a/fg!"
	if slices.Sort(left); strings.Join(left, "; ") != want || e.whyHeld() != "1 CascadeRefused, 1 NeedDependents" {
		t.Errorf("the objects are %q, held %q", left, e.whyHeld())
	}
	again := listed(t, Config{}, left[:3]...)
	if got := again.carries(t, absent); len(got) != 0 {
		t.Errorf("%q are deleted after a restart", got)
	}
}

// TestBrakeNames checks G5 (c): after a restart the nearest absent owners name the cascade.
func TestBrakeNames(t *testing.T) {
	objects := []string{"a#1", "a/m#1 -> a"}
	objects = append(objects, below("a/m", 3)...)
	e := listed(t, braking(2), objects...)
	e.observeEach(t, goneOf("a"), goneOf("a/m"))
	e.carries(t, absent)
	if all := e.Braked(9); len(all) != 1 || all[0].Key != keyAt("a") {
		t.Errorf("braked %v, want the root a", all)
	}
	again := listed(t, braking(2), below("a/m", 3)...)
	again.carries(t, absent)
	if all := again.Braked(9); len(all) != 1 || all[0].Key != keyAt("a/m") {
		t.Fatalf("braked %v after a restart, want the nearest owner", all)
	}
	if err := again.ApproveCascade(again.now, keyAt("a/m"), BrakeApproval{Until: again.now.Add(1), AtMost: 3}); err != nil {
		t.Error(err)
	}
	if got := again.carries(t, absent); len(got) != 3 {
		t.Errorf("%q are deleted after the approval", got)
	}
}

// TestBrakeTwoRoots: an object with two roots needs an approval of each.
func TestBrakeTwoRoots(t *testing.T) {
	for _, order := range [][]string{{"a/x", "a/y"}, {"a/y", "a/x"}} {
		e := listed(t, braking(2), append(below("a/x, a/y", 3), "a/x#1", "a/y#1")...)
		e.observeEach(t, goneOf("a/x"), goneOf("a/y"))
		e.carries(t, absent)
		for i, name := range order {
			if got := e.carries(t, absent); len(got) != 0 || len(e.Braked(9)) != 2-i {
				t.Fatalf("%q are deleted before the approval of %s, braked %v", got, name, e.Braked(9))
			}
			if err := e.ApproveCascade(e.now, keyAt(name), BrakeApproval{Until: e.now.Add(1), AtMost: 3}); err != nil {
				t.Fatal(err)
			}
		}
		if got := e.carries(t, absent); len(got) != 3 {
			t.Errorf("%q are deleted after both approvals", got)
		}
	}
}

// TestBrakeListedAway: a listing does not bring an owner of thousands, or a whole kind of
// them. The brake holds all of them before the first delete.
func TestBrakeListedAway(t *testing.T) {
	var objects []string
	for i := range 40 {
		objects = append(objects, fmt.Sprintf("a/%d#1", i))
		objects = append(objects, below(fmt.Sprintf("a/%d", i), 100)...)
	}
	e := listed(t, braking(99), objects...)
	e.observeEach(t, graph.Event{Type: graph.ListBegun, Kind: "a"}, graph.Event{Type: graph.ListEnded, Kind: "a"})
	if got := e.carries(t, absent); len(got) != 0 || e.whyHeld() != "4000 Braked" || e.Stats().Brake.Cascades != 40 {
		t.Errorf("%d are deleted, held %q, %+v", len(got), e.whyHeld(), e.Stats().Brake)
	}
}

// TestBrakeRewind: after a rewind the engine counts again, and an approval no longer counts.
func TestBrakeRewind(t *testing.T) {
	e, _ := tripped(t, 2, 3)
	if _, err := e.approvesAll(BrakeApproval{Until: e.now.Add(time.Hour), AtMost: 9}); err != nil {
		t.Fatal(err)
	}
	e.observeEach(t, graph.Event{Type: graph.Rewound, Reason: "restored"})
	for _, k := range []graph.Kind{"a", "b", "c"} {
		e.observeEach(t, graph.Event{Type: graph.ListBegun, Kind: k})
		for _, o := range below("a", 3) {
			if k == "b" {
				e.observeEach(t, put(o))
			}
		}
		e.observeEach(t, graph.Event{Type: graph.ListEnded, Kind: k})
	}
	if got := e.carries(t, absent); len(got) != 0 || e.whyHeld() != "3 Braked" {
		t.Errorf("%q are deleted, held %q", got, e.whyHeld())
	}
}

// TestBrakeExempt: the brake leaves the cascade of a root alone that its guard has judged.
func TestBrakeExempt(t *testing.T) {
	e, _ := tripped(t, 2, 5)
	e.brake.Exempt(e.brakeView(), keyAt("a"))
	e.carryOut()
	if got := e.carries(t, absent); len(got) != 5 || len(e.Braked(9)) != 0 {
		t.Errorf("%q are deleted, braked %v", got, e.Braked(9))
	}
}

// TestBrakeExplains: an explanation of a braked object ends at a user, with the cascade, the
// count and the limit. So does the report of the held object.
func TestBrakeExplains(t *testing.T) {
	e, _ := tripped(t, 2, 3)
	const want = "cascade a/a: more than 2 objects, the limit is 2"
	x, err := e.Explain(keyAt("b/a-0"))
	if err != nil || x.Decision.Reason != policy.Braked || len(x.Wait) != 1 || x.Wait[0].End.String() != "user" || x.Wait[0].Text != want {
		t.Errorf("%+v, %v", x, err)
	}
	if h := e.Held(1); len(h) != 1 || !slices.Equal(h[0].Detail, []string{want}) {
		t.Errorf("held %+v", h)
	}
	if _, err := e.refusesAll(KeepHeld); err != nil {
		t.Fatal(err)
	}
	e.carries(t, absent)
	if x, err = e.Explain(keyAt("b/a-0")); err != nil || x.Decision.Reason != policy.CascadeRefused || x.Wait[0].Text != want+", refused: keep" {
		t.Errorf("%+v, %v after a refusal", x, err)
	}
}

// TestBrakeRefusalLasts: a cascade that a user has refused is not forgotten while its objects
// cannot be decided, although more other cascades come than the brake remembers. In the
// meantime the cascade stays in the list, and takes another answer.
func TestBrakeRefusalLasts(t *testing.T) {
	e, _ := tripped(t, 4, 7)
	until := e.now.Add(time.Hour)
	if err := e.ApproveCascade(e.now, keyAt("a"), BrakeApproval{Until: until, AtMost: 4}); err != nil {
		t.Fatal(err)
	}
	e.carries(t, absent)
	if err := e.RefuseCascade(e.now, keyAt("a"), KeepHeld); err != nil {
		t.Fatal(err)
	}
	e.lose() // the owner has to be read again
	var read CallID
	e.carries(t, func(c Call) error {
		read = c.ID
		return errAnswered
	})
	if read == 0 {
		t.Fatal("no read")
	}
	for i := range 4200 {
		owner := fmt.Sprintf("c/f%d", i)
		e.observeEach(t, put(owner+"#1"), put(fmt.Sprintf("c/g%d#1 -> %s", i, owner)), goneOf(owner))
	}
	e.carries(t, absent)
	if b := e.Braked(9); len(b) != 1 || b[0].Held != 3 || b[0].Refused != KeepHeld {
		t.Errorf("before the answer: braked %+v", b)
	}
	if err := e.Done(e.now, read, Result{Err: graph.ErrNotFound}); err != nil {
		t.Fatal(err)
	}
	if got := e.carries(t, absent); len(got) > 0 || e.whyHeld() != "3 CascadeRefused" {
		t.Errorf("%q are deleted, held %q", got, e.whyHeld())
	}
	if err := e.ApproveCascade(e.now, keyAt("a"), BrakeApproval{Until: until, AtMost: 4}); err != nil {
		t.Error(err)
	}
	if got := e.carries(t, absent); len(got) != 3 {
		t.Errorf("%q are deleted after the approval", got)
	}
}
