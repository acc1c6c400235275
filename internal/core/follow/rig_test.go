package follow

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/internal/core/tombstone"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// ends is a history of ends. It has roots by their number, and owners by the object.
type ends struct {
	roots  map[uint64][]graph.Key // a set without a root has left one out
	owners map[graph.Key][]graph.Owner
	origin []graph.Key // of each node that a test asks for
	open   bool
	last   graph.Key // the newest end, without a UID none
}

func (e *ends) RootsOf(graph.Node, uint64) ([]graph.Key, bool) { return e.origin, e.open }

func (e *ends) Last(graph.Key) (last graph.Key, roots []graph.Key, open, ok bool) {
	return e.last, e.origin, e.open, e.last.UID != ""
}

func (e *ends) Names(root uint64, wanted func(key []byte) bool) (found, whole, own bool) {
	keys := e.roots[root]
	found = slices.ContainsFunc(keys, func(k graph.Key) bool { return wanted(graph.Inside(inside.Key{}).AppendKey(nil, &k)) })
	return found, root <= ownRoot || len(keys) > 0, root == ownRoot
}

func (e *ends) Owners(k graph.Key) ([]graph.Owner, bool) {
	owners, ok := e.owners[k]
	return owners, ok
}

// take makes 2 the number of the root k/r, 3 that of k/s, and 4 that of a set that has left
// a root out. It remembers the owners of the objects.
func (e *ends) take(t failer, objects string) {
	e.roots = map[uint64][]graph.Key{2: keysOf(t, "k/r"), 3: keysOf(t, "k/s")}
	e.owners = map[graph.Key][]graph.Owner{}
	for _, o := range parse(t, objects) {
		e.owners[o.Key] = o.Owners
	}
}

// ownRoot says that an object is its own root, and 0 that its root is not known.
const ownRoot = 1

// failer is a test, or a run of a property.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// rig is a graph and a follower.
type rig struct {
	t      failer
	graph  *graph.Graph
	table  record.Table
	held   held.Table
	sweep  sweep.Sweeps
	ends   ends
	absent tombstone.Set
	*Follower
}

// newRig returns a rig with the objects. The first one is the root.
func newRig(t failer, objects string) *rig {
	t.Helper()
	r := &rig{t: t, graph: graph.New(graph.Config{}), held: held.New(), absent: tombstone.New(8)}
	r.observe(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{
		{Kind: "k"}, {Kind: "p", Scoped: true},
		{Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor", Finalizer: "janitor"}},
		{Kind: "box", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor"}},
	}})
	r.put(objects)
	root := parse(t, objects)[0].Key
	r.Follower = open(r.graph, root)
	r.Begin(r.view(), root)
	return r
}

// open returns a follower that is open in the graph.
func open(g *graph.Graph, roots ...graph.Key) *Follower {
	f := New(roots...)
	f.Open(g)
	return f
}

func (r *rig) view() View {
	return View{View: sweep.View{Nodes: record.Nodes{Graph: r.graph, Table: &r.table}, Held: &r.held}, Sweeps: &r.sweep, Ends: &r.ends, Absent: &r.absent}
}

// observe applies an event as the engine does.
func (r *rig) observe(ev graph.Event) {
	r.t.Helper()
	if r.Follower != nil && ev.Type == graph.Gone {
		r.Ending(r.view(), ev.Key)
	}
	d, err := r.graph.Inside(inside.Key{}).ApplyEvent(&ev)
	if err != nil {
		r.t.Fatalf("%v", err)
	}
	if d.Gone {
		r.held.Drop(d.Node, false)
	}
	if r.Follower != nil {
		r.Observe(r.view(), d)
	}
}

// put shows objects, in notation.
func (r *rig) put(objects string) {
	r.t.Helper()
	for _, o := range parse(r.t, objects) {
		r.observe(graph.Event{Type: graph.Put, Object: o})
	}
}

func (r *rig) end(objects string) {
	r.t.Helper()
	for _, o := range parse(r.t, objects) {
		r.observe(graph.Event{Type: graph.Gone, Key: o.Key})
	}
}

// parse returns objects in notation. The version is 1 by default.
func parse(t failer, objects string) []graph.Object {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for i := range list {
		list[i].Version = cmp.Or(list[i].Version, "1")
	}
	return list
}

func (r *rig) hold(key string, why policy.Reason) {
	r.t.Helper()
	n, ok := r.graph.Lookup(parse(r.t, key)[0].Key)
	if !ok {
		r.t.Fatalf("%s is not in the graph", key)
	}
	if why == policy.ReasonUnset {
		r.held.Drop(n.ID(), false)
	} else {
		r.held.Put(n.ID(), why, graph.DoubtUnset, time.Time{})
	}
	r.Held(r.view(), n.ID())
}

// walk ends the walk, and checks the invariants.
func (r *rig) walk() Counts {
	r.t.Helper()
	for !r.Step(r.view(), 4) {
	}
	if err := r.Check(r.view()); err != nil {
		r.t.Fatalf("%v", err)
	}
	return r.Counts(r.view())
}

// names returns the names of the members that exist, sorted.
func (r *rig) names() (out []string) {
	for _, id := range r.Sample(r.view(), 1<<20, true) {
		out = append(out, r.graph.Node(id).Key().Name)
	}
	slices.Sort(out)
	return out
}

func (r *rig) want(gone, left int, reason string) {
	r.t.Helper()
	if c := r.walk(); c.Gone != gone || c.Left != left || !c.Complete {
		r.t.Fatalf("%+v, want %d gone and %d left: %s", c, gone, left, reason)
	}
}

var _ failer = (*testing.T)(nil)
