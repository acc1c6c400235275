package guards

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// labelled returns a rig, and the protection by the label keep.
func labelled(t *testing.T) (*rig, *Labels) {
	t.Helper()
	rules, err := newRules([]guard.Protection{{Name: "kept", Kinds: []graph.Kind{"a"}, Selector: "keep"}})
	if err != nil {
		t.Fatal(err)
	}
	l := newLabels(rules, 2)
	return newRig(t), &l
}

// state returns the protection of a node: the rule, "none" or "unknown".
func (r *rig) state(l *Labels, id graph.NodeID) string {
	o := r.nodes.Node(id).Object()
	rule, unknown := l.State(&o, r.nodes.State(id).Known, r.kinds.Rewound())
	switch {
	case unknown:
		return "unknown"
	case rule == "":
		return "none"
	}
	return rule
}

// page takes the next page of a selection, which has these objects.
func (r *rig) page(l *Labels, call uint64, more string, err error, ids ...graph.NodeID) {
	r.Helper()
	at, ok := l.SelectAt(r.view())
	if r.now = at; !ok {
		r.Fatal("no selection is due")
	}
	if _, ok := l.NextSelect(r.view()); !ok {
		r.Fatal("no page is due")
	}
	l.SetSelectCall(call, r.stamps.Stamp())
	page := graph.SelectPage{More: more}
	for _, id := range ids {
		o := r.nodes.Node(id).Object()
		page.Objects = append(page.Objects, graph.LabelMatch{Key: o.Key, Version: o.Version})
	}
	l.SelectDone(r.view(), call+1, graph.SelectPage{}, errors.New("of another machine"), 0)
	l.SelectDone(r.view(), call, page, err, 0)
	if err := l.Check(); err != nil {
		r.Error(err)
	}
}

// TestLabelStates: a selection shows the protected versions. Its absence counts for the versions
// that were known before it began, and only once it is complete (RULES, G1).
func TestLabelStates(t *testing.T) {
	r, l := labelled(t)
	a, b := r.put("a/a#1"), r.put("a/b#1")
	want := func(wantA, wantB, reason string) {
		t.Helper()
		if got := r.state(l, a) + " " + r.state(l, b); got != wantA+" "+wantB {
			t.Errorf("%s, want %s %s: %s", got, wantA, wantB, reason)
		}
	}
	ask := func(id graph.NodeID) {
		o := r.nodes.Node(id).Object()
		l.Want(r.view(), id, &o)
	}
	want("unknown", "unknown", "nothing is selected")
	ask(a)
	r.page(l, 1, "next", nil, a)
	want("kept", "unknown", "the second page may bring b")
	r.page(l, 2, "", errors.New("lost"))
	want("kept", "unknown", "the selection has failed")
	r.page(l, 3, "", nil, a)
	want("kept", "none", "the selection is complete")
	if len(r.out.Items()) == 0 || l.Busy(r.view()) {
		t.Error("the waiting object is not decided again, or a selection is still wanted")
	}
	r.put("a/b#2")
	want("kept", "unknown", "the version came after the selection began")
	ask(b)
	o := r.nodes.Node(b).Object()
	r.put("a/b#3")
	r.page(l, 4, "", nil, a, b)
	want("kept", "kept", "b has the label now")
	if rule, unknown := l.State(&o, r.nodes.State(b).Known, 0); rule != "" || !unknown {
		t.Errorf("the former version: %q, unknown %t", rule, unknown)
	}
	if rule, unknown := l.State(&o, r.nodes.State(b).Known, r.stamps.Stamp()); rule != "" || !unknown {
		t.Errorf("after a rewind: %q, unknown %t, want unknown", rule, unknown)
	}
	r.page2(l, b)
	want("none", "kept", "a has lost the label, at another version")
	l.Leave(b, r.nodes.Node(b).Key())
	want("none", "none", "the matches of an object that is gone are forgotten")
}

// page2 has another selection that brings only one object.
func (r *rig) page2(l *Labels, id graph.NodeID) {
	l.WantAll(r.view(), id, r.stamps.Stamp())
	r.page(l, 9, "", nil, id)
}

// TestResumeSelects: a selection that failed while its kind was sick begins at once when the kind
// has recovered. The pause after a failure is for a store that answers.
func TestResumeSelects(t *testing.T) {
	for _, c := range []struct {
		kind   graph.Kind
		at     time.Duration
		reason string
	}{
		{"a", 0, "the kind of the selection"},
		{"b", time.Minute, "another kind"},
	} {
		r, l := labelled(t)
		a := r.put("a/a#1")
		o := r.nodes.Node(a).Object()
		l.Want(r.view(), a, &o)
		r.page(l, 1, "", errors.New("down"))
		failed := r.now
		s := l.done[l.wanted[0]]
		s.pace.Next = failed.Add(time.Minute)
		l.done[l.wanted[0]] = s
		l.ResumeSelects(r.view(), c.kind)
		if at, ok := l.SelectAt(r.view()); !ok || at.Sub(failed) != c.at {
			t.Errorf("due %v after the failure, %t, want %v: %s", at.Sub(failed), ok, c.at, c.reason)
		}
	}
}

// TestSelectedAt: the moment as of which every protected object is known.
func TestSelectedAt(t *testing.T) {
	r, l := labelled(t)
	a := r.put("a/a#1")
	if at := l.SelectedAt(r.view()); at != 0 {
		t.Errorf("at %d before a selection", at)
	}
	before := r.stamps.Stamp()
	l.WantAll(r.view(), a, before)
	r.page(l, 1, "", nil)
	if at := l.SelectedAt(r.view()); at <= before {
		t.Errorf("at %d, want after %d", at, before)
	}
	if at := (&Labels{}).SelectedAt(r.view()); at != seq.Max {
		t.Errorf("at %d without a rule", at)
	}
	l.Recall(map[graph.Key]string{r.nodes.Node(a).Key(): "kept"})
	if got := r.state(l, a); got != "kept" || l.SelectedAt(r.view()) != seq.Max {
		t.Errorf("a fork: %s", got)
	}
	if got := r.state(l, r.put("a/b#1")); got != "unknown" {
		t.Errorf("an object that the fork does not know: %s", got)
	}
}

// TestUnsoundPage: a store's mistaken answer proves nothing.
func TestUnsoundPage(t *testing.T) {
	r, l := labelled(t)
	a := r.put("a/a#1")
	l.WantAll(r.view(), a, 0)
	if _, ok := l.NextSelect(r.view()); !ok {
		t.Fatal("no page is due")
	}
	l.SetSelectCall(1, r.stamps.Stamp())
	l.ReturnSelect(1)
	if _, ok := l.NextSelect(r.view()); !ok {
		t.Error("a page that was given back is not asked for again")
	}
	l.SetSelectCall(2, r.stamps.Stamp())
	l.SelectDone(r.view(), 2, graph.SelectPage{Objects: []graph.LabelMatch{{Key: graph.Key{Kind: "b", Name: "a", UID: "1"}, Version: "1"}}}, nil, 0)
	if got := r.state(l, a); got != "unknown" {
		t.Errorf("%s, want unknown", got)
	}
	if got := l.Unselected(r.view(), "a"); len(got) != 1 || !strings.Contains(got[0], "answered with b/a") {
		t.Errorf("unselected: %q", got)
	}
}
