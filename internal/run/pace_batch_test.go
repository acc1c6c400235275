package run_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/run"
)

// TestPaceBatches: a store makes 100 writes in 1 ms, in one batch or in several at once. More
// and smaller batches are no gain, so the limit stays low. Counted as calls they would be.
func TestPaceBatches(t *testing.T) {
	const span, writes = 4 * time.Millisecond, 400
	mean := func(sized bool) (limit int) {
		p := run.NewPace(64)
		now := time.Duration(1)
		for range 2000 { // rounds, in each of which the batches under way end
			n := p.Limit()
			began := now
			now += span
			for range n {
				x := run.Ended{Began: began, Latency: span, Outcome: run.OutcomeAnswer}
				if sized {
					x.Size = writes / n
				}
				p.End(now, &x, true)
			}
			limit += p.Limit()
		}
		return limit / 2000
	}
	if with, without := mean(true), mean(false); with > 20 || without < 40 {
		t.Errorf("the mean limit is %d with the sizes of batches, and %d without; want at most 20, and at least 40", with, without)
	}
}
