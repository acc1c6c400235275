package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestWatchResumes: a watch whose connection is cut goes on without a new listing, and has
// the changes of meanwhile. It ends with an error after ResumeWithin.
func TestWatchResumes(t *testing.T) {
	for _, onKine := range []bool{false, true} {
		r := newRig(t, Config{Kine: onKine})
		other := newRig(t, Config{Kine: onKine, Prefix: r.conf.Prefix})
		w := watchOf(t, r.Store)
		w.until(t, "it is listed", listed(1))
		var want []graph.Object
		for i := range 5 {
			gone := other.create(t, fmt.Sprintf("pod/ns/gone%d", i))
			w.until(t, "the watch reports it", func(m *mirror) bool { return m.objects[gone.Key].Equal(gone) })
			r.proxy.close()
			if err := other.Delete(t.Context(), gone.Key, exactly(gone)); err != nil {
				t.Fatal(err)
			}
			want = append(want, other.create(t, fmt.Sprintf("pod/ns/new%d", i)))
			if err := r.poll(t.Context(), r.proxy.listen); err != nil {
				t.Fatal(err)
			}
			w.until(t, "the watch has the changes", func(m *mirror) bool { return m.is(want...) })
		}
		if !w.sees(func(m *mirror) bool { return m.begun["pod"] == 1 }) {
			t.Errorf("kine %t: the watch has listed again", onKine)
		}
	}
	for _, within := range []time.Duration{-1, 100 * time.Millisecond} {
		r := newRig(t, Config{ResumeWithin: within})
		w := watchOf(t, r.Store)
		w.until(t, "it is listed", listed(1))
		r.proxy.close()
		select {
		case <-w.ended:
		case <-time.After(patience):
			t.Fatalf("a watch that may resume within %s goes on", within)
		}
		if w.err == nil || errors.Is(w.err, context.Canceled) {
			t.Errorf("a watch that may resume within %s ends with %v", within, w.err)
		}
	}
}

// TestCompactionBesideSlowWatch: while a sink waits, many objects change and go, and the
// server forgets all of it. No writer waits, and the watch knows the rest by a new listing.
func TestCompactionBesideSlowWatch(t *testing.T) {
	for _, onKine := range []bool{false, true} {
		r := newRig(t, Config{Kine: onKine, PageSize: 7})
		for i := range 20 {
			r.create(t, fmt.Sprintf("pod/ns/gone%d", i))
		}
		reached, free := make(chan struct{}), make(chan struct{})
		calls := 0
		w := watchGated(t, r.Store, func([]graph.Event) {
			if calls++; calls == 1 {
				close(reached)
				<-free
			}
		})
		<-reached
		var want []graph.Object
		for i := range 20 {
			if err := r.Delete(t.Context(), graph.Key{Kind: "pod", Scope: "ns", Name: fmt.Sprint("gone", i)}, graph.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			want = append(want, r.create(t, fmt.Sprintf("pod/ns/new%d[example.org/x]", i)))
		}
		if err := r.compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		close(free)
		w.until(t, "the slow watch has the present objects", func(m *mirror) bool { return listed(1)(m) && m.is(want...) })
		last := r.create(t, "pod/ns/last")
		w.until(t, "and the next change", func(m *mirror) bool { return m.is(append(want, last)...) })
	}
}

// TestPagedListing: objects come and go between the pages of listings, and the server
// compacts. Every listing that ends is complete: it never drops an object that stays.
func TestPagedListing(t *testing.T) {
	for _, onKine := range []bool{false, true} {
		r := newRig(t, Config{Kine: onKine, PageSize: 5})
		var stay []graph.Object
		for i := range 60 {
			stay = append(stay, r.create(t, fmt.Sprintf("pod/ns/%c-stays%d", 'a'+i%26, i)))
		}
		stop, done := make(chan struct{}), make(chan error, 1)
		go func() { done <- r.churn(t.Context(), stop) }()
		for range 5 {
			w := watchOf(t, r.Store)
			w.until(t, "it is listed", listed(1))
			for n := 2; n < 8; n++ {
				if err := r.List(t.Context(), "pod"); err != nil {
					t.Fatal(err)
				}
				w.until(t, "it is listed again, with all that stay", func(m *mirror) bool {
					for _, o := range stay {
						if !m.objects[o.Key].Equal(o) {
							t.Errorf("kine %t: %s is missing after a listing", onKine, o)
						}
					}
					return m.listings["pod"] >= n
				})
			}
			w.cancel()
		}
		close(stop)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		w := watchOf(t, r.Store)
		w.until(t, "the last watch has exactly those that stay", func(m *mirror) bool { return listed(1)(m) && m.is(stay...) })
	}
}

// churn creates and deletes objects between the others, and compacts, until it is stopped.
func (r *rig) churn(ctx context.Context, stop <-chan struct{}) error {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return nil
		default:
		}
		key := graph.Key{Kind: "pod", Scope: "ns", Name: fmt.Sprintf("%c-goes%d", 'a'+i%26, i)}
		if _, err := r.Create(ctx, Record{Object: graph.Object{Key: key}}); err != nil {
			return err
		}
		if err := r.Delete(ctx, key, graph.DeleteOptions{}); err != nil {
			return err
		}
		if i%10 == 0 {
			if err := r.compact(ctx); err != nil {
				return err
			}
		}
	}
}

func (r *rig) mustPut(t *testing.T, key string, value []byte) {
	t.Helper()
	if err := r.put(t.Context(), key, value); err != nil {
		t.Fatal(err)
	}
}

// refuseDamaged calls every method for an object whose value is damaged. No write is done, and
// the engine knows that.
func (r *rig) refuseDamaged(t *testing.T, o graph.Object) {
	t.Helper()
	_, read := r.Get(t.Context(), o.Key)
	_, update := r.Update(t.Context(), Record{Object: graph.Object{Key: o.Key}})
	_, create := r.Create(t.Context(), Record{Object: graph.Object{Key: o.Place()}})
	_, selects := r.Select(t.Context(), graph.SelectRequest{Kind: "pod", Selector: "a"})
	patch := r.Patch(t.Context(), o.Key, exactly(o).Precondition, graph.Change{DropFinalizer: "x"})
	remove := r.Delete(t.Context(), o.Key, exactly(o))
	for what, err := range map[string]error{"Get": read, "Update": update, "Create": create, "Select": selects, "Patch": patch, "Delete": remove} {
		if err == nil || errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrConflict) || !strings.Contains(err.Error(), "uid") || !strings.Contains(err.Error(), r.conf.Prefix) {
			t.Errorf("%s of a damaged object: %v, want an error that names key and field and proves nothing", what, err)
		}
		if read := what == "Get" || what == "Select"; errors.Is(err, graph.ErrRefused) == read {
			t.Errorf("%s of a damaged object: %v, want ErrRefused of a write alone", what, err)
		}
	}
}

// TestFencesAreBounded: a watch that is slower than its fences reports the newest.
func TestFencesAreBounded(t *testing.T) {
	r := newRig(t, Config{})
	reached, free := make(chan struct{}), make(chan struct{})
	calls := 0
	w := watchGated(t, r.Store, func([]graph.Event) {
		if calls++; calls == 1 {
			close(reached)
			<-free
		}
	})
	<-reached
	var tokens []uint64
	for range 3 * maxFences {
		token, err := r.Fence(t.Context())
		if err != nil || token == 0 {
			t.Fatalf("Fence: %d, %v", token, err)
		}
		tokens = append(tokens, token)
	}
	close(free)
	w.until(t, "the newest fence passes", func(m *mirror) bool { return m.passed[tokens[len(tokens)-1]] == len(testKinds())+1 })
	if !w.sees(func(m *mirror) bool { return len(m.passed) == maxFences }) {
		t.Errorf("other fences than the newest %d pass", maxFences)
	}
}
