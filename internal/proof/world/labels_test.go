package world

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// labelled returns a world with a marked tenant and a selection of volumes under way.
// A page of the selection has one object.
func labelled(t *testing.T) *World {
	t.Helper()
	start, err := graph.Parse("t/a[x.io/t]; v/1; v/2; v/3")
	if err != nil {
		t.Fatal(err)
	}
	cfg := ownergraph.Config{Sweeps: []guard.Sweep{{
		Finalizer: "x.io/t", Holder: "t", Members: []guard.Members{{By: guard.ByLabel, Label: "of", Kinds: []graph.Kind{"v"}}},
	}}}
	probe.Tuning(&cfg).SelectPage = 1
	w, err := New(ownergraph.Level2, cfg, 1, nil, start)
	if err != nil {
		t.Fatal(err)
	}
	w.label(t, "v/1", "a")
	w.label(t, "v/3", "a")
	if err := w.RunToRest(); err != nil {
		t.Fatal(err)
	}
	live, err := w.Store.Get(start[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := w.Store.Delete(live.Key, graph.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.publish(ev)
	if err := w.Deliver(0, 0); err != nil {
		t.Fatal(err)
	}
	w.issue(t)
	return w
}

func (w *World) label(t *testing.T, name, of string) {
	t.Helper()
	o, err := graph.ParseObject(name)
	if err != nil || !w.Label(o.Key, map[string]string{"of": of}) {
		t.Fatalf("label %s: %v, or nothing changed", name, err)
	}
}

// issue takes the engine's next page of the selection. It passes the fences before it.
func (w *World) issue(t *testing.T) {
	t.Helper()
	if c, ok, err := w.Issue(0, engine.LaneStore); ok || err != nil {
		t.Fatalf("%v, %v", c, err)
	}
	for {
		c, ok, err := w.Issue(0, engine.LaneControl)
		switch {
		case !ok || err != nil:
			t.Fatalf("%v, %v, want a selection", c, err)
		case c.Type == engine.CallSelect:
			return
		}
	}
}

// page completes the page under way.
func (w *World) page(t *testing.T) string {
	t.Helper()
	r, err := w.CompleteAs(0, 0, NoFault)
	if err != nil {
		t.Fatal(err)
	}
	if r.Err != nil {
		return r.Err.Error()
	}
	text := ""
	for _, o := range r.Selected.Objects {
		text += fmt.Sprintf("%s#%s=%s ", o.Key, o.Version, o.Value)
	}
	return text + "then " + r.Selected.More
}

// TestSelectionsAreOld checks that a page of a selection shows the labels at the time
// of the first page. A renewed page shows the present labels.
func TestSelectionsAreOld(t *testing.T) {
	w := labelled(t)
	w.label(t, "v/1", "b")
	w.label(t, "v/2", "a")
	if got, want := w.page(t), "v/1#2=a then v/1"; got != want {
		t.Errorf("the first page: %q, want %q", got, want)
	}
	w.label(t, "v/3", "b")
	w.issue(t)
	old := w.Clone()
	if got, want := old.page(t), "v/3#2=a then "; got != want {
		t.Errorf("the second page: %q, want %q", got, want)
	}
	w.Renew(0, 0)
	if got, want := w.page(t), "v/2#2=a then "; got != want {
		t.Errorf("the second page, renewed: %q, want %q", got, want)
	}
	if w.Requests[engine.CallSelect] != 2 {
		t.Errorf("%v requests", w.Requests)
	}
}

// TestSelectionsFail checks that a sick, down or unserved kind answers no selection.
func TestSelectionsFail(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(w *World) error
	}{
		{"sick", func(w *World) error { return w.Sicken(1, "overload") }},
		{"down", func(w *World) error { w.Down("v", true); return nil }},
		{"not served", func(w *World) error { return w.Vanish(1) }},
	} {
		w := labelled(t)
		if err := tc.do(w); err != nil {
			t.Fatal(err)
		}
		w.Renew(0, 0)
		if r, err := w.CompleteAs(0, 0, NoFault); err != nil || r.Err == nil || len(r.Selected.Objects) > 0 {
			t.Errorf("%s: %v, %v", tc.name, r, err)
		}
	}
}

// TestLabel checks that labels belong to one incarnation, and that a change of labels
// makes a new version. A restored store has its old labels.
func TestLabel(t *testing.T) {
	w := labelled(t)
	before := w.Store
	k := w.Store.Objects()[1].Key
	if w.Label(k, map[string]string{"of": "a"}) {
		t.Error("equal labels make a new version")
	}
	if _, err := w.Store.Label(graph.Key{Kind: "v", Name: "1", UID: "another"}, nil); !errors.Is(err, graph.ErrConflict) {
		t.Errorf("Label of another incarnation: %v", err)
	}
	if !w.Label(k, nil) || len(w.Store.Labels()) != 1 || w.Store.Objects()[1].Version != "3" {
		t.Errorf("%v, %v", w.Store.Labels(), w.Store.Objects())
	}
	if err := w.Restore(before, true); err != nil || w.Store.Labels()[k]["of"] != "a" {
		t.Errorf("%v, %v", w.Store.Labels(), err)
	}
	if _, err := w.Store.Delete(k, graph.DeleteOptions{}); err != nil || len(w.Store.Labels()) != 1 {
		t.Errorf("%v, %v: the labels of a deleted object stay", w.Store.Labels(), err)
	}
}
