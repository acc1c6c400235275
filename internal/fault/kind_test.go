package fault_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/inside"
)

func TestSick(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "sick@1", "x/x1", fault.Config{Lag: time.Minute})
		tp := r.watch()
		tp.want(t, "a kind that falls sick in its first listing", "kinds:x,y x( kind-sick:x y( )y")
		for _, verb := range []string{"get", "patch"} {
			if err := r.call(verb, "x1"); !errors.Is(err, fault.ErrSick) {
				t.Errorf("%s: %v, want %v", verb, err, fault.ErrSick)
			}
		}
		if _, err := r.Fence(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.create("x2")
		tp.want(t, "while it is sick", "|1y |1")
		second := r.watch()
		second.want(t, "a second watch", "kinds:x,y kind-sick:x y( )y")
		<-time.After(time.Minute)
		tp.want(t, "when it is well", "kind-recovered:x x( +x1 +x2 )x |1x")
		second.want(t, "to the second watch", "kind-recovered:x x( +x1 +x2 )x")
		r.fired(fault.Sick, 1)
	})
}

func TestVanish(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "vanish@1", "x/x1", fault.Config{Lag: time.Minute})
		tp := r.watch()
		tp.want(t, "a kind that vanishes in its first listing", "kinds:x,y x( kind-vanished:x kinds:y y( )y")
		for _, verb := range []string{"get", "delete", "list"} {
			err := r.call(verb, "x1")
			if !errors.Is(err, graph.ErrKindUnknown) || errors.Is(err, graph.ErrNotFound) {
				t.Errorf("%s: %v, want %v", verb, err, graph.ErrKindUnknown)
			}
		}
		second := r.watch()
		second.want(t, "a second watch", "kinds:y y( )y")
		<-time.After(time.Minute)
		tp.want(t, "when it is served again", "kinds:x,y x( +x1 )x")
		second.want(t, "to the second watch", "kinds:x,y x( +x1 )x")
		r.fired(fault.Vanish, 1)
	})
}

// TestSickerThanThat checks a kind that falls sick in the store itself while a fault makes it sick.
// The kind recovers when both are over.
func TestSickerThanThat(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "sick@1", "", fault.Config{Lag: time.Minute})
		tp := r.watch()
		_ = r.call("get", "x1")
		tp.want(t, "at first", begun+" kind-sick:x")
		if err := r.memory.Inside(inside.Key{}).Sicken("x", "really"); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Minute)
		tp.want(t, "when the fault is over", "")
		if err := r.memory.Inside(inside.Key{}).Recover("x"); err != nil {
			t.Fatal(err)
		}
		tp.want(t, "when both are", "kind-recovered:x x( )x")
	})
}
