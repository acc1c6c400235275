package guards

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/policy"
)

// TestLacking: a verdict asks for the labels that it lacks. The members by labels count for a root that
// has such members, and for any other root once its plan has asked for them.
func TestLacking(t *testing.T) {
	all := func(k graph.Kind) bool { return k == "a" }
	for _, c := range []struct {
		labels bool
		err    error
		want   string // the selections that are wanted after the decision, and after the judgement
		failed bool
		reason string
	}{
		{false, nil, "protections, none", false, "the plan lacks nothing"},
		{true, nil, "both, none", false, "the root has members by labels"},
		{false, ErrUnlabelled, "protections, protections", true, "an object has come since"},
		{false, ErrUnselected, "protections, none", false, "the next decision asks for the members"},
	} {
		r := newRig(t)
		g, err := New(Settings{
			Protect: []guard.Protection{{Kinds: []graph.Kind{"a"}, Selector: "keep"}}, Guards: []guard.Guard{{Names: []string{"r"}, Always: true}},
			Members: []selecting.Rule{{Takes: all, Needs: func(graph.Object) bool { return true }, Selector: "of", Label: "of"}}, Page: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
		wanted := func() string {
			switch p, m := g.Labels.Busy(r.view()), g.Members.Busy(r.view()); {
			case p && m:
				return "both"
			case p:
				return "protections"
			case m:
				return "members"
			}
			return "none"
		}
		id := r.put("a/r#1~[" + graph.FinalizerHold + "," + graph.FinalizerNew + "]")
		decide := func() {
			o := r.nodes.Node(id).Object()
			j := g.Judge(r.view(), id, &o, policy.Decision{Action: policy.Keep, Reason: policy.NoOwners}, Facts{HasMembersByLabel: c.labels})
			g.Commit(r.view(), id, &o, &j)
			if err := g.Check(r.view()); err != nil {
				t.Error(err)
			}
		}
		decide()
		got := wanted()
		r.page(&g.Labels, 1, "", nil)
		if c.labels {
			r.page(&g.Members, 2, "", nil)
		}
		r.pass()
		decide()
		if next, ok := g.Roots.Next(r.view()); !ok || next != id {
			t.Fatalf("no judgement is due: %s", c.reason)
		}
		g.Roots.SetCall(id, 3)
		g.Done(r.view(), 3, id, Verdict{}, c.err)
		if got += ", " + wanted(); got != c.want || (g.Roots.Err(id) != "") != c.failed {
			t.Errorf("wanted: %s, error %q; want %s, failed %t: %s", got, g.Roots.Err(id), c.want, c.failed, c.reason)
		}
		if decide(); g.Members.Busy(r.view()) != errors.Is(c.err, ErrUnselected) {
			t.Errorf("the members are wanted: %t: %s", g.Members.Busy(r.view()), c.reason)
		}
	}
}
