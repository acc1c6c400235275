package record

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// nodes returns a graph with n objects, and their table.
func nodes(t *testing.T, n int) Nodes {
	t.Helper()
	v := Nodes{Graph: graph.New(graph.Config{}), Table: &Table{}}
	see := func(e graph.Event) {
		if _, err := v.Graph.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}})
	for i := range n {
		o, err := graph.ParseObject(fmt.Sprintf("a/%d#1", i))
		if err != nil {
			t.Fatal(err)
		}
		see(graph.Event{Type: graph.Put, Object: o})
	}
	return v
}

// TestCompact: a state that eight bytes can store is compact after Compact, and every other
// state stays as it is.
func TestCompact(t *testing.T) {
	v := nodes(t, (pageSize+2)*pageSize)
	for id := range v.Graph.Nodes() {
		v.Table.SetNew(v.Graph, id.ID(), 7)
	}
	for n := range v.Graph.Nodes() {
		id := n.ID()
		s := v.Edit(id)
		s.Reason, s.Doubt, s.Audited = policy.OwnerSolid, graph.Unreadable, true
		if id%2 == 0 {
			s.Conflicts = 3
		}
	}
	v.Table.Compact(v.Graph)
	for n := range v.Graph.Nodes() {
		id := n.ID()
		want := State{Known: 7, Changed: 7, Reason: policy.OwnerSolid, Doubt: graph.Unreadable, Audited: true}
		if id%2 == 0 {
			want.Conflicts = 3
		}
		if got := v.State(id); got != want || v.Table.IsCompact(v.Graph, id) != (id%2 != 0) {
			t.Errorf("node %d: compact %t, state %+v, want %+v", id, v.Table.IsCompact(v.Graph, id), got, want)
		}
	}
	for n := range v.Graph.Nodes() {
		v.Edit(n.ID()).Conflicts = 0
	}
	if v.Table.Compact(v.Graph); v.Table.used != 0 || v.Table.pages != nil {
		t.Errorf("%d full states are left, on %d pages", v.Table.used, len(v.Table.pages))
	}
}

// TestEveryFieldIsKept: a state with any field beyond the compact ones is not compact.
func TestEveryFieldIsKept(t *testing.T) {
	compact := map[string]bool{"Known": true, "Role": true, "Reason": true, "Doubt": true, "Audited": true, "FanningOut": true, "_": true}
	for i, all := 0, reflect.TypeFor[State](); i < all.NumField(); i++ {
		name := all.Field(i).Name
		if compact[name] {
			continue
		}
		var s State
		switch f := reflect.ValueOf(&s).Elem().Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Struct:
			f.Set(reflect.ValueOf(time.Unix(1, 0)))
		case reflect.Int32, reflect.Int64:
			f.SetInt(1)
		default:
			f.SetUint(1)
		}
		if _, ok := s.compact(); ok {
			t.Errorf("a state with %s is taken for compact", name)
		}
	}
}

// TestFanning: a node fans out until it is said to be over, in both forms of its state. No
// decision about the node ends that.
func TestFanning(t *testing.T) {
	v := nodes(t, 2)
	for n := range v.Graph.Nodes() {
		id := n.ID()
		if id%2 == 0 {
			v.Edit(id).PendingReads = 1
		}
		v.Table.SetFanning(v.Graph, id, true)
		v.Table.SetKept(v.Graph, id, policy.NoOwners)
		v.Table.Compact(v.Graph)
		if !v.Table.IsFanning(v.Graph, id) || !v.State(id).FanningOut || v.Table.AwaitsReads(v.Graph, id) != (id%2 == 0) {
			t.Errorf("node %d no longer fans out: %+v", id, v.State(id))
		}
		v.Table.SetFanning(v.Graph, id, false)
		if v.Table.IsFanning(v.Graph, id) || v.State(id).FanningOut {
			t.Errorf("node %d fans out for ever: %+v", id, v.State(id))
		}
	}
}

// TestPeek: a state reads the same wherever the table keeps it, and no full state is copied.
func TestPeek(t *testing.T) {
	v := nodes(t, 3)
	for n := range v.Graph.Nodes() {
		v.Table.SetNew(v.Graph, n.ID(), 7)
		if n.ID()%2 == 0 {
			v.Edit(n.ID()).Conflicts = 3
		}
		var memory State
		got := v.Peek(n.ID(), &memory)
		if *got != v.State(n.ID()) || (got == &memory) != v.Table.IsCompact(v.Graph, n.ID()) {
			t.Errorf("node %d: state %+v, want %+v", n.ID(), *got, v.State(n.ID()))
		}
	}
	memory := State{Known: 7}
	if got := v.Peek(graph.NodeID(v.Graph.Inside(inside.Key{}).Cap()), &memory); *got != (State{}) {
		t.Errorf("a node that is not in use has the state %+v", *got)
	}
}

// TestFast: the fast path keeps a node until an edit or ClearKept, and keeps its stamp.
func TestFast(t *testing.T) {
	v := nodes(t, 2)
	var ids []graph.NodeID
	for n := range v.Graph.Nodes() {
		ids = append(ids, n.ID())
	}
	v.Table.SetNew(v.Graph, ids[0], 5)
	v.Table.SetKept(v.Graph, ids[0], policy.NoOwners)
	v.Table.SetKnown(v.Graph, ids[0], 6)
	if s := v.State(ids[0]); !v.Table.IsKept(v.Graph, ids[0]) || s.Known != 6 || s.Reason != policy.NoOwners || !v.Table.IsDefault(v.Graph, ids[0]) {
		t.Errorf("kept %t, state %+v", v.Table.IsKept(v.Graph, ids[0]), s)
	}
	if v.Table.ClearKept(v.Graph, ids[0]); v.Table.IsKept(v.Graph, ids[0]) {
		t.Error("the node is kept after ClearKept")
	}
	v.Edit(ids[1]).HasResult = true
	v.Table.SetKept(v.Graph, ids[1], policy.OwnerSolid)
	if s := v.State(ids[1]); v.Table.IsKept(v.Graph, ids[1]) || s.Reason != policy.OwnerSolid || !s.HasResult {
		t.Errorf("a full state is %+v", s)
	}
	v.Table.ClearResult(v.Graph, ids[1])
	c := v.Table.Clone()
	v.Edit(ids[1]).Conflicts = 1
	if c.Get(v.Graph, ids[1]).Conflicts != 0 {
		t.Error("the clone shares a state")
	}
}
