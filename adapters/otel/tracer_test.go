package oteltrace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/finalizer"
)

// spanning is a store that makes a span of its own in each delete, as a traced driver does. It
// takes no batches, and refuses objects by name.
type spanning struct {
	ownergraph.Store
	tracer trace.Tracer
	calls  chan string
}

func (s *spanning) Unwrap() ownergraph.Store { return s.Store }

func (s *spanning) Delete(ctx context.Context, k ownergraph.Key, o ownergraph.DeleteOptions) error {
	_, span := s.tracer.Start(ctx, "driver")
	defer span.End()
	s.calls <- k.Name
	if k.Name == "refused" {
		return fmt.Errorf("no: %w", ownergraph.ErrRefused)
	}
	return s.Store.Delete(ctx, k, o)
}

// world is a collector with traces in memory.
type world struct {
	*testing.T
	store     *memory.Store
	collector *ownergraph.Collector
	exporter  *tracetest.InMemoryExporter
	driver    *spanning
	stop      func()
}

func newWorld(t *testing.T, c ownergraph.Config, batches bool) *world {
	t.Helper()
	m, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "app"}, {Kind: "pod", Scoped: true}}})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, store: m, exporter: tracetest.NewInMemoryExporter()}
	provider := sdk.NewTracerProvider(sdk.WithSyncer(w.exporter))
	w.driver = &spanning{m, provider.Tracer("driver"), make(chan string, 1000)}
	var s ownergraph.Store = w.driver
	if batches {
		s = m
	}
	tracer := New(Config{Provider: provider})
	s, c = tracer.Wrap(s, c)
	if w.collector, err = ownergraph.New(s, c); err != nil {
		t.Fatal(err)
	}
	tracer.Bind(w.collector)
	ctx, _ := provider.Tracer("program").Start(context.Background(), "program") // as in a program that traces its start
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- w.collector.Run(ctx) }()
	w.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	return w
}

func (w *world) create(kind ownergraph.Kind, name string, finalizers []string, owners ...ownergraph.Key) ownergraph.Key {
	w.Helper()
	o := ownergraph.Object{Key: ownergraph.Key{Kind: kind, Name: name}, Finalizers: finalizers}
	if kind == "pod" {
		o.Key.Scope = "s"
	}
	for _, k := range owners {
		o.Owners = append(o.Owners, ownergraph.Owner{Key: k})
	}
	o, err := w.store.Create(w.Context(), o)
	if err != nil {
		w.Fatal(err)
	}
	return o.Key
}

func (w *world) delete(k ownergraph.Key, p ownergraph.DeleteOptions) {
	w.Helper()
	if err := w.store.Delete(w.Context(), k, p); err != nil {
		w.Fatal(err)
	}
}

func (w *world) idle() {
	w.Helper()
	if _, err := w.collector.WaitIdle(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// named returns the spans of a name.
func (w *world) named(name string) (out tracetest.SpanStubs) {
	for _, s := range w.exporter.GetSpans() {
		if s.Name == name {
			out = append(out, s)
		}
	}
	return out
}

func attributesOf(all []attribute.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range all {
		out[string(a.Key)] = a.Value.String()
	}
	return out
}

// TestCascade: each call and each run of a handler has one span of its own trace, with a link to
// the span of the root. The spans of the store are its children.
func TestCascade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, ownergraph.Config{Handlers: map[string]finalizer.Handler{
			"example.org/h": func(context.Context, ownergraph.Object) error { return nil },
		}}, false)
		defer w.stop()
		root := w.create("app", "root", nil)
		middle := w.create("pod", "middle", nil, root)
		handled := w.create("pod", "handled", []string{"example.org/h"}, middle)
		w.create("pod", "refused", nil, root)
		w.idle()
		w.delete(root, ownergraph.DeleteOptions{})
		w.idle()
		cascades := w.named("ownergraph.cascade")
		if len(cascades) != 1 || attributesOf(cascades[0].Attributes)["ownergraph.root.uid"] != string(root.UID) {
			t.Fatalf("%d spans of cascades: %v", len(cascades), cascades)
		}
		deletes := w.named("ownergraph.delete")
		if len(deletes) != len(w.driver.calls) || len(deletes) < 3 {
			t.Errorf("%d spans for %d deletes", len(deletes), len(w.driver.calls))
		}
		drivers, traces := w.named("driver"), map[trace.TraceID]bool{}
		all := slices.Concat(deletes, w.named("ownergraph.handle"), w.named("ownergraph.patch"))
		if len(all) < 5 {
			t.Errorf("%d spans of deletes, handlers and patches", len(all))
		}
		for _, s := range all {
			a := attributesOf(s.Attributes)
			if len(s.Links) != 1 || s.Links[0].SpanContext.SpanID() != cascades[0].SpanContext.SpanID() || attributesOf(s.Links[0].Attributes)["ownergraph.root.name"] != "root" {
				t.Errorf("%s of %s has the links %v", s.Name, a["ownergraph.object.name"], s.Links)
			}
			if traces[s.SpanContext.TraceID()] || s.Parent.IsValid() {
				t.Errorf("%s of %s is in another trace", s.Name, a["ownergraph.object.name"])
			}
			traces[s.SpanContext.TraceID()] = true
			want := map[bool]trace.SpanKind{true: trace.SpanKindInternal, false: trace.SpanKindClient}[s.Name == "ownergraph.handle"]
			if s.SpanKind != want {
				t.Errorf("%s has the kind %s", s.Name, s.SpanKind)
			}
		}
		for _, s := range drivers {
			if i := slices.IndexFunc(deletes, func(d tracetest.SpanStub) bool { return d.SpanContext.SpanID() == s.Parent.SpanID() }); i < 0 {
				t.Errorf("a span of the store has no parent")
			}
		}
		h := attributesOf(w.named("ownergraph.handle")[0].Attributes)
		for k, v := range map[string]string{
			"ownergraph.finalizer": "example.org/h", "ownergraph.result": "ok", "ownergraph.object.uid": string(handled.UID),
			"ownergraph.object.kind": "pod", "ownergraph.object.scope": "s", "ownergraph.object.name": "handled",
		} {
			if h[k] != v {
				t.Errorf("the handler's span has %s %q, want %q", k, h[k], v)
			}
		}
	})
}

// TestErrors: a span with an error has its status and its type. An answer of the store is no
// error.
func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done atomic.Bool
		w := newWorld(t, ownergraph.Config{Handlers: map[string]finalizer.Handler{
			"example.org/h": func(context.Context, ownergraph.Object) error {
				if !done.Load() {
					return errors.New(strings.Repeat("é", 1000))
				}
				return nil
			},
		}}, false)
		defer w.stop()
		root := w.create("app", "root", nil)
		w.create("pod", "refused", nil, root)
		failing := w.create("pod", "failing", []string{"example.org/h"})
		w.create("pod", "orphan", nil, ownergraph.Key{Kind: "app", Name: "never", UID: "never"})
		w.delete(root, ownergraph.DeleteOptions{})
		w.delete(failing, ownergraph.DeleteOptions{})
		w.idle()
		for _, c := range []struct {
			span, object, result string
			status               codes.Code
			reason               string
		}{
			{"ownergraph.delete", "refused", "refused", codes.Error, "the store refuses it"},
			{"ownergraph.delete", "orphan", "ok", codes.Unset, "its owner has never existed"},
			{"ownergraph.handle", "failing", "error", codes.Error, "the handler fails"},
			{"ownergraph.read", "never", "not_found", codes.Unset, "a missing owner is an answer"},
		} {
			i := 0
			for _, s := range w.named(c.span) {
				a := attributesOf(s.Attributes)
				if a["ownergraph.object.name"] != c.object {
					continue
				}
				i++
				typ, hasType := a["error.type"]
				if a["ownergraph.result"] != c.result || s.Status.Code != c.status || hasType != (c.status == codes.Error) || hasType && typ != c.result || len(s.Status.Description) > maxText {
					t.Errorf("%s of %s: %v, %v: %s", c.span, c.object, a, s.Status, c.reason)
				}
			}
			if i == 0 {
				t.Errorf("no %s of %s: %s", c.span, c.object, c.reason)
			}
		}
		done.Store(true)
		<-time.After(time.Hour)
	})
}

// TestVocabulary: the documentation lists the attributes of all spans, and no others. Batches,
// fences and listings have spans too.
func TestVocabulary(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	vocabulary := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^//\t((?:ownergraph|db|error)\.[a-z_.]+)`).FindAllStringSubmatch(string(text), -1) {
		vocabulary[m[1]] = false
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, ownergraph.Config{Handlers: map[string]finalizer.Handler{
			"example.org/h": func(context.Context, ownergraph.Object) error { return errors.New("by the test") },
		}}, true)
		defer w.stop()
		root := w.create("app", "root", nil)
		scoped := w.create("pod", "root", nil)
		for i := range 50 {
			w.create("pod", fmt.Sprint(i), []string{"example.org/h"}[:i%2], root)
			w.create("pod", fmt.Sprint("scoped-", i), nil, scoped)
		}
		w.idle()
		w.delete(root, ownergraph.DeleteOptions{Propagation: ownergraph.Foreground})
		w.delete(scoped, ownergraph.DeleteOptions{})
		w.idle()
		for _, name := range []string{"batch", "fence", "handle", "cascade"} {
			if len(w.named("ownergraph."+name)) == 0 {
				t.Errorf("no span of %s", name)
			}
		}
		for _, s := range w.exporter.GetSpans() {
			all := s.Attributes
			for _, l := range s.Links {
				all = slices.Concat(all, l.Attributes)
			}
			for _, a := range all {
				if _, ok := vocabulary[string(a.Key)]; !ok {
					t.Errorf("%s has the attribute %s, which is not documented", s.Name, a.Key)
				}
				vocabulary[string(a.Key)] = true
			}
		}
	})
	for k, used := range vocabulary {
		if !used {
			t.Errorf("no span has %s", k)
		}
	}
}

// TestRoots: the tracer remembers a bounded number of roots, the newest ones.
func TestRoots(t *testing.T) {
	r, made := newRoots(3), 0
	key := func(i int) ownergraph.Key { return ownergraph.Key{Kind: "k", Name: fmt.Sprint(i)} }
	newSpan := func(ownergraph.Key) trace.SpanContext { made++; return trace.SpanContext{} }
	for _, c := range []struct {
		root, made int
		reason     string
	}{
		{1, 1, "the first one"}, {2, 2, "another one"}, {1, 2, "it is remembered"}, {3, 3, "a third one"}, {4, 4, "the first is forgotten"},
		{2, 4, "the second is remembered"}, {1, 5, "the first is made anew"}, {2, 6, "the second was forgotten for it"},
	} {
		if r.of(key(c.root), newSpan); made != c.made || len(r.spans) > 3 {
			t.Errorf("%d spans are made, want %d, %d are remembered: %s", made, c.made, len(r.spans), c.reason)
		}
	}
}

// TestOff: without a provider, and with the no-op provider, the store and the config are the
// given ones. So there is no cost.
func TestOff(t *testing.T) {
	m, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	handlers := map[string]finalizer.Handler{"example.org/h": func(context.Context, ownergraph.Object) error { return nil }}
	for _, c := range []struct {
		provider trace.TracerProvider
		off      bool
		reason   string
	}{
		{nil, true, "there is no provider"},
		{noop.NewTracerProvider(), true, "the provider makes no spans"},
		{sdk.NewTracerProvider(), false, "the provider makes spans"},
	} {
		s, cfg := New(Config{Provider: c.provider}).Wrap(m, ownergraph.Config{Handlers: handlers})
		same := s == ownergraph.Store(m) && reflect.ValueOf(cfg.Handlers).Pointer() == reflect.ValueOf(handlers).Pointer()
		if same != c.off {
			t.Errorf("the same store and handlers: %t, want %t: %s", same, c.off, c.reason)
		}
	}
}
