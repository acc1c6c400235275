package evidence

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/cycle"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/orphaned"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

var now = time.Unix(1000, 0)

// The moments of a rig. The dependent is known at known, and everything else happens
// before or after.
const (
	early seq.Stamp = 10
	known seq.Stamp = 20
	late  seq.Stamp = 30
	later seq.Stamp = 40
)

// rig is the machines that have evidence.
type rig struct {
	*testing.T
	v        View
	kinds    kinds.Table
	reads    reads.Machine
	cycles   cycle.Detector
	orphaned orphaned.Memory
	stamps   seq.Counter
	scratch  Scratch
}

// newRig returns a rig over the kinds a, b and the scoped kind p. They are listed, and all
// of the objects are known since the moment known.
func newRig(t *testing.T, objects string) *rig {
	t.Helper()
	r := &rig{T: t, kinds: kinds.New(nil), orphaned: orphaned.New(10)}
	r.reads = reads.New(queue.Config[graph.NodeID]{
		Hash: func(id graph.NodeID) uint64 { return uint64(id) }, Number: func(id graph.NodeID) uint32 { return uint32(id) },
	})
	r.v = View{
		Nodes: record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}},
		Kinds: &r.kinds, Reads: &r.reads, Cycles: &r.cycles, Orphaned: &r.orphaned,
		Retries: map[graph.NodeID]graph.Object{}, Fence: policy.Fence{Exact: true}, Now: now,
	}
	infos := []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "p", Scoped: true}}
	r.apply(graph.Event{Type: graph.KindsKnown, Kinds: infos})
	r.kinds.SetKinds(infos, r.v.Graph, &r.stamps)
	for _, info := range infos {
		r.list(info.Kind)
	}
	r.put(objects)
	for n := range r.v.Graph.Nodes() {
		m := r.v.Edit(n.ID())
		m.Known, m.Changed = known, known
	}
	return r
}

// apply applies an event to the graph and to the table of kinds.
func (r *rig) apply(ev graph.Event) {
	r.Helper()
	if _, err := r.v.Graph.Apply(ev); err != nil {
		r.Fatal(err)
	}
	r.kinds.Apply(&ev, &r.stamps, nil)
}

// list lets the watch list a kind that has no objects.
func (r *rig) list(name graph.Kind) {
	r.Helper()
	r.apply(graph.Event{Type: graph.ListBegun, Kind: name})
	r.apply(graph.Event{Type: graph.ListEnded, Kind: name})
	r.kinds.SetListed(name)
}

func (r *rig) put(objects string) {
	r.Helper()
	all, err := graph.Parse(objects)
	if err != nil {
		r.Fatal(err)
	}
	for _, o := range all {
		r.apply(graph.Event{Type: graph.Put, Object: o})
	}
}

// id returns the node with a name, which may be a phantom.
func (r *rig) id(name string) graph.NodeID {
	r.Helper()
	for n := range r.v.Graph.Nodes() {
		if n.Key().Name == name {
			return n.ID()
		}
	}
	r.Fatalf("no node %q", name)
	return 0
}

// stampTo moves the counter of stamps on to a moment.
func (r *rig) stampTo(at seq.Stamp) {
	for r.stamps.Last() < at {
		r.stamps.Stamp()
	}
}

// fact returns the evidence for the first owner of a node.
func (r *rig) fact(name string) policy.OwnerFacts {
	r.Helper()
	in := r.v.Input(r.id(name), &r.scratch)
	if len(in.Owners) == 0 {
		r.Fatalf("%s has no owner", name)
	}
	return in.Owners[0]
}

// result keeps a read result of a node.
func (r *rig) result(name string, x reads.Result) { r.reads.SetResult(r.v.Nodes, r.id(name), x) }
