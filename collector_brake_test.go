package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// crowd returns an owner and n objects below it.
func crowd(owner string, n int) string {
	s := owner
	for i := range n {
		s += fmt.Sprintf("; pod/%s-%d -> %s", owner, i, owner)
	}
	return s
}

func braking(perCascade int) ownergraph.Config {
	return ownergraph.Config{Brake: engine.Brake{PerCascade: perCascade}}
}

// TestCollectorBrake: a braked cascade waits for a user, and the answer takes effect at once.
func TestCollectorBrake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, crowd("a", 30)+"; "+crowd("b", 40)+"; "+crowd("c", 10)+"; "+crowd("d", 20)), braking(10))
		r.idle()
		for _, name := range []string{"a", "b", "c", "d"} {
			r.delete(t, name, graph.Background)
		}
		if held := r.idle(); len(held) != 90 || r.count("delete") != 10 {
			t.Fatalf("%d held, %d deletes", len(held), r.count("delete"))
		}
		if got := fmt.Sprint(r.Braked(2)); got != "[a/a: more than 10 objects, the limit is 10 b/b: more than 10 objects, the limit is 10]" {
			t.Errorf("braked %s", got)
		}
		all := r.Braked(9)
		if len(all) != 3 || all[1].Held != 40 || r.Stats().Brake.Cascades != 3 {
			t.Fatalf("braked %+v, %+v", all, r.Stats().Brake)
		}
		soon := time.Now().Add(time.Hour)
		if err := r.ApproveCascade(t.Context(), all[0].Key, engine.BrakeApproval{Until: soon, AtMost: 30}); err != nil {
			t.Error(err)
		}
		if err := r.RefuseCascade(t.Context(), all[1].Key, engine.OrphanHeld); err != nil {
			t.Error(err)
		}
		if held := r.idle(); len(held) != 20 || r.count("delete") != 40 || r.count("patch") != 40 {
			t.Errorf("%d held, %d deletes, %d patches", len(held), r.count("delete"), r.count("patch"))
		}
		if n, err := r.RefuseBraked(t.Context(), engine.KeepHeld); n != 1 || err != nil {
			t.Errorf("refused %d, %v", n, err)
		}
		if n, err := r.ApproveBraked(t.Context(), engine.BrakeApproval{Until: soon, AtMost: 20}); n != 1 || err != nil {
			t.Errorf("approved %d, %v", n, err)
		}
		if held := r.idle(); len(held) != 0 || r.count("delete") != 60 || r.Stats().Objects != 40 {
			t.Errorf("%d held, %d deletes, %d objects are left", len(held), r.count("delete"), r.Stats().Objects)
		}
	})
}

// TestCollectorBrakeErrors: a wrong call names its fault.
func TestCollectorBrakeErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, crowd("a", 3)), braking(1))
		r.idle()
		over, end := context.WithCancelCause(t.Context())
		end(errBusy)
		soon := engine.BrakeApproval{Until: time.Now().Add(time.Hour), AtMost: 1}
		for _, c := range []struct {
			ctx    context.Context
			a      engine.BrakeApproval
			want   error
			reason string
		}{
			{nil, soon, ownergraph.ErrInvalid, "no context"},
			{over, soon, errBusy, "the context has ended"},
			{t.Context(), engine.BrakeApproval{}, ownergraph.ErrInvalid, "an empty approval"},
			{t.Context(), soon, ownergraph.ErrNotFound, "the cascade is not held"},
		} {
			if err := r.ApproveCascade(c.ctx, keyOf(t, "a"), c.a); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.reason, err, c.want)
			}
		}
		if err := r.RefuseCascade(t.Context(), keyOf(t, "a"), engine.KeepHeld); !errors.Is(err, ownergraph.ErrNotFound) {
			t.Errorf("refuse: %v", err)
		}
		if _, err := r.ApproveBraked(t.Context(), engine.BrakeApproval{Until: soon.Until, AtMost: -1}); !errors.Is(err, ownergraph.ErrInvalid) {
			t.Errorf("approve all: %v", err)
		}
		if _, err := r.RefuseBraked(t.Context(), engine.RefusalUnset); !errors.Is(err, ownergraph.ErrInvalid) {
			t.Errorf("refuse all: %v", err)
		}
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.RefuseBraked(t.Context(), engine.KeepHeld); !errors.Is(err, ownergraph.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestBrakeSweep: the deletes of a sweep count for its holder. The brake counts the members
// before it lets the first one go.
func TestBrakeSweep(t *testing.T) {
	for _, c := range []struct {
		limit, held, deletes int
		reason               string
	}{
		{30, 0, 30, "as many members as the limit"},
		{29, 31, 0, "one member more than the limit, and the holder waits for them"},
	} {
		members := "tenant/1"
		for i := range 30 {
			members += fmt.Sprintf("; pod/1-%d", i)
		}
		cfg := sweeping(tenancy())
		cfg.Brake.PerCascade = c.limit
		testSweep(t, members, cfg, func(t *testing.T, r *rig) {
			r.delete(t, "tenant/1", graph.Unset)
			if held := r.idle(); len(held) != c.held || r.count("delete") != c.deletes {
				t.Errorf("%s: %d held, %d deletes; want %d and %d; %v", c.reason, len(held), r.count("delete"), c.held, c.deletes, r.Braked(9))
			}
			if c.held == 0 {
				return
			}
			if all := r.Braked(9); len(all) != 1 || all[0].Key != keyOf(t, "tenant/1") {
				t.Errorf("braked %v, want the holder", all)
			}
			if _, err := r.ApproveBraked(t.Context(), engine.BrakeApproval{Until: time.Now().Add(time.Hour), AtMost: 30}); err != nil {
				t.Fatal(err)
			}
			if held := r.idle(); len(held) != 0 || r.count("delete") != 30 {
				t.Errorf("%d held, %d deletes after the approval", len(held), r.count("delete"))
			}
		})
	}
}

// TestCollectorBrakeWindow: the window delays a collector, and an idle one makes no request.
func TestCollectorBrakeWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := ownergraph.Config{Brake: engine.Brake{Window: 60, Per: time.Hour}}
		r := collect(t, newTap(t, crowd("a", 30)), cfg)
		r.idle()
		r.delete(t, "a", graph.Background)
		pass(10*time.Minute + time.Second)
		if n := r.count("delete"); n != 10 {
			t.Errorf("%d deletes in ten minutes, want 10", n)
		}
		r.idle()
		if n := r.count("delete"); n != 30 {
			t.Errorf("%d deletes at the end, want 30", n)
		}
	})
}

// TestBrakeReports: each trip, approval and refusal of a cascade is one event, which has no
// version. So the event is not one of an object below that root.
func TestBrakeReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events decisions
		cfg := braking(5)
		cfg.OnDecision = events.note
		r := collect(t, newTap(t, crowd("a", 10)+"; "+crowd("b", 10)), cfg)
		r.idle()
		for _, c := range []struct {
			do     func() error
			want   string
			reason string
		}{
			{func() error { r.delete(t, "a", graph.Background); return nil }, "a wait Braked", "a trip"},
			{func() error { return r.ApproveCascade(t.Context(), keyOf(t, "a"), hour(4)) }, "a keep DeletionApproved; a wait Braked", "an approval, which is used up"},
			{func() error { return r.RefuseCascade(t.Context(), keyOf(t, "a"), engine.KeepHeld) }, "a keep CascadeRefused", "a refusal"},
			{func() error {
				return r.RefuseCascade(t.Context(), graph.Key{UID: keyOf(t, "a").UID}, engine.OrphanHeld)
			}, "a orphan CascadeRefused", "another one, by the UID"},
			{func() error { r.delete(t, "b", graph.Background); return nil }, "b wait Braked", "another cascade"},
		} {
			if err := c.do(); err != nil {
				t.Errorf("%s: %v", c.reason, err)
			}
			r.idle()
			if got := events.take(); got != c.want {
				t.Errorf("%s: %q, want %q", c.reason, got, c.want)
			}
		}
		if n := r.count("delete"); n != 4 {
			t.Errorf("%d deletes", n)
		}
	})
}
