package restore_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// rig is a collector on a store with an archive, in a bubble.
type rig struct {
	*ownergraph.Collector
	s *memory.Store
	t *testing.T
	// uids are those of the objects at the beginning, by name.
	uids map[string]graph.UID
}

func newRig(t *testing.T, objects []graph.Object, strict bool, cfg ownergraph.Config) *rig {
	t.Helper()
	s, err := memory.New(memory.Config{Objects: objects, Strict: strict, Archive: &archive.Config{}})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Policies = true
	c, err := ownergraph.New(s, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- c.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	if err := c.Synced(ctx); err != nil {
		t.Fatal(err)
	}
	r := &rig{c, s, t, map[string]graph.UID{}}
	for _, o := range s.Objects() {
		r.uids[o.Name] = o.UID
	}
	pass(time.Hour)
	return r
}

func pass(d time.Duration) { <-time.After(d) }

func objects(t *testing.T, text string) []graph.Object {
	t.Helper()
	list, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// delete is the deletion of a user.
func (r *rig) delete(name string, by graph.Propagation) {
	r.t.Helper()
	if err := r.s.Delete(r.t.Context(), r.key(name), graph.DeleteOptions{Propagation: by}); err != nil {
		r.t.Fatal(err)
	}
}

// key returns the key of the present object with a name.
func (r *rig) key(name string) graph.Key {
	r.t.Helper()
	all := r.s.Objects()
	i := slices.IndexFunc(all, func(o graph.Object) bool { return o.Name == name })
	if i < 0 {
		r.t.Fatalf("no object %s", name)
	}
	return all[i].Key
}

// request is the request of the objects at the beginning.
func (r *rig) request(names ...string) (req archive.Request) {
	for _, n := range names {
		req.Roots = append(req.Roots, r.uids[n])
	}
	return req
}

func (r *rig) restore(names ...string) (archive.Result, error) {
	ctx, stop := context.WithTimeout(r.t.Context(), 24*time.Hour)
	defer stop()
	return restore.Run(ctx, r.Collector, r.request(names...), nil)
}

// shape is the store without UIDs and versions.
func (r *rig) shape() string {
	var text []string
	for _, o := range r.s.Objects() {
		o.UID, o.Version, o.Generation, o.ObservedGeneration = graph.UID(o.Name), "", 0, 0
		for i := range o.Owners {
			o.Owners[i].UID = graph.UID(o.Owners[i].Name)
		}
		text = append(text, o.String())
	}
	return strings.Join(text, "; ")
}
