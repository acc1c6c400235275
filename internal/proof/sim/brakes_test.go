package sim

import (
	"testing"

	"github.com/ownergraph/ownergraph/internal/portion"
)

// TestBrakesAct: among some hundred seeds cascades trip and are approved and refused, windows
// are used, and pauses are in force beside engines that go on. Without -whole there are fewer seeds. No
// world has policies, because cascades are smaller with them.
func TestBrakesAct(t *testing.T) {
	var trips, approvals, refusals uint64
	windows, paused, beside := 0, 0, 0
	n := portion.Number(200, 250)
	for seed := range uint64(n) {
		s, err := begin(History{Seed: seed + 1, Without: "policies"})
		if err != nil {
			t.Fatal(err)
		}
		if !s.o.has(brakes) && !s.o.has(pauses) {
			continue
		}
		for range 600 {
			if err := s.do(s.next()); err != nil {
				t.Fatalf("seed %d: %v", seed+1, err)
			}
			for i := range s.w.Sides {
				if len(s.paused[i]) > 0 {
					paused++
				}
			}
			if len(s.w.Sides) > 1 && (len(s.paused[0]) > 0) != (len(s.paused[1]) > 0) {
				beside++
			}
		}
		if err := s.converge(); err != nil {
			t.Fatalf("seed %d: %v", seed+1, err)
		}
		for i, side := range s.w.Sides {
			x := side.Engine.Stats().Brake
			trips, approvals, refusals = trips+x.Trips, approvals+x.Approvals, refusals+x.Refusals
			if s.lives != nil && s.lives[i].brake.Window > 0 {
				windows += len(s.lives[i].deletes)
			}
		}
	}
	t.Logf("%d trips, %d approvals, %d refusals, %d deletes within windows, %d steps of paused engines, %d beside another one", trips, approvals, refusals, windows, paused, beside)
	if few := min(trips, approvals, 4*refusals, uint64(windows), uint64(paused/50), uint64(beside/25)); few*250 < uint64(20*n) {
		t.Errorf("%d trips, %d approvals, %d refusals, %d deletes within windows, %d steps of paused engines, %d beside another one: too few", trips, approvals, refusals, windows, paused, beside)
	}
}
