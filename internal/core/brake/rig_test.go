package brake

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/record"
)

var start = time.Unix(1000, 0)

// rig is a brake over a graph of objects, in notation.
type rig struct {
	*testing.T
	m   Machine
	g   *graph.Graph
	t   record.Table
	out effect.List
	now time.Time

	returned uint64
	last     Judgement // the last one that was carried out
}

func newRig(t *testing.T, s Settings, objects string) *rig {
	t.Helper()
	r := &rig{T: t, m: New(s), g: graph.New(graph.Config{}), now: start}
	r.apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}})
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		r.apply(graph.Event{Type: graph.Put, Object: o})
	}
	t.Cleanup(r.check)
	return r
}

func (r *rig) check() {
	r.Helper()
	if err := r.m.Check(r.g); err != nil {
		r.Error(err)
	}
}

func (r *rig) apply(ev graph.Event) {
	r.Helper()
	if ev.Type == graph.Put && ev.Object.Version == "" {
		ev.Object.Version = "1"
	}
	d, err := r.g.Apply(ev)
	if err != nil {
		r.Fatal(err)
	}
	if d.Gone {
		r.m.End(d.Node)
	}
	for _, f := range d.Freed {
		r.m.Drop(f.ID)
	}
}

func (r *rig) gone(names ...string) {
	r.Helper()
	for _, name := range names {
		r.apply(graph.Event{Type: graph.Gone, Key: key(name)})
	}
}

func (r *rig) view() View {
	return View{Nodes: record.Nodes{Graph: r.g, Table: &r.t}, Out: &r.out, Now: r.now, Listed: true, Returned: r.returned}
}

func (r *rig) id(name string) graph.NodeID {
	n, _ := r.g.Lookup(key(name))
	return n.ID()
}

// begin begins to count a cascade from its root.
func (r *rig) begin(root string) {
	r.m.begin(r.view(), key(root), []graph.NodeID{r.id(root)}, 0)
}

// judge judges the delete of an object in cascades, and carries the judgement out.
func (r *rig) judge(name string, roots ...string) Answer {
	r.Helper()
	var keys []graph.Key
	for _, root := range roots {
		keys = append(keys, key(root))
	}
	return r.judgeIn(r.view(), name, keys)
}

func (r *rig) judgeIn(v View, name string, roots []graph.Key) Answer {
	r.Helper()
	if r.last = r.judged(v, name, roots); r.last.Begins {
		r.m.Begin(v, &r.last, r.seeds)
		r.last = r.judged(v, name, roots)
	}
	r.m.Commit(v, r.id(name), &r.last)
	return r.last.Answer
}

// seeds returns the node of a root.
func (r *rig) seeds(root graph.Key) ([]graph.NodeID, int) {
	n, ok := r.g.Lookup(root)
	if !ok {
		return nil, 0
	}
	return []graph.NodeID{n.ID()}, 0
}

// judged judges a delete, and checks that this changes nothing.
func (r *rig) judged(v View, name string, roots []graph.Key) Judgement {
	r.Helper()
	before := r.state()
	j := r.m.Judge(v, r.id(name), roots)
	if after := r.state(); !reflect.DeepEqual(before, after) {
		r.Fatalf("the judgement of %s changes the machine:\n%+v\n%+v", name, before, after)
	}
	return j
}

// state is a copy of all that a judgement must not change.
type state struct {
	machine Machine
	walk    walk
	cursor  graph.Cursor
	effects int
	hash    uint64
}

func (r *rig) state() state {
	p := fingerprint.New(r.g, r.now, nil)
	r.m.Hash(p, r.returned)
	s := state{machine: r.m.Clone(), walk: r.m.walk, effects: len(r.out.Items()), hash: p.Sum()}
	s.walk.seen, s.walk.todo = maps.Clone(s.walk.seen), slices.Clone(s.walk.todo)
	if c := s.walk.cursor; c != nil {
		s.cursor = *c
	}
	return s
}

// take counts the delete of the last judgement as a call.
func (r *rig) take(call uint64) { r.m.Take(call, &r.last) }

func (r *rig) isKnown(k graph.Key) bool { return r.m.isKnown(r.view(), k) }

// woken returns the nodes that the effects so far have decided, and forgets the effects.
func (r *rig) woken() (n int) {
	for _, x := range r.out.Items() {
		if x.Type == effect.Wake || x.Type == effect.Look {
			n++
		}
	}
	r.out.Reset()
	return n
}

// steps lets the machine work to its end.
func (r *rig) steps() (n int) {
	for r.m.Step(r.view(), 16) {
		n++
	}
	return n
}

func key(name string) graph.Key {
	o, err := graph.ParseObject(name)
	if err != nil {
		panic(err)
	}
	return o.Key
}

// crowd returns n objects of kind b below an owner, in notation.
func crowd(owner string, n int) (s string) {
	for i := range n {
		s += fmt.Sprintf("; b/%d -> %s", i, owner)
	}
	return s
}
