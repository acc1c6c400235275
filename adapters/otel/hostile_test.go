package oteltrace

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/hook"
)

// TestHostile: the values of a span are short and valid UTF-8, also where a store has other names.
// An exporter refuses all of its spans for one wrong value.
func TestHostile(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	tracer := New(Config{Provider: sdk.NewTracerProvider(sdk.WithSyncer(exporter))})
	long := strings.Repeat("é", 1<<19)
	for _, bad := range []string{"a\xffb", long, "x" + long, strings.Repeat("a\xff", 1000), "<script>\x00\u202e"} {
		k := ownergraph.Key{Kind: ownergraph.Kind(bad), Scope: bad, Name: bad, UID: graph.UID(bad)}
		tracer.roots.of(k, observer{tracer}.newRoot)
		for _, c := range []hook.Call{
			{Type: hook.Read, Key: k}, {Type: hook.List, Kind: ownergraph.Kind(bad)}, {Type: hook.Handle, Key: k, Finalizer: bad},
		} {
			observer{tracer}.End(observer{tracer}.Begin(context.Background(), &c), &c, errors.New(bad))
		}
	}
	spans := exporter.GetSpans()
	if len(spans) != 20 {
		t.Errorf("%d spans, want 20", len(spans))
	}
	for _, s := range spans {
		for _, a := range append(slices.Clone(s.Attributes), attribute.String("status", s.Status.Description)) {
			if v := a.Value.String(); len(v) > maxText || !utf8.ValidString(v) {
				t.Errorf("%s has %s of %d bytes: %.40q", s.Name, a.Key, len(v), v)
			}
		}
	}
}
