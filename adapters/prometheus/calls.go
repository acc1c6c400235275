package promstats

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/hook"
)

// calls observes the calls of the store and the runs of handlers.
type calls struct {
	roots    func(keys ...ownergraph.Key) []engine.Root // set by New before the first call
	cascades *cascades
	labels   *kindLabels

	counts [][]atomic.Uint64 // by type and result
	times  *prometheus.HistogramVec
	took   []prometheus.Observer // by type

	mu      sync.Mutex
	deleted map[string]uint64 // by the label of the kind
}

func newCalls(c Config, labels *kindLabels, cascades *cascades) *calls {
	x := &calls{
		cascades: cascades, labels: labels, deleted: map[string]uint64{},
		times: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "ownergraph_call_duration_seconds", Help: "Time of a call of the store or of a handler. The writes of a batch are one call.",
			Buckets: c.CallBuckets,
		}, []string{"type"}),
	}
	types, results := hook.Types(), hook.Results()
	x.took = make([]prometheus.Observer, len(types)+1)
	for _, t := range types {
		x.took[t] = x.times.WithLabelValues(t.String())
	}
	for range len(types) + 1 {
		x.counts = append(x.counts, make([]atomic.Uint64, len(results)+1))
	}
	return x
}

// Begin notes the objects whose delete is about to be sent.
func (x *calls) Begin(ctx context.Context, c *hook.Call) context.Context {
	now := time.Now()
	switch c.Type {
	case hook.Delete:
		x.beginDeletes(now, c.Key)
	case hook.Batch:
		var keys []ownergraph.Key
		for i := range c.Writes {
			if c.Writes[i].Type == graph.WriteDelete {
				keys = append(keys, c.Writes[i].Key)
			}
		}
		x.beginDeletes(now, keys...)
	}
	c.Begun = now
	return ctx
}

// beginDeletes notes the cascades of objects. The first root counts.
func (x *calls) beginDeletes(now time.Time, keys ...ownergraph.Key) {
	for i, r := range x.roots(keys...) {
		if len(r.Keys) > 0 {
			x.cascades.begin(now, keys[i], r.Keys[0])
		}
	}
}

// End counts a call.
func (x *calls) End(_ context.Context, c *hook.Call, err error) {
	x.took[c.Type].Observe(time.Since(c.Begun).Seconds())
	if c.Type != hook.Batch {
		x.count(c.Type, c.Key, hook.ResultOf(err))
		return
	}
	for i := range c.Writes {
		t := hook.Patch
		if c.Writes[i].Type == graph.WriteDelete {
			t = hook.Delete
		}
		x.count(t, c.Writes[i].Key, c.ResultAt(i, err))
	}
}

func (x *calls) count(t hook.Type, k ownergraph.Key, r hook.Result) {
	x.counts[t][r].Add(1)
	if t != hook.Delete {
		return
	}
	x.cascades.ended(time.Now(), k.UID, r)
	if r == hook.OK {
		label := x.labels.of(k.Kind)
		x.mu.Lock()
		x.deleted[label]++
		x.mu.Unlock()
	}
}

// Watched takes the ends of objects.
func (x *calls) Watched(batch []ownergraph.Event) { x.cascades.watched(time.Now(), batch) }
