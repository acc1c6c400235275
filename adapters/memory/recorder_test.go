package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
)

// say renders an event in one line.
func say(e graph.Event) string {
	switch e.Type {
	case graph.KindsKnown:
		words := []string{"kinds"}
		for _, info := range e.Kinds {
			words = append(words, string(info.Kind))
		}
		return strings.Join(words, " ")
	case graph.Put:
		return "put " + e.Object.String()
	case graph.Gone:
		return "gone " + e.Key.String()
	case graph.ListBegun:
		return fmt.Sprint("list ", e.Kind)
	case graph.ListEnded:
		return fmt.Sprint("ended ", e.Kind, " ", e.Version)
	case graph.Progress:
		return fmt.Sprint("progress ", e.Kind, " ", e.Version)
	case graph.FencePassed:
		return fmt.Sprintf("fence %d %s", e.Fence, e.Kind)
	case graph.KindSick:
		return fmt.Sprint("sick ", e.Kind, " ", e.Reason)
	case graph.KindRecovered, graph.KindVanished:
		return fmt.Sprint(strings.TrimPrefix(e.Type.String(), "kind-"), " ", e.Kind)
	}
	return e.Type.String() + " " + e.Reason
}

// recorder runs a watch in a bubble and records its events.
type recorder struct {
	mu       sync.Mutex
	events   []string
	fences   []graph.Event // of each FencePassed
	rewinds  []string      // the epochs of each Rewound
	progress bool          // record Progress too
	gate     chan struct{}
	cancel   func()
	done     chan error
}

// record starts a watch. The caller runs in a bubble.
func record(t *testing.T, s *Store) *recorder {
	ctx, cancel := context.WithCancel(t.Context())
	r := &recorder{cancel: cancel, done: make(chan error, 1)}
	go func() { r.done <- s.Watch(ctx, r.sink) }()
	t.Cleanup(cancel)
	return r
}

// oneByOne is a sink that gives on one event at a time.
func oneByOne(take func(graph.Event) error) func([]graph.Event) error {
	return func(batch []graph.Event) error {
		for _, e := range batch {
			if err := take(e); err != nil {
				return err
			}
		}
		return nil
	}
}

func (r *recorder) sink(batch []graph.Event) error {
	r.mu.Lock()
	gate := r.gate
	for _, e := range batch {
		r.note(e)
	}
	r.mu.Unlock()
	if gate != nil {
		<-gate
	}
	return nil
}

// note records an event. The caller has the lock.
func (r *recorder) note(e graph.Event) {
	if e.Type != graph.Progress || r.progress {
		r.events = append(r.events, say(e))
	}
	if e.Type == graph.FencePassed {
		r.fences = append(r.fences, e)
	}
	if e.Type == graph.Rewound {
		r.rewinds = append(r.rewinds, e.Epoch)
	}
}

// epochs returns the epochs since the last call.
func (r *recorder) epochs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.rewinds
	r.rewinds = nil
	return out
}

// block makes the sink take one more batch and then block, until the caller calls the
// returned function.
func (r *recorder) block() func() {
	gate := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate = gate
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.gate = nil
		close(gate)
	}
}

// wants waits until no event is left, compares the events since the last call, and
// forgets them.
func (r *recorder) wants(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.events, want) {
		t.Errorf("events:\n  %s\nwant:\n  %s", strings.Join(r.events, "\n  "), strings.Join(want, "\n  "))
	}
	r.events = nil
}
