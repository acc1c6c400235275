package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// config is the kit's default configuration for the store with the bug.
func config(bug Bug) storetest.Config {
	return storetest.Config{New: func(tb storetest.TB) storetest.Subject {
		dir, err := os.MkdirTemp("", "storebugs")
		if err != nil {
			tb.Fatalf("make a directory: %v", err)
		}
		tb.Cleanup(func() { _ = os.RemoveAll(dir) })
		h := &handle{tb: tb, file: filepath.Join(dir, "db"), bug: bug, disk: &disk{}}
		if err := h.open(); err != nil {
			tb.Fatalf("%v", err)
		}
		return h.subject()
	}}
}

// kinds are the kinds that the store serves.
func kinds() []graph.KindInfo {
	return []graph.KindInfo{
		{Kind: "team"}, {Kind: "bucket", Scoped: true}, {Kind: "photo", Scoped: true}, {Kind: "note", Scoped: true, NoOwner: true},
	}
}

// handle is one open Store, with the hooks of the kit.
type handle struct {
	*Store
	tb   storetest.TB
	file string
	bug  Bug
	disk *disk
}

func (h *handle) open() (err error) {
	if h.Store, err = Open(h.file, kinds(), h.bug, h.disk); err != nil {
		return err
	}
	store := h.Store
	h.tb.Cleanup(func() { _ = store.Close() })
	return nil
}

func (h *handle) subject() storetest.Subject {
	return storetest.Subject{
		Store: h.Store, Client: client{h.Store},
		Compact: h.Compact, Break: h.Break, Backup: h.backup, Sicken: h.sicken, Vanish: h.vanish, Restart: h.restart,
		Second: h.second, Outage: h.outage, FailCommits: h.failCommits,
	}
}

func (h *handle) backup(ctx context.Context) (func(context.Context) error, error) {
	list, number, err := h.Store.Backup(ctx)
	return func(ctx context.Context) error { return h.Store.Restore(ctx, list, number) }, err
}

func (h *handle) sicken(ctx context.Context, of graph.Kind) (func(context.Context) error, error) {
	return func(ctx context.Context) error { return h.Sicken(ctx, of, "") }, h.Sicken(ctx, of, "its table is locked")
}

func (h *handle) vanish(ctx context.Context, of graph.Kind) (func(context.Context) error, error) {
	for _, info := range kinds() {
		if info.Kind == of {
			return func(ctx context.Context) error { return h.AddKind(ctx, info) }, h.RemoveKind(ctx, of)
		}
	}
	return nil, fmt.Errorf("vanish %s: %w", of, graph.ErrKindUnknown)
}

func (h *handle) restart(ctx context.Context) (storetest.Subject, error) {
	if err := h.Close(); err != nil {
		return storetest.Subject{}, err
	}
	return h.second(ctx)
}

func (h *handle) second(context.Context) (storetest.Subject, error) {
	next := &handle{tb: h.tb, file: h.file, bug: h.bug, disk: h.disk}
	if err := next.open(); err != nil {
		return storetest.Subject{}, err
	}
	return next.subject(), nil
}

func (h *handle) outage(context.Context) (func(context.Context) error, error) {
	h.disk.outage.Store(true)
	return func(context.Context) error { h.disk.outage.Store(false); return nil }, nil
}

func (h *handle) failCommits(_ context.Context, done bool) (func(context.Context) error, error) {
	how := undone
	if done {
		how = unanswered
	}
	h.disk.commits.Store(int32(how))
	return func(context.Context) error { h.disk.commits.Store(int32(sound)); return nil }, nil
}

// client is the client of the store's users.
type client struct{ s *Store }

func (c client) Create(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	return c.s.Create(ctx, o)
}

func (c client) Update(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	return c.s.Update(ctx, o)
}

func (c client) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	return c.s.Delete(ctx, key, opts)
}
