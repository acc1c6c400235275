package ownergraph_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// regrouped is a store whose watch reports in batches of one size, over one array. Some
// more events break the contract, or are about the health of a kind. The first watch
// breaks after the listings.
type regrouped struct {
	*tap
	size int
	runs *int
}

func (s regrouped) Watch(ctx context.Context, sink func([]ownergraph.Event) error) error {
	*s.runs++
	return s.Store.Watch(ctx, func(given []ownergraph.Event) error {
		if err := sink(nil); err != nil { // it says nothing
			return err
		}
		var all []ownergraph.Event
		for _, ev := range given {
			switch {
			case ev.Type == graph.ListBegun && ev.Kind == "b":
				all = append(all, ownergraph.Event{Type: graph.KindSick, Kind: "b", Reason: "made by the test"}, ownergraph.Event{Type: graph.KindRecovered, Kind: "b"})
			case ev.Type == graph.Put && ev.Object.Kind == "b" && ev.Object.Name == "20":
				all = append(all, ownergraph.Event{Type: graph.Put})
			}
			all = append(all, ev)
		}
		array := make([]ownergraph.Event, s.size)
		for part := range slices.Chunk(all, s.size) {
			if err := sink(array[:copy(array, part)]); err != nil {
				return err
			}
			clear(array)
		}
		if *s.runs == 1 {
			return errTest
		}
		return nil
	})
}

// observed is the state of a collector and of its store, as a text.
type observed struct {
	mu     sync.Mutex
	writes []string
	text   strings.Builder
}

func (o *observed) decide(d engine.DecisionEvent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if d.Call != 0 {
		o.writes = append(o.writes, fmt.Sprint(d.Key.Place(), d.Owners, d.Action, d.Reason))
	}
}

// note adds the present state, without the counts that depend on the moment of a decision
// or on the rounds of the memory store.
func (o *observed) note(r *rig) {
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	st := r.Stats()
	st.Calls.Add(engine.CallFence, -int(st.Calls.Of(engine.CallFence)))
	slices.Sort(o.writes)
	fmt.Fprintf(&o.text, "%d objects, %d nodes, %d refused, %d gone, calls %v, %+v\n%+v\n%s\n%s\n", st.Objects, st.Nodes, st.Refused, st.Gone, st.Calls, st.Writes,
		r.Kinds(), strings.Join(o.writes, "\n"), r.shape())
}

// observeIn runs a collector on a store with such batches, and a user deletes an owner. No
// call is made before all objects are listed.
func observeIn(t *testing.T, objects string, size int) string {
	o := &observed{}
	synctest.Test(t, func(t *testing.T) {
		s, listed := newTap(t, objects), make(chan struct{})
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb != "watch" {
				<-listed
			}
			return do()
		}
		r := collectOn(t, regrouped{s, size, new(int)}, s, ownergraph.Config{OnDecision: o.decide})
		pass(time.Minute)
		o.note(r)
		fmt.Fprintln(&o.text, r.Stats().Events, "events")
		close(listed)
		r.idle()
		o.note(r)
		s.delete(t, "a", ownergraph.Background)
		r.idle()
		o.note(r)
	})
	return o.text.String()
}

// TestCollectorBatches: the Collector observes a batch as it would observe single events. It
// refuses an event in the middle alone, and takes the ends of listings and the recoveries
// inside of a batch.
func TestCollectorBatches(t *testing.T) {
	objects := []string{"a", "x"}
	for i := range 40 {
		objects = append(objects, fmt.Sprintf("b/%d -> a", i), fmt.Sprintf("c/%d -> a/gone, x", i), fmt.Sprintf("d/%d -> x/gone", i))
	}
	want := observeIn(t, strings.Join(objects, "; "), 1)
	for _, text := range []string{"122 objects", "2 refused", "{Kind:b Listed:true Sick: Objects:40}", "c/39 -> x"} {
		if !strings.Contains(want, text) {
			t.Errorf("%q is missing: %s", text, want)
		}
	}
	for _, size := range []int{2, 31, 32, 33, 100, 1000} {
		if diff := cmp.Diff(want, observeIn(t, strings.Join(objects, "; "), size)); diff != "" {
			t.Errorf("batches of %d (-one by one +batches):\n%s", size, diff)
		}
	}
}

// pausing is the writer of a log that calls pause at the line of a refused event.
type pausing struct{ pause func() }

func (p pausing) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "event refused") {
		p.pause()
	}
	return len(line), nil
}

// scripted is a store with another Watch.
type scripted struct {
	*tap
	watch func(ctx context.Context, sink func([]ownergraph.Event) error) error
}

func (s scripted) Watch(ctx context.Context, sink func([]ownergraph.Event) error) error {
	return s.make(ctx, "watch", ownergraph.Key{}, func() error { return s.watch(ctx, sink) })
}

// TestCollectorBatchOutlivesWatch: a run of the watch ends while its sink has a batch. The
// Collector refuses the rest of the batch with an error.
func TestCollectorBatchOutlivesWatch(t *testing.T) {
	batch := []ownergraph.Event{{Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{Kind: "a"}}}, {Type: graph.ListBegun, Kind: "a"}, {Type: graph.Put}}
	for i := range 100 {
		batch = append(batch, ownergraph.Event{Type: graph.Put, Object: ownergraph.Object{Key: keyOf(t, fmt.Sprint("a/", i)), Version: "1"}})
	}
	for _, c := range []struct {
		returns bool
		reason  string
	}{
		{true, "Watch has returned, and goes on talking"},
		{false, "Run has left the watch behind"},
	} {
		synctest.Test(t, func(t *testing.T) {
			refused, over, result := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			s := newTap(t, "")
			watch := func(ctx context.Context, sink func([]ownergraph.Event) error) error {
				if s.count("watch") == 1 {
					go func() { result <- sink(batch) }()
				}
				if <-refused; !c.returns || s.count("watch") > 1 {
					<-ctx.Done()
					<-over
				}
				return nil
			}
			log := slog.New(slog.NewTextHandler(pausing{func() { close(refused); pass(time.Minute) }}, nil))
			r := collectOn(t, scripted{s, watch}, s, ownergraph.Config{Logger: log, ShutdownTimeout: time.Second})
			if <-refused; !c.returns {
				_ = r.stop()
			}
			if err := <-result; err == nil || r.Stats().Objects != 29 {
				t.Errorf("the sink returned %v and took %d objects, want an error and 29: %s", err, r.Stats().Objects, c.reason)
			}
			close(over)
		})
	}
}
