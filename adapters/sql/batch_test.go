package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// TestBatchAsMemory carries out a batch of every sort of write. Its results, the content and
// the watch are those of the memory store.
func TestBatchAsMemory(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		ref, err := memory.New(memory.Config{Kinds: kindsOfTests()})
		if err != nil {
			t.Fatal(err)
		}
		w := h.watch(t)
		mine, its := h.batchWrites(t, h.Store), h.batchWrites(t, ref)
		results, err := h.Batch(t.Context(), mine)
		want, wantErr := ref.Batch(t.Context(), its)
		if err != nil || wantErr != nil {
			t.Fatal(err, wantErr)
		}
		for i := range mine {
			for _, is := range []error{graph.ErrConflict, graph.ErrNotFound, graph.ErrKindUnknown, graph.ErrRefused} {
				if errors.Is(results[i], is) != errors.Is(want[i], is) {
					t.Errorf("%d: %s: %v, the memory store says %v", i, mine[i], results[i], want[i])
				}
			}
			if mine[i].Key.Kind == "none" {
				continue
			}
			got, gotErr := h.Get(t.Context(), mine[i].Key)
			o, oErr := ref.Get(t.Context(), its[i].Key)
			if (gotErr == nil) != (oErr == nil) || plain(got) != plain(o) {
				t.Errorf("%d: %s: is %v, %v, the memory store has %v, %v", i, mine[i], got, gotErr, o, oErr)
			}
		}
		content := h.contentOf(t)
		rises(t, h.Store, w.until(t, "the watch knows the content", func(events []graph.Event) bool { return agree(replayed(events), content) }))
		if _, err := h.Batch(t.Context(), make([]graph.Write, maxWrites+1)); !errors.Is(err, graph.ErrRefused) || !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("a batch that is too large: %v", err)
		}
	})
}

// plain prints an object without the text that a store makes.
func plain(o graph.Object) string {
	o.UID, o.Version = "", ""
	for i := range o.Owners {
		o.Owners[i].UID = ""
	}
	return o.String()
}

type creator interface {
	Create(ctx context.Context, o graph.Object) (graph.Object, error)
}

func (h *handle) batchWrites(t *testing.T, s creator) (list []graph.Write) {
	t.Helper()
	create := func(name string, finalizers ...string) graph.Object {
		o := object("team", "", name)
		o.Finalizers = finalizers
		o, err := s.Create(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for i := range 20 {
		list = append(list, deletion(create(fmt.Sprintf("plain%d", i))))
	}
	for i := range 3 {
		list[i].Options.GraceAtMost = true
	}
	short := int64(5)
	for _, atMost := range []bool{false, true} {
		graced := deletion(create(fmt.Sprint("graced-", atMost)))
		graced.Options.GraceSeconds, graced.Options.GraceAtMost = &short, atMost
		list = append(list, graced)
	}
	stale, other := deletion(create("stale")), deletion(create("other"))
	stale.Options.Precondition.Version, other.Options.Precondition.UID = "1", "another"
	held, marked := deletion(create("held", "x/y")), deletion(create("marked"))
	marked.Options.Propagation = graph.Foreground
	owner := create("owner")
	patched := create("patched", "x/y")
	patch := graph.Write{Type: graph.WritePatch, Key: patched.Key, Precondition: graph.Precondition{UID: patched.UID, Version: patched.Version},
		Change: graph.Change{AddOwner: &graph.Owner{Key: owner.Key}, AddFinalizer: "x/z"}}
	wrong := graph.Write{Type: graph.WritePatch, Key: owner.Key, Change: graph.Change{AddOwner: &graph.Owner{Key: owner.Key}}}
	absent := deletion(object("team", "", "absent"))
	unserved := deletion(object("none", "", "a"))
	loose := graph.Write{Type: graph.WriteDelete, Key: create("loose").Key}
	unset := graph.Write{Key: create("unset").Key}
	return append(list, stale, other, held, marked, patch, wrong, absent, unserved, loose, unset)
}

// TestBatchRefused has one write that another transaction has changed meanwhile. Its
// neighbours are done.
func TestBatchRefused(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		var list []graph.Write
		for i := range 5 {
			list = append(list, deletion(h.mustCreate(t, object("team", "", fmt.Sprint(i)))))
		}
		if _, err := h.Update(t.Context(), graph.Object{Key: list[2].Key, Finalizers: []string{"x/y"}}); err != nil {
			t.Fatal(err)
		}
		results, err := h.Batch(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		for i, err := range results {
			if (i == 2) != errors.Is(err, graph.ErrConflict) || i != 2 && err != nil {
				t.Errorf("result %d: %v", i, err)
			}
		}
		if left := h.contentOf(t); len(left) != 1 {
			t.Errorf("left: %v", left)
		}
	})
}
