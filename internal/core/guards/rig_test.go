package guards

import (
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/grace"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// rig is a machine with the parts of an engine that it uses.
type rig struct {
	*testing.T
	m      Machine
	nodes  record.Nodes
	kinds  kinds.Table
	fence  fence.Machine
	stamps seq.Counter
	out    effect.List
	now    time.Time
}

// newRig returns a rig with fences, over the kinds a, event and s. An event may not own, and s has scopes.
func newRig(t *testing.T, guards ...guard.Guard) *rig {
	t.Helper()
	return newGraceRig(t, nil, guards...)
}

// newGraceRig is newRig with kinds whose objects have grace periods.
func newGraceRig(t *testing.T, kind []graph.Kind, guards ...guard.Guard) *rig {
	t.Helper()
	periods, err := grace.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newMachine(guards, periods)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, m: m, kinds: kinds.New(nil), fence: fence.New(true, 0), now: time.Unix(1000, 0)}
	r.nodes = record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}}
	infos := []graph.KindInfo{{Kind: "a"}, {Kind: "event", NoOwner: true}, {Kind: "s", Scoped: true}}
	r.apply(graph.Event{Type: graph.KindsKnown, Kinds: infos})
	r.kinds.SetKinds(infos, r.nodes.Graph, &r.stamps)
	return r
}

func (r *rig) view() View {
	return View{Nodes: r.nodes, Kinds: &r.kinds, Fence: &r.fence, Stamps: &r.stamps, Out: &r.out, Now: r.now}
}

func (r *rig) apply(ev graph.Event) {
	r.Helper()
	if _, err := r.nodes.Graph.Apply(ev); err != nil {
		r.Fatal(err)
	}
	r.kinds.Apply(&ev, &r.stamps, nil)
}

// put makes the watch show an object, and returns its node.
func (r *rig) put(line string) graph.NodeID {
	r.Helper()
	o, err := graph.ParseObject(line)
	if err != nil {
		r.Fatal(err)
	}
	r.apply(graph.Event{Type: graph.Put, Object: o})
	n, _ := r.nodes.Graph.Lookup(o.Key)
	r.nodes.Edit(n.ID()).Known = r.stamps.Stamp()
	return n.ID()
}

// decide decides a node where the rules alone decide d. Its judgement changes nothing.
func (r *rig) decide(id graph.NodeID, d policy.Decision, f Facts) policy.Decision {
	r.Helper()
	if f.Selected == 0 {
		f.Selected = seq.Max
	}
	o := r.nodes.Node(id).Object()
	g := Guards{Roots: r.m}
	before, stamp, effects := r.m.Clone(), r.stamps.Last(), len(r.out.Items())
	j := g.Roots.Judge(r.view(), id, &o, d, f)
	if !reflect.DeepEqual(before, g.Roots) || r.stamps.Last() != stamp || len(r.out.Items()) != effects {
		r.Errorf("the judgement of %s has changed something", o.Key)
	}
	out := j.Decision
	g.Commit(r.view(), id, &o, &j)
	r.m = g.Roots
	if err := r.m.Check(r.view()); err != nil {
		r.Error(err)
	}
	return out
}

// decides checks the decision for a node that the rules alone would keep.
func (r *rig) decides(id graph.NodeID, action policy.Action, why policy.Reason, finalizer, reason string) {
	r.Helper()
	keep := policy.Decision{Action: policy.Keep, Reason: policy.NoOwners}
	if d := r.decide(id, keep, Facts{}); d.Action != action || d.Reason != why || d.Finalizer != finalizer {
		r.Errorf("%v (%v) %s, want %v (%v) %s: %s", d.Action, d.Reason, d.Finalizer, action, why, finalizer, reason)
	}
}

// pass begins a fence now and lets it pass.
func (r *rig) pass() {
	r.Helper()
	r.fence.Want(r.stamps.Stamp(), r.now)
	id, ok := r.fence.Begin(r.now, &r.kinds, &r.out)
	if !ok {
		r.Fatal("no fence began")
	}
	r.fence.SetBegan(r.stamps.Stamp())
	r.fence.SetToken(id, id, &r.kinds, &r.out)
	for _, name := range r.kinds.OpenKinds() {
		r.fence.Pass(name, id, &r.kinds, &r.out)
	}
}

// reports returns the reports since the last time.
func (r *rig) reports() (out []policy.Reason) {
	for _, x := range r.out.Items() {
		if x.Type == effect.Report {
			out = append(out, x.Decision.Reason)
		}
	}
	r.out.Reset()
	return out
}
