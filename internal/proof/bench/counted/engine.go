package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// batch is the number of events after which an engine decides.
const batch = 256

// rig is an engine at a time that stands still.
type rig struct {
	engine *engine.Engine
	now    time.Time
	events int
	calls  int
}

// newRig returns an engine that has heard of all kinds and of the begin of their listings.
func newRig() (*rig, error) {
	e, err := engine.New(ownergraph.Level2, ownergraph.Config{})
	if err != nil {
		return nil, err
	}
	r := &rig{engine: e, now: time.Unix(1e9, 0)}
	err = r.observe(graph.Event{Type: graph.KindsKnown, Kinds: kinds()})
	for _, k := range kinds() {
		if err == nil {
			err = r.observe(graph.Event{Type: graph.ListBegun, Kind: k.Kind})
		}
	}
	return r, err
}

// observe takes an event, and decides after some of them.
func (r *rig) observe(ev graph.Event) error {
	if err := r.engine.Observe(r.now, ev); err != nil {
		return err
	}
	if r.events++; r.events%batch > 0 {
		return nil
	}
	return r.decide()
}

// decide makes all decisions. It carries out the deletes at once.
func (r *rig) decide() error {
	for {
		c, at := r.engine.Next(r.now, engine.LaneStore)
		switch {
		case c.Type == engine.CallDelete:
			r.calls++
			if err := r.engine.Done(r.now, c.ID, engine.Result{}); err != nil {
				return err
			}
			if err := r.engine.Observe(r.now, graph.Event{Type: graph.Gone, Key: c.Key}); err != nil {
				return err
			}
		case c.ID != 0:
			return fmt.Errorf("engine: %s %s: only deletes are called for", c.Type, c.Key)
		case at.IsZero() || at.After(r.now):
			return r.engine.Err()
		}
	}
}

// list puts the objects, ends the listings and decides.
func (r *rig) list(objects []graph.Object) error {
	for i := range objects {
		if err := r.observe(graph.Event{Type: graph.Put, Object: objects[i]}); err != nil {
			return err
		}
	}
	for _, k := range kinds() {
		if err := r.observe(graph.Event{Type: graph.ListEnded, Kind: k.Kind}); err != nil {
			return err
		}
	}
	return r.decide()
}

// has checks the number of objects, and that of the calls so far.
func (r *rig) has(objects, calls int) error {
	if n := r.engine.Stats().Objects; n != objects || r.calls != calls {
		return fmt.Errorf("end state: %d objects, want %d; %d deletes, want %d", n, objects, r.calls, calls)
	}
	return nil
}

// listed returns an engine that has decided about the objects.
func listed(objects []graph.Object) (*rig, error) {
	r, err := newRig()
	if err != nil {
		return nil, err
	}
	return r, r.list(objects)
}

// listingRow lists as many trees as there is work, owners first.
func listingRow(size, work int) error { return list(trees(size)[:work*treeSize]) }

// mixedRow lists dependents before their owners.
func mixedRow(size, work int) error {
	objects := trees(size)
	slices.Reverse(objects)
	return list(objects[:work*treeSize])
}

func list(objects []graph.Object) error {
	r, err := listed(objects)
	if err != nil {
		return err
	}
	return r.has(len(objects), 0)
}

// updateRow gives new versions to the objects of as many trees as there is work, and no
// other change.
func updateRow(size, work int) error {
	objects := trees(size)
	r, err := listed(objects)
	if err != nil {
		return err
	}
	for i := range objects {
		objects[i].Version = graph.Version(fmt.Sprint(len(objects) + i + 1))
	}
	for i := range work * treeSize {
		if err := r.observe(graph.Event{Type: graph.Put, Object: objects[mixed(i, len(objects))]}); err != nil {
			return err
		}
	}
	if err := r.decide(); err != nil {
		return err
	}
	return r.has(len(objects), 0)
}

// cascadeRow ends as many roots as there is work, and carries out the deletes that follow.
func cascadeRow(size, work int) error {
	objects := trees(size)
	r, err := listed(objects)
	if err != nil {
		return err
	}
	for i := range work {
		if err := r.observe(graph.Event{Type: graph.Gone, Key: objects[i*treeSize].Key}); err != nil {
			return err
		}
	}
	if err := r.decide(); err != nil {
		return err
	}
	return r.has(len(objects)-work*treeSize, work*(treeSize-1))
}
