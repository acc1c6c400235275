package main

import (
	"context"
	"sync"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// stream is a watch of one kind, for as long as its reader wants it.
type stream struct {
	kind    graph.Kind
	events  chan watch.Event
	stop    context.CancelFunc
	running sync.WaitGroup
	known   map[graph.UID]graph.Object // of the goroutine of the watch
}

func newStream(ctx context.Context, store *memory.Store, kind graph.Kind) *stream {
	ctx, stop := context.WithCancel(ctx)
	s := &stream{kind: kind, events: make(chan watch.Event), stop: stop, known: map[graph.UID]graph.Object{}}
	s.running.Go(func() {
		defer close(s.events)
		_ = store.Watch(ctx, func(batch []graph.Event) error { return s.tell(ctx, batch) }) // it ends with the context
	})
	return s
}

func (s *stream) ResultChan() <-chan watch.Event { return s.events }

func (s *stream) Stop() {
	s.stop()
	s.running.Wait()
}

// tell sends the events in the form of a watch of Kubernetes.
func (s *stream) tell(ctx context.Context, batch []graph.Event) error {
	for _, e := range batch {
		if err := s.tellOne(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) tellOne(ctx context.Context, e graph.Event) error {
	var out watch.Event
	switch {
	case e.Type == graph.Put && e.Object.Kind == s.kind:
		out = watch.Event{Type: watch.Added, Object: partial(e.Object)}
		if _, ok := s.known[e.Object.UID]; ok {
			out.Type = watch.Modified
		}
		s.known[e.Object.UID] = e.Object
	case e.Type == graph.Gone && e.Key.Kind == s.kind:
		out = watch.Event{Type: watch.Deleted, Object: partial(s.known[e.Key.UID])}
		delete(s.known, e.Key.UID)
	case e.Type == graph.ListEnded && e.Kind == s.kind:
		mark := &metav1.PartialObjectMetadata{}
		mark.ResourceVersion = string(e.Version)
		mark.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		out = watch.Event{Type: watch.Bookmark, Object: mark}
	default:
		return nil
	}
	select {
	case s.events <- out:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
