package guards

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// TestGraceNeedsForeground: a root that passes with a grace period is deleted again in the foreground,
// with a period that is shorter by one second, if its kind has grace periods.
func TestGraceNeedsForeground(t *testing.T) {
	ordered := roots
	ordered.Phases = []guard.Phase{{Kinds: []graph.Kind{"a"}}}
	for _, c := range []struct {
		guard   guard.Guard
		kind    graph.Kind // with grace periods
		mark    string
		action  policy.Action
		why     policy.Reason
		seconds int64 // of the deletion, -1 for none
		reason  string
	}{
		{roots, "a", "~30[%]", policy.Delete, policy.GraceNeedsForeground, 29, "background, with a period"},
		{roots, "a", "~2[%]", policy.Delete, policy.GraceNeedsForeground, 1, "the shortest period that can be shortened"},
		{roots, "a", "~1[%]", policy.Release, policy.VerdictPassed, -1, "a shorter one ends the period"},
		{roots, "a", "~[%]", policy.Release, policy.VerdictPassed, -1, "no period"},
		{roots, "a", "~30[%,foreground]", policy.Release, policy.VerdictPassed, -1, "it is in the foreground"},
		{roots, "a", "~30[%,orphan]", policy.Release, policy.VerdictPassed, -1, "its dependents stay"},
		{roots, "s", "~30[%]", policy.Release, policy.VerdictPassed, -1, "another kind has periods"},
		{ordered, "a", "~30[%]", policy.Delete, policy.GraceNeedsForeground, 29, "phases, and the period passes on"},
		{ordered, "a", "~1[%]", policy.Wait, policy.NeedGrace, -1, "phases, and the period has to end first"},
		{ordered, "s", "~30[%]", policy.Wait, policy.NeedGrace, -1, "phases, and no period passes on"},
		{ordered, "a", "~[%]", policy.Delete, policy.OrderNeedsForeground, -1, "phases alone"},
	} {
		r := newGraceRig(t, []graph.Kind{c.kind}, c.guard)
		id := r.put("a/r#1" + mark(c.mark))
		d := r.passed(id)
		seconds := int64(-1)
		if d.GraceSeconds != nil {
			seconds = *d.GraceSeconds
		}
		if d.Action != c.action || d.Reason != c.why || seconds != c.seconds || d.GraceAtMost || d.Action == policy.Delete && d.Propagation != graph.Foreground {
			t.Errorf("%s: %v because of %v with %d seconds, want %v because of %v with %d", c.reason, d.Action, d.Reason, seconds, c.action, c.why, c.seconds)
		}
		o := r.nodes.Node(id).Object()
		again, repeats := r.m.Again(&o)
		if repeats != (c.action == policy.Delete) || again.Reason != d.Reason && repeats {
			t.Errorf("%s: an approval repeats %t because of %v", c.reason, repeats, again.Reason)
		}
	}
}

// mark puts the finalizers of a guard into a mark.
func mark(text string) string {
	before, after, _ := strings.Cut(text, "%")
	return before + hold + "," + isNew + after
}

// passed returns the decision about a marked root after a verdict that passes.
func (r *rig) passed(id graph.NodeID) policy.Decision {
	r.Helper()
	r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
	r.pass()
	r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
	r.m.SetCall(id, 1)
	r.m.Done(r.view(), 1, Verdict{}, nil)
	return r.decide(id, policy.Decision{Action: policy.Keep}, Facts{})
}

// TestGuardOfPeriods: a guard may refuse and order nothing, if grace periods pass on.
func TestGuardOfPeriods(t *testing.T) {
	idle := []guard.Guard{{Kinds: []graph.Kind{"a"}}}
	for _, c := range []struct {
		kinds  []graph.Kind
		ok     bool
		reason string
	}{
		{nil, false, "it does nothing"},
		{[]graph.Kind{"a"}, true, "it repeats deletions"},
		{[]graph.Kind{""}, false, "an empty kind"},
		{[]graph.Kind{"a", "a"}, false, "a kind twice"},
	} {
		if _, err := New(Settings{Guards: idle, Grace: c.kinds}); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
	o := graph.Object{Key: graph.Key{Kind: "s", Name: "b"}, Deleting: true}
	g, err := New(Settings{Guards: idle, Grace: []graph.Kind{"a"}})
	if _, repeats := g.Roots.Again(&o); err != nil || repeats {
		t.Errorf("an object without a guard is deleted again: %v", err)
	}
}
