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

// TestPlanComesBack checks that a seed always draws the same plan.
func TestPlanComesBack(t *testing.T) {
	kinds := []graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true, NoOwner: true}}
	p := drawPlan(7, kinds)
	if !reflect.DeepEqual(p, drawPlan(7, kinds)) {
		t.Error("the plan of one seed differs from itself")
	}
	if reflect.DeepEqual(p, drawPlan(8, kinds)) {
		t.Error("the plans of two seeds are the same")
	}
	if len(p) != 4 || len(p[3]) != 12 {
		t.Errorf("%d clients with %d calls, want 4 with 12", len(p), len(p[3]))
	}
}

// TestSeedComesBack checks that the seed of a failure fails again.
func TestSeedComesBack(t *testing.T) {
	broken := subjects(func(s *memory.Store) store { return lostDelete{s} })
	first := &witness{T: t}
	test(first, broken, settings{histories: 1000})
	report := strings.Join(first.reports, "\n")
	_, rest, found := strings.Cut(report, "-rapid.seed=")
	var seed uint64
	if _, err := fmt.Sscan(strings.TrimRight(strings.Fields(rest)[0], ")"), &seed); err != nil || !found {
		t.Fatalf("no seed in %q: %v", report, err)
	}
	again := &witness{T: t}
	test(again, broken, settings{histories: 1000, seed: seed})
	if len(again.reports) != 1 {
		t.Errorf("the seed %d finds nothing, before:\n%s", seed, report)
	}
}

// fatal is a test that ends at its first Fatalf.
type fatal struct{ *testing.T }

func (f fatal) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// scripted is a store whose watch reports only the given events.
type scripted struct {
	*memory.Store
	events []graph.Event
	err    error
}

func (s scripted) Watch(_ context.Context, sink func([]graph.Event) error) error {
	if err := sink(s.events); err != nil {
		return err
	}
	return s.err
}

// TestBadInput checks that a test that cannot run fails, and states the reason.
func TestBadInput(t *testing.T) {
	watching := func(err error, events ...graph.Event) storetest.Config {
		return subjects(func(s *memory.Store) store { return scripted{s, events, err} })
	}
	good := subjects(func(s *memory.Store) store { return s })
	for _, tc := range []struct {
		store  storetest.Config
		want   string
		reason string
	}{
		{storetest.Config{}, "linear: Config.New: nil: want a function that makes a store", "there is nothing to test"},
		{watching(nil), "linear: learn the kinds: the watch ended without an error and without KindsKnown", "the watch reports nothing"},
		{watching(errors.New("down")), "linear: learn the kinds: down", "the watch fails"},
		{storetest.Config{New: good.New, Kinds: []graph.Kind{"pod", "job"}}, `linear: learn the kinds: Config.Kinds[1]: the store does not serve "job"`, "there is nothing to make objects of"},
		{watching(nil, graph.Event{Type: graph.KindsKnown}), "linear: learn the kinds: the store serves none", "no kinds"},
	} {
		t.Run(tc.want, func(t *testing.T) {
			defer func() {
				if got := recover(); got != tc.want {
					t.Errorf("got %v, want %q: %s", got, tc.want, tc.reason)
				}
			}()
			Test(fatal{t}, tc.store)
		})
	}
}

// TestKinds checks that the objects are only of the named kinds.
func TestKinds(t *testing.T) {
	made := false
	kinds, err := selectKinds([]graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true}}, []graph.Kind{"pod"})
	for _, steps := range drawPlan(1, kinds) {
		for _, s := range steps {
			made = made || s.place.Kind == "pod"
			if s.place.Kind != "pod" || s.place.Scope == "" {
				t.Errorf("the plan has an object %s", s.place)
			}
		}
	}
	if err != nil || !made {
		t.Errorf("no plan: %v", err)
	}
}
