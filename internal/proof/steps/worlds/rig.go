package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/steps/meter"
)

// rig is an engine and a store that answers at once.
type rig struct {
	e        *engine.Engine
	now      time.Time
	kinds    []graph.KindInfo
	objects  map[graph.Key]graph.Object // by place
	revision int
	unserved map[graph.Kind]bool
	labels   map[graph.Key]string
	answer   func(engine.Call) error // the error of a call, if not nil
	late     []engine.Call           // calls that are not answered
	keep     func(engine.Call) bool  // calls that are not answered, if not nil
	silent   bool                    // fences do not pass
}

// newRig returns a rig that has listed the objects, of these kinds and more.
func newRig(cfg ownergraph.Config, kinds []graph.KindInfo, objects []graph.Object) *rig {
	e, err := engine.New(ownergraph.Level2, cfg)
	if err != nil {
		panic(err)
	}
	r := &rig{e: e, now: time.Unix(1e9, 0), kinds: kinds, objects: map[graph.Key]graph.Object{}, unserved: map[graph.Kind]bool{}, labels: map[graph.Key]string{}}
	for _, o := range objects {
		r.revision++
		o.Version = graph.Version(fmt.Sprint(r.revision))
		r.objects[o.Place()] = o
	}
	r.see(graph.Event{Type: graph.KindsKnown, Kinds: kinds})
	r.list()
	return r
}

// list lists all kinds.
func (r *rig) list() {
	for _, k := range r.kinds {
		r.see(graph.Event{Type: graph.ListBegun, Kind: k.Kind})
	}
	for _, k := range sorted(r.objects) {
		r.see(graph.Event{Type: graph.Put, Object: r.objects[k]})
	}
	for _, k := range r.kinds {
		r.see(graph.Event{Type: graph.ListEnded, Kind: k.Kind})
	}
}

func (r *rig) see(ev graph.Event) {
	meter.Label(ev.Type.String())
	_ = r.e.Observe(r.now, ev) // an event may be refused
}

// put writes an object and shows it.
func (r *rig) put(o graph.Object) {
	r.revision++
	o.Version = graph.Version(fmt.Sprint(r.revision))
	r.objects[o.Place()] = o
	r.see(graph.Event{Type: graph.Put, Object: o})
}

// end removes an object and shows that.
func (r *rig) end(k graph.Key) {
	delete(r.objects, k.Place())
	r.see(graph.Event{Type: graph.Gone, Key: k})
}

// delete deletes an object as a user does.
func (r *rig) delete(k graph.Key, p graph.Propagation) {
	out, err := finalizer.Delete(r.objects[k.Place()], graph.DeleteOptions{Propagation: p}, graph.Background)
	r.commit(k, out, err)
}

func (r *rig) commit(k graph.Key, out finalizer.Outcome, err error) error {
	switch {
	case err != nil:
		return err
	case out.Effect == finalizer.Stored:
		r.put(out.Object)
	case out.Effect == finalizer.Removed:
		r.end(k)
	}
	return nil
}

var lanes = [...]engine.Lane{engine.LaneControl, engine.LaneHandler, engine.LaneStore}

// run lets the engine work, at most for a time of its own.
func (r *rig) run(span time.Duration) {
	for until := r.now.Add(span); ; {
		next := r.rest()
		if next.IsZero() || next.After(until) {
			r.now = until
			break
		}
		r.now = next
	}
	r.rest()
}

// rest lets the engine work until no call is left now. It returns the time of the next.
func (r *rig) rest() (next time.Time) {
	for idle := false; !idle; {
		idle, next = true, time.Time{}
		for _, lane := range lanes {
			meter.Label(lane.String())
			c, at := r.e.Next(r.now, lane)
			switch {
			case c.Type != engine.CallUnset:
				idle = false
				if r.keep != nil && r.keep(c) {
					r.late = append(r.late, c)
					break
				}
				r.complete(c)
			case at.IsZero():
			case !at.After(r.now):
				idle = false
			case next.IsZero() || at.Before(next):
				next = at
			}
		}
	}
	return next
}

// release answers the late calls.
func (r *rig) release() {
	late := r.late
	r.late, r.keep = nil, nil
	for _, c := range late {
		r.complete(c)
	}
}

// complete carries a call out, and shows its effects behind its result.
func (r *rig) complete(c engine.Call) {
	var res engine.Result
	if r.answer != nil {
		res.Err = r.answer(c)
	}
	before := func() {}
	if res.Err == nil {
		before = r.carryOut(c, &res)
	}
	meter.Label(c.Type.String())
	if err := r.e.Done(r.now, c.ID, res); err != nil {
		panic(err)
	}
	before()
}

// carryOut carries a call out. It returns a function that shows the effects.
func (r *rig) carryOut(c engine.Call, res *engine.Result) (show func()) {
	live, ok := r.objects[c.Key.Place()]
	show = func() {}
	switch c.Type {
	case engine.CallRead:
		if res.Object = live; !ok {
			res.Err = graph.ErrNotFound
		}
	case engine.CallPatch, engine.CallDelete:
		if !ok {
			res.Err = graph.ErrNotFound
			return show
		}
		var out finalizer.Outcome
		if c.Type == engine.CallDelete {
			out, res.Err = finalizer.Delete(live, c.Options, graph.Background)
		} else {
			out, res.Err = finalizer.Patch(live, c.Precondition, c.Change)
		}
		err := res.Err
		return func() { _ = r.commit(c.Key, out, err) }
	case engine.CallFence:
		res.Fence = uint64(c.ID)
		return func() { r.pass(res.Fence) }
	case engine.CallList:
		return func() {
			if c.Kind == "" {
				r.see(graph.Event{Type: graph.KindsKnown, Kinds: r.kinds})
				return
			}
			r.relist(c.Kind)
		}
	case engine.CallHandle:
		res.Err = errors.New("not now")
	case engine.CallJudge:
		res.Verdict, res.Err = ownergraph.Judge(context.Background(), r.e, c)
	case engine.CallSelect:
		for _, k := range sorted(r.objects) {
			if v, ok := r.labels[k]; ok {
				o := r.objects[k]
				res.Selected.Objects = append(res.Selected.Objects, graph.LabelMatch{Key: o.Key, Version: o.Version, Value: v})
			}
		}
	}
	return show
}

// pass reports that all kinds have passed a fence.
func (r *rig) pass(fence uint64) {
	if r.silent {
		return
	}
	r.see(graph.Event{Type: graph.FencePassed, Fence: fence})
	for _, k := range r.kinds {
		r.see(graph.Event{Type: graph.FencePassed, Kind: k.Kind, Fence: fence})
	}
}

// relist lists one kind anew.
func (r *rig) relist(kind graph.Kind) {
	r.see(graph.Event{Type: graph.ListBegun, Kind: kind})
	for _, k := range sorted(r.objects) {
		if k.Kind == kind {
			r.see(graph.Event{Type: graph.Put, Object: r.objects[k]})
		}
	}
	r.see(graph.Event{Type: graph.ListEnded, Kind: kind})
}

// ask asks all questions that an engine answers under the lock of a Collector.
func (r *rig) ask(keys ...graph.Key) {
	meter.Label("")
	r.e.Stats()
	r.e.Held(10)
	r.e.Orders(10)
	r.e.Braked(10)
	r.e.Sweeps(10)
	r.e.Paused()
	r.e.Kinds()
	r.e.Idle()
	for _, k := range keys {
		_, _ = r.e.Explain(k)
	}
}
