package properties

import (
	"testing"

	"pgregory.net/rapid"
)

// run draws a history: settings, a store, and what happens to it.
func (d draws) run() *history {
	set := d.settings()
	h, err := begin(set, d.world(set))
	if err != nil {
		d.t.Fatal(err)
	}
	if d.chance("warm", 2) {
		if err := h.do("settle"); err != nil {
			d.t.Fatal(h.fail(err))
		}
	}
	f := d.faults()
	d.t.Repeat(map[string]func(*rapid.T){
		"step": func(t *rapid.T) {
			if err := h.do((draws{t, d.size}).next(h, f)); err != nil {
				t.Fatal(h.fail(err))
			}
		},
	})
	return h
}

// TestRandomWorlds: whatever users do, and whatever goes wrong, no write of any
// engine breaks the ledger; when it is over, nothing is left to do, and each
// engine holds what a new listing shows.
func TestRandomWorlds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := draws{t, size{objects: 12, actions: 8, wild: true}}.run()
		if err := h.calm(); err != nil {
			t.Fatal(h.fail(err))
		}
		if err := h.sound(); err != nil {
			t.Fatal(h.fail(err))
		}
	})
}

// TestSmallWorlds: a handful of objects end in a state that the oracle permits.
func TestSmallWorlds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := draws{t, size{objects: 4, actions: 3, wild: true, judged: true}}.run()
		if err := h.calm(); err != nil {
			t.Fatal(h.fail(err))
		}
		if err := h.sound(); err != nil {
			t.Fatal(h.fail(err))
		}
		if err := h.permitted(); err != nil {
			t.Fatal(h.fail(err))
		}
	})
}
