package cycle

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// rig is a graph and a detector, and the parts of an engine that a detector uses.
type rig struct {
	*testing.T
	v      record.Nodes
	stamps seq.Counter
	now    time.Time
	d      Detector
	out    effect.List
}

// newRig returns a rig over objects in graph notation. Each waiting object is reported
// as blocked.
func newRig(t *testing.T, objects string) *rig {
	t.Helper()
	r := &rig{T: t, now: time.Unix(1000, 0)}
	r.v = record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}}
	r.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}})
	r.put(objects)
	for n := range r.v.Graph.Nodes() {
		r.blocked(n.ID())
	}
	return r
}

func (r *rig) see(e graph.Event) {
	r.Helper()
	if _, err := r.v.Graph.Apply(e); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) put(objects string) {
	r.Helper()
	all, err := graph.Parse(objects)
	if err != nil {
		r.Fatal(err)
	}
	for _, o := range all {
		r.see(graph.Event{Type: graph.Put, Object: o})
	}
}

func (r *rig) blocked(id graph.NodeID) { r.d.Blocked(r.v, id, r.now, 0, &r.out) }

func (r *rig) id(name string) graph.NodeID {
	n, _ := r.v.Graph.Lookup(graph.Key{Kind: graph.Kind(name), Name: name, UID: graph.UID(name)})
	return n.ID()
}

// search runs the search that is due to its end.
func (r *rig) search() {
	r.Helper()
	for r.d.HasWork(r.now, true) {
		r.d.Step(Moment{Nodes: r.v, Stamps: &r.stamps, Now: r.now, Quiet: true, Fences: true}, 1, &r.out)
	}
	if err := r.d.Check(r.v); err != nil {
		r.Error(err)
	}
}

const ring = "a#1~[foregroundDeletion] -> b!; b#1~[foregroundDeletion] -> a!; c#1~[foregroundDeletion] -> a!"

// TestDetector: two objects that wait for each other are found, and no other object is.
// Only a later fence confirms the references between them.
func TestDetector(t *testing.T) {
	r := newRig(t, ring)
	if got := len(r.d.Suspects()); got != 3 {
		t.Fatalf("%d suspects, want all that block a waiting owner", got)
	}
	r.search()
	a, b, c := r.id("a"), r.id("b"), r.id("c")
	members, seen := r.d.At(r.v.State(a).Cycle)
	if want := []graph.NodeID{a, b}; !slices.Equal(members, want) || r.d.Found() != 1 {
		t.Errorf("%d cycles, of nodes %v, want one of %v", r.d.Found(), members, want)
	}
	if got := fmt.Sprint(types(&r.out)); got != "[want fence await fence]" {
		t.Errorf("effects %s, want a fence for the first member", got)
	}
	for _, x := range []struct {
		reason string
		id     graph.NodeID
		passed seq.Stamp
		want   []int
	}{
		{"no later fence has passed", a, 0, nil},
		{"a later fence has passed", a, 1, []int{0}},
		{"the node is outside of the cycle", c, 1, nil},
	} {
		if got := r.d.Confirmed(r.v, x.id, seen+x.passed); !slices.Equal(got, x.want) {
			t.Errorf("references %v are confirmed, want %v: %s", got, x.want, x.reason)
		}
	}
}

// TestDetectorForgets: a cycle no longer counts when a member changes, goes, or belongs to
// a former history. The other members are suspects again.
func TestDetectorForgets(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(r *rig)
		left   int
	}{
		{"a member changes", func(r *rig) { r.d.Changed(r.v, r.id("a"), r.now) }, 2},
		{"a member goes", func(r *rig) {
			number := r.v.State(r.id("b")).Cycle
			r.see(graph.Event{Type: graph.Gone, Key: r.v.Node(r.id("b")).Key()})
			r.d.Drop(number, r.now)
		}, 2},
		{"the store was rewound", func(r *rig) { r.d.Reset(r.v, r.now) }, 2},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, ring)
			r.search()
			number := r.v.State(r.id("a")).Cycle
			c.change(r)
			if members, _ := r.d.At(number); members != nil || len(r.d.Suspects()) != c.left {
				t.Errorf("the cycle has members %v, and %d are suspects, want none and %d", members, len(r.d.Suspects()), c.left)
			}
		})
	}
}

// TestSuspectedOnce: a node that changes again and again during a search is a suspect
// once.
func TestSuspectedOnce(t *testing.T) {
	r := newRig(t, ring)
	for range 100 {
		r.d.Step(Moment{Nodes: r.v, Stamps: &r.stamps, Now: r.now, Quiet: true}, 1, &r.out)
		r.d.Restart(r.now)
		r.blocked(r.id("c"))
	}
	if n := len(r.d.Suspects()) + len(r.d.searched); n != 3 {
		t.Errorf("%d suspects, want 3", n)
	}
}

// TestSearchIsDue: a search waits for a quiet engine, but not longer than Delay.
func TestSearchIsDue(t *testing.T) {
	r := newRig(t, ring)
	if at, ok := r.d.DueAt(); !ok || !at.Equal(r.now.Add(Delay)) {
		t.Errorf("the search is due at %v, want after %v", at, Delay)
	}
	if r.d.HasWork(r.now, false) || !r.d.HasWork(r.now, true) || !r.d.HasWork(r.now.Add(Delay), false) {
		t.Error("a search begins at another time than in a quiet engine, or after the delay")
	}
	c := r.d.Clone()
	r.search()
	if len(c.Suspects()) != 3 {
		t.Error("the search of a detector changes its copy")
	}
}

func types(l *effect.List) (out []effect.Type) {
	for _, x := range l.Items() {
		out = append(out, x.Type)
	}
	return out
}
