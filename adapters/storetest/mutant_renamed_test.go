package storetest

import (
	"context"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// renamed is a store that shows other UIDs and versions than the sound store under
// it.
type renamed struct {
	ownergraph.Store
	client Client
	// uid, version and object return the shown values. A nil function changes
	// nothing.
	uid     func(o ownergraph.Object) graph.UID
	version func(o ownergraph.Object) ownergraph.Version
	object  func(o ownergraph.Object) ownergraph.Object
}

// renaming wraps the store and its client in a renamed store.
func renaming(rules func(*renamed)) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		n := &renamed{Store: s.Store, client: s.Client}
		rules(n)
		s.Store, s.Client = n, &wrappedClient{Client: s.Client, create: n.create, update: n.update, delete: n.userDelete}
		return s
	}
}

func (n *renamed) Unwrap() ownergraph.Store { return n.Store }

func (n *renamed) show(o ownergraph.Object) ownergraph.Object {
	shown := o
	if n.uid != nil && o.UID != "" {
		shown.UID = n.uid(o)
	}
	if n.version != nil && o.Version != "" {
		shown.Version = n.version(o)
	}
	if n.object != nil {
		shown = n.object(shown)
	}
	return shown
}

// real returns the sound store's precondition for a precondition on shown values.
func (n *renamed) real(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition) ownergraph.Precondition {
	live, err := n.Store.Get(context.WithoutCancel(ctx), key)
	if err != nil {
		return pre
	}
	shown := n.show(live)
	if pre.UID == shown.UID {
		pre.UID = live.UID
	}
	if pre.Version == shown.Version {
		pre.Version = live.Version
	}
	return pre
}

func (n *renamed) Get(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
	o, err := n.Store.Get(ctx, key)
	return n.show(o), err
}

func (n *renamed) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
	return n.Store.Patch(ctx, key, n.real(ctx, key, pre), c)
}

func (n *renamed) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	opts.Precondition = n.real(ctx, key, opts.Precondition)
	return n.Store.Delete(ctx, key, opts)
}

func (n *renamed) Watch(ctx context.Context, sink func([]ownergraph.Event) error) error {
	return n.Store.Watch(ctx, func(batch []ownergraph.Event) error {
		shown := slices.Clone(batch)
		for i := range shown {
			switch e := &shown[i]; e.Type {
			case graph.Put:
				e.Object = n.show(e.Object)
			case graph.Gone:
				e.Key = n.show(ownergraph.Object{Key: e.Key}).Key
			}
		}
		return sink(shown)
	})
}

func (n *renamed) create(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	o, err := n.client.Create(ctx, o)
	return n.show(o), err
}

func (n *renamed) update(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	pre := n.real(ctx, o.Key, exact(o))
	o.UID, o.Version = pre.UID, pre.Version
	o, err := n.client.Update(ctx, o)
	return n.show(o), err
}

func (n *renamed) userDelete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	opts.Precondition = n.real(ctx, key, opts.Precondition)
	return n.client.Delete(ctx, key, opts)
}
