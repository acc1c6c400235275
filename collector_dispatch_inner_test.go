package ownergraph

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/proof/rig"
	"github.com/ownergraph/ownergraph/internal/run"
)

// explosive is an error of a store that panics over every question.
type explosive struct{}

func (explosive) Error() string { return "explosive" }

func (explosive) Is(error) bool { panic("made by the test") }

// deleting returns a collector whose engine has handed out n deletes.
func deleting(t *testing.T, n int) (c *Collector, calls []engine.Call) {
	e, err := engine.New(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	now, objects := rig.Now(), []Object{rig.Put("a/a#1").Object}
	for i := range n {
		objects = append(objects, rig.Put(fmt.Sprintf("p/%d#1 -> a/a", i)).Object)
	}
	rig.Observe(t, e, append(rig.Listing([]KindInfo{{Kind: "a"}, {Kind: "p"}}, objects), rig.Gone("a/a"))...)
	for range n {
		call, _ := e.Next(now, engine.LaneStore)
		calls = append(calls, call)
	}
	return drive(e), calls
}

// exchanged leaves the result of a write in the prefetch, for a next call. The engine panics over it.
func exchanged(t *testing.T, c *Collector, id engine.CallID) {
	t.Helper()
	c.prefetch.Fill(&engine.Call{ID: 1000, Type: engine.CallDelete})
	if _, ok := c.prefetch.Exchange(t.Context(), new([]engine.Call), []completion{{id: id, result: engine.Result{Err: explosive{}}}}, 1); !ok {
		t.Fatal("no exchange")
	}
}

// TestTakeResultsPanics: the engine panics over one of the results that wait. Then the
// calls of all these results are no longer under way, and the calls that their workers
// have begun are.
func TestTakeResultsPanics(t *testing.T) {
	c, calls := deleting(t, 4)
	c.lanes[engine.LaneStore] = 2
	exchanged(t, c, calls[0].ID)
	exchanged(t, c, calls[1].ID)
	c.locked(func(engine.Driver, time.Time) {})
	e := c.engine
	under, want := e.UnderWay(), []string{calls[2].String(), calls[3].String()}
	slices.Sort(want)
	if e.Err() == nil || !slices.Equal(under, want) || c.lanes[engine.LaneStore] != 2 {
		t.Errorf("%v; %v are under way, %d in the lane; want calls %v, and 2", e.Err(), under, c.lanes[engine.LaneStore], want)
	}
}

// TestCompletesAsTakeResultsPanics: a call completes even if the engine panics over the
// result of another call in the same moment.
func TestCompletesAsTakeResultsPanics(t *testing.T) {
	c, calls := deleting(t, 2)
	c.lanes[engine.LaneStore] = 1
	exchanged(t, c, calls[0].ID)
	c.complete(t.Context(), &worker{calls: []engine.Call{calls[1]}, done: []completion{{id: calls[1].ID}}})
	if e := c.engine; e.Err() == nil || len(e.UnderWay()) > 0 || c.lanes[engine.LaneStore] != 0 {
		t.Errorf("%v; %v are under way, %d in the lane, want none", e.Err(), e.UnderWay(), c.lanes[engine.LaneStore])
	}
}

// TestResultPause: while calls are prefetched, workers leave results without a word to the
// dispatch loop. All of them may hang in their next calls, so the loop looks soon.
func TestResultPause(t *testing.T) {
	c, _ := deleting(t, 3)
	now := c.engine.Now()
	c.lanes[engine.LaneStore] = c.pace.Limit()
	if at := c.runTurn(t.Context(), now, turn{}); !at.After(now.Add(resultPause)) {
		t.Errorf("the next turn is after %v, and no call is prefetched", at.Sub(now))
	}
	c.prefetch.Fill(&engine.Call{ID: 1000, Type: engine.CallDelete})
	if at := c.runTurn(t.Context(), now, turn{}); !at.Equal(now.Add(resultPause)) {
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
		c, calls := deleting(t, 1)
		c.store = answers{answer: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		c.epoch = time.Now()
		w := &worker{calls: []engine.Call{{ID: calls[0].ID, Type: engine.CallDelete, Timeout: time.Second}}, done: []completion{{id: calls[0].ID}}}
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
		c, calls := deleting(t, 2)
		c.engine.Engine = nil
		c.cfg.ShutdownTimeout = time.Second
		c.prefetch.Fill(&calls[1])
		c.work.Go(func() { c.workLoop(t.Context(), &worker{}) })
		if err := c.shutDown(); err != nil {
			t.Errorf("shut down: %v", err)
		}
	})
}

// TestEndedWorkerIsNotIdle: a worker whose call has ended its goroutine is no idle one.
func TestEndedWorkerIsNotIdle(t *testing.T) {
	c, calls := deleting(t, maxResting+1)
	c.store = answers{answer: func(context.Context) error { runtime.Goexit(); return nil }}
	c.epoch = time.Now()
	ended, stop := context.WithCancel(t.Context())
	stop() // no turn hands out another call
	for _, call := range calls {
		c.lanes[engine.LaneStore]++
		c.work.Go(func() { c.workLoop(ended, &worker{calls: []engine.Call{call}}) })
		c.work.Wait()
	}
	if c.resting != 0 {
		t.Errorf("%d workers that have ended count as idle", c.resting)
	}
}
