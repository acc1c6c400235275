package main

import (
	"context"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// TestDeviations: the package's comment is true of each class, on the smallest
// histories that show it.
func TestDeviations(t *testing.T) {
	hush()
	for _, tc := range []struct{ class, history, ours, theirs, reason string }{
		{"self", "pod/s/a -> pod/s/a, pod/s/b; pod/s/b | bg pod/s/b",
			"", "pod/s/a -> pod/s/a", "to Kubernetes it is a solid owner of itself"},
		{"self", "pod/s/a~[foreground] -> pod/s/a! |",
			"", "pod/s/a~[foreground] -> pod/s/a!", "to Kubernetes it waits for itself"},
		{"self", `pod/s/a -> node/z@"pod/s/a" |`,
			`pod/s/a -> node/z@"pod/s/a"`, "", "to Kubernetes its own UID at other coordinates is absent"},
		{"twice", `custom/s/b -> pod/s/a, pod/s/z@"pod/s/a"; pod/s/a |`,
			`custom/s/b -> pod/s/a, pod/s/z@"pod/s/a"; pod/s/a`, "custom/s/b; pod/s/a", "the right reference goes with the wrong one"},
		{"unknown", "pod/s/a; pod/s/c; pod/s/d -> pod/s/a, pod/s/c, lost/z@gone? | bg pod/s/c",
			"pod/s/a; pod/s/d -> lost/z@gone?, pod/s/a", "pod/s/a; pod/s/d -> lost/z@gone?, pod/s/a, pod/s/c", "a kind that is not served"},
		{"unknown", `node/a -> node/b, pod/c@"pod/s/c"?, node/z@gone; node/b; pod/s/c |`,
			`node/a -> node/b, pod/c@"pod/s/c"?; node/b; pod/s/c`, `node/a -> node/b, node/z@gone, pod/c@"pod/s/c"?; node/b; pod/s/c`, "a scoped owner of a global object"},
		{"coordinates", `pod/s/a; pod/t/b* -> pod/t/a@"pod/s/a" | orphan pod/s/a`,
			`pod/t/b~* -> pod/t/a@"pod/s/a"`, "pod/t/b~*", "orphaning"},
		{"coordinates", `pod/s/a~[orphan]; pod/t/b -> pod/t/a@"pod/s/a" |`,
			"", "pod/t/b", "orphaning, before the owner is known absent"},
		{"coordinates", `pod/s/a; pod/t/b* -> pod/t/a@"pod/s/a"! | fg pod/s/a`,
			`pod/t/b~* -> pod/t/a@"pod/s/a"!`, `pod/s/a~[foreground]; pod/t/b~* -> pod/t/a@"pod/s/a"!`, "blocking"},
		{"override", "pod/s/a; pod/s/b -> pod/s/c; pod/s/c[orphan] -> pod/s/a | fg pod/s/a",
			"pod/s/b", "", "the object that waits has dependents"},
		{"forgotten", "node/a -> node/b, pod/z@gone?; node/b | bg node/b; dropref node/a->pod/z@gone",
			"", "node/a -> node/b", "a user mends the reference, and Kubernetes does not look again"},
		{"late", "pod/s/a; pod/s/b* -> pod/s/a!; pod/s/c | fg pod/s/a; addref pod/s/c->pod/s/a",
			"pod/s/a~[foreground]; pod/s/b~* -> pod/s/a!", "pod/s/a~[foreground]; pod/s/b~* -> pod/s/a!; pod/s/c -> pod/s/a", "it waits for the next event of the owner"},
		{"ring", "custom/s/b -> pod/s/c!; pod/s/c* -> custom/s/b | fg pod/s/c",
			"pod/s/c~* -> custom/s/b", "custom/s/b -> pod/s/c; pod/s/c~* -> custom/s/b", "it is unblocked, but its deletion comes too late"},
		{"ring", `custom/s/a -> pod/s/b!; node/c -> custom/a@"custom/s/a"!?; pod/s/b -> custom/s/a | fg pod/s/b`,
			`custom/s/a~[foreground] -> pod/s/b!; node/c -> custom/a@"custom/s/a"!?; pod/s/b~[foreground] -> custom/s/a`,
			`node/c -> custom/a@"custom/s/a"!?`, "with its reference unblocked, the object dies of the owner's absence, without a wait"},
		{"ring", `node/b -> pod/a@"pod/s/a"!?; pod/s/a -> node/b! | fg pod/s/a; fg node/b`,
			"", `node/b~[foreground] -> pod/a@"pod/s/a"!?; pod/s/a~[foreground] -> node/b!`, "a ring that a user has marked is never broken"},
		{"ring", `node/b; node/d -> pod/a@"pod/s/a"!?, pod/c@"pod/s/c"!?; pod/s/a -> pod/s/c; pod/s/c -> node/b! | fg pod/s/a; fg node/b`,
			`node/b~[foreground]; node/d -> pod/a@"pod/s/a"!?, pod/c@"pod/s/c"!?; pod/s/a~[foreground] -> pod/s/c; pod/s/c~[foreground] -> node/b!`,
			`node/d -> pod/a@"pod/s/a"!?, pod/c@"pod/s/c"!?; pod/s/a~[foreground] -> pod/s/c; pod/s/c~[foreground] -> node/b`, "no ring at all: a dependent waits for something else"},
		{"ring", `node/a -> pod/b@"pod/s/b"?; pod/s/b* -> node/a! | fg node/a`,
			`node/a~[foreground] -> pod/b@"pod/s/b"?; pod/s/b~* -> node/a!`, "pod/s/b~* -> node/a", "no ring of waiting owners: the owner ends before what blocks it"},
		{"permitted", "pod/s/a[x.io/f]; pod/s/b | orphan pod/s/a; addref pod/s/b->pod/s/a; finish pod/s/a",
			"pod/s/b", "", "the owner outlives its orphaning, and we remember whose dependents are to be kept"},
	} {
		h, err := parseHistory(tc.history)
		if err != nil {
			t.Fatal(err)
		}
		shown := false
		for range 10 * attempts {
			out, v, err := both(t, h)
			if err != nil || out.ours != tc.ours || v.bad != nil {
				t.Fatalf("%s: error %v, ours %q, %v, want %q: %s", h, err, out.ours, v.bad, tc.ours, tc.reason)
			}
			if shown = out.theirs == tc.theirs && strings.Join(v.classes, " ") == tc.class; shown {
				break
			}
		}
		if !shown {
			t.Errorf("%s: theirs is never %q, of class %s: %s", h, tc.theirs, tc.class, tc.reason)
		}
	}
}

// TestRingOfNone: Kubernetes rarely ends the object that it has unblocked for a ring that is
// none. That is of class ring, too. Without a dependent that waits it is of no class.
func TestRingOfNone(t *testing.T) {
	for _, tc := range []struct {
		history, ours, theirs string
		want                  bool
		reason                string
	}{
		{`node/b; pod/s/a -> pod/s/c; pod/s/c -> node/b! | fg pod/s/a; fg node/b`,
			"node/b~[foreground]; pod/s/a~[foreground] -> pod/s/c; pod/s/c~[foreground] -> node/b!",
			"pod/s/a~[foreground] -> pod/s/c", true, "a dependent of the object waits"},
		{`node/b; pod/s/a -> pod/s/c; pod/s/c -> node/b! | bg pod/s/a; fg node/b`,
			"node/b~[foreground]; pod/s/c~[foreground] -> node/b!", "", true, "its owner waits, above its dependent"},
		{`node/b; pod/s/c -> node/b! | fg node/b`,
			"node/b~[foreground]; pod/s/c~[foreground] -> node/b!", "", false, "it has no dependent"},
	} {
		h, err := parseHistory(tc.history)
		if err != nil {
			t.Fatal(err)
		}
		if got := isRing(h, outcome{ours: tc.ours, theirs: tc.theirs}); got != tc.want {
			t.Errorf("%s: isRing is %v: %s", tc.history, got, tc.reason)
		}
	}
}

func both(t *testing.T, h history) (out outcome, v verdict, err error) {
	run := between(t, runOurs, runUpstream)
	if out, err = run(h); err != nil {
		return out, v, err
	}
	v, err = judge{run}.judge(h)
	return out, v, err
}

// TestJudgeCanFail: the judge finds wrong sides in the place of the right ones.
func TestJudgeCanFail(t *testing.T) {
	hush()
	idle := func(ctx context.Context, _ *memory.Store) error { <-ctx.Done(); return nil }
	ours := func(cfg ownergraph.Config) collect {
		return func(ctx context.Context, store *memory.Store) error {
			c, err := ownergraph.New(store, cfg)
			if err != nil {
				return err
			}
			return c.Run(ctx)
		}
	}
	for _, tc := range []struct {
		name         string
		ours, theirs collect
		history      string
		want, reason string
	}{
		{"idle", idle, runUpstream, "pod/s/a; pod/s/b -> pod/s/a | bg pod/s/a", "ours is not permitted", "we collect nothing"},
		{"hold", ours(ownergraph.Config{}), runUpstream, `pod/s/b -> pod/s/a@"pod/t/a"; pod/t/a |`, "ours is not permitted", "another reading of scopes"},
		{"hold names", ours(ownergraph.Config{Scope: graph.ScopeAbsent}), runUpstream, `pod/s/b -> pod/s/x@"pod/s/a"; pod/s/a |`,
			"ours is not permitted", "another reading of names"},
		{"override", ours(ownergraph.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent, Override: true}), runUpstream,
			"pod/s/a; pod/s/b[orphan] -> pod/s/a; pod/s/c -> pod/s/b | bg pod/s/a", "ours is not permitted", "another reading of finalizers"},
		{"they idle", runOurs, idle, "pod/s/a; pod/s/b -> pod/s/a | bg pod/s/a", "a difference of no class", "they collect nothing"},
		{"they idle, oddly", runOurs, idle, `pod/s/b -> pod/s/a@"pod/t/a", lost/z@gone?; pod/s/a; pod/t/a -> pod/t/a | fg pod/s/a`,
			"a difference of no class", "what explains other differences does not explain this one"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h, err := parseHistory(tc.history)
			if err != nil {
				t.Fatal(err)
			}
			v, err := judge{between(t, tc.ours, tc.theirs)}.judge(h)
			if err != nil || v.bad == nil || !strings.HasPrefix(v.bad.wrong, tc.want) {
				t.Errorf("%v, %v, want %q: %s", v, err, tc.want, tc.reason)
			}
		})
	}
}

// TestJudgeShrinks: an unexplained history comes in its smallest form.
func TestJudgeShrinks(t *testing.T) {
	hush()
	idle := func(ctx context.Context, _ *memory.Store) error { <-ctx.Done(); return nil }
	h, err := parseHistory("pod/s/a; pod/s/b* -> pod/s/a!; node/c; pod/s/d -> node/c, pod/s/b | orphan node/c; bg pod/s/a; finish pod/s/b")
	if err != nil {
		t.Fatal(err)
	}
	v, err := judge{between(t, runOurs, idle)}.judge(h)
	if err != nil || v.bad == nil {
		t.Fatalf("%v, %v, want a difference", v, err)
	}
	if n := len(v.bad.start) + len(v.bad.actions); n > 3 {
		t.Errorf("shrunk to %s", v.bad)
	}
}
