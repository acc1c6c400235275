package clientgo

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/ownergraph/ownergraph/graph"
)

// newLoop returns a loop and one worker, to be stepped by hand.
func newLoop(t *testing.T) (r *run, w *worker, events *[]string) {
	t.Helper()
	f := newFake(standardKinds()...)
	s, err := New(f.serve(t), Config{})
	if err != nil {
		t.Fatal(err)
	}
	events = &[]string{}
	r = newRun(s, t.Context(), func(e graph.Event) error { *events = append(*events, line(e)); return nil })
	r.out = make(chan delivery, 100)
	r.catalog = buildCatalog(discovered{}, undiscovered{}, nil, newIgnored(nil))
	w = newWorker(r, resource{kind: "Node", at: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}})
	r.workers["Node"] = w
	return r, w, events
}

// drain makes the loop handle the pending deliveries.
func drain(t *testing.T, r *run, events *[]string) []string {
	t.Helper()
	for len(r.out) > 0 {
		if err := r.deliver(<-r.out); err != nil {
			t.Fatal(err)
		}
	}
	out := *events
	*events = nil
	return out
}

func at(name, version string) *meta {
	m := named("", name)
	m.UID, m.ResourceVersion = uidOf(name), version
	return &m
}

// TestLoopDropsFormerHistory: the loop drops events of a former history. A removal of
// the former history would delete dependents of a live owner.
func TestLoopDropsFormerHistory(t *testing.T) {
	r, w, events := newLoop(t)
	if err := w.applyEvent(watch.Event{Type: watch.Deleted, Object: at("n", "9")}); err != nil {
		t.Fatal(err)
	}
	if err := w.emit(graph.Event{Type: graph.KindSick, Kind: "Node", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	_ = r.store.history.observe("ConfigMap", "5", "6", 0)
	if got := drain(t, r, events); !slices.Equal(got, []string{"rewound", "kind-sick Node: x"}) {
		t.Errorf("events %q", got)
	}
	if o := w.mailbox.drain(); o.epoch != 1 {
		t.Error("the kind is not listed anew")
	}
}

// TestLoopDropsStoppedWorkers: the loop drops the deliveries of a stopped worker.
func TestLoopDropsStoppedWorkers(t *testing.T) {
	r, w, events := newLoop(t)
	if err := w.applyEvent(watch.Event{Type: watch.Added, Object: at("n", "9")}); err != nil {
		t.Fatal(err)
	}
	r.stopWorker("Node")
	if got := drain(t, r, events); len(got) != 0 {
		t.Errorf("events %q", got)
	}
	if w.ctx.Err() == nil {
		t.Error("the worker goes on")
	}
}

// TestFencePageWaitsForWatch: the page of a fence waits until the watch has reported
// all its objects. A version that a listing brings would void a running fence (RULES,
// R3). The watch does not repeat an event of the page. After the page, versions are
// compared again.
func TestFencePageWaitsForWatch(t *testing.T) {
	r, w, events := newLoop(t)
	w.position = "7"
	page, err := w.puts([]meta{*at("a", "8"), *at("b", "6")})
	if err != nil {
		t.Fatal(err)
	}
	w.fence = &pendingFence{ids: []uint64{3}, at: "10", whole: true, page: page, newest: "8"}
	step := func(do func() error, want ...string) {
		t.Helper()
		if err := do(); err != nil {
			t.Error(err)
		}
		if got := drain(t, r, events); !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	}
	hear := func(kind watch.EventType, m *meta) func() error {
		return func() error { return w.applyEvent(watch.Event{Type: kind, Object: m}) }
	}
	step(w.passFence)
	step(hear(watch.Added, at("a", "8")), "put a@8",
		"list-begun Node", "put a@8", "put b@6", "list-ended Node@10", "fence-passed 3 Node")
	step(hear(watch.Deleted, at("c", "9")))
	step(hear(watch.Modified, at("a", "11")), "put a@11")
	if err := w.applyEvent(watch.Event{Type: watch.Modified, Object: at("b", "9")}); err != errRewound {
		t.Errorf("a version below a reported one: %v", err)
	}
}

// TestFencePageTimeout: the page of a slow fence is reported before the watch has
// caught up.
func TestFencePageTimeout(t *testing.T) {
	r, w, events := newLoop(t)
	w.position = "7"
	w.fence = &pendingFence{ids: []uint64{3}, at: "10", whole: true, newest: "8"}
	if err := w.helpFence(); err != nil {
		t.Error(err)
	}
	if got := drain(t, r, events); !slices.Equal(got, []string{"list-begun Node", "list-ended Node@10", "fence-passed 3 Node"}) {
		t.Errorf("events %q", got)
	}
}
