package properties

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// spent returns the numbers of decisions and calls of all engines.
func (h *history) spent() (decisions, calls int) {
	for _, s := range h.w.Sides {
		stats := s.Engine.Stats()
		decisions += int(stats.Decisions)
		calls += int(probe.Requests(stats) + stats.Calls.Of(engine.CallList) + stats.Calls.Of(engine.CallHandle))
	}
	return decisions, calls
}

// extent returns the number of objects and references in the store.
func (h *history) extent() int {
	n := 0
	for _, o := range h.w.Store.Objects() {
		n += 1 + len(o.Owners)
	}
	return n
}

// TestConverges checks that a world comes to rest after the last action and the last
// fault. The number of steps is linear in objects and references.
func TestConverges(t *testing.T) {
	const each, base = 24, 48
	rapid.Check(t, func(t *rapid.T) {
		h := draws{t, size{style: wild, engines: 2, objects: 12, actions: 8}}.run()
		extent := h.extent()
		decisions, calls := h.spent()
		if err := h.calm(); err != nil {
			t.Fatal(h.fail(err))
		}
		d, c := h.spent()
		if limit := len(h.w.Sides) * (each*extent + base); d-decisions+c-calls > limit {
			t.Fatal(h.fail(fmt.Errorf("%d decisions and %d calls for an extent of %d, want at most %d", d-decisions, c-calls, extent, limit)))
		}
	})
}

// day lets 24 hours pass, in steps from one wakeup of an engine to the next.
func (h *history) day() error {
	for end := h.w.Now.Add(24 * time.Hour); h.w.Now.Before(end); {
		next := end
		for _, s := range h.w.Sides {
			for _, lane := range []engine.Lane{engine.LaneStore, engine.LaneControl, engine.LaneHandler} {
				if at, ok := probe.Wake(s.Engine, lane); ok && at.Before(next) {
					next = at
				}
			}
		}
		h.w.Now = next
		for moved := true; moved; {
			var err error
			if moved, err = h.w.Round(); err != nil {
				return err
			}
		}
	}
	return h.broken
}

// TestIdleDay checks that a world at rest makes no request in 24 hours. Only its audits
// make decisions, so no object is decided again without a cause.
func TestIdleDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := draws{t, size{style: wild, engines: 2, objects: 12, actions: 8}}.run()
		if err := h.calm(); err != nil {
			t.Fatal(h.fail(err))
		}
		var before []engine.Stats
		for _, s := range h.w.Sides {
			before = append(before, s.Engine.Stats())
		}
		requests := h.w.Total()
		if err := h.day(); err != nil {
			t.Fatal(h.fail(err))
		}
		if n := h.w.Total() - requests; n > 0 {
			t.Fatal(h.fail(fmt.Errorf("%d requests in a day of rest", n)))
		}
		for i, s := range h.w.Sides {
			stats := s.Engine.Stats()
			audits := stats.Audits - before[i].Audits
			if n, limit := stats.Decisions-before[i].Decisions, audits*uint64(stats.Objects); n > limit || audits < 140 {
				t.Fatal(h.fail(fmt.Errorf("%d decisions in %d audits of %d objects", n, audits, stats.Objects)))
			}
		}
	})
}

// calmly begins a world at rest, without rapid.
func calmly(t *testing.T, engines int, notation string) *history {
	t.Helper()
	h, err := begin(settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: engines}, parsed(t, notation))
	if err == nil {
		err = h.calm()
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestRefusedForADay checks that a refused write costs its retries alone. The engine
// reports it all the time.
func TestRefusedForADay(t *testing.T) {
	h := calmly(t, 1, "g/a; g/b -> g/a")
	requests := h.w.Total()
	h.must(t, "bg g/a")
	for end := h.w.Now.Add(24 * time.Hour); h.w.Now.Before(end); h.must(t, "pass 1m") {
		h.must(t, "see g", "issue store", "complete 0 refused")
	}
	if n, limit := h.w.Total()-requests, 24*60/5+1; n > limit || n < limit/2 {
		t.Errorf("%d requests in a day, want about one in 5 minutes, %d", n, limit)
	}
	if held := h.w.Held(); held != "g/b: the store refused the write (g/a); last error: refused" {
		t.Errorf("held: %q", held)
	}
	if err := h.calm(); err != nil || oracle.Line(h.w.Store.Objects()) != "" {
		t.Errorf("after the store permits the write, %q remains, error %v", oracle.Line(h.w.Store.Objects()), err)
	}
}

// TestFasterWriter has a writer that changes an object before each write of the
// engine completes. Each version of the writer costs at most two requests. The engine
// reports the object and never deletes it unconditionally. The object goes when the
// writer stops.
func TestFasterWriter(t *testing.T) {
	h := calmly(t, 1, "g/a; g/b -> g/a")
	requests, touches := h.w.Total(), 0
	h.must(t, "bg g/a", "see g")
	for end := h.w.Now.Add(time.Hour); h.w.Now.Before(end); h.must(t, "pass 10s") {
		h.must(t, "issue store", "touch g/b", "complete 0", "see g")
		touches++
	}
	if n := h.w.Total() - requests; n > 2*touches+2 {
		t.Errorf("%d requests for %d writes of the other writer", n, touches)
	}
	if got := oracle.Line(h.w.Store.Objects()); got != "g/b -> g/a" {
		t.Errorf("the store has %q, want g/b", got)
	}
	if held := h.w.Held(); !strings.HasPrefix(held, "g/b: other writers are faster (g/a); last error: ") || !strings.HasSuffix(held, ": conflict") {
		t.Errorf("held: %q", held)
	}
	if err := h.calm(); err != nil || oracle.Line(h.w.Store.Objects()) != "" {
		t.Errorf("after the writer has stopped, %q remains, error %v", oracle.Line(h.w.Store.Objects()), err)
	}
}

// TestSickKindIsABulkhead checks that a kind that cannot be read holds only the objects
// that depend on it. The requests to this kind become rare.
func TestSickKindIsABulkhead(t *testing.T) {
	set := settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 1}
	h, err := begin(set, parsed(t, "g/a; g/b -> g/a; h/c; g/d -> h/c; g/e -> h/gone"))
	if err != nil {
		t.Fatal(err)
	}
	h.must(t, "down h", "bg g/a")
	requests := h.w.Total()
	if err := h.day(); err != nil {
		t.Fatal(err)
	}
	if got := oracle.Line(h.w.Store.Objects()); got != "g/d -> h/c; g/e -> h/gone; h/c" {
		t.Errorf("the store has %q: g/b does not depend on kind h", got)
	}
	if n := h.w.Total() - requests; n > 24*60/2 {
		t.Errorf("%d requests in a day", n)
	}
	if err := h.calm(); err != nil || oracle.Line(h.w.Store.Objects()) != "g/d -> h/c; h/c" {
		t.Errorf("after the return of kind h, %q remains, error %v", oracle.Line(h.w.Store.Objects()), err)
	}
}

// must makes steps that have to succeed.
func (h *history) must(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := h.do(line); err != nil {
			t.Fatal(h.fail(err))
		}
	}
}
