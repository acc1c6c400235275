package oteltrace

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/hook"
)

// TestResults: the span of a batch has its size and the number of writes that failed. A conflict
// is no error, and a call without an answer is one.
func TestResults(t *testing.T) {
	writes := make([]ownergraph.Write, 3)
	for _, c := range []struct {
		call   hook.Call
		err    error
		want   map[string]string
		status codes.Code
		reason string
	}{
		{hook.Call{Type: hook.Batch, Writes: writes, Results: []error{nil, ownergraph.ErrConflict, nil}}, nil,
			map[string]string{"db.operation.batch.size": "3", "ownergraph.batch.failed": "1", "ownergraph.result": "ok"}, codes.Unset, "one write of three fails"},
		{hook.Call{Type: hook.Batch, Writes: writes}, hook.ErrNoAnswer,
			map[string]string{"ownergraph.batch.failed": "3", "ownergraph.result": "error", "error.type": "error"}, codes.Error, "a batch that panics has failed as a whole"},
		{hook.Call{Type: hook.Patch}, ownergraph.ErrConflict, map[string]string{"ownergraph.result": "conflict", "error.type": ""}, codes.Unset, "a conflict is an answer"},
		{hook.Call{Type: hook.Fence}, context.DeadlineExceeded, map[string]string{"ownergraph.result": "timeout", "error.type": "timeout"}, codes.Error, "no answer in time"},
	} {
		exporter := tracetest.NewInMemoryExporter()
		t1 := observer{New(Config{Provider: sdk.NewTracerProvider(sdk.WithSyncer(exporter))})}
		t1.End(t1.Begin(t.Context(), &c.call), &c.call, c.err)
		spans := exporter.GetSpans()
		if len(spans) != 1 || spans[0].Status.Code != c.status {
			t.Errorf("%v: %s", spans, c.reason)
			continue
		}
		got := attributesOf(spans[0].Attributes)
		for k, v := range c.want {
			if got[k] != v {
				t.Errorf("%s is %q, want %q: %s", k, got[k], v, c.reason)
			}
		}
	}
}

// TestLinks: a span has one link to each root, and at most maxLinks of them.
func TestLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, ownergraph.Config{}, true)
		defer w.stop()
		var roots []ownergraph.Key
		for i := range 8 * maxLinks { // batches begin small
			root := w.create("app", fmt.Sprint(i), nil)
			roots = append(roots, root)
			for j := range 2 {
				w.create("pod", fmt.Sprint(i, "-", j), nil, root)
			}
		}
		w.idle()
		for _, k := range roots {
			w.delete(k, ownergraph.DeleteOptions{})
		}
		w.idle()
		most := 0
		for _, s := range w.named("ownergraph.batch") {
			seen := map[trace.SpanID]bool{}
			for _, l := range s.Links {
				if seen[l.SpanContext.SpanID()] {
					t.Errorf("two links to %v", l.Attributes)
				}
				seen[l.SpanContext.SpanID()] = true
			}
			most = max(most, len(s.Links))
		}
		if most != maxLinks {
			t.Errorf("at most %d links, want %d", most, maxLinks)
		}
	})
}

// TestUnsampled: a span that is not recorded asks for no root and makes no span of a cascade.
func TestUnsampled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, ownergraph.Config{}, false)
		defer w.stop()
		k := w.create("app", "a", nil)
		w.idle()
		tracer := New(Config{Provider: sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample()))})
		tracer.Bind(w.collector)
		c := hook.Call{Type: hook.Delete, Key: k}
		observer{tracer}.End(observer{tracer}.Begin(t.Context(), &c), &c, nil)
		if len(tracer.roots.spans) > 0 {
			t.Errorf("%d spans of cascades", len(tracer.roots.spans))
		}
	})
}
