package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// endsRoots ends n objects one after another, and some owners of its own before each. It returns
// the number of deletes.
func (e *Engine) endsRoots(t *testing.T, name string, n, own int) (deleted int) {
	t.Helper()
	for i := range n {
		var owners []string
		for j := range own {
			owners = append(owners, fmt.Sprintf("a/%s%d-%d", name, i, j))
			e.observeEach(t, put(owners[j]+"#1"))
		}
		e.observeEach(t, put(fmt.Sprintf("b/%s%d#1 -> %s", name, i, strings.Join(owners, ", "))))
		for _, o := range owners {
			e.observeEach(t, goneOf(o))
		}
		deleted += len(e.carriesUnchecked(t, absent))
	}
	return deleted
}

// carriesUnchecked is carries without the check of the invariants, which walks all.
func (e *Engine) carriesUnchecked(t *testing.T, answer func(Call) error) (deleted []string) {
	t.Helper()
	for n := 0; ; {
		c, at := e.Next(e.now, LaneStore)
		switch {
		case c.Type == CallUnset && (at.IsZero() || at.After(e.now)):
			return deleted
		case c.Type == CallUnset:
			if n++; n > 1000+8*e.graph.Len() {
				t.Fatalf("Next has asked for another call %d times, and brought none", n)
			}
			continue
		case c.Type == CallDelete:
			deleted = append(deleted, c.Key.Name)
		}
		n = 0
		err := answer(c)
		if done := e.Done(e.now, c.ID, Result{Err: err}); done != nil {
			t.Fatal(done)
		}
		if err == nil && c.Type != CallRead {
			e.shows(t, c)
		}
	}
}

// TestBrakeRemembersOwnRoots: the engine remembers 4,096 cascades, and all others have handed out
// more. The roots of one object do not displace each other then, so the engine goes on. The limit
// is never reached.
func TestBrakeRemembersOwnRoots(t *testing.T) {
	for _, own := range []int{1, 2, 3, 8} {
		e := listed(t, braking(100))
		n := 4096/own + 40
		if got := e.endsRoots(t, "x", n, own); got != n || len(e.Held(9)) != 0 || len(e.Braked(9)) != 0 {
			t.Errorf("%d owners each: %d of %d objects are deleted, held %v", own, got, n, e.Held(1))
		}
		if got := e.endsRoots(t, "late", 1, 1); got != 1 {
			t.Errorf("%d owners each: a later object stays", own)
		}
		if err := e.check(); err != nil {
			t.Error(err)
		}
	}
}

// TestBrakeNoRoom: while each remembered cascade has a delete under way, an object with other roots
// is held with its cause, and the engine rests. It goes when there is room for all of its roots.
func TestBrakeNoRoom(t *testing.T) {
	e := listed(t, braking(100))
	for i := range 4096 {
		o := fmt.Sprintf("a/%d", i)
		e.observeEach(t, put(o+"#1"), put(fmt.Sprintf("b/%d#1 -> %s", i, o)), goneOf(o))
	}
	var calls []Call
	take := func() (reads int) {
		for n := 0; n < 2000; n++ {
			c, at := e.Next(e.now, LaneStore)
			switch {
			case c.Type == CallDelete:
				calls, n = append(calls, c), 0
			case c.Type != CallUnset:
				if err := e.Done(e.now, c.ID, Result{Err: graph.ErrNotFound}); err != nil {
					t.Fatal(err)
				}
			case at.IsZero() || at.After(e.now):
				return n
			}
		}
		t.Fatal("the engine does not come to rest")
		return 0
	}
	if take(); len(calls) != 4096 {
		t.Fatalf("%d deletes are under way", len(calls))
	}
	e.observeEach(t, put("a/x#1"), put("a/y#1"), put("b/late#1 -> a/x, a/y"), goneOf("a/x"), goneOf("a/y"))
	take()
	const cause = "its cascade has more objects than the brake allows (too many cascades are under way)"
	if h := e.Held(1); len(h) != 1 || !strings.Contains(h[0].String(), cause) || len(calls) != 4096 {
		t.Fatalf("held %v, want %q", h, cause)
	}
	end := func(c Call) {
		if err := e.Done(e.now, c.ID, Result{}); err != nil {
			t.Fatal(err)
		}
		e.shows(t, c)
	}
	end(calls[0])
	if take(); len(calls) != 4096 {
		t.Error("the object goes with room for one of its two roots")
	}
	end(calls[1])
	if take(); len(calls) != 4097 || calls[4096].Key.Name != "late" || len(e.Held(9)) != 0 {
		t.Errorf("%d deletes, held %v, want that of the last object", len(calls), e.Held(1))
	}
	if err := e.check(); err != nil {
		t.Error(err)
	}
}

// TestBrakeManyOwners: an object with as many owners as it may have needs no more room than the
// roots that the engine keeps of it.
func TestBrakeManyOwners(t *testing.T) {
	e := listed(t, braking(100))
	var owners []string
	for i := range 1024 {
		owners = append(owners, fmt.Sprintf("a/%04d", i))
		e.observeEach(t, put(owners[i]+"#1"))
	}
	e.observeEach(t, put("b#1 -> "+strings.Join(owners, ", ")))
	for _, o := range owners {
		e.observeEach(t, goneOf(o))
	}
	e.endsRoots(t, "other", 4200, 1)
	if e.carries(t, absent); e.whyHeld() != "1 Braked" {
		t.Fatalf("held %q, want the object with roots that are not kept", e.whyHeld())
	}
	if _, err := e.approvesAll(BrakeApproval{Until: e.now.Add(time.Hour), AtMost: 1}); err != nil {
		t.Fatal(err)
	}
	if got := e.carries(t, absent); len(got) != 1 {
		t.Errorf("%q are deleted after the approval", got)
	}
}
