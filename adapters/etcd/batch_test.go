package etcdstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestBatch: each write of a batch has the result that it has alone.
func TestBatch(t *testing.T) {
	r := newRig(t, Config{})
	for _, tc := range []struct {
		object string // "" for none
		write  func(o graph.Object) graph.Write
		is     error
		after  string // "" for none
		reason string
	}{
		{"a", remove(nil), nil, "", "nothing holds it"},
		{"b[example.org/x]", remove(nil), nil, "b~[example.org/x]%2/0", "a finalizer holds it"},
		{"c", remove(func(w *graph.Write) { w.Options.Precondition.Version = "1" }), graph.ErrConflict, "c%1/0", "an old version"},
		{"", remove(nil), graph.ErrNotFound, "", "nothing is there"},
		{"e -> app/ns/x@x, app/ns/y@y", func(o graph.Object) graph.Write {
			return graph.Write{Type: graph.WritePatch, Key: o.Key, Precondition: exactly(o).Precondition, Change: graph.Change{DropOwners: o.Owners[:1]}}
		}, nil, "e%1/0 -> app/ns/y@y", "a patch beside deletions"},
		{"f", func(o graph.Object) graph.Write { return graph.Write{Key: o.Key} }, graph.ErrRefused, "f%1/0", "no type"},
		{"g", func(o graph.Object) graph.Write {
			return graph.Write{Type: graph.WriteDelete, Key: graph.Key{Kind: "job", Name: "g"}}
		}, graph.ErrKindUnknown, "g%1/0", "no such kind"},
		{"h", remove(func(w *graph.Write) { w.Options.Precondition = graph.Precondition{} }), nil, "", "any version"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			other := r.create(t, "pod/beside/a")
			o := graph.Object{Key: graph.Key{Kind: "pod", Scope: "ns", Name: "none"}}
			if tc.object != "" {
				o = r.create(t, "pod/ns/"+tc.object)
			}
			results, err := r.Batch(t.Context(), []graph.Write{remove(nil)(other), tc.write(o)})
			if err != nil || len(results) != 2 || results[0] != nil || !errors.Is(results[1], tc.is) {
				t.Fatalf("Batch: %v, %v, want nil and %v", results, err, tc.is)
			}
			seen, err := r.Get(t.Context(), o.Key)
			seen.UID, seen.Version = "", ""
			if tc.after == "" && !errors.Is(err, graph.ErrNotFound) || tc.after != "" && seen.String() != `pod/ns/`+strings.Replace(tc.after, string(tc.after[0]), string(tc.after[0])+`@""`, 1) {
				t.Errorf("it is %v, %v, want %q", seen, err, tc.after)
			}
			if _, err := r.Get(t.Context(), other.Key); !errors.Is(err, graph.ErrNotFound) {
				t.Errorf("the neighbour is there: %v", err)
			}
		})
	}
	if _, err := r.Batch(t.Context(), make([]graph.Write, r.MaxBatch(r.Store)+1)); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("a batch of more than MaxBatch: %v", err)
	}
	kine := newRig(t, Config{Kine: true})
	if n := kine.MaxBatch(kine.Store); n != 0 {
		t.Errorf("MaxBatch on kine: %d, want 0", n)
	}
}

// remove returns a deletion of exactly the object's state.
func remove(edit func(*graph.Write)) func(graph.Object) graph.Write {
	return func(o graph.Object) graph.Write {
		w := graph.Write{Type: graph.WriteDelete, Key: o.Key, Options: exactly(o)}
		if edit != nil {
			edit(&w)
		}
		return w
	}
}

// TestBatchInOneRequest: a full batch of observed objects costs one request, and two with a
// write that needs a read. Large values cost more.
func TestBatchInOneRequest(t *testing.T) {
	r := newRig(t, Config{})
	w := watchOf(t, r.Store)
	w.until(t, "it is listed", listed(1))
	objects := r.fill(t, "a", maxBatch)
	w.until(t, "the watch reports them", func(m *mirror) bool { return len(m.objects) == maxBatch })
	before := r.commits.requests.Load()
	if err := r.storeDelete(t.Context(), objects); err != nil {
		t.Fatal(err)
	}
	if n := r.commits.requests.Load() - before; n != 1 {
		t.Errorf("a batch of observed objects: %d requests, want 1", n)
	}
	w.until(t, "the watch reports their ends", func(m *mirror) bool { return len(m.objects) == 0 })

	var writes []graph.Write
	for i := range 4 {
		made, err := r.Create(t.Context(), Record{Object: graph.Object{Key: graph.Key{Kind: "pod", Scope: "ns", Name: fmt.Sprint(i)}}, Payload: make([]byte, 1<<20)})
		if err != nil {
			t.Fatal(err)
		}
		writes = append(writes, graph.Write{Type: graph.WritePatch, Key: made.Object.Key, Change: graph.Change{AddFinalizer: "example.org/x"}})
	}
	before = r.commits.requests.Load()
	results, err := r.Batch(t.Context(), writes)
	if err := errors.Join(append(results, err)...); err != nil {
		t.Fatal(err)
	}
	if n := r.commits.requests.Load() - before; n != 5 {
		t.Errorf("4 patches of 1 MiB: %d requests, want one read and 4 writes", n)
	}
}

// TestKeepsGrace: the store keeps the period of a deletion, alone and in a batch. GraceAtMost changes
// nothing.
func TestKeepsGrace(t *testing.T) {
	r := newRig(t, Config{})
	if g, ok := ownergraph.As[ownergraph.Gracer](r.Store); !ok || !g.KeepsGrace() {
		t.Error("the store keeps no grace periods")
	}
	five := int64(5)
	var writes []graph.Write
	for _, c := range []struct {
		name          string
		atMost, alone bool
	}{{"a", false, true}, {"b", true, true}, {"c", false, false}, {"d", true, false}} {
		o := r.create(t, "pod/ns/"+c.name)
		opts := graph.DeleteOptions{GraceSeconds: &five, GraceAtMost: c.atMost}
		if c.alone {
			if err := r.Delete(t.Context(), o.Key, opts); err != nil {
				t.Fatal(err)
			}
		}
		writes = append(writes, graph.Write{Type: graph.WriteDelete, Key: o.Key, Options: opts})
	}
	if results, err := r.Batch(t.Context(), writes[2:]); err != nil || errors.Join(results...) != nil {
		t.Fatal(results, err)
	}
	for _, w := range writes {
		if now, err := r.Get(t.Context(), w.Key); err != nil || !now.Deleting || now.GraceSeconds != five {
			t.Errorf("%s with at most %t: %v, %v, want a mark with the period of the call", w.Key, w.Options.GraceAtMost, now, err)
		}
	}
}
