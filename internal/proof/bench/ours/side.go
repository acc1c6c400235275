package ours

import (
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	"github.com/ownergraph/ownergraph/queue"
)

// Side is the whole of ours. With Alone, Graph returns the graph without the engine
// around it. The difference is the share of the engine.
type Side struct{ Alone bool }

var _ measure.Side = Side{}

// Graph returns an empty engine of level 2, which is all that our side keeps, or an
// empty graph.
func (s Side) Graph(bool) (measure.Graph, error) {
	if s.Alone {
		return &bare{graph: graph.New(graph.Config{})}, nil
	}
	return newEngine()
}

// View returns nil, since we read objects in the server's form.
func (Side) View(graph.Object) any { return nil }

// Queue works as the Collector does. Under one mutex a watch adds keys, and a worker
// takes the next key and ends it. With product each of them reads the clock, as the
// Collector does for the engine.
func (Side) Queue(consumers, cycles int, product bool) func() {
	q := &locked{queue: queue.New(queue.Config[graph.NodeID]{Number: number}), clock: func() time.Time { return time.Time{} }}
	if product {
		begun := time.Now()
		q.clock = func() time.Time { return begun.Add(time.Since(begun)) }
	}
	each := cycles / consumers
	return func() {
		var all sync.WaitGroup
		for c := range consumers {
			all.Go(func() {
				for i := range each {
					q.add(graph.NodeID(c*each + i))
					q.next()
				}
			})
		}
		all.Wait()
	}
}

// number is a node id as a number, as in the engine.
func number(id graph.NodeID) uint32 { return uint32(id) }

type locked struct {
	mu    sync.Mutex
	queue *queue.Queue[graph.NodeID]
	clock func() time.Time
}

func (q *locked) add(key graph.NodeID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	_ = q.clock() // Engine.Observe takes it
	q.queue.Add(key, queue.Normal)
}

func (q *locked) next() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if k, ok := q.queue.Next(q.clock()); ok {
		q.queue.Done(k)
	}
}
