package sweep

import (
	"reflect"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// start is the time at which every rig begins.
var start = time.Unix(1000, 0)

// tb is a test, or one case of a law.
type tb interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// rig is the sweeps of a configuration, and the parts of an engine that sweeps use.
type rig struct {
	tb
	sw     Sweeps
	nodes  record.Nodes
	kinds  kinds.Table
	fence  fence.Machine
	held   held.Table
	stamps seq.Counter
	out    effect.List
	now    time.Time
}

// byName is a sweep of tenants by their objects' names.
func byName() guard.Sweep {
	return guard.Sweep{
		Finalizer: "x.io/tenant", Holder: "tenant",
		Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}},
	}
}

// byLabel is a sweep of tenants by their objects' label.
func byLabel() guard.Sweep {
	return guard.Sweep{
		Finalizer: "x.io/tenant", Holder: "tenant",
		Members: []guard.Members{{By: guard.ByLabel, Label: "of"}},
	}
}

// newRig returns a rig with fences, over the kinds tenant and volume.
func newRig(t tb, sweeps ...guard.Sweep) *rig {
	t.Helper()
	r := &rig{tb: t, kinds: kinds.New(nil), fence: fence.New(true, 0), held: held.New(), now: start}
	r.nodes = record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}}
	sw, err := New(Settings{Sweeps: sweeps, Page: 10})
	if err != nil {
		t.Fatal(err)
	}
	r.sw = sw
	r.serve("tenant", "volume")
	return r
}

func (r *rig) view() View {
	return View{
		Nodes: r.nodes, Kinds: &r.kinds, Fence: &r.fence, Held: &r.held,
		Stamps: &r.stamps, Out: &r.out, Now: r.now,
	}
}

// apply applies an event to the graph and to the table of kinds.
func (r *rig) apply(ev graph.Event) *graph.Delta {
	r.Helper()
	d, err := r.nodes.Graph.Apply(ev)
	if err != nil {
		r.Fatal(err)
	}
	r.kinds.Apply(&ev, &r.stamps, nil)
	return &d
}

// serve makes the store report the set of kinds.
func (r *rig) serve(names ...graph.Kind) {
	r.Helper()
	infos := make([]graph.KindInfo, len(names))
	for i, name := range names {
		infos[i].Kind = name
	}
	r.serveAll(infos)
}

// serveAll is serve for kinds that may have scopes.
func (r *rig) serveAll(infos []graph.KindInfo) {
	r.Helper()
	ev := graph.Event{Type: graph.KindsKnown, Kinds: infos}
	r.apply(ev)
	r.kinds.SetKinds(ev.Kinds, r.nodes.Graph, &r.stamps)
	r.kinds.EndSet(r.nodes.Graph, r.sw.Holders())
}

// put makes the watch report objects, and returns the last one.
func (r *rig) put(objects string) graph.Object {
	r.Helper()
	all := r.parse(objects)
	r.observe(all...)
	return all[len(all)-1]
}

func (r *rig) parse(objects string) []graph.Object {
	r.Helper()
	all, err := graph.Parse(objects)
	if err != nil {
		r.Fatal(err)
	}
	return all
}

// observe makes the watch report objects.
func (r *rig) observe(all ...graph.Object) {
	r.Helper()
	for _, o := range all {
		r.apply(graph.Event{Type: graph.Put, Object: o})
		id := r.id(o.Key)
		m := r.nodes.Edit(id)
		m.Known = r.stamps.Stamp()
		m.Changed = m.Known
		r.sw.Observe(r.view(), id, r.nodes.Graph.Node(id))
	}
	r.check()
}

// gone makes the watch report the end of an object. Unseen says that the watch had a gap.
func (r *rig) gone(object string, unseen bool) {
	r.Helper()
	r.leave(r.object(object), unseen)
}

// leave is gone for an object.
func (r *rig) leave(o graph.Object, unseen bool) {
	r.Helper()
	d := r.apply(graph.Event{Type: graph.Gone, Key: o.Key, Version: o.Version})
	for _, f := range d.Freed {
		r.sw.Leave(r.view(), f.ID, unseen)
	}
	r.check()
}

func (r *rig) object(notation string) graph.Object {
	r.Helper()
	o, err := graph.ParseObject(notation)
	if err != nil {
		r.Fatal(err)
	}
	return o
}

func (r *rig) id(k graph.Key) graph.NodeID {
	n, _ := r.nodes.Graph.Lookup(k)
	return n.ID()
}

func (r *rig) check() {
	r.Helper()
	if err := r.sw.Check(r.view()); err != nil {
		r.Error(err)
	}
}

// decide returns the decision for an observed object that collection keeps, or that waits
// for its finalizers.
func (r *rig) decide(object string) policy.Decision {
	r.Helper()
	return r.judge(r.object(object).Key)
}

// judge is decide for the object with a key.
func (r *rig) judge(k graph.Key) policy.Decision {
	r.Helper()
	id := r.id(k)
	d := policy.Decision{Action: policy.Keep, Reason: policy.NoOwners}
	if r.nodes.Graph.Node(id).Deleting() {
		d = policy.Decision{Action: policy.Wait, Reason: policy.NeedFinalizers}
	}
	if r.sw.DependsOnHolders() {
		r.sw.Refresh(r.view(), id, d, false)
	}
	before, stamp, effects := r.sw.Clone(), r.stamps.Last(), len(r.out.Items())
	var j Judgement
	r.sw.Judge(r.view(), id, d, false, false, &j)
	before.looked = r.sw.looked // queries count
	if !reflect.DeepEqual(before, r.sw) || r.stamps.Last() != stamp || len(r.out.Items()) != effects {
		r.Errorf("the judgement of %s has changed something", k)
	}
	r.sw.Commit(r.view(), id, &j)
	r.check()
	return j.Decision
}

// decides fails unless the decision has this action and this reason.
func (r *rig) decides(object string, want policy.Action, why policy.Reason, reason string) {
	r.Helper()
	if d := r.decide(object); d.Action != want || d.Reason != why {
		r.Errorf("%s: %s is decided to %v for %v, want %v for %v", reason, object, d.Action, d.Reason, want, why)
	}
}

// walk completes the walks that are wanted.
func (r *rig) walk() {
	r.Helper()
	for n := 0; r.sw.HasWork(r.now) && n < 20; n++ {
		if v := r.view(); r.sw.Step(v) {
			for budget := 1; budget > 0; { // to its end
				budget = r.sw.Walk(v, 1<<20, 1<<20)
			}
		}
	}
	r.check()
}

// pass begins a fence and lets it pass, which proves the state of the holders up to now.
func (r *rig) pass() {
	r.Helper()
	r.fence.Want(r.stamps.Stamp(), r.now)
	id, ok := r.fence.Begin(r.now, &r.kinds, &r.out)
	if !ok {
		r.Fatal("no fence begins")
	}
	r.fence.SetBegan(r.stamps.Stamp())
	for _, name := range append(r.kinds.Names(), "") {
		r.fence.Pass(name, id, &r.kinds, &r.out)
	}
}

// marked begins the run of tenant 1, and walks.
func (r *rig) marked() {
	r.Helper()
	r.put("tenant/1#2~[x.io/tenant]")
	r.decide("tenant/1")
	r.walk()
}
