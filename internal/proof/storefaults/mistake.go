package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// The mistakes that tests plant into a store. The rounds have to find them.
const (
	// unknownIsConflict and unknownIsAbsent turn an unknown outcome into a definite one.
	unknownIsConflict = "unknown-is-conflict"
	unknownIsAbsent   = "unknown-is-absent"
	// refusedIsDone turns a deletion that was not carried out into one that is done.
	refusedIsDone = "refused-is-done"
	// watchLies makes the watch of the collectors report the end of objects that live.
	watchLies = "watch-lies"
	// getLies makes a failed read of the collectors answer that the object is not there, and
	// the watch hides owners from them.
	getLies = "get-lies"
	// policiesUnset makes the collectors read each policy as unset, as a former version does.
	policiesUnset = "policies-unset"
)

// mistakenClient is a client with a mistake.
type mistakenClient struct {
	client
	bug string
}

// mistaken plants a mistake into the store of users.
func mistaken(c client, bug string) client {
	switch bug {
	case unknownIsConflict, unknownIsAbsent, refusedIsDone:
		return &mistakenClient{c, bug}
	}
	return c
}

func (m *mistakenClient) create(ctx context.Context, o graph.Object, payload bool) (graph.Object, error) {
	made, err := m.client.create(ctx, o, payload)
	if m.bug == unknownIsConflict && judge.OutcomeOf(err) == judge.Unknown {
		err = fmt.Errorf("create: %w", graph.ErrConflict)
	}
	return made, err
}

func (m *mistakenClient) Delete(ctx context.Context, key graph.Key, o graph.DeleteOptions) error {
	err := m.client.Delete(ctx, key, o)
	outcome := judge.OutcomeOf(err)
	switch {
	case m.bug == unknownIsAbsent && outcome == judge.Unknown:
		return fmt.Errorf("delete: %w", graph.ErrNotFound)
	case m.bug == refusedIsDone && outcome == judge.Refused:
		return nil
	}
	return err
}

// lying plants a mistake into the store of collectors.
func lying(s ownergraph.Store, bug string) ownergraph.Store {
	switch bug {
	case watchLies:
		return &liar{Store: s}
	case getLies:
		return &liar{Store: s, hides: true}
	case policiesUnset:
		return &forgetful{s}
	}
	return s
}

// liar is a store whose watch or reads tell the collectors something wrong.
type liar struct {
	ownergraph.Store
	hides bool
}

func (l *liar) Unwrap() ownergraph.Store { return l.Store }

// Get answers a failed read as if there were no object.
func (l *liar) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	o, err := l.Store.Get(ctx, key)
	if err != nil && l.hides {
		err = fmt.Errorf("get: %w", graph.ErrNotFound)
	}
	return o, err
}

// Watch adds the end of a bucket to its state, or hides every bucket.
func (l *liar) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	return l.Store.Watch(ctx, func(batch []graph.Event) error {
		var out []graph.Event
		for _, e := range batch {
			bucket := e.Type == graph.Put && e.Object.Kind == kindBucket
			if bucket && l.hides {
				continue
			}
			out = append(out, e)
			if bucket {
				out = append(out, graph.Event{Type: graph.Gone, Key: e.Object.Key})
			}
		}
		return sink(out)
	})
}

// forgetful is a store whose watch and reads show the collectors no policy.
type forgetful struct{ ownergraph.Store }

func (f *forgetful) Unwrap() ownergraph.Store { return f.Store }

func withoutPolicies(o graph.Object) graph.Object {
	o = o.Clone()
	for i := range o.Owners {
		o.Owners[i].OnDelete = graph.OnDeleteUnset
	}
	return o
}

// Get forgets the policies of the object.
func (f *forgetful) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	o, err := f.Store.Get(ctx, key)
	return withoutPolicies(o), err
}

// Watch forgets the policies of all objects.
func (f *forgetful) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	return f.Store.Watch(ctx, func(batch []graph.Event) error {
		out := slices.Clone(batch)
		for i := range out {
			out[i].Object = withoutPolicies(out[i].Object)
		}
		return sink(out)
	})
}
