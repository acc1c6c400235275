package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// TestConcurrentUpdates: any number of writers that condition on the version lose no
// update.
func TestConcurrentUpdates(t *testing.T) {
	const writers, rounds = 8, 25
	s := newStore(t, "node/n@n1#1", 0)
	n, ctx := key(t, "node/n"), t.Context()
	increment := func() error {
		for {
			o, err := s.Get(ctx, n)
			if err != nil {
				return err
			}
			o.ObservedGeneration++
			if _, err := s.Update(ctx, o); !errors.Is(err, graph.ErrConflict) {
				return err
			}
		}
	}
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range rounds {
				if err := increment(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if o, err := s.Get(ctx, n); err != nil || o.ObservedGeneration != writers*rounds || o.Version != "201" {
		t.Errorf("Get: %v, %v, want %d increments and as many versions", o, err, writers*rounds)
	}
}

// TestConcurrentUse: writes, fences, listings and sickness run at once. Each watch ends
// with the objects of the store.
func TestConcurrentUse(t *testing.T) {
	const workers, rounds = 4, 60
	const last = workers*rounds/10 + 1 // fences
	s := newStore(t, "", 20)
	var watches, works sync.WaitGroup
	copies := make([]map[graph.Key]graph.Object, 3)
	for i := range copies {
		begun := make(chan struct{})
		watches.Go(func() { copies[i] = copyUntil(t, s, last, begun) })
		<-begun
	}
	for w := range workers {
		works.Go(func() {
			for i := range rounds {
				if err := disturb(t, s, w, i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	works.Wait()
	do(t, insider{s}.Recover("pod"))
	fenced(t, s)
	watches.Wait()
	for i, c := range copies {
		var got []graph.Object
		for _, o := range c {
			got = append(got, o)
		}
		if want := graph.Format(s.Objects()); graph.Format(got) != want {
			t.Errorf("watch %d has:\n%s\nwant:\n%s", i, graph.Format(got), want)
		}
	}
}

// disturb makes one write and, in some rounds, one change of another sort.
func disturb(t *testing.T, s *Store, w, i int) error {
	ctx := t.Context()
	place := graph.Key{Kind: "pod", Scope: "ns", Name: fmt.Sprint("p", (w+i)%5)}
	_, err := s.Create(ctx, graph.Object{Key: place, Finalizers: []string{"x"}})
	if err == nil || errors.Is(err, graph.ErrConflict) {
		_, err = s.Update(ctx, graph.Object{Key: place, ObservedGeneration: int64(i)})
	}
	if i%3 == 0 && (err == nil || errors.Is(err, graph.ErrNotFound)) {
		err = s.Delete(ctx, place, graph.DeleteOptions{})
	}
	switch i % 10 {
	case 3:
		insider{s}.Compact()
	case 5:
		err = errors.Join(err, insider{s}.Sicken("pod", "test"))
	case 6:
		err = errors.Join(err, insider{s}.Recover("pod"), s.List(ctx, "node"))
	case 7:
		_, failed := s.Fence(ctx)
		err = errors.Join(err, failed, insider{s}.AddKind(graph.KindInfo{Kind: "job", Scoped: i%2 == 0}))
	}
	if errors.Is(err, replica.ErrSick) || errors.Is(err, graph.ErrNotFound) {
		return nil
	}
	return err
}

// copyUntil watches until a fence has passed for every kind, and returns its copy of
// the objects.
func copyUntil(t *testing.T, s *Store, last uint64, begun chan struct{}) map[graph.Key]graph.Object {
	found, listing := map[graph.Key]graph.Object{}, map[graph.Key]bool{}
	done := errors.New("done")
	err := s.Watch(t.Context(), oneByOne(func(e graph.Event) error {
		if begun != nil {
			close(begun)
			begun = nil
		}
		switch {
		case e.Type == graph.Put:
			found[e.Object.Place()] = e.Object
			listing[e.Object.Place()] = true
		case e.Type == graph.Gone:
			delete(found, e.Key.Place())
		case e.Type == graph.ListBegun:
			clear(listing)
		case e.Type == graph.ListEnded:
			for place := range found {
				if place.Kind == e.Kind && !listing[place] {
					delete(found, place)
				}
			}
		case e.Type == graph.FencePassed && e.Fence == last && e.Kind == "":
			return done
		}
		return nil
	}))
	if !errors.Is(err, done) {
		t.Errorf("Watch: %v, want it to pass the last fence", err)
	}
	return found
}

// TestReadersNeverWait: a listing does not delay a writer, and does not contain the
// writes since its begin. The listing has several batches, and the writes come after the
// first one.
func TestReadersNeverWait(t *testing.T) {
	objects := strings.Split(nodes(3*maxBatch), "; ")
	s := newStore(t, nodes(len(objects)), 0)
	last := fmt.Sprintf("node/n%04d", len(objects)-1)
	var listed []string
	stop, calls := errors.New("stop"), 0
	err := s.Watch(t.Context(), func(batch []graph.Event) error {
		if calls++; calls == 1 {
			remove(t, s, last)
			put(t, s, "node/n1000*")
			put(t, s, "node/n1000a")
		}
		for _, e := range batch {
			switch e.Type {
			case graph.Put:
				listed = append(listed, e.Object.String())
			case graph.ListEnded:
				return stop
			}
		}
		return nil
	})
	if !errors.Is(err, stop) || calls < 3 || !slices.Equal(listed, objects) {
		t.Errorf("Watch: %v, %d calls, %d objects, want those %d of the beginning: a listing is of one moment", err, calls, len(listed), len(objects))
	}
}
