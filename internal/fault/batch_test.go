package fault_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
)

// sizes returns the sizes of the first batches of a watch of many objects. The sink takes
// no second batch before the queue is full.
func sizes(t *testing.T, seed int) (sizes []int) {
	var objects []string
	for i := range 900 {
		objects = append(objects, fmt.Sprint("x/x", i))
	}
	in(t, func(t *testing.T) {
		r := onto(t, fmt.Sprintf("seed=%d", seed), strings.Join(objects, "; "), fault.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		full := make(chan struct{})
		go r.Watch(ctx, func(batch []graph.Event) error {
			if sizes = append(sizes, len(batch)); len(sizes) == 1 {
				<-full
			}
			return nil
		})
		synctest.Wait()
		close(full)
		synctest.Wait()
	})
	return sizes[1:8]
}

// TestBatches checks that the seed gives the size of each batch.
func TestBatches(t *testing.T) {
	var all []int
	for seed := range 8 {
		first := sizes(t, seed)
		if again := sizes(t, seed); !slices.Equal(again, first) {
			t.Errorf("seed %d: batches of %d, and then of %d", seed, first, again)
		}
		all = append(all, first...)
	}
	slices.Sort(all)
	if want := []int{1, 2, 4, 8, 16, 32, 64, 128}; !slices.Equal(slices.Compact(all), want) {
		t.Errorf("batches of %d, want %d", slices.Compact(all), want)
	}
}
