package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

func window(n int, per time.Duration) Config { return Config{Brake: Brake{Window: n, Per: per}} }

// works lets the engine work for a time, with the result of the answer. It returns the time
// of each delete since the beginning, and the number of decisions.
func (e *Engine) works(t *testing.T, span time.Duration, answer func(Call) error) (at []time.Duration, decisions uint64) {
	t.Helper()
	begin, before := e.now, e.Stats().Decisions
	for end := e.now.Add(span); ; {
		for range e.carries(t, answer) {
			at = append(at, e.now.Sub(begin))
		}
		next := e.wake(Lanes{LaneStore: true, LaneControl: true, LaneHandler: true})
		if next.IsZero() || next.After(end) {
			e.now = end
			return at, e.Stats().Decisions - before
		}
		e.now = next
	}
}

// roots returns n owners, each with one object below it.
func roots(n int) (objects, owners []string) {
	for i := range n {
		owners = append(owners, fmt.Sprintf("a/%d", i))
		objects = append(objects, owners[i]+"#1", fmt.Sprintf("b/%d#1 -> a/%d", i, i))
	}
	return objects, owners
}

// TestBrakeBucket checks G5 (d): the window begins empty, fills evenly, and bounds all
// cascades together. A cascade that is split into many small ones is bounded too.
func TestBrakeBucket(t *testing.T) {
	objects, owners := roots(500)
	cfg := window(100, time.Minute)
	cfg.Brake.PerCascade = 1
	e := listed(t, cfg, objects...)
	if got, _ := e.works(t, 0, absent); len(got) != 0 {
		t.Fatal("a delete goes out of an empty window")
	}
	for _, o := range owners {
		e.observeEach(t, goneOf(o))
	}
	e.carries(t, absent)
	x, err := e.Explain(keyAt("b/7"))
	if err != nil || x.Decision.Reason != policy.BrakeWindow || len(x.Wait) != 1 || x.Wait[0].End.String() != "time" || !x.Wait[0].Next.After(e.now) {
		t.Errorf("%+v, %v; want the end at a time", x, err)
	}
	if e.Idle() || e.whyHeld() != "" || e.Stats().ByStatus.Of(StatusQueued) != 500 {
		t.Errorf("idle %t, held %q, %v; want 500 queued objects", e.Idle(), e.whyHeld(), e.Stats().ByStatus)
	}
	at, decisions := e.works(t, 10*time.Minute, absent)
	for i, d := range at {
		if want := time.Duration(i+1) * time.Minute / 100; d < want || d > want+time.Millisecond {
			t.Fatalf("delete %d goes out after %v, want %v", i, d, want)
		}
	}
	if len(at) != 500 || decisions > 1100 {
		t.Errorf("%d deletes with %d decisions, want 500 with two each at most", len(at), decisions)
	}
	if s := e.Stats(); s.Brake.Trips != 0 || !e.Idle() {
		t.Errorf("%+v, idle %t", s.Brake, e.Idle())
	}
}

// TestBrakeBucketSaves: the window saves as many deletes as it has, and no more.
func TestBrakeBucketSaves(t *testing.T) {
	objects, owners := roots(30)
	e := listed(t, window(10, time.Minute), objects...)
	e.works(t, 24*time.Hour, absent)
	for _, o := range owners {
		e.observeEach(t, goneOf(o))
	}
	at, _ := e.works(t, time.Hour, absent)
	if len(at) != 30 || at[9] != 0 || at[10] != 6*time.Second || at[29] != 2*time.Minute {
		t.Errorf("%d deletes at %v, want 10 at once", len(at), at)
	}
}

// TestBrakeCrashLoop: no number of restarts exceeds the rate of the window (G5 d).
func TestBrakeCrashLoop(t *testing.T) {
	objects, _ := roots(300)
	left := map[string]string{}
	for i := 1; i < len(objects); i += 2 {
		left[strings.Fields(objects[i])[0]] = objects[i]
	}
	now, deletes, begin := time.Unix(1000, 0), 0, time.Unix(1000, 0)
	for life := range 60 {
		var some []string
		for _, o := range left {
			some = append(some, o)
		}
		e := listed(t, window(6, time.Minute), some...)
		e.now = now
		at, _ := e.works(t, time.Duration(life%7)*7*time.Second, func(c Call) error {
			if c.Type == CallDelete {
				delete(left, c.Key.String()+"#1")
			}
			return absent(c)
		})
		deletes, now = deletes+len(at), e.now
		if most := int(now.Sub(begin) * 6 / time.Minute); deletes > most {
			t.Fatalf("%d deletes within %v, want %d at most", deletes, now.Sub(begin), most)
		}
	}
	if deletes == 0 {
		t.Error("nothing is deleted")
	}
}

// TestBrakeBucketGivesBack: a call that was given back takes no token, and a write that is
// barred takes none either.
func TestBrakeBucketGivesBack(t *testing.T) {
	objects, owners := roots(3)
	e := listed(t, window(3, time.Minute), objects...)
	e.works(t, time.Hour, absent)
	for _, o := range owners {
		e.observeEach(t, goneOf(o))
	}
	n := 0
	got := e.carries(t, func(c Call) error {
		if n++; n <= 2 {
			return ErrNotBegun
		}
		return absent(c)
	})
	if len(got) != 5 || e.Stats().Objects != 0 {
		t.Errorf("%d calls, %d objects are left; want 5 calls at once", len(got), e.Stats().Objects)
	}
}

// TestBrakeConfig: a wrong limit is named.
func TestBrakeConfig(t *testing.T) {
	for _, c := range []struct {
		b            Brake
		want, reason string
	}{
		{Brake{}, "", "no brake"},
		{Brake{PerCascade: 1, Window: 2, Per: 1}, "", "all limits"},
		{Brake{PerCascade: -1}, "Brake.PerCascade: negative", "a limit below zero"},
		{Brake{Window: -1, Per: 1}, "Brake.Window: negative", "a window below zero"},
		{Brake{Window: 1, Per: -1}, "Brake.Per: negative", "a time below zero"},
		{Brake{Window: 1}, "Brake.Per: zero with Window", "a window without a time"},
		{Brake{Per: 1}, "Brake.Window: zero with Per", "a time without a window"},
	} {
		_, err := New(Level1, Config{Brake: c.b})
		if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}
