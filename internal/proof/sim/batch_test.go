package sim

import (
	"testing"

	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// TestBatchesEnd runs histories with batches. Batches of several writes end in each way.
// Without -whole there are fewer histories, and two of the ways may be missing.
func TestBatchesEnd(t *testing.T) {
	var ends [world.BatchEnds]int
	worlds, n := 0, portion.Number(100, 400)
	for seed := range uint64(n) {
		h := History{Seed: seed + 1, Steps: 1000}
		s, err := begin(h)
		if err != nil {
			t.Fatal(err)
		}
		if !s.o.has(batches) {
			continue
		}
		worlds++
		r := h.run(nil, nil, false)
		for end, n := range r.batched {
			ends[end] += n
		}
		if r.Broken != nil {
			t.Errorf("%s\n%s", h, r.Explain())
		}
	}
	if worlds < n/8 {
		t.Errorf("%d of %d worlds have batches, want one in five", worlds, n)
	}
	var missing []world.BatchEnd
	for end, n := range ends {
		if n == 0 {
			missing = append(missing, world.BatchEnd(end))
		}
	}
	if len(missing) > portion.Number(2, 0) {
		t.Errorf("no batch of several writes ends %v: %v", missing, ends)
	}
	t.Logf("%d worlds with batches; ends %v", worlds, ends)
}
