package sim

import (
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/share"
)

// TestShares runs histories of engines with shares, and no law breaks (RULES, H1 to H4). The sets
// move, end by themselves, and are those of standbys. Several engines write to one store. Without
// -whole there are fewer histories.
func TestShares(t *testing.T) {
	n := portion.Number(60, 600)
	var acts shareActs
	for seed := range uint64(n) {
		h := History{Seed: seed + 1, Steps: 500, With: "shares"}
		s, err := begin(h)
		if err != nil {
			t.Fatal(err)
		}
		for range h.Steps {
			st := s.next()
			if err = s.do(st); err != nil {
				break
			}
			acts.count(s, st)
		}
		if err == nil {
			err = s.converge()
		}
		if err == nil {
			err = s.foresee(func(step) {})
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", h, err, h.Explain())
		}
		acts.end(s)
	}
	t.Logf("%+v in %d worlds", acts, n)
	for what, few := range map[string]int{"moves": acts.moves / 10, "ends": acts.lapses, "steps of a standby": acts.standby / 25, "worlds with several writers": 2 * acts.several} {
		if few < n {
			t.Errorf("too few %s: %+v in %d worlds", what, acts, n)
		}
	}
}

// shareActs counts the acts of worlds with shares.
type shareActs struct{ moves, lapses, standby, several int }

func (a *shareActs) count(s *sim, st step) {
	if st.op == opShare {
		a.moves++
	}
	if s.parts[0].set == share.None() {
		a.standby++
	}
}

// end counts the ends of sets, and the worlds in which several engines have written.
func (a *shareActs) end(s *sim) {
	writers := 0
	for i, side := range s.w.Sides {
		a.lapses += s.parts[i].lapses
		if x := side.Engine.Stats(); x.Calls.Of(engine.CallPatch)+x.Calls.Of(engine.CallDelete) > 0 {
			writers++
		}
	}
	if writers > 1 {
		a.several++
	}
}
