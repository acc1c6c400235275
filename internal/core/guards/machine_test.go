package guards

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	hold  = graph.FinalizerHold
	isNew = graph.FinalizerNew
)

var roots = guard.Guard{Names: []string{"r"}, Always: true}

// TestAttach: an unmarked root gets hold, and then new. No other object does.
func TestAttach(t *testing.T) {
	r := newRig(t, roots)
	r.decides(r.put("a/r#1"), policy.Attach, policy.RootSeen, hold, "hold goes first")
	r.decides(r.put("a/r#2["+hold+"]"), policy.Attach, policy.RootSeen, isNew, "then new")
	r.decides(r.put("a/r#3["+hold+","+isNew+"]"), policy.Keep, policy.NoOwners, "", "it is guarded")
	r.decides(r.put("a/r#4["+isNew+"]"), policy.Attach, policy.RootSeen, hold, "new alone guards nothing")
	r.decides(r.put("a/x#1"), policy.Keep, policy.NoOwners, "", "no guard selects it")
	r.decides(r.put("event/r#1"), policy.Keep, policy.GuardUnfit, "", "its kind may not own")
	id := r.put("a/r#5 -> a/gone")
	for _, c := range []struct {
		d      policy.Decision
		want   policy.Action
		reason string
	}{
		{policy.Decision{Action: policy.Delete}, policy.Attach, "the engine's own delete is judged, too"},
		{policy.Decision{Action: policy.Trim}, policy.Trim, "a trim goes first"},
	} {
		if got := r.decide(id, c.d, Facts{}); got.Action != c.want {
			t.Errorf("%v, want %v: %s", got.Action, c.want, c.reason)
		}
	}
}

// TestJudgement: a marked root is judged behind a fence that began after its mark, once.
func TestJudgement(t *testing.T) {
	for _, c := range []struct {
		verdict Verdict
		why     policy.Reason
		drop    string
		reason  string
	}{
		{Verdict{}, policy.VerdictPassed, hold, "a pass takes hold off"},
		{Verdict{Refused: true, Causes: []string{"x"}}, policy.VerdictRefused, isNew, "a refusal takes new off"},
	} {
		r := newRig(t, roots)
		r.pass()
		id := r.put("a/r#1~[" + hold + "," + isNew + "]")
		r.decides(id, policy.Wait, policy.NeedVerdict, "", "the fence began before the mark")
		if _, ok := r.m.Next(r.view()); ok {
			t.Error("a judgement before the fence")
		}
		r.pass()
		r.decides(id, policy.Wait, policy.NeedVerdict, "", "it is asked for")
		if got, ok := r.m.Next(r.view()); !ok || got != id || !r.m.Busy() || !slices.Equal(r.m.Pending(), []graph.NodeID{id}) {
			t.Errorf("next: %d %t", got, ok)
		}
		r.m.SetCall(id, 7)
		r.m.Return(7)
		r.m.SetCall(id, 8)
		r.decides(id, policy.Wait, policy.NeedVerdict, "", "it is under way")
		r.m.Done(r.view(), 7, Verdict{Refused: !c.verdict.Refused}, nil)
		r.decides(id, policy.Wait, policy.NeedVerdict, "", "the result of another call")
		r.m.Done(r.view(), 8, c.verdict, nil)
		r.decides(id, policy.Release, c.why, c.drop, c.reason)
		if r.m.Busy() {
			t.Error("it is judged and busy")
		}
	}
}

// TestVerdictOfContent: a verdict counts for the content that was judged.
func TestVerdictOfContent(t *testing.T) {
	r := newRig(t, roots)
	id := r.put("a/r#1~[" + hold + "," + isNew + "]")
	r.decides(id, policy.Wait, policy.NeedVerdict, "", "no fence")
	r.pass()
	r.decides(id, policy.Wait, policy.NeedVerdict, "", "asked for")
	r.m.SetCall(id, 1)
	r.put("a/r#2~[" + hold + "," + isNew + ",foreground]")
	r.decides(id, policy.Wait, policy.NeedVerdict, "", "the propagation has changed")
	r.m.Done(r.view(), 1, Verdict{}, nil)
	r.decides(id, policy.Wait, policy.NeedVerdict, "", "the verdict is about another deletion")
	r.pass()
	r.decides(id, policy.Wait, policy.NeedVerdict, "", "asked for again")
	r.m.SetCall(id, 2)
	r.m.Done(r.view(), 2, Verdict{}, nil)
	r.put("a/r#3~[" + hold + "," + isNew + ",foreground]")
	r.decides(id, policy.Release, policy.VerdictPassed, hold, "a status changes nothing")
}

// TestFailedJudgement: a judgement that fails is asked for again, later each time.
func TestFailedJudgement(t *testing.T) {
	r := newRig(t, roots)
	id := r.put("a/r#1~[" + hold + "," + isNew + "]")
	r.decides(id, policy.Wait, policy.NeedVerdict, "", "no fence")
	r.pass()
	wait, why := time.Second, policy.NeedVerdict
	for call := range uint64(3) {
		r.decides(id, policy.Wait, why, "", "asked for")
		why = policy.JudgementFails
		at, ok := r.m.At()
		if !ok {
			t.Fatal("none is due")
		}
		if at.After(r.now) {
			if _, ok := r.m.Next(r.view()); ok || at.Sub(r.now) != wait {
				t.Errorf("due after %s, want %s", at.Sub(r.now), wait)
			}
			r.now, wait = at, 2*wait
		}
		r.m.SetCall(id, call+1)
		r.m.Done(r.view(), call+1, Verdict{}, errors.New("no plan"))
		if r.m.Err(id) != "no plan" || r.m.Busy() {
			t.Errorf("error %q, busy %t", r.m.Err(id), r.m.Busy())
		}
	}
}

// TestMarked: the states of a marked root, in every engine.
func TestMarked(t *testing.T) {
	for _, c := range []struct {
		line, reason string
		guards       []guard.Guard
		f            Facts
		action       policy.Action
		why          policy.Reason
		drop         string
	}{
		{line: "a/r#1~[" + hold + "]", action: policy.Wait, why: policy.DeletionRefused, reason: "refused"},
		{line: "a/r#1~[" + hold + "]", guards: []guard.Guard{roots}, action: policy.Wait, why: policy.DeletionRefused, reason: "marked before new was on"},
		{line: "a/r#1~[" + hold + "," + isNew + "]", action: policy.Wait, why: policy.GuardMissing, reason: "no guard here"},
		{line: "a/r#1~[" + hold + "," + isNew + "]", guards: []guard.Guard{roots}, f: Facts{Bar: policy.NeedAnswer}, action: policy.Wait, why: policy.NeedAnswer, reason: "no write may go out"},
		{line: "a/r#1~[" + isNew + "]", action: policy.Release, why: policy.HoldGone, drop: isNew, reason: "passed"},
		{line: "a/r#1~[x]", guards: []guard.Guard{roots}, action: policy.Keep, why: policy.NeedFinalizers, reason: "never guarded"},
		{line: "a/r#1~[x]", f: Facts{Protected: policy.Protected}, action: policy.Wait, why: policy.Protected, reason: "a protected object"},
	} {
		r := newRig(t, c.guards...)
		d := r.decide(r.put(c.line), policy.Decision{Action: policy.Keep, Reason: policy.NeedFinalizers}, c.f)
		if d.Action != c.action || d.Reason != c.why || d.Finalizer != c.drop {
			t.Errorf("%s: %v (%v) %s, want %v (%v): %s", c.line, d.Action, d.Reason, d.Finalizer, c.action, c.why, c.reason)
		}
		for _, free := range []policy.Action{policy.Orphan, policy.Trim} {
			if d := r.decide(r.put(c.line), policy.Decision{Action: free}, c.f); d.Action != free {
				t.Errorf("%s: %v, want %v: its own references go all the same", c.line, d.Action, free)
			}
		}
	}
}

// TestOrderNeedsForeground: a root with phases that passes is deleted again in the foreground,
// unless its deletion has a propagation.
func TestOrderNeedsForeground(t *testing.T) {
	ordered := roots
	ordered.Phases = []guard.Phase{{Kinds: []graph.Kind{"a"}}}
	for _, c := range []struct {
		propagation, reason string
		action              policy.Action
	}{
		{"", "background", policy.Delete}, {",foreground", "it is in the foreground", policy.Release}, {",orphan", "nothing goes", policy.Release},
	} {
		r := newRig(t, ordered)
		id := r.put("a/r#1~[" + hold + "," + isNew + c.propagation + "]")
		r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
		r.pass()
		r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
		r.m.SetCall(id, 1)
		r.m.Done(r.view(), 1, Verdict{}, nil)
		d := r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
		if d.Action != c.action || d.Action == policy.Delete && d.Propagation != graph.Foreground {
			t.Errorf("%v %v, want %v: %s", d.Action, d.Propagation, c.action, c.reason)
		}
	}
}

// TestReleasedReports: the end of a hold is reported, unless this engine took it off.
func TestReleasedReports(t *testing.T) {
	for _, c := range []struct {
		before func(r *rig, id graph.NodeID)
		gone   bool
		want   []policy.Reason
		reason string
	}{
		{func(*rig, graph.NodeID) {}, false, []policy.Reason{policy.HoldRemoved}, "another writer"},
		{func(*rig, graph.NodeID) {}, true, []policy.Reason{policy.HoldRemoved}, "it was the last finalizer"},
		{func(r *rig, id graph.NodeID) { r.m.BeginApproval(id) }, false, []policy.Reason{policy.DeletionApproved}, "a user of this engine"},
		{func(r *rig, id graph.NodeID) {
			r.pass()
			r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
			r.m.SetCall(id, 1)
			r.m.Done(r.view(), 1, Verdict{}, nil)
			r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
		}, false, nil, "this engine"},
	} {
		r := newRig(t, roots)
		id := r.put("a/r#1~[" + hold + "," + isNew + "]")
		r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
		c.before(r, id)
		if c.gone {
			k, v := r.nodes.Node(id).Inside(inside.Key{}).Named()
			r.m.Leave(r.view(), id, k, v)
		} else {
			r.put("a/r#2~[" + isNew + "]")
			r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
		}
		if got := r.reports(); !slices.Equal(got, c.want) {
			t.Errorf("reports %v, want %v: %s", got, c.want, c.reason)
		}
		if _, kept := r.m.roots[id]; kept || c.gone && r.m.Follows(id) {
			t.Errorf("the root is kept: %s", c.reason)
		}
	}
}

// TestUnguardedReports: a root that is marked or gone before it carries hold is reported once. A
// root that has passed is not.
func TestUnguardedReports(t *testing.T) {
	for _, c := range []struct {
		line, reason string
		want         []policy.Reason
	}{
		{"a/r#1~[x]", "it is marked when a listing brings it, and may have passed", nil},
		{"a/r#1~[" + isNew + "]", "it has passed", nil},
		{"a/x#1~[x]", "it is no root", nil},
	} {
		r := newRig(t, roots)
		id := r.put(c.line)
		r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
		r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
		if got := r.reports(); !slices.Equal(got, c.want) {
			t.Errorf("%s: reports %v, want %v: %s", c.line, got, c.want, c.reason)
		}
	}
	for _, gone := range []bool{false, true} {
		r := newRig(t, roots)
		id := r.put("a/r#1")
		r.decides(id, policy.Attach, policy.RootSeen, hold, "a new root")
		if gone {
			k, v := r.nodes.Node(id).Inside(inside.Key{}).Named()
			r.m.Leave(r.view(), id, k, v)
		} else {
			r.put("a/r#2~[x]")
			r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
			r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
		}
		if got := r.reports(); !slices.Equal(got, []policy.Reason{policy.RootUnguarded}) || r.m.Counts().Unguarded != 1 {
			t.Errorf("gone %t: reports %v", gone, got)
		}
	}
}
