package ownergraph

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
)

// TestRevokedAtOnce: the engine raises its revision before it does anything else about the
// cause of a revocation, since a rewind walks the whole graph. Here that walk panics.
func TestRevokedAtOnce(t *testing.T) {
	e, err := NewEngine(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	before := e.revision.Number()
	func() {
		defer func() { _ = recover() }()
		e.graph = nil
		e.rewind("restored")
		t.Error("the graph was not walked")
	}()
	if e.revision.Number() == before {
		t.Error("a rewind walks the graph before it revokes calls")
	}
	before = e.revision.Number()
	if e.fail("E0: made by the test"); e.revision.Number() == before {
		t.Error("an engine that broke revokes no calls")
	}
}

// panicking is deleting with an engine that panics over every result.
func panicking(t *testing.T, n int) (c *Collector, ids []CallID) {
	c, ids = deleting(t, n)
	c.engine.graph = nil
	return c, ids
}

// deleting returns a collector whose engine has handed out n deletes.
func deleting(t *testing.T, n int) (c *Collector, ids []CallID) {
	e, err := NewEngine(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1, 0)
	see := seeing(t, e, now)
	see(Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "p"}}})
	see(Event{Type: graph.ListBegun, Kind: "a"}, Event{Type: graph.ListBegun, Kind: "p"}, put("a/a#1"))
	for i := range n {
		see(put(fmt.Sprintf("p/%d#1 -> a/a", i)))
	}
	see(Event{Type: graph.ListEnded, Kind: "a"}, Event{Type: graph.ListEnded, Kind: "p"}, Event{Type: graph.Gone, Key: put("a/a#1").Object.Key})
	for range n {
		call, _ := e.Next(now, LaneStore)
		ids = append(ids, call.ID)
	}
	return drive(e, e.cfg.Config), ids
}

// exchanged leaves the result of a refused write in the prefetch, for a next call.
func exchanged(t *testing.T, c *Collector, id CallID) {
	t.Helper()
	c.prefetch.Fill(&Call{ID: 1000, Type: CallDelete})
	if _, ok := c.prefetch.Exchange(t.Context(), new([]Call), []completion{{id: id, result: Result{Err: graph.ErrRefused}}}, 1); !ok {
		t.Fatal("no exchange")
	}
}

// TestTakeResultsPanics: the engine panics over one of the results that wait. Then the
// calls of all these results are no longer under way, and the calls that their workers
// have begun are.
func TestTakeResultsPanics(t *testing.T) {
	c, ids := panicking(t, 4)
	c.lanes[LaneStore] = 2
	exchanged(t, c, ids[0])
	exchanged(t, c, ids[1])
	c.locked(func(*Engine, time.Time) {})
	e := c.engine
	under, want := e.calls.IDs(), []uint64{uint64(ids[2]), uint64(ids[3])}
	if e.Err() == nil || !slices.Equal(under, want) || c.lanes[LaneStore] != 2 {
		t.Errorf("%v; %v are under way, %d in the lane; want calls %v, and 2", e.Err(), under, c.lanes[LaneStore], want)
	}
}

// TestCompletesAsTakeResultsPanics: a call completes even if the engine panics over the
// result of another call in the same moment.
func TestCompletesAsTakeResultsPanics(t *testing.T) {
	c, ids := panicking(t, 2)
	c.lanes[LaneStore] = 1
	exchanged(t, c, ids[0])
	c.complete(t.Context(), &worker{calls: []Call{{ID: ids[1], Type: CallDelete}}, done: []completion{{id: ids[1]}}})
	if e := c.engine; e.Err() == nil || e.calls.Len() > 0 || c.lanes[LaneStore] != 0 {
		t.Errorf("%v; %v are under way, %d in the lane, want none", e.Err(), e.calls.IDs(), c.lanes[LaneStore])
	}
}

// TestResultPause: while calls are prefetched, workers leave results without a word to the
// dispatch loop. All of them may hang in their next calls, so the loop looks soon.
func TestResultPause(t *testing.T) {
	c, _ := deleting(t, 3)
	now := c.engine.now
	c.lanes[LaneStore] = c.pace.Limit()
	if at := c.take(t.Context(), now, turn{}); !at.After(now.Add(resultPause)) {
		t.Errorf("the next turn is after %v, and no call is prefetched", at.Sub(now))
	}
	c.prefetch.Fill(&Call{ID: 1000, Type: CallDelete})
	if at := c.take(t.Context(), now, turn{}); !at.Equal(now.Add(resultPause)) {
		t.Errorf("the next turn is after %v, want %v", at.Sub(now), resultPause)
	}
}

// answers is a store that answers each delete as a test says.
type answers struct {
	Store
	answer func(ctx context.Context) error
}

func (s answers) Delete(ctx context.Context, _ Key, _ DeleteOptions) error { return s.answer(ctx) }

// TestTimeoutIsSilent: a call that its timeout has ended shows the load of the store.
func TestTimeoutIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, ids := deleting(t, 1)
		c.store = answers{answer: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		c.epoch = time.Now()
		w := &worker{calls: []Call{{ID: ids[0], Type: CallDelete, Timeout: time.Second}}, done: []completion{{id: ids[0]}}}
		x := &w.done[0]
		if c.do(t.Context(), w); x.ended.Outcome != run.OutcomeSilent {
			t.Errorf("%v is %v, want %v", x.result.Err, x.ended.Outcome, run.OutcomeSilent)
		}
	})
}

// TestShutDownPanics: the engine panics as the shutdown gives calls back. The idle workers
// end all the same.
func TestShutDownPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, ids := panicking(t, 2)
		c.cfg.ShutdownTimeout = time.Second
		c.prefetch.Fill(&Call{ID: ids[1], Type: CallDelete})
		c.work.Go(func() { c.workLoop(t.Context(), &worker{}) })
		if err := c.shutDown(); err != nil {
			t.Errorf("shut down: %v", err)
		}
	})
}

// TestEndedWorkerIsNotIdle: a worker whose call has ended its goroutine is no idle one.
func TestEndedWorkerIsNotIdle(t *testing.T) {
	c, ids := deleting(t, maxResting+1)
	c.store = answers{answer: func(context.Context) error { runtime.Goexit(); return nil }}
	c.epoch = time.Now()
	ended, stop := context.WithCancel(t.Context())
	stop() // no turn hands out another call
	for _, id := range ids {
		c.lanes[LaneStore]++
		c.work.Go(func() { c.workLoop(ended, &worker{calls: []Call{{ID: id, Type: CallDelete}}}) })
		c.work.Wait()
	}
	if c.resting != 0 {
		t.Errorf("%d workers that have ended count as idle", c.resting)
	}
}
