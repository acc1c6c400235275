package linear

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// TestPlanComesBack: a seed is a plan.
func TestPlanComesBack(t *testing.T) {
	kinds := []graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true, NoOwner: true}}
	c, _ := Config{}.resolve()
	p := drawPlan(7, c, kinds)
	if !reflect.DeepEqual(p, drawPlan(7, c, kinds)) {
		t.Error("the plan of one seed differs from itself")
	}
	if reflect.DeepEqual(p, drawPlan(8, c, kinds)) {
		t.Error("the plans of two seeds are the same")
	}
	if len(p) != 4 || len(p[3]) != 12 {
		t.Errorf("%d clients with %d calls, want 4 with 12", len(p), len(p[3]))
	}
}

// TestSeedComesBack: the seed that a failure prints fails again.
func TestSeedComesBack(t *testing.T) {
	broken := subjects(func(s *memory.Store) store { return deaf{s} })
	first := &witness{T: t}
	Test(first, broken, Config{Histories: 1000})
	report := strings.Join(first.reports, "\n")
	_, rest, found := strings.Cut(report, "-rapid.seed=")
	var seed uint64
	if _, err := fmt.Sscan(strings.TrimRight(strings.Fields(rest)[0], ")"), &seed); err != nil || !found {
		t.Fatalf("no seed in %q: %v", report, err)
	}
	again := &witness{T: t}
	Test(again, broken, Config{Histories: 1000, Seed: seed})
	if len(again.reports) != 1 {
		t.Errorf("the seed %d finds nothing, before:\n%s", seed, report)
	}
}

// fatal is a test that ends at its first Fatalf.
type fatal struct{ *testing.T }

func (f fatal) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// mute is a store whose watch says nothing.
type mute struct {
	*memory.Store
	events []graph.Event
	err    error
}

func (s mute) Watch(_ context.Context, sink func(graph.Event) error) error {
	for _, e := range s.events {
		if err := sink(e); err != nil {
			return err
		}
	}
	return s.err
}

// TestBadInput: what cannot be tested is told, and is no success.
func TestBadInput(t *testing.T) {
	watching := func(err error, events ...graph.Event) storetest.Config {
		return subjects(func(s *memory.Store) store { return mute{s, events, err} })
	}
	good := subjects(func(s *memory.Store) store { return s })
	for _, tc := range []struct {
		store  storetest.Config
		config Config
		want   string
		reason string
	}{
		{storetest.Config{}, Config{}, "linear: Config.New: nil: want what makes a store", "there is nothing to test"},
		{good, Config{Clients: -1}, "linear: Config.Clients: -1: want 0 to 16", "less than nobody"},
		{good, Config{Clients: 17}, "linear: Config.Clients: 17: want 0 to 16", "the judge's work grows with them"},
		{good, Config{Calls: 65}, "linear: Config.Calls: 65: want 0 to 64", "the same"},
		{good, Config{Objects: -1}, "linear: Config.Objects: -1: want 0 to 64", "less than none"},
		{watching(nil), Config{}, "linear: learn the kinds: the watch ended without an error and without KindsKnown", "it says nothing"},
		{watching(errors.New("down")), Config{}, "linear: learn the kinds: down", "it cannot"},
		{storetest.Config{New: good.New, Kinds: []graph.Kind{"pod", "job"}}, Config{},
			`linear: learn the kinds: Config.Kinds[1]: the store does not serve "job"`, "there is nothing to make objects of"},
		{watching(nil, graph.Event{Type: graph.KindsKnown}), Config{}, "linear: learn the kinds: the store serves none", "no kinds"},
	} {
		t.Run(tc.want, func(t *testing.T) {
			defer func() {
				if got := recover(); got != tc.want {
					t.Errorf("told %v, want %q: %s", got, tc.want, tc.reason)
				}
			}()
			Test(fatal{t}, tc.store, tc.config)
		})
	}
}

// TestKinds: objects are made of the kinds that are named, and of no others.
func TestKinds(t *testing.T) {
	made := false
	kinds, err := chosen([]graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true}}, []graph.Kind{"pod"})
	config, _ := Config{}.resolve()
	for _, steps := range drawPlan(1, config, kinds) {
		for _, s := range steps {
			made = made || s.place.Kind == "pod"
			if s.place.Kind != "pod" || s.place.Scope == "" {
				t.Errorf("the plan has %s", s.place)
			}
		}
	}
	if err != nil || !made {
		t.Errorf("no plan: %v", err)
	}
}
