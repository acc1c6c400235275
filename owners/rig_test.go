package owners_test

import (
	"context"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// A test bends a watch event by event.
type (
	sinkFunc  = func(graph.Event) error
	watchFunc = func(context.Context, sinkFunc) error
)

// tap is a memory store of which a test can bend each call that this package makes.
type tap struct {
	*memory.Store
	// call, if set, stands in for a Get or a Patch. The argument do makes it.
	call func(ctx context.Context, verb string, key graph.Key, do func() error) error
	// watch, if set, stands in for Watch. The argument do is the store's.
	watch func(ctx context.Context, sink sinkFunc, do watchFunc) error

	patches int
}

// newTap returns a store that has the objects, in notation.
func newTap(t *testing.T, objects string) *tap {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	s, err := memory.New(memory.Config{Objects: list, UIDPrefix: "new-"})
	if err != nil {
		t.Fatal(err)
	}
	return &tap{Store: s}
}

func (s *tap) make(ctx context.Context, verb string, key graph.Key, do func() error) error {
	if s.call == nil {
		return do()
	}
	return s.call(ctx, verb, key, do)
}

func (s *tap) Get(ctx context.Context, key graph.Key) (o graph.Object, err error) {
	err = s.make(ctx, "get", key, func() (err error) { o, err = s.Store.Get(ctx, key); return })
	return o, err
}

func (s *tap) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	s.patches++
	return s.make(ctx, "patch", key, func() error { return s.Store.Patch(ctx, key, pre, change) })
}

func (s *tap) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	if s.watch == nil {
		return s.Store.Watch(ctx, sink)
	}
	one := func(ev graph.Event) error { return sink([]graph.Event{ev}) }
	return s.watch(ctx, one, func(ctx context.Context, each sinkFunc) error {
		return s.Store.Watch(ctx, func(batch []graph.Event) error {
			for _, ev := range batch {
				if err := each(ev); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// delete deletes the object as another client.
func (s *tap) delete(t *testing.T, key string, p graph.Propagation) {
	t.Helper()
	if err := s.Store.Delete(t.Context(), keyOf(t, key), graph.DeleteOptions{Propagation: p}); err != nil {
		t.Fatal(err)
	}
}

// create creates the object as another client. The store makes its UID.
func (s *tap) create(t *testing.T, line string) {
	t.Helper()
	list, err := graph.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	list[0].UID = ""
	if _, err := s.Create(t.Context(), list[0]); err != nil {
		t.Fatal(err)
	}
}

// contains checks the objects of the store, without versions and generations.
func (s *tap) contains(t *testing.T, want string) {
	t.Helper()
	if got := s.shape(); got != want {
		t.Errorf("the store has %q, want %q", got, want)
	}
}

// shape returns the objects of the store without versions and generations.
func (s *tap) shape() string {
	list := s.Objects()
	for i := range list {
		list[i].Version, list[i].Generation = "", 0
	}
	return graph.Format(list)
}

func keyOf(t *testing.T, line string) graph.Key {
	t.Helper()
	list, err := graph.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	return list[0].Key
}

func ownerOf(t *testing.T, line string, controller bool) graph.Owner {
	t.Helper()
	return graph.Owner{Key: keyOf(t, line), Controller: controller}
}
