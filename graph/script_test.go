package graph_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// A history is one line of steps, separated by ";":
//
//	kinds a pod+ note-     the set of kinds; + has a scope, - may not own
//	put b -> a!            an object in the notation, at version 1 unless given
//	gone b                 a key
//	list a, end a          a listing begins, ends
//	prune a                the caller prunes: each pending node is gone
//	sick a, recover a, vanish a, progress a, fence a, rewind
func events(t testing.TB, history string) []graph.Event {
	t.Helper()
	var out []graph.Event
	for _, step := range strings.Split(history, ";") {
		if step = strings.TrimSpace(step); step != "" {
			out = append(out, event(t, step))
		}
	}
	return out
}

var verbs = map[string]graph.EventType{
	"kinds": graph.KindsKnown, "list": graph.ListBegun, "end": graph.ListEnded, "put": graph.Put, "gone": graph.Gone,
	"progress": graph.Progress, "fence": graph.FencePassed, "sick": graph.KindSick, "recover": graph.KindRecovered,
	"vanish": graph.KindVanished, "rewind": graph.Rewound, "prune": prune, "unset": graph.EventUnset, "bogus": prune + 1, "next": graph.Rewound + 1,
}

// prune is a step of the tests and no event.
const prune graph.EventType = 100

func event(t testing.TB, step string) graph.Event {
	t.Helper()
	verb, rest, _ := strings.Cut(step, " ")
	typ, ok := verbs[verb]
	if !ok {
		t.Fatalf("step %q: no such verb", step)
	}
	e, err := graph.Event{Type: typ, Kind: graph.Kind(rest), Fence: 1}, error(nil)
	switch typ {
	case graph.Put:
		e.Object = stored(t, rest)
	case graph.Gone:
		e.Key, err = graph.ParseKey(rest)
	case graph.KindsKnown:
		e.Kinds = kinds(rest)
	}
	if err != nil {
		t.Fatalf("step %q: %v", step, err)
	}
	return e
}

// stored reads one object, at version 1 unless the text says otherwise.
func stored(t testing.TB, text string) graph.Object {
	t.Helper()
	o, err := graph.ParseObject(text)
	if err != nil {
		t.Fatal(err)
	}
	if o.Version == "" {
		o.Version = "1"
	}
	return o
}

func kinds(text string) []graph.KindInfo {
	var out []graph.KindInfo
	for _, w := range strings.Fields(text) {
		name := strings.TrimRight(w, "+-")
		out = append(out, graph.KindInfo{Kind: graph.Kind(name), Scoped: strings.Contains(w, "+"), NoOwner: strings.Contains(w, "-")})
	}
	return out
}

// world is a graph with the memory of its caller: the keys of nodes that left the graph
// as absent.
type world struct {
	*graph.Graph
	absent map[graph.Key]bool
}

func newWorld(cfg graph.Config) *world {
	return &world{graph.New(cfg), map[graph.Key]bool{}}
}

// play returns a world after the history.
func play(t testing.TB, cfg graph.Config, history string) *world {
	t.Helper()
	w := newWorld(cfg)
	for _, e := range events(t, history) {
		w.do(t, e)
	}
	return w
}

// do applies one event, which the graph must accept, and checks the invariants.
func (w *world) do(t rapid.TB, e graph.Event) graph.Delta {
	t.Helper()
	if e.Type == prune {
		w.prune(t, e.Kind, 1)
		return graph.Delta{}
	}
	var was graph.Object
	if n, ok := w.Lookup(e.Object.Key); ok {
		was = n.Object()
	}
	d, err := w.Apply(e)
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := w.Lookup(e.Object.Key); ok && e.Type == graph.Put {
		checkAlike(t, was, n.Object(), d)
		if got := n.Object(); !got.Equal(e.Object) {
			t.Fatalf("put %s, and the graph has %s", e.Object, got)
		}
	}
	w.checkFast(t)
	w.checkShared(t, e, d)
	if err := w.Check(); err != nil {
		t.Fatalf("after %s: %v", e.Type, err)
	}
	for _, f := range d.Freed {
		if f.Absent {
			w.absent[f.Key] = true
		}
	}
	if e.Type == graph.Put {
		delete(w.absent, e.Object.Key)
	}
	if e.Type == graph.Rewound {
		clear(w.absent)
	}
	return d
}

// clone returns a copy of the world.
func (w *world) clone() *world {
	return &world{w.Clone(), maps.Clone(w.absent)}
}

// prune prunes as a caller does, in slices of at most limit nodes. It returns the keys at
// which it stopped.
func (w *world) prune(t rapid.TB, kind graph.Kind, limit int) (at []string) {
	t.Helper()
	for {
		id, seen, done := w.Inside(inside.Key{}).Prune(kind, limit)
		if seen > limit || id != 0 && done {
			t.Fatalf("Prune(%s, %d) = %d, %d, %t", kind, limit, id, seen, done)
		}
		if done {
			return at
		}
		if id == 0 {
			continue
		}
		n := w.Node(id)
		at = append(at, n.Key().String())
		if n.State() == graph.Observed {
			w.do(t, graph.Event{Type: graph.Gone, Key: n.Key()})
		}
	}
}

var shortDoubts = map[graph.Doubt]string{
	graph.Unobserved: "unobserved", graph.Unlisted: "unlisted", graph.UnresolvedScope: "unresolved",
	graph.UnservedKind: "unserved", graph.IgnoredKind: "ignored", graph.BannedOwner: "banned",
	graph.ForeignScope: "foreign", graph.ScopedOwner: "scoped", graph.Misplaced: "misplaced", graph.Renamed: "renamed",
	graph.SharedUID: "shared",
}

// selfClass tells a reference to the own coordinates from one to the own UID at absent ones.
func selfClass(n graph.Node, i int) string {
	if o, ok := n.OwnerNode(i); ok && !o.Inside(inside.Key{}).ByUID() && o.ID() != n.ID() {
		return "self by uid"
	}
	return "self"
}

// class returns the class of a reference, or the doubt about it.
func (w *world) class(n graph.Node, i int) string {
	if n.Inside(inside.Key{}).SelfOwner(i) {
		return selfClass(n, i)
	}
	c, d := n.Inside(inside.Key{}).OwnerClass(i)
	if c != graph.Unknown {
		return c.String()
	}
	if o, ok := n.OwnerNode(i); ok && w.absent[o.Key()] && (d == graph.Unobserved || d == graph.Unlisted) {
		if n.Inside(inside.Key{}).HasUIDOf(o.ID()) { // package evidence reads the memory in the same way
			return selfClass(n, i)
		}
		return graph.Dangling.String()
	}
	return shortDoubts[d]
}

// String returns the whole world as one line, in order of keys. Each object has the
// classes of its references, the number of references to it, and the number of blocking
// ones. Version 1 is left out.
func (w *world) String() string {
	var parts []string
	for n := range w.Nodes() {
		parts = append(parts, w.show(n))
	}
	return strings.Join(parts, "; ")
}

func (w *world) show(n graph.Node) string {
	o := n.Object()
	if o.Version == "1" {
		o.Version = ""
	}
	s, state := o.String(), n.State()
	if state == graph.Phantom && w.absent[o.Key] {
		state = graph.Absent // the caller remembers it
	}
	if state != graph.Observed {
		s = state.String() + " " + s
	}
	var classes []string
	for i := range n.Owners() {
		classes = append(classes, w.class(n, i))
	}
	if len(classes) > 0 {
		s += " {" + strings.Join(classes, ", ") + "}"
	}
	if n.Referring() > 0 {
		s += fmt.Sprintf(" <%d/%d>", n.Referring(), n.Blocking())
	}
	return s
}

// changes returns a Delta as one line.
func (w *world) changes(d graph.Delta, keys map[graph.NodeID]graph.Key) string {
	var s []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"created", d.Created}, {"observed", d.Observed}, {"version", d.Version}, {"class", d.Class}, {"mark", d.Mark},
		{"gone", d.Gone}, {"resurrected", d.Resurrected}, {"twin", d.DuplicateUID}, {"acknowledged", d.Acknowledged},
	} {
		if f.set {
			s = append(s, f.name)
		}
	}
	for _, id := range d.Owners {
		s = append(s, "owner "+w.Node(id).Key().String())
	}
	for _, id := range d.Added {
		s = append(s, "added "+w.Node(id).Key().String())
	}
	for _, f := range d.Freed {
		if k, ok := keys[f.ID]; ok && k != f.Key {
			s = append(s, fmt.Sprintf("wrong key %s", k))
		}
		s = append(s, "freed "+f.Key.String())
		if f.Absent {
			s[len(s)-1] += " (absent)"
		}
	}
	return strings.Join(s, ", ")
}

// keys returns the key of each node by id.
func (w *world) keys() map[graph.NodeID]graph.Key {
	out := map[graph.NodeID]graph.Key{}
	for n := range w.Nodes() {
		out[n.ID()] = n.Key()
	}
	return out
}
