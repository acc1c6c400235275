package oteltrace

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/hook"
)

const scope = "github.com/ownergraph/ownergraph/adapters/otel"

// Config has the settings of a Tracer. The zero value traces nothing.
type Config struct {
	// Provider makes the spans. Without one, and with the no-op provider of OpenTelemetry,
	// tracing is off. otel.GetTracerProvider() is the provider of the program.
	Provider trace.TracerProvider
	// MaxRoots bounds the remembered roots of cascades, by default 1,024.
	MaxRoots int
}

// Tracer makes the spans of one collector. Use New. It is safe for concurrent use.
//
//test:by TestCascade TestVocabulary TestErrors TestHostile TestOff
type Tracer struct {
	tracer trace.Tracer // nil while tracing is off
	names  []string     // of the spans, by the type of the call
	roots  roots
	bound  atomic.Pointer[ownergraph.Collector]
}

// New returns a tracer.
func New(c Config) *Tracer {
	t := &Tracer{}
	if _, off := c.Provider.(noop.TracerProvider); c.Provider == nil || off {
		return t
	}
	t.tracer = c.Provider.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))
	t.roots = newRoots(c.MaxRoots)
	t.names = make([]string, len(hook.Types())+1)
	for _, x := range hook.Types() {
		t.names[x] = "ownergraph." + x.String()
	}
	return t
}

// Wrap returns a store and a config whose calls and handlers have spans. The store has the powers
// of the given one. While tracing is off, Wrap returns its arguments.
//
//test:by TestOff
func (t *Tracer) Wrap(store ownergraph.Store, c ownergraph.Config) (ownergraph.Store, ownergraph.Config) {
	if t.tracer == nil {
		return store, c
	}
	if c.Handlers != nil {
		c.Handlers = hook.Handlers(c.Handlers, observer{t})
	}
	return hook.Store(store, observer{t}), c
}

// Bind makes the tracer ask a collector for the roots of cascades. Spans from before it have no
// link.
func (t *Tracer) Bind(c *ownergraph.Collector) { t.bound.Store(c) }

// observer makes the spans.
type observer struct{ *Tracer }

// Begin begins the span of a call. A span that is not recorded gets no attributes.
func (t observer) Begin(ctx context.Context, c *hook.Call) context.Context {
	kind := trace.SpanKindClient
	if c.Type == hook.Handle {
		kind = trace.SpanKindInternal
	}
	ctx, span := t.tracer.Start(ctx, t.names[c.Type], trace.WithNewRoot(), trace.WithSpanKind(kind))
	if !span.IsRecording() {
		return ctx
	}
	switch {
	case c.Type == hook.Batch:
		span.SetAttributes(semconv.DBOperationBatchSize(len(c.Writes)))
	case c.Key.Name != "":
		span.SetAttributes(keyAttributes(object(), c.Key)...)
	case c.Kind != "":
		span.SetAttributes(object().kind.String(firstBytes(string(c.Kind))))
	}
	if c.Finalizer != "" {
		span.SetAttributes(finalizerKey.String(firstBytes(c.Finalizer)))
	}
	t.link(span, keysOf(c))
	return ctx
}

// End ends the span of a call with its result.
func (t observer) End(ctx context.Context, c *hook.Call, err error) {
	span := trace.SpanFromContext(ctx)
	defer span.End()
	if !span.IsRecording() {
		return
	}
	r := hook.ResultOf(err)
	attributes := []attribute.KeyValue{resultKey.String(r.String())}
	if c.Type == hook.Batch {
		failed := 0
		for i := range c.Writes {
			if c.ResultAt(i, err) != hook.OK {
				failed++
			}
		}
		attributes = append(attributes, failedKey.Int(failed))
	}
	switch r {
	case hook.OK, hook.NotFound, hook.Conflict:
	default:
		attributes = append(attributes, semconv.ErrorTypeKey.String(r.String()))
		span.SetStatus(codes.Error, firstBytes(err.Error()))
	}
	span.SetAttributes(attributes...)
}

// keysOf returns the objects of a call.
func keysOf(c *hook.Call) []ownergraph.Key {
	switch {
	case c.Key.Name != "":
		return []ownergraph.Key{c.Key}
	case len(c.Writes) > 0:
		keys := make([]ownergraph.Key, len(c.Writes))
		for i := range c.Writes {
			keys[i] = c.Writes[i].Key
		}
		return keys
	}
	return nil
}
