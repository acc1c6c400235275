package ownergraph_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// blindTap returns a store that cannot read the object p/x. Unless known is set, it reports the
// object without references. Read ends that.
func blindTap(t *testing.T, objects string, known bool) (s *tap, read func()) {
	s, blind := newTap(t, objects), true
	s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error {
			if blind && ev.Type == graph.Put && ev.Object.Name == "x" {
				ev.Object = ev.Object.Clone()
				ev.Object.Finalizers = append(ev.Object.Finalizers, graph.UnreadableBecause("no JSON"))
				if !known {
					ev.Object.Owners = nil
				}
			}
			return sink(ev)
		})
	}
	return s, func() { blind = false }
}

// TestUnreadable: the engine holds an object that the store cannot read, and names the cause. It
// sends no write to it.
func TestUnreadable(t *testing.T) {
	above := 1
	guarded := ownergraph.Config{Guards: []guard.Guard{{Name: "all", Kinds: []graph.Kind{"p"}, Above: &above}}}
	holder := ownergraph.Config{Sweeps: []guard.Sweep{{Finalizer: "x.io/s", Holder: "p", Members: []guard.Members{{By: guard.ByOwner}}}}}
	member := ownergraph.Config{Sweeps: []guard.Sweep{guard.ScopeSweep("t", "x.io/s")}}
	handled := ownergraph.Config{Handlers: map[string]finalizer.Handler{"x.io/h": func(context.Context, graph.Object) error { return nil }}}
	for _, c := range []struct {
		objects, key string // the user deletes the key
		propagation  graph.Propagation
		blind        bool
		cfg          ownergraph.Config
		after        string
		reason       string
	}{
		{"p/x; t/a", "", 0, false, ownergraph.Config{}, "p/x; t/a", "nothing is known to own it"},
		{"p/x -> t/a; t/a", "", 0, false, ownergraph.Config{}, "p/x -> t/a; t/a", "its owner lives"},
		{"p/x -> t/a; t/a", "t/a", graph.Background, true, ownergraph.Config{}, "p/x -> t/a", "its references are unknown"},
		{"p/x -> t/a; t/a", "t/a", graph.Background, false, ownergraph.Config{}, "p/x -> t/a", "its owner is gone"},
		{"p/x -> t/a; t/a", "t/a", graph.Orphan, false, ownergraph.Config{}, "p/x -> t/a; t/a~[orphan]", "its owner waits for the loss of the reference"},
		{"p/x", "", 0, false, guarded, "p/x", "a guard selects it"},
		{"p/x[" + graph.FinalizerHold + "," + graph.FinalizerNew + "]", "p/x", graph.Background, false, guarded, "p/x~[" + graph.FinalizerHold + "," + graph.FinalizerNew + "]", "a guard has to judge its deletion"},
		{"p/x; t/a -> p/x", "", 0, false, holder, "p/x; t/a -> p/x", "it is the holder of a sweep"},
		{"p/x[x.io/s]; t/a -> p/x", "p/x", graph.Background, false, holder, "p/x~[x.io/s]; t/a -> p/x", "it is a marked holder, and its true mark is unknown"},
		{"p/a/x; p/a/y; t/a", "t/a", graph.Background, false, member, "p/a/x; t/a~[x.io/s]", "it is a member of a sweep"},
		{"p/x", "p/x", graph.Foreground, false, ownergraph.Config{}, "p/x~[foreground]", "its deletion waits for the end of the foreground"},
		{"p/x[x.io/h]", "p/x", graph.Background, false, handled, "p/x~[x.io/h]", "a handler has its finalizer"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _ := blindTap(t, c.objects, !c.blind)
				s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
					if key.Name == "x" && (verb == "patch" || verb == "delete") {
						t.Errorf("a %s of %s: %s", verb, key, c.reason)
					}
					return do()
				}
				r := collect(t, s, c.cfg)
				r.idle()
				if c.key != "" {
					s.delete(t, c.key, c.propagation)
				}
				r.holdsFlawed(c.reason)
				s.contains(t, c.after)
				_ = r.stop()
			})
		})
	}
}

// holdsFlawed checks that the object x is held as flawed, and explained so.
func (r *rig) holdsFlawed(reason string) {
	r.t.Helper()
	for _, h := range r.idle() {
		if h.Key.Name != "x" {
			continue
		}
		if h.Reason != policy.ObjectFlawed || len(h.Detail) != 1 {
			r.t.Errorf("held: %s, want the flaw: %s", h, reason)
		}
		if x, err := r.Explain(r.t.Context(), h.Key); err != nil || x.Decision.Reason != policy.ObjectFlawed {
			r.t.Errorf("%v, the decision is to %v for %v: %s", err, x.Decision.Action, x.Decision.Reason, reason)
		}
		return
	}
	r.t.Errorf("not held: %s", reason)
}

// TestReadableAgain: an object that the store can read again is decided as any other.
func TestReadableAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, read := blindTap(t, "p/x -> t/a; t/a", false)
		r := collect(t, s, ownergraph.Config{})
		s.delete(t, "t/a", graph.Background)
		r.holdsFlawed("its references are unknown")
		read()
		if err := s.Store.Patch(t.Context(), keyOf(t, "p/x"), ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: "x.io/mend"}); err != nil {
			t.Fatal(err)
		}
		r.idle()
		s.contains(t, "p/x~[x.io/mend] -> t/a")
		_ = r.stop()
	})
}
