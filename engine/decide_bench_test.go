package engine

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// benchA is an owner, and benchB its dependent.
const (
	benchA = "a/web-7d4b9c6f5@3f0a9c1e-0000-4000-8000-000000000001"
	benchB = "b/web-7d4b9c6f5-x2x4z@3f0a9c1e-0000-4000-8000-000000000002"
)

// decided is a decision about benchB, off the fast path.
type decided struct {
	name   string
	events []graph.Event
	want   policy.Decision
}

var decisions = []decided{
	{"delete", []graph.Event{put(benchA + "#1"), put(benchB + "#1 -> " + benchA), {Type: graph.Gone, Key: put(benchA).Object.Key}}, policy.Decision{Action: policy.Delete, Reason: policy.OwnersGone}},
	{"keep", []graph.Event{put(benchA + "#1~[f]"), put(benchB + "#1 -> " + benchA)}, policy.Decision{Action: policy.Keep, Reason: policy.OwnerSolid}},
	{"wait", []graph.Event{put(benchA + "#1~[foreground]"), put(benchB + "#1 -> " + benchA + "!")}, policy.Decision{Action: policy.Wait, Reason: policy.NeedFence}},
	{"verify", []graph.Event{put(benchB + "#1 -> " + benchA)}, policy.Decision{Action: policy.Verify, Reason: policy.NeedOwner}},
}

// idleGuards has a guard and a protection of a kind without objects.
var idleGuards = Config{
	Guards:  []guard.Guard{{Kinds: []graph.Kind{"c"}, Always: true}},
	Protect: []guard.Protection{{Kinds: []graph.Kind{"c"}}},
}

// undecided returns an engine that has observed the events and decided nothing, and the
// node of benchB.
func undecided(tb testing.TB, cfg Config, events []graph.Event) (*Engine, graph.NodeID) {
	tb.Helper()
	e, err := New(Level2, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	all := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}}, {Type: graph.ListBegun, Kind: "a"}, {Type: graph.ListBegun, Kind: "b"}}
	all = append(append(all, events...), graph.Event{Type: graph.ListEnded, Kind: "a"}, graph.Event{Type: graph.ListEnded, Kind: "b"})
	for _, ev := range all {
		if err := e.Observe(e.now, ev); err != nil {
			tb.Fatal(err)
		}
	}
	for !e.kinds.IsPruned() {
		e.prune()
	}
	n, _ := e.graph.Lookup(put(benchB).Object.Key)
	return e, n.ID()
}

// decideOnce makes the decision about a node, and takes a call back. It reports whether the
// decision has a call.
func (e *Engine) decideOnce(id graph.NodeID) bool {
	ok := e.decide(id, &e.scratch.call)
	if ok {
		e.calls.RevokeID(e.view(), uint64(e.scratch.call.ID), e.work, &e.effects)
	}
	return ok
}

// TestDecisionMemory: a decision about an object with one owner takes no memory. Only the
// call of a decision has text, in one allocation. Guards of other kinds change nothing.
func TestDecisionMemory(t *testing.T) {
	for _, c := range decisions {
		for _, cfg := range []Config{{}, idleGuards} {
			testDecisionMemory(t, cfg, c)
		}
	}
}

func testDecisionMemory(t *testing.T, cfg Config, c decided) {
	t.Helper()
	e, id := undecided(t, cfg, c.events)
	d := policy.Decide(e.input(id, &e.scratch.judgement.evidence), e.set, &e.scratch.judgement.lists)
	if d.Action != c.want.Action || d.Reason != c.want.Reason {
		t.Errorf("%s: %v (%v)", c.name, d.Action, d.Reason)
	}
	if n := testing.AllocsPerRun(100, func() {
		policy.Decide(e.input(id, &e.scratch.judgement.evidence), e.set, &e.scratch.judgement.lists)
	}); n > 0 {
		t.Errorf("%s: %v allocations for evidence and rules", c.name, n)
	}
	most := 0.0
	if e.decideOnce(id) {
		most = 1
	}
	if n := testing.AllocsPerRun(100, func() { e.decideOnce(id) }); n > most {
		t.Errorf("%s: %v allocations with %d guards, want at most %v", c.name, n, len(cfg.Guards), most)
	}
}

// BenchmarkDecide makes decisions about an object with one owner. Rules are the evidence
// and the rules alone, and whole is the decision with its call, which is taken back. Guarded is
// the same with guards of other kinds.
func BenchmarkDecide(b *testing.B) {
	for _, c := range decisions {
		b.Run("rules/"+c.name, func(b *testing.B) {
			e, id := undecided(b, Config{}, c.events)
			b.ReportAllocs()
			for b.Loop() {
				policy.Decide(e.input(id, &e.scratch.judgement.evidence), e.set, &e.scratch.judgement.lists)
			}
		})
		for name, cfg := range map[string]Config{"whole/": {}, "guarded/": idleGuards} {
			b.Run(name+c.name, func(b *testing.B) {
				e, id := undecided(b, cfg, c.events)
				b.ReportAllocs()
				for b.Loop() {
					e.decideOnce(id)
				}
			})
		}
	}
}
