package clientgo

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/ownergraph/ownergraph/graph"
)

// bench is a loop and one worker of it, to be stepped by hand.
func bench(t *testing.T) (r *run, w *worker, told *[]string) {
	t.Helper()
	f := newFake(standardKinds()...)
	s, err := New(f.serve(t), Config{})
	if err != nil {
		t.Fatal(err)
	}
	told = &[]string{}
	r = newRun(s, t.Context(), func(e graph.Event) error { *told = append(*told, say(e)); return nil })
	r.out = make(chan delivery, 100)
	r.catalog = buildCatalog(discovered{}, undiscovered{}, nil, newIgnored(nil))
	w = newWorker(r, resource{kind: "Node", at: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}})
	r.workers["Node"] = w
	return r, w, told
}

// drain lets the loop deliver what there is.
func drain(t *testing.T, r *run, told *[]string) []string {
	t.Helper()
	for len(r.out) > 0 {
		if err := r.deliver(<-r.out); err != nil {
			t.Fatal(err)
		}
	}
	out := *told
	*told = nil
	return out
}

func at(name, version string) *meta {
	m := named("", name)
	m.UID, m.ResourceVersion = uidOf(name), version
	return &m
}

// What was seen of a former history is not reported in the new one: an end that
// is none any more would have dependents deleted.
func TestLoopDropsFormerHistory(t *testing.T) {
	r, w, told := bench(t)
	if err := w.applyEvent(watch.Event{Type: watch.Deleted, Object: at("n", "9")}); err != nil {
		t.Fatal(err)
	}
	if err := w.emit(graph.Event{Type: graph.KindSick, Kind: "Node", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	_ = r.store.history.observe("ConfigMap", "5", "6", 0)
	if got := drain(t, r, told); !slices.Equal(got, []string{"rewound", "kind-sick Node: x"}) {
		t.Errorf("told %q", got)
	}
	if o := w.mailbox.drain(); o.epoch != 1 {
		t.Error("the kind is not listed anew")
	}
}

// What a worker says of a kind that is not served any more is dropped.
func TestLoopDropsDismissed(t *testing.T) {
	r, w, told := bench(t)
	if err := w.applyEvent(watch.Event{Type: watch.Added, Object: at("n", "9")}); err != nil {
		t.Fatal(err)
	}
	r.stopWorker("Node")
	if got := drain(t, r, told); len(got) != 0 {
		t.Errorf("told %q", got)
	}
	if w.ctx.Err() == nil {
		t.Error("the worker goes on")
	}
}

// A page that passes a fence waits until the watch has shown all that is in it:
// a version that a listing brings voids a fence under way (RULES, R3). What the
// watch says later, and the page showed, is not said twice; after that the watch
// counts again.
func TestFencePageWaitsForWatch(t *testing.T) {
	r, w, told := bench(t)
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
		if got := drain(t, r, told); !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
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
		t.Errorf("a version that falls behind what was reported: %v", err)
	}
}

// A page that takes long is shown, whatever the watch has said.
func TestFencePageIsHurried(t *testing.T) {
	r, w, told := bench(t)
	w.position = "7"
	w.fence = &pendingFence{ids: []uint64{3}, at: "10", whole: true, newest: "8"}
	if err := w.helpFence(); err != nil {
		t.Error(err)
	}
	if got := drain(t, r, told); !slices.Equal(got, []string{"list-begun Node", "list-ended Node@10", "fence-passed 3 Node"}) {
		t.Errorf("told %q", got)
	}
}
