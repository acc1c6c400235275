package restore_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// TestRun: the restore of a root brings back the objects that its deletion took, and no others. A step is a deletion with its
// propagation, or a restore.
func TestRun(t *testing.T) {
	for _, c := range []struct{ store, steps, want, reason string }{
		{"r; a -> r; b -> a; c", "bg r, restore r", "a -> r; b -> a; c; r", "the whole cascade"},
		{"r; a -> r!; b -> a; c", "fg r, restore r", "a -> r!; b -> a; c; r", "a foreground one, too"},
		{"r; a -> r; b -> a, r", "orphan r, restore r", "a; b -> a; r", "A7: an orphan deletion takes no object along"},
		{"r; k; a -> r, k", "bg r, restore r", "a -> k; k; r", "A7: a trimmed reference is forgotten"},
		{"r; b -> r:cascade", "bg b, bg r, restore r", "r", "A2: a user's deletion is not undone"},
		{"r; b; c -> r, b", "bg r, bg b, restore b", "b; c -> b", "A2: one unset owner is enough"},
		{"r; a; b -> r:cascade, a:cascade", "bg r, bg a, restore r", "r", "A2: the other cascade owner is missing"},
		{"r; a; b -> r:cascade, a:cascade", "bg r, bg a, restore r, restore a", "a; b -> r:cascade, a:cascade; r", "A2: and its restore brings the object"},
		{"r; a -> r, b; b -> a", "bg r, restore r", "a -> b; b -> a; r", "A7: the reference to r was trimmed beside b"},
		{"r; a -> r:cascade, b; b -> a", "bg r, restore r", "a -> r:cascade, b; b -> a; r", "A2, A4: members that own each other"},
		{"r; a; c -> r:cascade, a:restrict", "bg r, bg a, restore r, restore a", "a; c -> r:cascade, a:restrict; r", "A2: a restrict owner leads"},
		{"r; a; b -> r:cascade, a:cascade", "bg r, orphan a, restore r", "b -> r:cascade; r", "A2: an orphan-deleted owner has dropped the reference"},
		{"r; a -> r:release; b -> r", "bg r, restore r", "a; b -> r; r", "A7: a release reference is gone"},
		{"r; a -> r", "bg r, restore r, restore r", "a -> r; r", "A4: a second restore creates nothing"},
		{"r; a -> r", "bg r, restore r, bg r", "", "the new objects have new entries"},
		{"r; a -> r; b -> a", "bg a, restore a, bg r, restore r", "a -> r; b -> a; r", "a restored object is a member like any other"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, objects(t, c.store), false, ownergraph.Config{})
			for step := range strings.SplitSeq(c.steps, ", ") {
				verb, name, _ := strings.Cut(step, " ")
				switch verb {
				case "restore":
					if _, err := r.restore(name); err != nil {
						t.Fatalf("%s: %s: %v", c.reason, step, err)
					}
				default:
					r.delete(name, map[string]graph.Propagation{"bg": graph.Background, "fg": graph.Foreground, "orphan": graph.Orphan}[verb])
				}
				pass(time.Hour)
			}
			if got := r.shape(); got != c.want {
				t.Errorf("%s: %s; %s: the store has %s, want %s", c.reason, c.store, c.steps, got, c.want)
			}
		})
	}
}

// TestRefused: a restore that cannot be begins with no write.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		store, deleted, root string
		detach               bool
		why                  archive.Why
		reason               string
	}{
		{"r; a -> r:cascade", "a, r", "a", false, archive.CascadeMissing, "its cascade owner is gone"},
		{"r; a -> r", "a, r", "a", false, archive.OwnersMissing, "its only owner is gone"},
		{"r; a -> r:restrict", "a, r", "a", false, archive.RestrictMissing, "its restrict owner is gone"},
		{"r; a -> r", "a, r", "a", true, 0, "detached it comes back alone"},
		{"r", "", "r", false, archive.NotEnded, "it lives"},
		{"r[f]", "r", "r", false, archive.NotEnded, "it is marked"},
		{"r", "", "none", false, archive.Purged, "no object has this UID"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, objects(t, c.store), false, ownergraph.Config{})
			for name := range strings.SplitSeq(c.deleted, ", ") {
				if name != "" {
					r.delete(name, graph.Background)
					pass(time.Hour)
				}
			}
			req := r.request(c.root)
			req.Detach = c.detach
			before := r.shape()
			_, err := restore.Run(t.Context(), r.Collector, req, nil)
			var refused *archive.RefusedError
			switch {
			case c.why == 0 && err == nil && r.shape() == "a":
			case errors.As(err, &refused) && errors.Is(err, graph.ErrRefused) && refused.Refused[0].Why == c.why && r.shape() == before:
			default:
				t.Errorf("%s: %v; the store has %s", c.reason, err, r.shape())
			}
			p, err := restore.Plan(t.Context(), r.Collector, req)
			if err != nil || (len(p.Refused) == 0) != (c.why == 0) {
				t.Errorf("%s: the plan refuses %v, %v", c.reason, p.Refused, err)
			}
		})
	}
}

// TestTaken: a taken name refuses the restore, and another name serves. References follow it.
func TestTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, objects(t, "r; a -> r; b -> a"), false, ownergraph.Config{})
		r.delete("r", graph.Background)
		pass(time.Hour)
		if _, err := r.s.Create(t.Context(), graph.Object{Key: graph.Key{Kind: "a", Name: "a"}}); err != nil {
			t.Fatal(err)
		}
		var taken *archive.TakenError
		if _, err := r.restore("r"); !errors.As(err, &taken) || len(taken.Taken) != 1 || r.shape() != "a" {
			t.Fatalf("%v; the store has %s", err, r.shape())
		}
		req := r.request("r")
		req.Rename = func(k graph.Key) (scope, name string) {
			if k.Name == "a" {
				return k.Scope, "a2"
			}
			return k.Scope, k.Name
		}
		if _, err := restore.Run(t.Context(), r.Collector, req, nil); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		if got, want := r.shape(), "a; a/a2@a2 -> r; b -> a/a2@a2; r"; got != want {
			t.Errorf("the store has %s, want %s", got, want)
		}
	})
}

// TestUnderWay: a restore ends only when the cascade has. A living object that names a restored one gets its new UID, and a
// marked one is awaited.
func TestUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, objects(t, "r; a[x.io/z] -> r; b -> a"), false, ownergraph.Config{})
		r.delete("r", graph.Background)
		pass(time.Hour)
		var seen atomic.Pointer[[]archive.Waiting]
		done := make(chan error)
		go func() {
			_, err := restore.Run(t.Context(), r.Collector, r.request("r"), func(p archive.Progress) { seen.Store(&p.Waits) })
			done <- err
		}()
		pass(time.Hour)
		if waits := *seen.Load(); len(waits) != 1 || waits[0].Key.Name != "a" || waits[0].Finalizers[0] != "x.io/z" {
			t.Errorf("it waits for %v, want a with its finalizer", waits)
		}
		if err := r.s.Patch(t.Context(), r.key("a"), graph.Precondition{}, graph.Change{DropFinalizer: "x.io/z"}); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		if got, want := r.shape(), "a -> r; b -> a; r"; got != want {
			t.Errorf("the store has %s, want %s", got, want)
		}
	})
}

// TestTwice: a second restore gives the objects of the first one, and so do two at once.
func TestTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, objects(t, "r; a -> r; b -> a; c -> r:cascade, d; d -> c"), true, ownergraph.Config{})
		r.delete("r", graph.Background)
		pass(time.Hour)
		results := make(chan archive.Result)
		for range 2 {
			go func() {
				x, err := r.restore("r")
				if err != nil {
					t.Error(err)
				}
				results <- x
			}()
		}
		one, two := <-results, <-results
		three, err := r.restore("r")
		if err != nil || three.Created != 0 || one.Created+two.Created < 5 {
			t.Errorf("created %d, %d, and %d later: %v", one.Created, two.Created, three.Created, err)
		}
		for uid, k := range one.Restored {
			if two.Restored[uid] != k || three.Restored[uid] != k {
				t.Errorf("%s came back as %s, %s and %s", uid, k, two.Restored[uid], three.Restored[uid])
			}
		}
		if got, want := r.shape(), "a -> r; b -> a; c -> r:cascade, d; d -> c; r"; got != want {
			t.Errorf("the store has %s, want %s", got, want)
		}
	})
}

// TestWithoutArchive: a store that keeps no entries has no restore.
func TestWithoutArchive(t *testing.T) {
	without, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		s      ownergraph.Store
		reason string
	}{
		{without, "its power is switched off"},
		{struct{ ownergraph.Store }{without}, "it has no such power"},
	} {
		c, err := ownergraph.New(tc.s, ownergraph.Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second) // this collector does not run
		if _, err := restore.Run(ctx, c, archive.Request{}, nil); !errors.Is(err, ownergraph.ErrInvalid) {
			t.Errorf("%s: restore: %v", tc.reason, err)
		}
		if _, err := restore.Plan(ctx, c, archive.Request{}); !errors.Is(err, ownergraph.ErrInvalid) {
			t.Errorf("%s: plan: %v", tc.reason, err)
		}
		stop()
	}
}

// wrapped counts the writes of a collector's store, which wraps the store with the archive.
type wrapped struct {
	ownergraph.Store
	patches int
}

func (w *wrapped) Unwrap() ownergraph.Store { return w.Store }

func (w *wrapped) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	w.patches++
	return w.Store.Patch(ctx, key, pre, change)
}

// TestWrapped: the entries are those of the wrapped store, and references move by the collector's own store.
func TestWrapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := memory.New(memory.Config{Objects: objects(t, "r@r1; a@a1 -> r@r1"), Archive: &archive.Config{}})
		if err != nil {
			t.Fatal(err)
		}
		w := &wrapped{Store: s}
		c, err := ownergraph.New(w, ownergraph.Config{ObserveOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- c.Run(ctx) }()
		if err := errors.Join(c.Synced(ctx), s.Delete(ctx, graph.Key{Kind: "r", Name: "r"}, graph.DeleteOptions{})); err != nil {
			t.Fatal(err)
		}
		result, err := restore.Run(ctx, c, archive.Request{Roots: []graph.UID{"r1"}}, nil)
		if err != nil || result.Created != 1 || result.Relinked != 1 || w.patches != 1 {
			t.Errorf("%+v, %v after %d writes, want the root back and one reference moved", result, err, w.patches)
		}
		stop()
		<-done
	})
}

// TestPlan: a plan has the members with their owners, and the entries that stay with the cause. It writes nothing.
func TestPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, objects(t, "r; a[x.io/z] -> r; b -> r; c -> r, b:cascade; d -> r"), false, ownergraph.Config{})
		r.delete("b", graph.Background)
		pass(time.Hour)
		r.delete("r", graph.Background)
		pass(time.Hour)
		before := r.shape()
		p, err := restore.Plan(t.Context(), r.Collector, r.request("r"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range p.Members {
			got = append(got, m.Name)
		}
		for _, x := range p.Left {
			got = append(got, x.Entry.Object.Name+": "+x.Why.String())
		}
		for _, x := range p.Waits {
			got = append(got, "waits for "+x.Key.Name)
		}
		if text, want := strings.Join(got, ", "), "r, d, b: a user deleted it, c: a cascade owner is missing, waits for a"; text != want || r.shape() != before {
			t.Errorf("the plan has %s, want %s; the store has %s", text, want, r.shape())
		}
	})
}
