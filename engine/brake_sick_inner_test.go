package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// sickAt returns an engine that has listed a and b, with one object below a root that has gone.
// The kind c is known, and the watch says nothing more of it.
func sickAt(t *testing.T, cfg Config) *Engine {
	t.Helper()
	e, err := New(Level2, cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.now = time.Unix(1000, 0)
	e.observeEach(t, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}},
		graph.Event{Type: graph.ListBegun, Kind: "a"}, put("a#1"), graph.Event{Type: graph.ListEnded, Kind: "a"},
		graph.Event{Type: graph.ListBegun, Kind: "b"}, put("b#1 -> a"), graph.Event{Type: graph.ListEnded, Kind: "b"}, goneOf("a"))
	return e
}

// passes lets time pass in steps, in which the engine's control lane is asked.
func (e *Engine) passes(d time.Duration) {
	for end := e.now.Add(d); e.now.Before(end); {
		e.now = e.now.Add(time.Second)
		e.Next(e.now, LaneControl)
	}
}

// TestBrakeSickKinds checks G5 (b): the count waits for a kind that is being listed, and not for a
// sick one. With a setting it waits for sick kinds, too. In each row, c is not listed.
func TestBrakeSickKinds(t *testing.T) {
	begin, sick := graph.Event{Type: graph.ListBegun, Kind: "c"}, graph.Event{Type: graph.KindSick, Kind: "c", Reason: "down"}
	well := graph.Event{Type: graph.KindRecovered, Kind: "c"}
	for _, c := range []struct {
		events []graph.Event
		after  time.Duration
		await  bool
		held   string
		reason string
	}{
		{nil, 0, false, "1 BrakeListing", "its listing may begin"},
		{[]graph.Event{begin}, 4 * time.Minute, false, "1 BrakeListing", "it is being listed"},
		{[]graph.Event{sick}, 0, false, "", "it is sick"},
		{[]graph.Event{begin, sick}, 0, false, "", "its listing failed"},
		{[]graph.Event{sick, well}, 0, false, "1 BrakeListing", "it is well again, and may be listed"},
		{[]graph.Event{sick, well, begin}, time.Minute, false, "1 BrakeListing", "it is being listed again"},
		{nil, 5 * time.Minute, false, "", "its listing never begins"},
		{[]graph.Event{begin}, 5 * time.Minute, false, "", "its listing never ends"},
		{[]graph.Event{sick}, time.Hour, true, "1 BrakeListing", "by the setting the count waits for it"},
		{nil, time.Hour, true, "1 BrakeListing", "by the setting the count waits for a listing that never begins"},
		{[]graph.Event{{Type: graph.KindVanished, Kind: "c"}}, 0, true, "", "the store no longer serves it"},
		{[]graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}}}, 0, true, "", "it is no longer in the set"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			cfg := braking(3)
			cfg.Brake.AwaitSick = c.await
			e := sickAt(t, cfg)
			e.observeEach(t, c.events...)
			e.carries(t, absent)
			e.passes(c.after)
			if e.carries(t, absent); e.whyHeld() != c.held {
				t.Errorf("held %q, want %q", e.whyHeld(), c.held)
			}
		})
	}
}

// TestBrakeFlaps: a kind whose listings each fail, begin again and fail stops the brake for 5
// minutes in all, however long that goes on.
func TestBrakeFlaps(t *testing.T) {
	e := sickAt(t, braking(3))
	for i := range 100 {
		e.observeEach(t, graph.Event{Type: graph.KindRecovered, Kind: "c"}, graph.Event{Type: graph.ListBegun, Kind: "c"})
		e.passes(4 * time.Second)
		e.observeEach(t, put(fmt.Sprintf("a/%d#1", i)), put(fmt.Sprintf("b/%d#1 -> a/%d", i, i)), goneOf(fmt.Sprintf("a/%d", i)))
		late := i >= 74 // with 4 s in each
		if got := e.carries(t, absent); (len(got) > 0) != late {
			t.Fatalf("round %d: %q are deleted while the kind is being listed, it is late: %t", i, got, late)
		}
		e.observeEach(t, graph.Event{Type: graph.KindSick, Kind: "c", Reason: "down"})
		if e.carries(t, absent); len(e.Held(1)) != 0 {
			t.Fatalf("round %d: held %v while the kind is sick", i, e.Held(1))
		}
	}
}

// TestLateKind: a kind that is not listed in time is sick in all reports, and holds fences by its
// name (R7). A complete listing makes it well.
func TestLateKind(t *testing.T) {
	cfg := braking(3)
	cfg.FenceWait = time.Minute
	e := sickAt(t, cfg)
	e.passes(5 * time.Minute)
	k := e.Kinds()[2]
	if k.Kind != "c" || k.Listed || !strings.Contains(k.Sick, "no listing of it has ended") {
		t.Errorf("%+v", k)
	}
	if s := e.Stats().Brake; s.Uncounted != 1 {
		t.Errorf("%+v, want one kind that is not counted", s)
	}
	if _, ok := e.kinds.LateAt(); ok {
		t.Error("a kind that is late is late again")
	}
	e.observeEach(t, graph.Event{Type: graph.ListBegun, Kind: "c"}, graph.Event{Type: graph.ListEnded, Kind: "c"})
	if e.carries(t, absent); !e.kinds.Synced() || e.Stats().Brake.Uncounted != 0 {
		t.Errorf("%+v after the listing", e.Kinds())
	}
}

// TestBrakeNamesUncounted: each report of a cascade names the kinds that its count has left out.
func TestBrakeNamesUncounted(t *testing.T) {
	cfg := braking(1)
	var cascade *BrakedCascade
	cfg.OnDecision = func(d DecisionEvent) {
		if d.Cascade != nil {
			cascade = d.Cascade
		}
	}
	e := sickAt(t, cfg)
	e.observeEach(t, graph.Event{Type: graph.KindSick, Kind: "c", Reason: "down"}, put("b/1#1 -> a"), put("b/2#1 -> a"))
	e.carries(t, absent)
	const want = "a/a: more than 1 object, the limit is 1, not counted: c"
	if b := e.Braked(1); len(b) != 1 || b[0].String() != want || len(b[0].Uncounted) != 1 || b[0].MoreUncounted != 0 {
		t.Errorf("braked %v, want %q", b, want)
	}
	if cascade == nil || cascade.String() != want {
		t.Errorf("reported %v, want %q", cascade, want)
	}
	if h := e.Held(1); len(h) != 1 || len(h[0].Detail) != 1 || h[0].Detail[0] != "cascade "+want {
		t.Errorf("held %v", h)
	}
	x, err := e.Explain(keyAt("b"))
	if err != nil || len(x.Wait) != 1 || x.Wait[0].Text != "cascade "+want {
		t.Errorf("%+v, %v", x.Wait, err)
	}
}

// TestBrakeAwaitExplains: with the setting, Held and an explanation name the sick kind that the count
// waits for, with its cause.
func TestBrakeAwaitExplains(t *testing.T) {
	cfg := braking(1)
	cfg.Brake.AwaitSick = true
	e := sickAt(t, cfg)
	e.observeEach(t, graph.Event{Type: graph.KindSick, Kind: "c", Reason: "down"})
	e.carries(t, absent)
	if h := e.Held(1); len(h) != 1 || h[0].String() != "b/b: kinds have to be listed before the brake counts its cascade (c: down)" {
		t.Errorf("held %v", h)
	}
	x, err := e.Explain(keyAt("b"))
	if err != nil || len(x.Wait) != 1 || x.Wait[0].End.String() != "kind" || x.Wait[0].Actor != "c" || x.Wait[0].Text != "down" {
		t.Errorf("%+v, %v", x.Wait, err)
	}
}
