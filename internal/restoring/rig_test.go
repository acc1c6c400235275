package restoring_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/restoring"
)

// rig is a store without an engine, and a graph that each fence builds anew. A test makes the steps of the engine and of
// other users, in the calls of the restore.
type rig struct {
	*memory.Store
	t *testing.T
	g *graph.Graph

	observed func(n int) // before the n-th fence passes, from 1
	after    func(n int) // after it has passed
	restore  func(n int) error
	fences   int
	calls    int
	progress []archive.Progress
}

func newRig(t *testing.T, objects string, strict bool) *rig {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	s, err := memory.New(memory.Config{Kinds: []graph.KindInfo{{Kind: "k"}}, Objects: list, UIDPrefix: "new-", Strict: strict, Archive: &archive.Config{}})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{Store: s, t: t}
}

func (r *rig) ok(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) key(name string) graph.Key { return graph.Key{Kind: "k", Name: name} }

// uid returns the UID of the living object.
func (r *rig) uid(name string) graph.UID {
	r.t.Helper()
	o, err := r.Get(r.t.Context(), r.key(name))
	r.ok(err)
	return o.UID
}

// userDeletes and engineDeletes delete objects.
func (r *rig) userDeletes(names ...string) { r.deletes(nil, names) }

func (r *rig) engineDeletes(names ...string) { r.deletes(&graph.Cause{}, names) }

func (r *rig) deletes(cause *graph.Cause, names []string) {
	r.t.Helper()
	for _, name := range names {
		r.ok(r.Delete(r.t.Context(), r.key(name), graph.DeleteOptions{Propagation: graph.Background, Cause: cause}))
	}
}

// comesBack is another restore of one object, to the owner r.
func (r *rig) comesBack(name string) {
	r.t.Helper()
	item := archive.Item{UID: graph.UID("k/" + name), Name: name}
	if name != "r" {
		item.Owners = []graph.Owner{{Key: graph.Key{Kind: "k", Name: "r", UID: r.uid("r")}}}
	}
	_, err := r.Store.RestoreEntries(r.t.Context(), []archive.Item{item})
	r.ok(err)
}

func (r *rig) creates(text string) {
	r.t.Helper()
	list, err := graph.Parse(text)
	r.ok(err)
	for _, o := range list {
		o.UID = ""
		_, err := r.Create(r.t.Context(), o)
		r.ok(err)
	}
}

// RestoreEntries is the store's, unless the test has an error for this call.
func (r *rig) RestoreEntries(ctx context.Context, items []archive.Item) ([]graph.Key, error) {
	r.calls++
	if r.restore != nil {
		if err := r.restore(r.calls); err != nil {
			return nil, err
		}
	}
	return r.Store.RestoreEntries(ctx, items)
}

// maxFences bounds the fences of a test, so that a restore without an end fails.
const maxFences = 1000

// observe builds the graph of the present objects.
func (r *rig) observe(context.Context) error {
	if r.fences++; r.fences > maxFences {
		return fmt.Errorf("more than %d fences", maxFences)
	}
	if r.observed != nil {
		r.observed(r.fences)
	}
	r.g = graph.New(graph.Config{})
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "k"}}}, {Type: graph.ListBegun, Kind: "k"}}
	for _, o := range r.Objects() {
		events = append(events, graph.Event{Type: graph.Put, Object: o})
	}
	for _, e := range append(events, graph.Event{Type: graph.ListEnded, Kind: "k"}) {
		if _, err := r.g.Apply(e); err != nil {
			return err
		}
	}
	if r.after != nil {
		r.after(r.fences)
	}
	return nil
}

func (r *rig) graph() restoring.Graph {
	return restoring.Graph{Observe: r.observe, Look: func(read func(*graph.Graph)) { read(r.g) }}
}

func (r *rig) plan(roots ...graph.UID) archive.Plan {
	r.t.Helper()
	p, err := restoring.Plan(r.t.Context(), r.Store, r.graph(), archive.Request{Roots: roots})
	r.ok(err)
	return p
}

func (r *rig) restores(roots ...graph.UID) (archive.Result, error) {
	return restoring.Restore(r.t.Context(), r, r.graph(), archive.Request{Roots: roots}, func(p archive.Progress) { r.progress = append(r.progress, p) })
}

// shape prints the objects with their finalizers and the names of their owners. A reference to an owner that is not there
// has a mark.
func (r *rig) shape() string {
	var all []string
	objects := r.Objects()
	for _, o := range objects {
		text := o.Name
		if o.Deleting {
			text += "~"
		}
		for i, p := range o.Owners {
			text += []string{" -> ", ", "}[min(i, 1)] + p.Name
			if !slices.ContainsFunc(objects, func(x graph.Object) bool { return x.UID == p.UID }) {
				text += "(gone)"
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func (r *rig) wants(shape, reason string) {
	r.t.Helper()
	if got := r.shape(); got != shape {
		r.t.Errorf("%s: the store has %s, want %s", reason, got, shape)
	}
}
