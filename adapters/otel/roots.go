package oteltrace

import (
	"cmp"
	"context"
	"sync"

	"go.opentelemetry.io/otel/trace"

	"github.com/ownergraph/ownergraph"
)

// maxLinks bounds the links of one span.
const maxLinks = 8

// roots remembers the spans of roots, the newest ones. It is safe for concurrent use.
type roots struct {
	most int

	mu    sync.Mutex
	spans map[ownergraph.Key]trace.SpanContext
	order []ownergraph.Key // a ring: next is the oldest one
	next  int
}

func newRoots(most int) roots {
	return roots{most: cmp.Or(max(most, 0), 1024), spans: map[ownergraph.Key]trace.SpanContext{}}
}

// of returns the span of a root, and makes it if it is not remembered.
func (r *roots) of(k ownergraph.Key, newSpan func(ownergraph.Key) trace.SpanContext) trace.SpanContext {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.spans[k]; ok {
		return s
	}
	s := newSpan(k)
	if len(r.order) < r.most {
		r.order = append(r.order, k)
	} else {
		delete(r.spans, r.order[r.next])
		r.order[r.next] = k
		r.next = (r.next + 1) % r.most
	}
	r.spans[k] = s
	return s
}

// link adds links to the roots of some objects.
func (t observer) link(span trace.Span, keys []ownergraph.Key) {
	c := t.bound.Load()
	if c == nil || len(keys) == 0 {
		return
	}
	linked := map[ownergraph.Key]bool{}
	for _, r := range c.Roots(keys...) {
		for _, k := range r.Keys {
			if linked[k] || len(linked) == maxLinks {
				continue
			}
			linked[k] = true
			span.AddLink(trace.Link{SpanContext: t.roots.of(k, t.newRoot), Attributes: keyAttributes(root(), k)})
		}
	}
}

// newRoot makes the span of a root.
func (t observer) newRoot(k ownergraph.Key) trace.SpanContext {
	_, span := t.tracer.Start(context.Background(), "ownergraph.cascade", trace.WithNewRoot(), trace.WithAttributes(keyAttributes(root(), k)...))
	defer span.End()
	return span.SpanContext()
}
