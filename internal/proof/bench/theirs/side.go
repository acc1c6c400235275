package theirs

import (
	"context"
	"io"
	"sync"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// Side is the garbage collector of Kubernetes.
type Side struct {
	Make Make
	// Mapper is the name of its REST mapper: PlainMapper, or empty for the product's.
	Mapper string
}

var _ measure.Side = Side{}

// make returns a new garbage collector with the side's REST mapper.
func (s Side) make(ctx context.Context, c client) (Inside, error) {
	m, err := mapper(s.Mapper)
	if err != nil {
		return nil, err
	}
	return s.Make(ctx, c, m)
}

// Hush turns off the logs of Kubernetes at the default level. With bubbled it also
// turns off the reports of errors. Kubernetes would sleep after each of them, by a
// clock that a bubble of time does not have.
func Hush(bubbled bool) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	if bubbled {
		utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func(context.Context, error, string, ...any) {}}
	}
}

// View returns the form that its informers would keep.
func (Side) View(o graph.Object) any { return partial(o) }

// Graph returns an empty graph. With whole it comes with the cache of an informer.
func (s Side) Graph(whole bool) (measure.Graph, error) {
	in, err := s.make(context.Background(), client{})
	if err != nil {
		return nil, err
	}
	g := &filling{inside: in}
	if whole {
		g.cache = newCache()
	}
	return g, nil
}

// item is the type to which the queue has pointers, as the garbage collector's queue
// does.
type item struct{ _ int }

// Queue works as the garbage collector's workers do, on a queue of the same making. The
// program decides about the metrics of kube-controller-manager, which read the clock.
// See package upstream.
func (Side) Queue(consumers, cycles int, _ bool) func() {
	q := workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.DefaultTypedControllerRateLimiter[*item](),
		workqueue.TypedRateLimitingQueueConfig[*item]{Name: "benchmark"},
	)
	each := cycles / consumers
	items := make([]item, each*consumers)
	return func() {
		defer q.ShutDown()
		var all sync.WaitGroup
		for c := range consumers {
			all.Go(func() {
				for i := range each {
					q.Add(&items[c*each+i])
					if k, down := q.Get(); !down {
						q.Done(k)
					}
				}
			})
		}
		all.Wait()
	}
}
