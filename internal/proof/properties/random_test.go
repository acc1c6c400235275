package properties

import (
	"flag"
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/internal/portion"
)

// run draws a history: settings, a store and steps.
func (d draws) run() *history {
	set := d.settings()
	h, err := begin(set, d.world(set))
	if err != nil {
		d.t.Fatal(err)
	}
	if !d.chance("cold", 4) {
		if err := h.do("run"); err != nil {
			d.t.Fatal(h.fail(err))
		}
	}
	d.wander(h, d.faults())
	return h
}

var firstSeed = flag.Uint64("properties.seed", 1, "the first of the `seeds` of random histories; 0 draws new ones; -rapid.seed overrides it")

// rounds runs a property of random worlds with one, two and three engines. It runs
// n times rapid's number of checks.
//
// Every run has the same histories. Otherwise a change might fail because of a bug of
// another change. A user draws new histories with the flags.
func rounds(t *testing.T, n int, property func(*rapid.T, int)) {
	fewer(t)
	seed := flag.Lookup("rapid.seed")
	given := seed.Value.String()
	defer seed.Value.Set(given)
	for i := range n {
		engines := []int{1, 1, 2, 3}[i%4]
		if given == seed.DefValue && *firstSeed != 0 {
			if err := seed.Value.Set(fmt.Sprint(*firstSeed<<32 + uint64(i)<<20)); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(fmt.Sprint(i), rapid.MakeCheck(func(t *rapid.T) { property(t, engines) }))
	}
}

// fewer makes a test run the first three of ten checks of each property. With -whole or
// -rapid.checks, it runs all.
func fewer(t *testing.T) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	given := checks.Value.String()
	all, err := strconv.Atoi(given)
	if err == nil && given == checks.DefValue {
		err = checks.Value.Set(strconv.Itoa(portion.Number(all*3/10, all)))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { checks.Value.Set(given) })
}

// TestRandomWorlds checks for any actions of users and any faults: no write of an
// engine breaks an invariant of the ledger. At rest the collector has no step left,
// and each engine's graph equals a graph of a new listing.
func TestRandomWorlds(t *testing.T) {
	rounds(t, 4, func(t *rapid.T, engines int) {
		d := draws{t, size{style: wild, engines: engines, objects: 12, actions: 8}}
		d.rest(d.run())
	})
}

// TestTightWorlds is TestRandomWorlds for a few objects that change all the time.
func TestTightWorlds(t *testing.T) {
	rounds(t, 20, func(t *rapid.T, engines int) {
		d := draws{t, size{style: tight, engines: engines, objects: 4, actions: 12}}
		d.rest(d.run())
	})
}

// TestSmallWorlds checks that a handful of objects end in a permitted state.
func TestSmallWorlds(t *testing.T) {
	rounds(t, 4, func(t *rapid.T, engines int) {
		d := draws{t, size{style: wild, engines: engines, objects: 4, actions: 3, judged: true}}
		h := d.run()
		d.rest(h)
		if err := h.permitted(); err != nil {
			t.Fatal(h.fail(err))
		}
	})
}

// rest ends a history and checks the laws of a world at rest.
func (d draws) rest(h *history) {
	if err := h.calm(); err != nil {
		d.t.Fatal(h.fail(err))
	}
	if err := h.sound(); err != nil {
		d.t.Fatal(h.fail(err))
	}
}
