package theirs

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
)

// Inside is one garbage collector by its own parts. Step is for one goroutine. All
// other methods are safe for concurrent use.
type Inside interface {
	// Added, Updated and Deleted are the handlers of its informers.
	Added(gvk schema.GroupVersionKind, o *metav1.PartialObjectMetadata)
	Updated(gvk schema.GroupVersionKind, before, o *metav1.PartialObjectMetadata)
	Deleted(gvk schema.GroupVersionKind, o *metav1.PartialObjectMetadata)
	// Step takes one event into the graph. It waits for one, and reports false when the
	// queue is shut down.
	Step() bool
	// Delete and Orphan are one worker each. They return when the queues are shut down.
	Delete(ctx context.Context)
	Orphan(ctx context.Context)
	ShutDown()
	// Nodes is the number of nodes in the graph.
	Nodes() int
	// Changes, Deletes and Orphans are the lengths of the queues.
	Changes() int
	Deletes() int
	Orphans() int
}

// Make returns a new garbage collector.
type Make func(ctx context.Context, client metadata.Interface, mapper meta.ResettableRESTMapper) (Inside, error)
