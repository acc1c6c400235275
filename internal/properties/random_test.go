package properties

import (
	"fmt"
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
	if !d.chance("cold", 4) {
		if err := h.do("settle"); err != nil {
			d.t.Fatal(h.fail(err))
		}
	}
	d.wander(h, d.faults())
	return h
}

// TestRandomWorlds: whatever users do, and whatever goes wrong, no write of any
// engine breaks the ledger; when it is over, nothing is left to do, and each
// engine holds what a new listing shows.
func TestRandomWorlds(t *testing.T) {
	for engines := 1; engines <= 3; engines++ {
		t.Run(fmt.Sprint(engines), rapid.MakeCheck(func(t *rapid.T) {
			d := draws{t, size{engines: engines, objects: 12, actions: 8, wild: true}}
			d.rest(d.run())
		}))
	}
}

// TestSmallWorlds: a handful of objects end in a state that the oracle permits.
func TestSmallWorlds(t *testing.T) {
	for engines := 1; engines <= 3; engines++ {
		t.Run(fmt.Sprint(engines), rapid.MakeCheck(func(t *rapid.T) {
			d := draws{t, size{engines: engines, objects: 4, actions: 3, wild: true, judged: true}}
			h := d.run()
			d.rest(h)
			if err := h.permitted(); err != nil {
				t.Fatal(h.fail(err))
			}
		}))
	}
}

// rest ends a history and checks what has to be true then.
func (d draws) rest(h *history) {
	if err := h.calm(); err != nil {
		d.t.Fatal(h.fail(err))
	}
	if err := h.sound(); err != nil {
		d.t.Fatal(h.fail(err))
	}
}
