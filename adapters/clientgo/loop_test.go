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
	r = newRun(s, t.Context(), oneByOne(func(e graph.Event) error { *events = append(*events, line(e)); return nil }))
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
		if err := r.deliverPending(<-r.out); err != nil {
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

// TestLoopBatches: the sink takes pending events together, and a page as it is. The order
// stays.
func TestLoopBatches(t *testing.T) {
	for _, c := range []struct {
		events []int // of each delivery; negative: a page
		want   []int
		reason string
	}{
		{[]int{1}, []int{1}, "an event that comes alone"},
		{[]int{1, 2, 3}, []int{6}, "events that are pending go together"},
		{slices.Repeat([]int{1}, 40), []int{16, 16, 8}, "at most so many deliveries, for the loop has other work"},
		{[]int{40, 30, 1}, []int{40, 31}, "at most so many events"},
		{[]int{3, -100, 2}, []int{3, 100, 2}, "a page is a batch of its own"},
		{[]int{3, -20, 2}, []int{25}, "a small page goes with the others"},
		{[]int{-700}, []int{500, 200}, "at most a page of the settings"},
		{[]int{maxBatch, maxBatch + 1}, []int{maxBatch, maxBatch, 1}, "a full batch goes as it is"},
	} {
		r, w, _ := newLoop(t)
		var got, order []int
		r.sink = func(batch []graph.Event) error {
			got = append(got, len(batch))
			for _, e := range batch {
				order = append(order, int(e.Fence))
			}
			return nil
		}
		total := 0
		for _, n := range c.events {
			total += emitNumbered(t, w, n, total)
		}
		drain(t, r, new([]string))
		if !slices.Equal(got, c.want) || len(order) != total || !slices.IsSorted(order) {
			t.Errorf("batches of %d, want %d, %d of %d events: %s", got, c.want, len(order), total, c.reason)
		}
		if slices.ContainsFunc(r.batch[:cap(r.batch)], func(e graph.Event) bool { return e.Type != 0 }) {
			t.Errorf("the loop keeps events that the sink has taken: %s", c.reason)
		}
	}
}

// emitNumbered emits n events, or a page of -n, with the numbers from first.
func emitNumbered(t *testing.T, w *worker, n, first int) int {
	t.Helper()
	events := make([]graph.Event, max(n, -n))
	for i := range events {
		events[i] = graph.Event{Type: graph.FencePassed, Kind: "Node", Fence: uint64(first + i)}
	}
	emit := func(events []graph.Event) error { return w.emit(events...) }
	if n < 0 {
		emit = w.emitPages
	}
	if err := emit(events); err != nil {
		t.Fatal(err)
	}
	return len(events)
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
