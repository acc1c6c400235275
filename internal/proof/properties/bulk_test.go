package properties

import (
	"strconv"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// bulk drives one engine over a store of any size, since package world copies too
// much. Events come in the order of their commits. Calls complete in the order in
// which the engine handed them out. bulk measures the largest step of the engine.
type bulk struct {
	t       testing.TB
	engine  *engine.Engine
	workers int
	lag     int // events delivered in a round, 0 for all
	kinds   []graph.KindInfo
	objects map[graph.Key]graph.Object // by place
	commits int
	events  []graph.Event
	calls   []engine.Call
	now     time.Time
	turns   int // calls of Next
	largest load
	stats   engine.Stats // after the last step
	// before, if set, runs before each write. Its error refuses the write.
	before func(engine.Call) error
}

// load is the work of one Observe, Next or Done.
type load struct {
	decisions, queued, gone int // the growth
	keys                    int // in the queue after it
}

func newBulk(t testing.TB, workers int, objects []graph.Object) *bulk {
	t.Helper()
	return newBulkWith(t, ownergraph.Config{}, workers, objects)
}

func newBulkWith(t testing.TB, cfg ownergraph.Config, workers int, objects []graph.Object) *bulk {
	t.Helper()
	e, err := engine.New(ownergraph.Level2, cfg)
	if err != nil {
		t.Fatal(err)
	}
	b := &bulk{t: t, engine: e, workers: workers, now: time.Unix(0, 0).UTC(), objects: map[graph.Key]graph.Object{}, stats: e.Stats()}
	seen := map[graph.Kind]bool{}
	for _, o := range objects {
		if !seen[o.Kind] {
			b.kinds = append(b.kinds, graph.KindInfo{Kind: o.Kind, Scoped: o.Scope != ""})
		}
		seen[o.Kind] = true
		o.Version = b.version()
		b.objects[o.Place()] = o
	}
	return b
}

func (b *bulk) version() graph.Version {
	b.commits++
	return graph.Version(strconv.Itoa(b.commits))
}

// list lets the engine observe all objects of the store in the given order.
func (b *bulk) list(objects []graph.Object) {
	b.observe(graph.Event{Type: graph.KindsKnown, Kinds: b.kinds})
	for _, k := range b.kinds {
		b.observe(graph.Event{Type: graph.ListBegun, Kind: k.Kind})
	}
	for _, o := range objects {
		if live, ok := b.objects[o.Place()]; ok {
			b.observe(graph.Event{Type: graph.Put, Object: live})
		}
	}
	for _, k := range b.kinds {
		b.observe(graph.Event{Type: graph.ListEnded, Kind: k.Kind})
	}
}

// watched returns a bulk whose engine has observed all objects and is idle.
func watched(t testing.TB, workers int, objects []graph.Object) *bulk {
	t.Helper()
	b := newBulk(t, workers, objects)
	b.list(objects)
	b.run()
	return b
}

// step runs one call of the engine and measures it. Only steps change the engine, so each one
// counts once.
func (b *bulk) step(f func()) {
	before := b.stats
	f()
	after := b.engine.Stats()
	b.stats = after
	b.largest.decisions = max(b.largest.decisions, int(after.Decisions-before.Decisions))
	b.largest.queued = max(b.largest.queued, after.ByStatus.Of(engine.StatusQueued)-before.ByStatus.Of(engine.StatusQueued))
	b.largest.gone = max(b.largest.gone, before.Objects-after.Objects)
	b.largest.keys = max(b.largest.keys, after.ByStatus.Of(engine.StatusQueued))
}

func (b *bulk) observe(ev graph.Event) {
	b.step(func() {
		if err := b.engine.Observe(b.now, ev); err != nil {
			b.t.Fatal(err)
		}
	})
}

// commit makes an outcome the state of the store and reports it.
func (b *bulk) commit(out finalizer.Outcome, err error) error {
	switch out.Effect {
	case finalizer.Stored:
		out.Object.Version = b.version()
		b.objects[out.Object.Place()] = out.Object
		b.events = append(b.events, graph.Event{Type: graph.Put, Object: out.Object})
	case finalizer.Removed:
		delete(b.objects, out.Object.Place())
		b.events = append(b.events, graph.Event{Type: graph.Gone, Key: out.Object.Key})
	}
	return err
}

// remove lets a user delete an object.
func (b *bulk) remove(k graph.Key, p graph.Propagation) {
	b.t.Helper()
	opts := graph.DeleteOptions{Propagation: p}
	if err := b.commit(finalizer.Delete(b.objects[k.Place()], opts, graph.Background)); err != nil {
		b.t.Fatal(err)
	}
}

// touch lets a user write an object without a change.
func (b *bulk) touch(k graph.Key) {
	_ = b.commit(finalizer.Outcome{Effect: finalizer.Stored, Object: b.objects[k.Place()]}, nil)
}

// answer carries out a call and returns its result.
func (b *bulk) answer(c engine.Call) (r engine.Result) {
	live, ok := b.objects[c.Key.Place()]
	switch {
	case c.Type == engine.CallFence:
		for _, k := range b.kinds {
			b.events = append(b.events, graph.Event{Type: graph.FencePassed, Kind: k.Kind, Fence: uint64(c.ID)})
		}
		b.events = append(b.events, graph.Event{Type: graph.FencePassed, Fence: uint64(c.ID)})
		r.Fence = uint64(c.ID)
		return r
	case !ok:
		r.Err = graph.ErrNotFound
		return r
	case c.Type == engine.CallRead:
		r.Object = live.Clone()
		return r
	}
	if b.before != nil {
		if r.Err = b.before(c); r.Err != nil {
			return r
		}
		live = b.objects[c.Key.Place()]
	}
	if c.Type == engine.CallDelete {
		r.Err = b.commit(finalizer.Delete(live, c.Options, graph.Background))
	} else {
		r.Err = b.commit(finalizer.Patch(live, c.Precondition, c.Change))
	}
	return r
}

// issue takes calls of every lane until the workers are busy.
func (b *bulk) issue() bool {
	took := false
	for _, lane := range [...]engine.Lane{engine.LaneControl, engine.LaneStore} {
		for len(b.calls) < b.workers {
			var c engine.Call
			var at time.Time
			b.step(func() { c, at = b.engine.Next(b.now, lane) })
			b.turns++
			if c.Type == engine.CallUnset {
				if at.IsZero() || at.After(b.now) {
					break
				}
				continue
			}
			b.calls = append(b.calls, c)
			took = true
		}
	}
	return took
}

// round delivers the waiting events, and takes and completes calls.
func (b *bulk) round() bool {
	moved := len(b.events) > 0
	for n := 0; len(b.events) > 0 && (b.lag == 0 || n < b.lag); n++ {
		ev := b.events[0]
		b.events = b.events[1:]
		b.observe(ev)
	}
	moved = b.issue() || moved
	for _, c := range b.calls {
		r := b.answer(c)
		b.step(func() {
			if err := b.engine.Done(b.now, c.ID, r); err != nil {
				b.t.Fatal(err)
			}
		})
		moved = true
	}
	b.calls = b.calls[:0]
	return moved
}

// run runs rounds until the engine is idle.
func (b *bulk) run() {
	b.t.Helper()
	for {
		for b.round() {
		}
		if b.engine.Idle() {
			return
		}
		if !b.wait() {
			b.t.Fatal("neither idle nor waiting for a time")
		}
	}
}

// wait moves the time to the next one that the engine waits for.
func (b *bulk) wait() bool {
	var next time.Time
	for _, lane := range [...]engine.Lane{engine.LaneControl, engine.LaneStore} {
		if at, ok := probe.Wake(b.engine, lane); ok && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	b.now = next
	return !next.IsZero()
}
