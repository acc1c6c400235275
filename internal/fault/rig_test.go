package fault_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
)

// rig is a memory store with faults, in a synctest bubble.
type rig struct {
	*fault.Store
	t      testing.TB
	memory *memory.Store
	token  uint64 // of the last fence
}

// onto makes a rig of a plan over two kinds, x and y, and objects in notation.
func onto(t testing.TB, plan, objects string, c fault.Config) *rig {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	if c.Plan, err = fault.ParsePlan(plan); err != nil {
		t.Fatal(err)
	}
	store, err := memory.New(memory.Config{Objects: list, Kinds: []graph.KindInfo{{Kind: "x"}, {Kind: "y"}}, UIDPrefix: "new-"})
	if err != nil {
		t.Fatal(err)
	}
	return over(t, store, store, c)
}

// over makes a rig over a store that wraps a memory store, or is one.
func over(t testing.TB, store ownergraph.Store, hidden *memory.Store, c fault.Config) *rig {
	t.Helper()
	s, err := fault.New(store, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Calm)
	return &rig{Store: s, t: t, memory: hidden}
}

// in runs a test in a synctest bubble.
func in(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

func key(name string) graph.Key { return graph.Key{Kind: graph.Kind(name[:1]), Name: name} }

// create creates an object as a user.
func (r *rig) create(name string) graph.Object {
	r.t.Helper()
	o, err := r.memory.Create(r.t.Context(), graph.Object{Key: key(name)})
	if err != nil {
		r.t.Fatal(err)
	}
	return o
}

// touch gives an object a finalizer as a user, or takes it off.
func (r *rig) touch(name string) {
	r.t.Helper()
	o, err := r.memory.Get(r.t.Context(), key(name))
	if err != nil {
		r.t.Fatal(err)
	}
	if len(o.Finalizers) == 0 {
		o.Finalizers = []string{"f"}
	} else {
		o.Finalizers = nil
	}
	if _, err := r.memory.Update(r.t.Context(), o); err != nil {
		r.t.Fatal(err)
	}
}

// remove deletes an object as a user.
func (r *rig) remove(name string) {
	r.t.Helper()
	if err := r.memory.Delete(r.t.Context(), key(name), graph.DeleteOptions{Propagation: graph.Background}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) has(name string) bool {
	_, err := r.memory.Get(r.t.Context(), key(name))
	return err == nil
}

// fired fails the test if the fault did not happen this number of times.
func (r *rig) fired(f fault.Fault, want int) {
	r.t.Helper()
	if got := r.Fired(f); got != want {
		r.t.Errorf("%s happened %d times, want %d; notes: %q", f, got, want, r.Notes())
	}
}

// tape records the events of a watch.
type tape struct {
	mu     sync.Mutex
	events []graph.Event
	cancel context.CancelFunc
	done   chan error
}

// watch begins a watch and waits until it is idle.
func (r *rig) watch() *tape {
	ctx, cancel := context.WithCancel(context.Background())
	tp := &tape{cancel: cancel, done: make(chan error, 1)}
	go func() { tp.done <- r.Watch(ctx, oneByOne(tp.take)) }()
	r.t.Cleanup(func() {
		cancel()
		tp.done <- <-tp.done
	})
	synctest.Wait()
	return tp
}

// oneByOne is a sink that gives on one event at a time.
func oneByOne(take func(graph.Event) error) func([]graph.Event) error {
	return func(batch []graph.Event) error {
		for _, ev := range batch {
			if err := take(ev); err != nil {
				return err
			}
		}
		return nil
	}
}

func (tp *tape) take(ev graph.Event) error {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	tp.events = append(tp.events, ev)
	return nil
}

// text returns the events since the last call, in a few words, and forgets them.
func (tp *tape) text() string {
	synctest.Wait()
	tp.mu.Lock()
	defer tp.mu.Unlock()
	var words []string
	for _, ev := range tp.events {
		words = append(words, word(ev))
	}
	tp.events = nil
	return strings.Join(words, " ")
}

func word(ev graph.Event) string {
	switch ev.Type {
	case graph.Put:
		return "+" + ev.Object.Name
	case graph.Gone:
		return "-" + ev.Key.Name
	case graph.ListBegun:
		return string(ev.Kind) + "("
	case graph.ListEnded:
		return ")" + string(ev.Kind)
	case graph.Progress:
		return ">" + string(ev.Kind)
	case graph.FencePassed:
		return fmt.Sprintf("|%d%s", ev.Fence, ev.Kind)
	case graph.KindsKnown:
		var kinds []string
		for _, k := range ev.Kinds {
			kinds = append(kinds, string(k.Kind))
		}
		slices.Sort(kinds)
		return "kinds:" + strings.Join(kinds, ",")
	}
	return ev.Type.String() + ":" + string(ev.Of())
}

// without drops words that a test does not need.
func without(text string, drop ...string) string {
	var out []string
	for w := range strings.FieldsSeq(text) {
		if !slices.Contains(drop, w) {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// quiet is text without progress.
func (tp *tape) quiet() string { return without(tp.text(), ">x", ">y") }

func (tp *tape) want(t testing.TB, when, want string) {
	t.Helper()
	if got := tp.quiet(); got != want {
		t.Errorf("%s the watch reported %q, want %q", when, got, want)
	}
}

const begun = "kinds:x,y x( )x y( )y"
