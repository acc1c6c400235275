package fence

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

var start = time.Unix(1000, 0)

// rig is a machine, and the parts of an engine that a machine uses. Its kinds are a and b,
// and its objects x and y are of the kind a.
type rig struct {
	*testing.T
	f      Machine
	k      kinds.Table
	v      record.Nodes
	stamps seq.Counter
	out    effect.List
	now    time.Time
	x, y   graph.NodeID
}

func newRig(t *testing.T, exact bool, release time.Duration) *rig {
	t.Helper()
	r := &rig{T: t, f: New(exact, release), k: kinds.New(nil), now: start}
	r.v = record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}}
	infos := []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}
	r.apply(graph.Event{Type: graph.KindsKnown, Kinds: infos})
	r.k.SetKinds(infos, r.v.Graph, &r.stamps)
	r.k.EndSet(r.v.Graph, nil)
	r.x, r.y = r.put("x"), r.put("y")
	return r
}

func (r *rig) apply(ev graph.Event) {
	r.Helper()
	if _, err := r.v.Graph.Apply(ev); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) put(name string) graph.NodeID {
	r.Helper()
	o := graph.Object{Key: graph.Key{Kind: "a", Name: name, UID: graph.UID(name)}, Version: "1"}
	r.apply(graph.Event{Type: graph.Put, Object: o})
	n, _ := r.v.Graph.Lookup(o.Key)
	return n.ID()
}

// sick makes a kind sick or well.
func (r *rig) sick(kind graph.Kind, is bool) {
	ev := graph.Event{Type: graph.KindRecovered, Kind: kind}
	if is {
		ev.Type = graph.KindSick
	}
	r.k.Apply(&ev, &r.stamps, nil)
}

// want wants a fence for a mark that is observed now, and returns the moment.
func (r *rig) want() seq.Stamp {
	at := r.stamps.Stamp()
	r.f.Want(at, r.now)
	return at
}

// begin begins a fence, which has to be due, and returns its id.
func (r *rig) begin() uint64 {
	r.Helper()
	id, ok := r.f.Begin(r.now, &r.k, &r.out)
	if !ok {
		r.Fatal("no fence begins")
	}
	r.f.SetBegan(r.stamps.Stamp())
	return id
}

// report reports that kinds have passed the fence with the token.
func (r *rig) report(token uint64, names ...graph.Kind) (last bool) {
	for _, name := range names {
		last = r.f.Report(name, token, r.now, &r.k, &r.out).Last
	}
	return last
}

// named ends the call for the fence with the id, which returns the token.
func (r *rig) named(id, token uint64) (last bool) {
	r.Helper()
	if why := r.f.Refuses(token); why != "" {
		r.Fatalf("token %d: %s", token, why)
	}
	return r.f.SetToken(id, token, &r.k, &r.out).Last
}

// pass lets kinds pass the fence under way, and reports whether it has passed.
func (r *rig) pass(names ...graph.Kind) (last bool) {
	for _, name := range names {
		last = r.f.Pass(name, r.f.ID(), &r.k, &r.out).Last
	}
	return last
}

// begins reports whether a fence begins now. It tries a clone.
func (r *rig) begins() bool {
	f, k := r.f.Clone(), r.k.Clone()
	_, ok := f.Begin(r.now, &k, &effect.List{})
	return ok
}

// woken returns the nodes that the effects wake, and drops the effects.
func (r *rig) woken() (ids []graph.NodeID) {
	for _, x := range r.out.Items() {
		if x.Type == effect.Wake {
			ids = append(ids, x.Node)
		}
	}
	r.out.Reset()
	return ids
}

// has reports whether there is an effect of the type.
func (r *rig) has(t effect.Type) bool {
	for _, x := range r.out.Items() {
		if x.Type == t {
			return true
		}
	}
	return false
}
