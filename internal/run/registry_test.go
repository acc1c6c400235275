package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

func nothing(context.Context, graph.Object) error { return nil }

func TestNewRegistryRefuses(t *testing.T) {
	for _, tc := range []struct {
		handlers map[string]finalizer.Handler
		want     string
		reason   string
	}{
		{map[string]finalizer.Handler{"": nothing}, `register handler "": the name is empty: invalid`, "no object could carry it"},
		{map[string]finalizer.Handler{"x": nil}, `register handler "x": the handler is nil: invalid`, "it could not be called"},
		{map[string]finalizer.Handler{"orphan": nothing}, `register handler "orphan": the name is a propagation's: invalid`, "the engine's work"},
		{map[string]finalizer.Handler{"foregroundDeletion": nothing},
			`register handler "foregroundDeletion": the name is a propagation's: invalid`, "the engine's work"},
		{map[string]finalizer.Handler{"z": nil, "": nothing}, `register handler "": the name is empty: invalid` + "\n" +
			`register handler "z": the handler is nil: invalid`, "every fault, in order"},
	} {
		r, err := NewRegistry(tc.handlers)
		if r != nil || !errors.Is(err, graph.ErrInvalid) || err.Error() != tc.want {
			t.Errorf("NewRegistry: %v, %v, want %q: %s", r, err, tc.want, tc.reason)
		}
	}
}

func TestNames(t *testing.T) {
	handlers := map[string]finalizer.Handler{"b": nothing, "a": nothing, "c/d": nothing}
	r, err := NewRegistry(handlers)
	if err != nil {
		t.Fatal(err)
	}
	handlers["late"] = nothing
	r.Names()[0] = "changed"
	if got, want := r.Names(), []string{"a", "b", "c/d"}; !slices.Equal(got, want) {
		t.Errorf("Names() = %q, want %q: sorted, and a copy", got, want)
	}
	var none *Registry
	if names := append(none.Names(), (&Registry{}).Names()...); len(names) != 0 {
		t.Errorf("a nil and a zero registry have %q", names)
	}
}

var errFailed = errors.New("failed")

func TestRun(t *testing.T) {
	r, err := NewRegistry(map[string]finalizer.Handler{
		"good":  nothing,
		"bad":   func(context.Context, graph.Object) error { return errFailed },
		"panic": func(context.Context, graph.Object) error { panic("boom") },
		"cause": func(context.Context, graph.Object) error { panic(errFailed) },
		"nil":   func(context.Context, graph.Object) error { panic(nil) },
		"greedy": func(_ context.Context, o graph.Object) error {
			o.Finalizers[0] = "changed"
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	o := graph.Object{Key: graph.Key{Kind: "pod", Scope: "ns", Name: "a", UID: "u1"}, Finalizers: []string{"good"}}
	for _, tc := range []struct {
		name   string
		is     []error
		want   string
		reason string
	}{
		{"good", nil, "", "done"},
		{"bad", []error{errFailed}, `run finalizer "bad" of pod/ns/a@u1: failed`, "named once, and the cause kept"},
		{"absent", []error{ErrNoHandler}, `run finalizer "absent" of pod/ns/a@u1: no handler`, "no handler to call"},
		{"panic", []error{ErrPanic}, `run finalizer "panic" of pod/ns/a@u1: handler panicked: boom`, "a panic is an error"},
		{"cause", []error{ErrPanic, errFailed}, `run finalizer "cause" of pod/ns/a@u1: handler panicked: failed`, "an error stays one"},
		{"nil", []error{ErrPanic}, "", "even a panic with nil"},
		{"greedy", nil, "", "the object is the handler's own"},
	} {
		err := r.Run(t.Context(), tc.name, o)
		if (err == nil) != (tc.is == nil) || tc.want != "" && err.Error() != tc.want {
			t.Errorf("Run(%q): %v, want %q: %s", tc.name, err, tc.want, tc.reason)
		}
		for _, is := range tc.is {
			if !errors.Is(err, is) {
				t.Errorf("Run(%q): %v is no %v: %s", tc.name, err, is, tc.reason)
			}
		}
	}
	if o.Finalizers[0] != "good" {
		t.Error("a handler changed the caller's object")
	}
}

func TestRunTellsWhereItPanicked(t *testing.T) {
	r, _ := NewRegistry(map[string]finalizer.Handler{"x": deepInside})
	var p *PanicError
	if err := r.Run(t.Context(), "x", graph.Object{}); !errors.As(err, &p) {
		t.Fatalf("Run: %v, want a *PanicError", err)
	}
	if p.Value != 42 || p.Finalizer != "x" || !strings.Contains(string(p.Stack), "deepInside") {
		t.Errorf("PanicError: %v of %q, stack:\n%s", p.Value, p.Finalizer, p.Stack)
	}
}

// TestRunError: the cause stands apart from the names of the finalizer and the object.
func TestRunError(t *testing.T) {
	failed := errors.New("failed")
	r, err := NewRegistry(map[string]finalizer.Handler{
		"bad":   func(context.Context, graph.Object) error { return failed },
		"panic": func(context.Context, graph.Object) error { panic("boom") },
	})
	if err != nil {
		t.Fatal(err)
	}
	key := graph.Key{Kind: "pod", Scope: "ns", Name: "a", UID: "u1"}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name   string
		ctx    context.Context
		want   string
		reason string
	}{
		{"bad", t.Context(), "failed", "the handler's own words"},
		{"panic", t.Context(), "handler panicked: boom", "without the stack"},
		{"absent", t.Context(), "no handler", "no handler to call"},
		{"bad", ended, "context canceled", "it was not called"},
	} {
		var run *RunError
		err := r.Run(tc.ctx, tc.name, graph.Object{Key: key})
		if !errors.As(err, &run) || run.Finalizer != tc.name || run.Object != key || run.Err.Error() != tc.want {
			t.Errorf("Run(%q): %#v, want the cause %q: %s", tc.name, err, tc.want, tc.reason)
		}
	}
}

func deepInside(context.Context, graph.Object) error { panic(42) }

func TestRunHonoursContext(t *testing.T) {
	called := false
	r, _ := NewRegistry(map[string]finalizer.Handler{
		"x":     func(context.Context, graph.Object) error { called = true; return nil },
		"waits": func(ctx context.Context, _ graph.Object) error { <-ctx.Done(); return ctx.Err() },
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- r.Run(ctx, "waits", graph.Object{}) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run of a handler that waits: %v, want it cancelled", err)
	}
	if err := r.Run(ctx, "x", graph.Object{}); !errors.Is(err, context.Canceled) || called {
		t.Errorf("Run after the end: %v, called: %t; want it cancelled and not called", err, called)
	}
	var none *Registry
	if err := none.Run(t.Context(), "x", graph.Object{}); !errors.Is(err, ErrNoHandler) {
		t.Errorf("Run of a nil registry: %v, want ErrNoHandler", err)
	}
}

// TestRunConcurrently is for the race detector.
func TestRunConcurrently(t *testing.T) {
	r, _ := NewRegistry(map[string]finalizer.Handler{"x": func(_ context.Context, o graph.Object) error {
		o.Finalizers[0] = "mine"
		return nil
	}})
	o := graph.Object{Finalizers: []string{"x"}}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := r.Run(t.Context(), "x", o); err != nil || !slices.Equal(r.Names(), []string{"x"}) {
				t.Errorf("Run: %v", err)
			}
		})
	}
	wg.Wait()
}
