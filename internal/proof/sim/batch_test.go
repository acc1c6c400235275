package sim

import (
	"testing"

	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// TestBatchesEnd runs histories with batches. Batches of several writes end in each way.
func TestBatchesEnd(t *testing.T) {
	var ends [world.BatchEnds]int
	worlds := 0
	for seed := range uint64(400) {
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
	if worlds < 50 {
		t.Errorf("%d of 400 worlds have batches, want one in five", worlds)
	}
	for end, n := range ends {
		if n == 0 {
			t.Errorf("no batch of several writes ends %s: %v", world.BatchEnd(end), ends)
		}
	}
	t.Logf("%d worlds with batches; ends %v", worlds, ends)
}
