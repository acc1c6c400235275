package sim

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// TestPeriodsApart: one world in ten has grace periods, and each other world has the history that it has
// without them.
func TestPeriodsApart(t *testing.T) {
	with, some := 0, 0
	const worlds = 300
	for seed := range uint64(worlds) {
		s, err := begin(History{Seed: *firstSeed + seed, Steps: 1})
		if err != nil {
			t.Fatal(err)
		}
		if has := s.o.has(periods); has != (len(s.o.periods) > 0) {
			t.Errorf("seed %d has periods %t, of %v", s.o.seed, has, s.o.periods)
		}
		if s.o.has(periods) {
			with++
			if len(s.o.periods) < len(s.o.infos()) {
				some++
			}
		}
	}
	if with < worlds/20 || with > worlds/5 || some == 0 || some == with {
		t.Errorf("%d of %d worlds have periods, and %d of them of some kinds, want one in ten, and a part", with, worlds, some)
	}
	for seed := range uint64(20) {
		h := History{Seed: *firstSeed + seed, Steps: 200}
		drawn := h.Record(nil, nil)
		h.Without = "periods"
		without := h.Record(nil, nil)
		if s, err := begin(History{Seed: h.Seed, Steps: 1}); err != nil || !s.o.has(periods) && drawn.Digest != without.Digest {
			t.Errorf("%s: digest %x, and %x with periods of other worlds, error %v", h, without.Digest, drawn.Digest, err)
		}
	}
}

// TestPeriodsHappen: in worlds with grace periods deletes carry periods, and guards repeat deletions.
func TestPeriodsHappen(t *testing.T) {
	carried, repeats := 0, 0
	for seed := range uint64(200) {
		s, err := begin(History{Seed: *firstSeed + seed, With: "periods"})
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			if err := s.do(s.next()); err != nil {
				t.Fatalf("seed %d: %v", s.o.seed, err)
			}
		}
		carried, repeats = carried+s.carried, repeats+s.repeats
	}
	if carried < 15 || repeats < 3 {
		t.Errorf("%d deletes carried a period, and guards repeated %d deletions with one", carried, repeats)
	}
}

// TestJudgePeriod has the period of a delete in small histories.
func TestJudgePeriod(t *testing.T) {
	for _, c := range []struct {
		history string // the versions of objects, in order
		kind    graph.Kind
		seconds int64
		want    string
		reason  string
	}{
		{"a/r~30[foreground]; c/d -> a/r", "a", 30, "", "the owner has the period"},
		{"a/r~30[foreground]; a/r~5[foreground]; c/d -> a/r", "a", 30, "", "the owner had it before"},
		{"a/r~30[foreground]; c/d -> a/r", "a", 29, "no owner above it had that period", "another period"},
		{"a/r~30; c/d -> a/r", "a", 30, "no owner above it had that period", "the owner does not wait"},
		{"a/r~30[foreground]; c/d -> a/r", "b", 30, "no owner above it had that period", "the owner's kind has no periods"},
		{"a/r~30[foreground,ownergraph.github.io/hold]; c/d -> a/r", "a", 30, "no owner above it had that period", "the mark is withheld"},
		{"a/r~30[foreground]; b/m~[foreground] -> a/r; c/d -> b/m", "a", 30, "", "through another kind"},
		{"a/r~30[foreground]; b/m -> a/r; c/d -> b/m", "a", 30, "no owner above it had that period", "the owner between never waited"},
		{"a/r~30[foreground]; c/d -> a/r; c/d", "a", 30, "", "it named the owner before"},
		{"a/r~30[foreground]; c/d~30 -> a/r", "a", 30, "it is marked", "a marked object"},
		{"a/r~[foreground]; c/d -> a/r", "a", 0, "its kind has no such period", "a period of 0"},
	} {
		s := &sim{graces: graces{}}
		s.o.faults[periods], s.o.periods = true, []graph.Kind{c.kind, "c"}
		w := newPeriodStore(t, s, c.history)
		d := graph.Key{Kind: "c", Name: "d", UID: "c/d"}
		call := engine.Call{Type: engine.CallDelete, Key: d, Options: graph.DeleteOptions{GraceSeconds: &c.seconds, GraceAtMost: true}}
		if err := s.judgePeriod(w, call); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s: %v, want %q", c.history, c.reason, err, c.want)
		}
	}
}

// newPeriodStore notes the versions of objects, and returns a store with the last one of each.
func newPeriodStore(t *testing.T, s *sim, history string) *world.Store {
	t.Helper()
	last := map[graph.Key]graph.Object{}
	for _, line := range strings.Split(history, "; ") {
		o, err := graph.ParseObject(line)
		if err != nil {
			t.Fatal(err)
		}
		s.notePeriod(graph.Event{Type: graph.Put, Object: o})
		last[o.Key] = o
	}
	w := world.NewStore(slices.Collect(maps.Values(last)))
	return &w
}
