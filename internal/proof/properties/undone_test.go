package properties

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	"github.com/ownergraph/ownergraph/policy"
)

// undoneCase is a store that undoes every write to the objects of kind b.
type undoneCase struct {
	name, objects, actions, end, reason string
	cfg                                 ownergraph.Config
	level                               ownergraph.Level
}

func undoneCases() []undoneCase {
	return []undoneCase{
		{name: "trim", objects: "a; c; b -> a, c", actions: "bg c", end: "a; b -> a", reason: "the store restores a dangling reference"},
		{name: "orphan", objects: "a; b -> a", actions: "orphan a", end: "b", reason: "the store restores a reference to an owner that orphans"},
		{name: "orphan without fences", objects: "a; b -> a", actions: "orphan a", end: "b", level: ownergraph.Level1,
			reason: "each new version needs a read of the owner, which does not count as rest"},
		{name: "unblock", objects: "b/1 -> b/2!; b/2 -> b/1!", actions: "fg b/1; fg b/2", end: "(empty)", reason: "the store closes the ring again"},
		{name: "delete", objects: "a; b -> a", actions: "bg a", end: "(empty)", reason: "the store removes the mark"},
		{name: "release", objects: "b; c -> b", actions: "fg b", end: "(empty)", reason: "the store restores the propagation finalizer"},
		{name: "handler", objects: "b[x.io/h]", actions: "bg b", end: "(empty)", reason: "the store restores the finalizer of a handler that has succeeded",
			cfg: ownergraph.Config{Handlers: map[string]finalizer.Handler{"x.io/h": func(context.Context, graph.Object) error { return nil }}}},
		{name: "attach", objects: "a", actions: "create b", end: "a; b[x.io/s]", reason: "the store removes the guard of a holder",
			cfg: ownergraph.Config{Sweeps: []guard.Sweep{{Finalizer: "x.io/s", Holder: "b", Members: []guard.Members{{By: guard.ByOwner}}}}}},
	}
}

// TestUndoneWrites has a store that undoes each sort of write at once. The engine
// repeats the write with exponential backoff. It holds the object, and logs it once.
// The object recovers when the store keeps the write.
func TestUndoneWrites(t *testing.T) {
	for _, tc := range undoneCases() {
		t.Run(tc.name, func(t *testing.T) {
			u := newUndoing(t, tc)
			u.pass(3 * time.Second)
			limit := 5 * u.victims()
			if n := u.undone(); n < 2 || n > limit {
				t.Errorf("%d writes to b in 3 s, want 2 to %d: %s", n, limit, tc.reason)
			}
			u.pass(time.Hour)
			limit = 30 * u.victims()
			if n := u.undone(); n > limit {
				t.Errorf("%d writes to b in an hour, want at most %d: %s", n, limit, tc.reason)
			}
			if !slices.ContainsFunc(u.engine().Held(9), func(h engine.Held) bool { return h.Key.Kind == "b" && h.Reason == policy.WriteUndone }) {
				t.Errorf("held: %v, want b: %s", u.engine().Held(9), tc.reason)
			}
			if n := strings.Count(u.log.String(), "write undone"); n < 1 || n > u.victims() {
				t.Errorf("%d lines in the log, want one for each object: %s", n, u.log.String())
			}
			if !u.engine().Idle() {
				t.Error("the engine is not idle, and only the store can help")
			}
			u.w.Undo("b", false)
			u.pass(10 * time.Minute)
			if got := u.state(); got != tc.end {
				t.Errorf("%s, want %s: the policy has ended", got, tc.end)
			}
			if h := u.engine().Held(9); len(h) > 0 {
				t.Errorf("held: %v, and the policy has ended", h)
			}
		})
	}
}

// TestUserRestoresReference has a user who restores a reference. The engine writes
// once more without a delay. A write after which the object came to rest does not
// count as undone.
func TestUserRestoresReference(t *testing.T) {
	for _, tc := range []struct{ objects, want, reason string }{
		{"a; c; b -> a, c", "a; b -> a", "the fast path keeps an object with one owner"},
		{"a; a/2; c; b -> a, a/2, c", "a/2; a; b -> a/2, a", "the engine decides an object with two owners"},
	} {
		u := newUndoing(t, undoneCase{objects: tc.objects, actions: "bg c"})
		u.w.Undo("b", false)
		for range 5 {
			u.pass(time.Second)
			if got := u.state(); got != tc.want {
				t.Fatalf("%s after a second: the store keeps the write, and %s", got, tc.reason)
			}
			u.do("addref b->c")
		}
		if n := u.engine().Stats().Writes.Undone; n != 0 {
			t.Errorf("%d undone writes: the object came to rest after each, and %s", n, tc.reason)
		}
	}
}

// undoing is a world of one engine.
type undoing struct {
	t   *testing.T
	w   *world.World
	log bytes.Buffer
}

func newUndoing(t *testing.T, tc undoneCase) *undoing {
	t.Helper()
	u := &undoing{t: t}
	objects, err := graph.Parse(tc.objects)
	if err != nil {
		t.Fatal(err)
	}
	tc.cfg.Logger = slog.New(slog.NewTextHandler(&u.log, nil))
	level := max(tc.level, ownergraph.Level1)
	if tc.level == ownergraph.LevelUnset {
		level = ownergraph.Level2
	}
	kinds := []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}
	if u.w, err = world.New(level, tc.cfg, 1, kinds, objects); err != nil {
		t.Fatal(err)
	}
	if err := u.w.RunToRest(); err != nil {
		t.Fatal(err)
	}
	u.w.Undo("b", true)
	u.do(tc.actions)
	return u
}

func (u *undoing) do(actions string) {
	u.t.Helper()
	all, err := oracle.ParseActions(actions)
	if err != nil {
		u.t.Fatal(err)
	}
	for _, a := range all {
		if !u.w.Do(a) {
			u.t.Fatalf("the store refuses %s", a)
		}
	}
}

func (u *undoing) engine() *engine.Engine { return u.w.Sides[0].Engine }

// victims returns the number of objects of kind b.
func (u *undoing) victims() int {
	n := 0
	for _, o := range u.w.Store.Objects() {
		if o.Kind == "b" {
			n++
		}
	}
	return n
}

// undone returns the number of writes since its last call. The store undoes all of
// them.
func (u *undoing) undone() int {
	n := u.w.Requests[engine.CallPatch] + u.w.Requests[engine.CallDelete]
	u.w.Requests[engine.CallPatch], u.w.Requests[engine.CallDelete] = 0, 0
	return n
}

func (u *undoing) state() string {
	if s := oracle.Line(u.w.Store.Objects()); s != "" {
		return s
	}
	return "(empty)"
}

// pass runs the world for a span of time.
func (u *undoing) pass(d time.Duration) {
	u.t.Helper()
	end := u.w.Now.Add(d)
	for rounds := 0; ; rounds++ {
		moved, err := u.w.Round()
		if err != nil || rounds > 20_000 {
			u.t.Fatalf("%d rounds before %v are over: %v", rounds, d, err)
		}
		if moved {
			continue
		}
		next := end
		for _, lane := range []engine.Lane{engine.LaneStore, engine.LaneControl, engine.LaneHandler} {
			if at, ok := probe.Wake(u.engine(), lane); ok && at.Before(next) {
				next = at
			}
		}
		if u.w.Now = next; !next.Before(end) {
			break
		}
	}
	if err := u.w.Err(); err != nil {
		u.t.Fatal(err)
	}
	if err := probe.Check(u.engine()); err != nil {
		u.t.Fatal(err)
	}
}
