package properties

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"pgregory.net/rapid"
)

// spent returns how much all engines of a world did: decisions and calls.
func (h *history) spent() (decisions, calls int) {
	for _, s := range h.w.Sides {
		stats := s.Engine.Stats()
		decisions += int(stats.Decisions)
		calls += int(stats.Requests() + stats.ListCalls + stats.Handled)
	}
	return decisions, calls
}

// extent returns how many objects and references the store holds.
func (h *history) extent() int {
	n := 0
	for _, o := range h.w.Store.Objects() {
		n += 1 + len(o.Owners)
	}
	return n
}

// TestConverges: after the last action and the last fault, everything is over
// within a number of steps that is linear in objects and references.
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
		if most := len(h.w.Sides) * (each*extent + base); d-decisions+c-calls > most {
			t.Fatal(h.fail(fmt.Errorf("%d decisions and %d calls for an extent of %d, want at most %d", d-decisions, c-calls, extent, most)))
		}
	})
}

// day lets 24 hours pass, in the steps in which the engines want to be asked.
func (h *history) day() error {
	for end := h.w.Now.Add(24 * time.Hour); h.w.Now.Before(end); {
		next := end
		for _, s := range h.w.Sides {
			for _, lane := range []ownergraph.Lane{ownergraph.LaneStore, ownergraph.LaneControl, ownergraph.LaneHandler} {
				if at, ok := s.Engine.Wake(lane); ok && at.Before(next) {
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

// TestIdleDay: a world at rest makes no request in 24 hours, and decides no more
// than its audits do: nothing is handled again without a cause.
func TestIdleDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := draws{t, size{style: wild, engines: 2, objects: 12, actions: 8}}.run()
		if err := h.calm(); err != nil {
			t.Fatal(h.fail(err))
		}
		var before []ownergraph.Stats
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
			if n, most := stats.Decisions-before[i].Decisions, audits*uint64(stats.Objects); n > most || audits < 140 {
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

// TestRefusedForADay: a write that is refused costs no more than its retries, and
// is reported all the while.
func TestRefusedForADay(t *testing.T) {
	h := calmly(t, 1, "g/a; g/b -> g/a")
	requests := h.w.Total()
	h.must(t, "bg g/a")
	for end := h.w.Now.Add(24 * time.Hour); h.w.Now.Before(end); h.must(t, "pass 1m") {
		h.must(t, "see g", "issue store", "land 0 refused")
	}
	if n, most := h.w.Total()-requests, 24*60/5+1; n > most || n < most/2 {
		t.Errorf("%d requests in a day, want about one in 5 minutes, %d", n, most)
	}
	if held := h.w.Held(); held != "g/b: the store refused the write (g/a); last error: refused" {
		t.Errorf("held: %q", held)
	}
	if err := h.calm(); err != nil || oracle.Line(h.w.Store.Objects()) != "" {
		t.Errorf("once it is permitted, %q is left, error %v", oracle.Line(h.w.Store.Objects()), err)
	}
}

// TestFasterWriter: a writer that changes an object before each write lands costs
// two requests at most for each version of its own, and is reported; the object is
// never deleted unconditionally, and goes when the writer stops.
func TestFasterWriter(t *testing.T) {
	h := calmly(t, 1, "g/a; g/b -> g/a")
	requests, touches := h.w.Total(), 0
	h.must(t, "bg g/a", "see g")
	for end := h.w.Now.Add(time.Hour); h.w.Now.Before(end); h.must(t, "pass 10s") {
		h.must(t, "issue store", "touch g/b", "land 0", "see g")
		touches++
	}
	if n := h.w.Total() - requests; n > 2*touches+2 {
		t.Errorf("%d requests against a writer that wrote %d times", n, touches)
	}
	if got := oracle.Line(h.w.Store.Objects()); got != "g/b -> g/a" {
		t.Errorf("the store holds %q, want g/b", got)
	}
	if held := h.w.Held(); !strings.HasPrefix(held, "g/b: other writers are faster (g/a); last error: ") || !strings.HasSuffix(held, ": conflict") {
		t.Errorf("held: %q", held)
	}
	if err := h.calm(); err != nil || oracle.Line(h.w.Store.Objects()) != "" {
		t.Errorf("when the writer has stopped, %q is left, error %v", oracle.Line(h.w.Store.Objects()), err)
	}
}

// TestSickKindIsABulkhead: a kind that cannot be read holds up what depends on
// it, and nothing else; what is asked of it becomes rare.
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
		t.Errorf("the store holds %q: g/b has nothing to do with kind h", got)
	}
	if n := h.w.Total() - requests; n > 24*60/2 {
		t.Errorf("%d requests in a day", n)
	}
	if err := h.calm(); err != nil || oracle.Line(h.w.Store.Objects()) != "g/d -> h/c; h/c" {
		t.Errorf("when kind h is back, %q is left, error %v", oracle.Line(h.w.Store.Objects()), err)
	}
}

// must makes steps that have to go well.
func (h *history) must(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := h.do(line); err != nil {
			t.Fatal(h.fail(err))
		}
	}
}
