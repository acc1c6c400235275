package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

var errRewound = errors.New("history went backwards") // so no proof counts (R5)

// controller collects the garbage of a store. One goroutine at a time may use it.
type controller struct {
	store       ownergraph.Store
	fencer      ownergraph.Fencer // nil at level 1
	graph       *graph.Graph      // the note of a node is the moment of its version, or of its end
	keys        *queue.Queue[graph.Key]
	fence       policy.Fence
	token       uint64 // of the fence under way, 0 for none
	passed      map[graph.Kind]bool
	wrote       func(graph.Key, policy.Decision)
	last, began policy.Moment // the newest moment, and that of the fence under way
}

func newController(store ownergraph.Store, wrote func(graph.Key, policy.Decision)) *controller {
	fencer, exact := ownergraph.As[ownergraph.Fencer](store)
	return &controller{store: store, fencer: fencer, graph: graph.New(graph.Config{}),
		keys: queue.New(queue.Config[graph.Key]{}), fence: policy.Fence{Exact: exact}, wrote: wrote}
}

func (c *controller) now() policy.Moment { c.last++; return c.last }

// observe takes an event of the watch. After an error the controller is of no use.
func (c *controller) observe(e graph.Event) error {
	d, err := c.graph.Apply(e)
	if err != nil {
		return err
	}
	switch e.Type {
	case graph.Put:
		c.changed(e.Object.Key, d)
	case graph.Gone:
		c.changed(e.Key, d)
	case graph.FencePassed:
		if c.token == 0 || e.Fence != c.token {
			break
		}
		if c.passed[e.Kind] = true; c.graph.IsFenced(c.passed) {
			c.token, c.fence.Passed = 0, c.began
		}
	case graph.ListEnded:
		for _, k := range c.graph.EndListing(e.Kind) {
			err = errors.Join(err, c.observe(graph.Event{Type: graph.Gone, Key: k}))
		}
	}
	if d.Resurrected || e.Type == graph.Rewound && c.last > 0 {
		return errRewound
	} else if e.Type == graph.ListEnded || e.Type == graph.KindsKnown || e.Type == graph.KindVanished {
		c.token = 0 // a fence under way need not pass a new kind
		for n := range c.graph.Nodes() {
			c.keys.Add(n.Key(), queue.Low)
		}
	}
	return err
}

// changed adds the objects whose decision the change of an object may change.
func (c *controller) changed(key graph.Key, d graph.Delta) {
	if n, ok := c.graph.Lookup(key); ok && d.Version {
		c.graph.SetNote(n.ID(), uint64(c.now()))
		c.keys.Add(key, queue.Normal)
	}
	if d.Class {
		for dep := range c.graph.DependentsByUID(key.UID) {
			c.keys.Add(dep.Key(), queue.Normal)
		}
	}
	for _, id := range d.Owners {
		c.keys.Add(c.graph.Node(id).Key(), queue.High)
	}
}

// step decides on the next object and carries the decision out. It reports whether there was one.
func (c *controller) step(ctx context.Context, now time.Time) (worked bool, err error) {
	key, ok := c.keys.Next(now)
	if !ok {
		return false, nil
	}
	defer c.keys.Done(key)
	n, ok := c.graph.Lookup(key)
	if !ok || n.State() != graph.Observed {
		c.keys.Drop(key)
		return true, nil
	}
	d, fence := c.decide(ctx, n)
	again := fence || d.Action == policy.Verify || d.Reason == policy.NeedWatch
	switch w, _ := d.Change(n.Object()); w.Type {
	case graph.WriteDelete:
		err = c.store.Delete(ctx, w.Key, w.Options)
	case graph.WritePatch:
		err = c.store.Patch(ctx, w.Key, w.Precondition, w.Change)
	default:
		if fence && c.token == 0 && c.fencer != nil {
			c.began, c.passed = c.now(), map[graph.Kind]bool{}
			c.token, _ = c.fencer.Fence(ctx) // 0 with an error
		}
	}
	switch {
	case errors.Is(err, graph.ErrConflict), errors.Is(err, graph.ErrNotFound), errors.Is(err, graph.ErrRefused):
		again, err = true, nil // the watch will show the object that the store has
	case err != nil: // the outcome is unknown, which may be the first sign of a restore (R5)
		return true, fmt.Errorf("%s %s: %w", d.Action, key, err)
	case d.Action.Writes():
		c.wrote(key, d)
	}
	if again {
		c.keys.Retry(key, queue.Low, now)
	} else {
		c.keys.Forget(key)
	}
	return true, nil
}

// decide decides on an object. It reports whether the object waits for a fence.
func (c *controller) decide(ctx context.Context, n graph.Node) (d policy.Decision, fence bool) {
	f := policy.FactsOf(n)
	if f.Fence = c.fence; c.fencer == nil && c.graph.IsListed() {
		f.Fence.Released = c.now() // best effort at level 1
	}
	known := func(n graph.Node) policy.Moment { return policy.Moment(c.graph.Note(n.ID())) }
	f.AddMoments(n, known)
	ringed := f.AddRing(n, known)
	for tries := 0; ; tries++ { // the second reads are for R2, one instant
		d = policy.Decide(&f, policy.Settings{}, nil)
		if d.Action != policy.Verify || tries == 2 {
			return d, ringed || d.Reason == policy.NeedFence
		}
		for _, i := range d.Owners {
			o, _ := policy.OwnerOf(n, i)
			began := c.now()
			object, err := c.store.Get(ctx, o.Key())
			_ = f.AddRead(n, i, policy.Read{Began: began, Done: c.now(), Object: object, Err: err}) // R8
		}
	}
}
