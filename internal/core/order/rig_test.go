package order

import (
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

var start = time.Unix(1000, 0)

// rig is a machine, and the parts of an engine that it uses. Objects of the kinds x1 and x2 are
// in the first and the second phase, and those of the kind x3 in the rest. Roots are of the
// kinds r and s, and the phases of s are the other way round.
type rig struct {
	testing.TB
	m      Machine
	nodes  record.Nodes
	kinds  kinds.Table
	fence  fence.Machine
	stamps seq.Counter
	out    effect.List
	stays  map[graph.NodeID]bool
	holder map[graph.NodeID]graph.NodeID // of a sweep, by member
}

func guards() []guard.Guard {
	one, two := guard.Phase{Name: "one", Kinds: []graph.Kind{"x1"}}, guard.Phase{Kinds: []graph.Kind{"x2"}}
	return []guard.Guard{
		{Name: "none", Kinds: []graph.Kind{"r", "s"}},
		{Name: "rs", Kinds: []graph.Kind{"r"}, Phases: []guard.Phase{one, two}},
		{Kinds: []graph.Kind{"s"}, Phases: []guard.Phase{two, one}},
	}
}

func newRig(t testing.TB, objects string) *rig {
	t.Helper()
	r := &rig{TB: t, m: New(guards()), kinds: kinds.New(nil), fence: fence.New(true, 0), stays: map[graph.NodeID]bool{}}
	r.nodes = record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}}
	var infos []graph.KindInfo
	for _, k := range []graph.Kind{"r", "s", "x1", "x2", "x3"} {
		infos = append(infos, graph.KindInfo{Kind: k})
	}
	r.apply(graph.Event{Type: graph.KindsKnown, Kinds: infos})
	r.kinds.SetKinds(infos, r.nodes.Graph, &r.stamps)
	r.kinds.EndSet(r.nodes.Graph, nil)
	r.put(objects)
	return r
}

func (r *rig) view() View {
	return View{
		Nodes: r.nodes, Fence: &r.fence, Stamps: &r.stamps, Out: &r.out, Stays: func(id graph.NodeID) bool { return r.stays[id] },
		Holders: func(id graph.NodeID) []graph.NodeID { return []graph.NodeID{r.holder[id]} },
	}
}

// apply applies an event as the engine does.
func (r *rig) apply(ev graph.Event) {
	r.Helper()
	d, err := r.nodes.Graph.Apply(ev)
	if err != nil {
		r.Fatal(err)
	}
	if r.m.Any() {
		r.m.Observe(r.view(), &d, ev.Key)
	}
	if d.Node != 0 && r.nodes.InUse(d.Node) {
		r.begin(d.Node)
	}
}

// begin begins or ends the order of a root, as the engine does.
func (r *rig) begin(id graph.NodeID) {
	n := r.nodes.Node(id)
	o := n.Object()
	if g := r.m.GuardOf(&o); n.Waiting() && g >= 0 && !o.MarkWithheld() {
		r.m.Begin(r.view(), id, g)
	} else {
		r.m.End(id)
	}
}

// put makes the watch report objects.
func (r *rig) put(objects string) {
	r.Helper()
	all, err := graph.Parse(objects)
	if err != nil {
		r.Fatal(err)
	}
	for _, o := range all {
		if o.Version == "" {
			o.Version = "1"
		}
		r.apply(graph.Event{Type: graph.Put, Object: o})
	}
}

// gone makes the watch report the end of objects.
func (r *rig) gone(objects string) {
	r.Helper()
	for name := range strings.FieldsSeq(objects) {
		r.apply(graph.Event{Type: graph.Gone, Key: r.object(name).Key})
	}
}

func (r *rig) object(notation string) graph.Object {
	r.Helper()
	o, err := graph.ParseObject(notation)
	if err != nil {
		r.Fatal(err)
	}
	return o
}

func (r *rig) id(notation string) graph.NodeID {
	r.Helper()
	n, ok := r.nodes.Graph.Lookup(r.object(notation).Key)
	if !ok {
		r.Fatalf("%s is not in the graph", notation)
	}
	return n.ID()
}

// looks carries out the effects, and returns the objects that have to be decided and whether
// calls are revoked.
func (r *rig) looks() (ids []graph.NodeID, revoked bool) {
	for _, x := range r.out.Items() {
		switch x.Type {
		case effect.Look:
			ids = append(ids, x.Node)
		case effect.Revoke:
			revoked = true
		case effect.WantFence:
			r.fence.Want(x.After, start)
		default:
			r.Errorf("the effect %v", x.Type)
		}
	}
	r.out.Reset()
	return ids, revoked
}

// rest completes the walks, and returns what looks does.
func (r *rig) rest() (ids []graph.NodeID, revoked bool) {
	r.Helper()
	for n := 0; r.m.HasWork(); n++ {
		if n > 1000 {
			r.Fatal("the walks do not end")
		}
		r.m.Step(r.view(), 100, 100)
		more, also := r.looks()
		ids, revoked = append(ids, more...), revoked || also
	}
	more, also := r.looks()
	r.check()
	return append(ids, more...), revoked || also
}

func (r *rig) check() {
	r.Helper()
	if err := r.m.Check(r.view()); err != nil {
		r.Fatal(err)
	}
}

// opens begins a fence and lets it pass.
func (r *rig) opens() {
	r.Helper()
	if !r.beginFence() {
		r.Fatal("no fence is wanted")
	}
	r.passFence()
}

func (r *rig) beginFence() bool {
	if _, ok := r.fence.Begin(start, &r.kinds, &r.out); !ok {
		return false
	}
	r.fence.SetBegan(r.stamps.Stamp())
	return true
}

func (r *rig) passFence() {
	id := r.fence.ID()
	for _, name := range append(r.kinds.Names(), "") {
		r.fence.Pass(name, id, &r.kinds, &r.out)
	}
	r.m.FencePassed()
}

// waits fails unless exactly these of the objects have to wait.
func (r *rig) waits(objects, want, reason string) {
	r.Helper()
	var got []string
	for name := range strings.FieldsSeq(objects) {
		if r.tryDelete(r.id(name), 0) {
			got = append(got, name)
		}
	}
	if text := strings.Join(got, " "); text != want {
		r.Errorf("%s: %q wait, want %q", reason, text, want)
	}
}

// clone returns a rig that goes on from here on its own.
func (r *rig) clone() *rig {
	c := *r
	table := r.nodes.Table.Clone()
	c.nodes = record.Nodes{Graph: r.nodes.Graph.Clone(), Table: &table}
	c.m, c.kinds, c.fence, c.out = r.m.Clone(), r.kinds.Clone(), r.fence.Clone(), effect.List{}
	return &c
}

func (r *rig) sum() uint64 {
	p := fingerprint.New(r.nodes.Graph, start, nil)
	for n := range r.nodes.Graph.Nodes() {
		p.Object(n.Object())
		p.Word(uint64(n.State()))
	}
	r.fence.Hash(p, &r.kinds, r.nodes.Graph, r.nodes.Table)
	r.m.Hash(p, r.view())
	return p.Sum()
}
