package engine

import (
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/policy"
)

// judgesAll judges the delete of each object by the brake at a time, and checks that the engine stays
// as it was. It returns the answers by the names of the objects.
func (e *Engine) judgesAll(t *testing.T, after time.Duration, objects ...string) map[string]brake.Answer {
	t.Helper()
	answers := map[string]brake.Answer{}
	want, scratch, memory := e.fingerprint(nil), e.scratch, e.brake.Clone()
	nodes, items, was := e.nodes.Clone(), len(e.effects.Items()), e.now
	e.now = e.now.Add(after)
	for _, name := range objects {
		n, _ := e.graph.Lookup(put(name).Object.Key)
		j := judgement{id: n.ID(), in: e.input(n.ID(), &evidence.Scratch{})}
		for _, a := range []policy.Action{policy.Keep, policy.Wait, policy.Delete} {
			j.d = policy.Decision{Action: a, Reason: policy.OwnersGone}
			j.judgeBrake(e)
		}
		answers[n.Key().Name] = j.notes.answer
	}
	e.now = was
	if !reflect.DeepEqual(memory, e.brake.Clone()) || !reflect.DeepEqual(nodes, e.nodes.Clone()) || len(e.effects.Items()) != items {
		t.Error("a judgement changes the brake, a node or the effects")
	}
	if e.fingerprint(nil) != want || !reflect.DeepEqual(scratch, e.scratch) {
		t.Error("a judgement changes the engine")
	}
	return answers
}

// TestJudgeBrakeIsPure: a judgement of the brake has no effects, also one of a later time. It answers
// as the decision that follows, except for a small cascade that the decision counts first.
func TestJudgeBrakeIsPure(t *testing.T) {
	objects := append(below("a", 2), "a#1", "a/x#1", "b/x#1 -> a/x", "b/y#1 -> a, a/x")
	e := listed(t, braking(2), objects...)
	e.carries(t, absent) // so that every listing has ended
	e.observeEach(t, goneOf("a"), goneOf("a/x"))
	judged := []string{"b/a-0#1", "b/a-1#1", "b/x#1", "b/y#1"}
	for range 2 { // the first round leaves nothing that the second one finds
		for name, a := range e.judgesAll(t, time.Hour, judged...) {
			if a != brake.NeedCount {
				t.Errorf("%s: %v, want that its cascade has to be counted", name, a)
			}
		}
	}
	e.carries(t, absent)
	if held := e.whyHeld(); held != "3 Braked" {
		t.Fatalf("held are %s", held)
	}
	left := e.judgesAll(t, 0, "b/a-0#1", "b/a-1#1", "b/y#1")
	for name, a := range left {
		if a != brake.Held {
			t.Errorf("%s: %v, want that it is held", name, a)
		}
	}
	if _, err := e.approvesAll(BrakeApproval{Until: e.now.Add(time.Minute), AtMost: 9}); err != nil {
		t.Fatal(err)
	}
	if a := e.judgesAll(t, 0, "b/a-0#1")["a-0"]; a != brake.Go {
		t.Errorf("%v within the approval", a)
	}
	if a := e.judgesAll(t, time.Hour, "b/a-0#1")["a-0"]; a != brake.Held {
		t.Errorf("%v after the approval", a)
	}
	if deleted := e.carries(t, absent); len(deleted) != 3 {
		t.Errorf("deleted are %v, want that no judgement has used the approval", deleted)
	}
}
