package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
)

// nodes returns the notation of a number of nodes.
func nodes(n int) string {
	var objects []string
	for i := range n {
		objects = append(objects, fmt.Sprintf("node/n%04d@n%04d#%d", i, i, i+1))
	}
	return strings.Join(objects, "; ")
}

// TestBatches: a batch has all that is due at one moment, up to a bound.
func TestBatches(t *testing.T) {
	for _, c := range []struct {
		objects, writes int
		want            []int
		reason          string
	}{
		{0, 0, []int{5}, "the kinds and two listings are due at once"},
		{0, 1, []int{5, 3}, "a change comes with the progress of both kinds"},
		{0, maxChanges, []int{5, maxChanges + 2}, "so do the changes that came while the sink was busy"},
		{0, maxChanges + 1, []int{5, maxChanges + 2, 3}, "more of them are for the next round"},
		{maxBatch - 5, 0, []int{maxBatch}, "a listing may fill a batch"},
		{maxBatch, 0, []int{maxBatch, 5}, "a larger listing has several batches"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStore(t, nodes(c.objects), 0)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var got []int
			go s.Watch(ctx, func(batch []graph.Event) error {
				if got = append(got, len(batch)); len(got) == 1 {
					for i := range c.writes {
						put(t, s, fmt.Sprint("node/w", i))
					}
				}
				return nil
			})
			synctest.Wait()
			if !slices.Equal(got, c.want) {
				t.Errorf("batches of %d, want %d: %s", got, c.want, c.reason)
			}
		})
	}
}

// TestBatchEndsWatch: nothing comes after the batch at which the context ended or the
// sink failed.
func TestBatchEndsWatch(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		last   int
		cancel bool
		want   error
		reason string
	}{
		{1, true, context.Canceled, "the context ended in the first batch of a listing"},
		{2, true, context.Canceled, "the context ended in the second batch"},
		{2, false, failed, "the sink failed at the second batch"},
	} {
		s := newStore(t, nodes(3*maxBatch), 0)
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		err := s.Watch(ctx, func([]graph.Event) error {
			switch calls++; {
			case calls < c.last:
				return nil
			case c.cancel:
				cancel()
				return nil
			}
			return failed
		})
		cancel()
		if !errors.Is(err, c.want) || calls != c.last {
			t.Errorf("Watch: %v after %d calls, want %v after %d: %s", err, calls, c.want, c.last, c.reason)
		}
	}
}

// TestBatchIsCleared: the array of the batches keeps no object alive while the watch is
// idle.
func TestBatchIsCleared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nodes(10), 0)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var kept []graph.Event // no sink may do so
		go s.Watch(ctx, func(batch []graph.Event) error { kept = batch; return nil })
		synctest.Wait()
		if len(kept) != 15 || slices.ContainsFunc(kept, func(e graph.Event) bool { return e.Type != 0 || e.Object.Name != "" }) {
			t.Errorf("%d events, want 15 cleared ones: %v", len(kept), kept)
		}
	})
}
