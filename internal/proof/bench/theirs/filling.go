package theirs

import (
	"fmt"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// filling is a graph that takes events without collecting.
type filling struct {
	inside Inside
	events []event
	cache  cache.Indexer // nil if none is kept
	listed bool
}

type event struct {
	gone   bool
	kind   schema.GroupVersionKind
	object *metav1.PartialObjectMetadata
}

// newCache returns the store of a metadata informer.
func newCache() cache.Indexer {
	return cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}

func (g *filling) Begin() error { return nil }

func (g *filling) Listed() error {
	g.listed = true
	return g.Process()
}

func (g *filling) Prepare(events []measure.Event) {
	for _, e := range events {
		g.events = append(g.events, event{e.Gone, kindOf(e.Object.Kind), partial(e.Object)})
	}
}

// Apply hands the events over as the informers do, and takes them into the graph.
func (g *filling) Apply() error {
	for _, e := range g.events {
		if err := g.tell(e); err != nil {
			return err
		}
	}
	for g.inside.Changes() > 0 {
		g.inside.Step()
	}
	return nil
}

func (g *filling) Drop() {
	clear(g.events)
	g.events = g.events[:0]
}

func (g *filling) tell(e event) error {
	switch {
	case e.gone:
		g.inside.Deleted(e.kind, e.object)
	case g.listed: // every later object is known already, or is made anew
		g.inside.Updated(e.kind, e.object, e.object)
	default:
		g.inside.Added(e.kind, e.object)
	}
	switch {
	case g.cache == nil:
		return nil
	case e.gone:
		return g.cache.Delete(e.object)
	}
	return g.cache.Add(e.object)
}

// Process finds nothing to do, since the graph queues only real work.
func (g *filling) Process() error {
	if n := g.inside.Deletes() + g.inside.Orphans(); n > 0 {
		return fmt.Errorf("garbage collector: %d objects are queued: nothing is to be collected", n)
	}
	return nil
}

func (g *filling) Len() int { return g.inside.Nodes() }

// Drain has no step to time, since the event did all the work. It checks that every
// dependent is queued.
func (g *filling) Drain(func(measure.Span)) error {
	want := g.inside.Nodes()
	if got := g.inside.Deletes(); got != want {
		return fmt.Errorf("garbage collector: %d dependents are queued, want %d", got, want)
	}
	return nil
}
