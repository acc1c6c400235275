package guards

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/policy"
)

// members returns a rig, and the selections of members among the objects of the kind a.
func members(t *testing.T) (*rig, *Labels) {
	t.Helper()
	l := newMembers([]selecting.Rule{{
		Takes: func(k graph.Kind) bool { return k == "a" }, Needs: func(graph.Object) bool { return true }, Selector: "of", Label: "of",
	}}, 2)
	return newRig(t), &l
}

// TestShown: an answer counts if its selection is complete and began after the moment. Then it no
// longer changes, and is true for every version.
func TestShown(t *testing.T) {
	r, l := members(t)
	a, b := r.put("a/a#1"), r.put("a/b#1")
	marked := r.stamps.Stamp()
	l.WantAll(r.view(), a, marked)
	r.page(l, 1, "next", nil, a)
	keyA, keyB := r.nodes.Node(a).Key(), r.nodes.Node(b).Key()
	if _, _, known := l.Shown(marked).Value(0, keyA); known {
		t.Error("the first of two pages tells")
	}
	r.page(l, 2, "", nil)
	s := l.Shown(marked)
	r.put("a/a#2")
	for _, c := range []struct {
		shown     *Shown
		key       graph.Key
		is, known bool
		reason    string
	}{
		{s, keyA, true, true, "the selection has shown it, at another version"},
		{s, keyB, false, true, "the selection has not shown it"},
		{s, graph.Key{Kind: "event", Name: "a"}, false, false, "no selection of its kind"},
		{l.Shown(r.stamps.Stamp()), keyA, false, false, "the selection began before"},
		{nil, keyA, false, false, "there is none"},
	} {
		if _, is, known := c.shown.Value(0, c.key); is != c.is || known != c.known || c.shown.Selected(0, c.key.Kind) != c.known {
			t.Errorf("%t, known %t, want %t, %t: %s", is, known, c.is, c.known, c.reason)
		}
	}
	l.Leave(a, keyA)
	l.WantAll(r.view(), a, r.stamps.Stamp())
	if l.Forget(); !l.Shown(0).Selected(0, "a") {
		t.Error("a wanted selection is forgotten")
	}
	r.page(l, 3, "", nil)
	if l.Forget(); l.Shown(0).Selected(0, "a") {
		t.Error("the selections are not forgotten")
	}
	if _, is, _ := s.Value(0, keyA); !is {
		t.Error("the former answer has changed")
	}
}

// TestDefer: a judgement without the members has not failed. The root is judged again once
// their selection began after the mark. Another content of the root keeps the moment of the mark,
// and the need.
func TestDefer(t *testing.T) {
	r := newRig(t, guard.Guard{Names: []string{"r"}, Above: new(int)})
	id := r.put("a/r#1~[" + graph.FinalizerHold + "," + graph.FinalizerNew + "]")
	r.decides(id, policy.Wait, policy.NeedVerdict, "", "it waits for a fence")
	marked := r.m.Marked(id)
	r.pass()
	r.decides(id, policy.Wait, policy.NeedVerdict, "", "it is asked for")
	if next, ok := r.m.Next(r.view()); !ok || next != id {
		t.Fatal("no judgement is due")
	}
	r.m.SetCall(id, 1)
	if r.m.Defer(r.view(), 2); !r.m.Busy() || r.m.NeedsMembers(id) {
		t.Error("the result of another call counts")
	}
	r.m.Defer(r.view(), 1)
	if r.m.Busy() || !r.m.NeedsMembers(id) || r.m.Err(id) != "" {
		t.Errorf("busy %t, needs members %t, error %q", r.m.Busy(), r.m.NeedsMembers(id), r.m.Err(id))
	}
	keep := policy.Decision{Action: policy.Keep, Reason: policy.NoOwners}
	if r.decide(id, keep, Facts{Selected: marked}); r.m.Busy() {
		t.Error("it is judged without the members")
	}
	if r.decide(id, keep, Facts{Selected: marked + 1}); !r.m.Busy() {
		t.Error("it is not judged with the members")
	}
	r.put("a/r#2~[" + graph.FinalizerHold + "," + graph.FinalizerNew + ",foreground]")
	if r.decide(id, keep, Facts{Selected: marked + 1}); r.m.Busy() || !r.m.NeedsMembers(id) {
		t.Errorf("busy %t, needs members %t: after a change the members are selected again", r.m.Busy(), r.m.NeedsMembers(id))
	}
	r.put("a/r#3~[" + graph.FinalizerHold + "]")
	r.decides(id, policy.Wait, policy.DeletionRefused, "", "another engine refuses")
	if r.m.Since(id) == marked || r.m.Marked(id) != marked {
		t.Errorf("since %d, marked %d, want %d", r.m.Since(id), r.m.Marked(id), marked)
	}
}
