package order

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/portion"
)

var objects = flag.Int("order.objects", 4, "the objects below the root in TestEveryOrder")

// world is a store without a lag of the watch, and the rules R2 and R3 in short. An object whose
// delete has to wait sleeps until the machine asks for its decision, or an owner or a dependent of
// it changes.
type world struct {
	*rig
	asleep   map[graph.NodeID]bool
	late     string // an object that a client may create at any time, "" without one
	restarts int    // that may still happen

	restarted, both bool
	rings           bool // some objects own each other
}

func (w *world) clone() *world {
	c := *w
	c.rig, c.asleep = w.rig.clone(), maps.Clone(w.asleep)
	return &c
}

func (w *world) sum() string {
	var names []string
	for id, is := range w.asleep {
		if is {
			names = append(names, w.nodes.Node(id).Key().String())
		}
	}
	slices.Sort(names)
	return fmt.Sprintf("%x %v %q %d %t", w.rig.sum(), names, w.late, w.restarts, w.restarted)
}

// String returns the objects that are left.
func (w *world) String() string {
	var left []graph.Object
	for _, id := range w.ids() {
		left = append(left, w.nodes.Node(id).Object())
	}
	return graph.Format(left)
}

// wake wakes the objects of which the machine asks for a decision.
func (w *world) wake() {
	ids, _ := w.looks()
	for _, id := range ids {
		delete(w.asleep, id)
	}
}

// disturb wakes the owners and dependents of an object.
func (w *world) disturb(id graph.NodeID) {
	n := w.nodes.Node(id)
	for d := range n.Dependents() {
		delete(w.asleep, d.ID())
	}
	for _, o := range n.OwnerNodes() {
		delete(w.asleep, o.ID())
	}
}

// idle reports whether the rules keep an object, or whether it has to wait.
func (w *world) idle(id graph.NodeID) bool {
	n := w.nodes.Node(id)
	if w.asleep[id] || n.State() != graph.Observed || n.Waiting() && n.Blocking() > 0 {
		return true
	}
	if n.Waiting() {
		return false
	}
	for i := range n.Owners() {
		if c, _ := n.Inside(inside.Key{}).OwnerClass(i); c == graph.Solid { // a read shows that a phantom is absent
			return true
		}
	}
	return false
}

// act decides an object that is not idle.
func (w *world) act(id graph.NodeID) {
	n := w.nodes.Node(id)
	if n.Waiting() {
		if w.tryRelease(id) {
			w.asleep[id] = true
			return
		}
		w.end(id)
		return
	}
	if w.tryDelete(id, 0) {
		w.asleep[id] = true
		return
	}
	w.judge(id)
	if n.Referring() == 0 {
		w.end(id)
		return
	}
	o := n.Object()
	o.Version, o.Deleting, o.Finalizers = "2", true, []string{graph.FinalizerForeground}
	w.disturb(id)
	w.apply(graph.Event{Type: graph.Put, Object: o})
}

func (w *world) end(id graph.NodeID) {
	w.disturb(id)
	delete(w.asleep, id)
	w.apply(graph.Event{Type: graph.Gone, Key: w.nodes.Node(id).Key()})
}

// own is the phase of an object by its kind.
func own(n graph.Node) int { return int(n.Kind()[1] - '1') }

// judge fails if an object of an earlier phase is left when this one is deleted. It derives the
// phase of this delete from the definition: the earliest of the own phases of the object, of
// the objects below it, and of all owners of these.
func (w *world) judge(id graph.NodeID) {
	if w.rings { // the definition knows no ring
		return
	}
	phase, seen := 9, map[graph.NodeID]bool{}
	var up, down func(n graph.Node)
	up = func(n graph.Node) {
		if n.State() != graph.Observed || n.Kind() == "r" {
			return
		}
		phase = min(phase, own(n))
		for _, o := range n.OwnerNodes() {
			up(o)
		}
	}
	down = func(n graph.Node) {
		if seen[n.ID()] {
			return
		}
		seen[n.ID()] = true
		up(n)
		for d := range n.Dependents() {
			down(d)
		}
	}
	if _, mixed := w.nodes.Graph.Lookup(w.object("s/1").Key); mixed {
		return // each root has phases of its own
	}
	down(w.nodes.Node(id))
	if !w.below(w.nodes.Node(id)) {
		return
	}
	for n := range w.nodes.Graph.Nodes() {
		if n.State() == graph.Observed && n.Kind() != "r" && own(n) < phase && w.below(n) && (!w.both || w.roots(n)&w.roots(w.nodes.Node(id)) != 0) {
			w.Fatalf("%s, in phase %d, is deleted, and %s is left: %s", w.nodes.Node(id).Key(), phase+1, n.Key(), w)
		}
	}
}

// below reports whether an object is known to hang below the root. After a restart that does not
// follow from an owner that has gone.
func (w *world) below(n graph.Node) bool {
	if !w.restarted || n.Kind() == "r" {
		return true
	}
	for _, o := range n.OwnerNodes() {
		if o.State() == graph.Observed && w.below(o) {
			return true
		}
	}
	return false
}

// roots returns the set of roots with which an object goes: each of its owners is a root, or goes
// with that root.
func (w *world) roots(n graph.Node) (set int) {
	for root := range 2 {
		if w.goesWith(n, root) {
			set |= 1 << root
		}
	}
	return set
}

func (w *world) goesWith(n graph.Node, root int) (is bool) {
	for _, o := range n.OwnerNodes() {
		switch {
		case o.State() == graph.Observed && o.Kind() == "r":
			is = is || int(o.Key().Name[0]-'0') == root
		case !w.goesWith(o, root):
			return false
		default:
			is = true
		}
	}
	return is
}

// moves returns the worlds after each of the next moves. It makes the last move on this world,
// because a copy costs more than all else.
func (w *world) moves() (out []*world) {
	next := w.next()
	for i, move := range next {
		c := w
		if i < len(next)-1 {
			c = w.clone()
		}
		c.out = effect.List{}
		move(c)
		c.wake()
		out = append(out, c)
	}
	return out
}

// next returns the moves that are possible now.
func (w *world) next() (all []func(c *world)) {
	if w.m.HasWork() {
		all = append(all, func(c *world) { c.m.Step(c.view(), 1<<20, 100) })
	}
	for _, id := range w.ids() {
		if !w.idle(id) {
			all = append(all, func(c *world) { c.act(id) })
		}
	}
	if w.mayBeginFence() {
		all = append(all, func(c *world) { c.beginFence() })
	}
	if w.fence.Under() {
		all = append(all, func(c *world) { c.passFence() })
	}
	if w.late != "" && len(w.m.orders) > 0 {
		all = append(all, func(c *world) { c.put(c.late); c.late = "" })
	}
	if w.restarts > 0 && len(w.m.orders) > 0 {
		all = append(all, func(c *world) { c.restart() })
	}
	return all
}

// mayBeginFence tries that on copies of the parts that it changes.
func (w *world) mayBeginFence() bool {
	f, kinds := w.fence.Clone(), w.kinds.Clone()
	_, ok := f.Begin(start, &kinds, &effect.List{})
	return ok
}

func (w *world) ids() (ids []graph.NodeID) {
	for n := range w.nodes.Graph.Nodes() {
		ids = append(ids, n.ID())
	}
	return ids
}

// restart begins a new machine, which observes the same graph.
func (w *world) restart() {
	w.restarts--
	w.restarted = true
	w.m = New(guards())
	clear(w.asleep)
	for _, id := range w.ids() {
		w.begin(id)
	}
}

// explore makes every move in every state, and fails if a world rests before all has gone.
func explore(t *testing.T, first *world) (states int) {
	states, stuck := visit(t, first)
	if stuck != nil {
		t.Fatalf("it waits for ever: %s: %+v", stuck, stuck.m.Statuses(stuck.view(), 9))
	}
	return states
}

// visit makes every move in every state. It returns a world that rests before all has gone, or nil.
func visit(t *testing.T, first *world) (states int, stuck *world) {
	seen := map[string]bool{first.sum(): true}
	for todo := []*world{first}; len(todo) > 0; {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		next := w.moves()
		if len(next) == 0 && w.nodes.Graph.Len() > 0 {
			return len(seen), w
		}
		for _, c := range next {
			if err := c.m.Check(c.view()); err != nil {
				t.Fatal(err)
			}
			if s := c.sum(); !seen[s] {
				seen[s] = true
				todo = append(todo, c)
			}
		}
	}
	return len(seen), nil
}

// cascades returns every cascade of n objects below some roots: each has some owners among the
// roots and the objects before it, and a phase.
func cascades(n int, roots []string) (all []string) {
	first := len(roots)
	var build func(i int, text string)
	build = func(i int, text string) {
		if i >= first+n {
			all = append(all, named(text))
			return
		}
		for refs := 1; refs < 1<<i; refs++ {
			for phase := 1; phase <= 2; phase++ {
				var owners []string
				for o := range i {
					if refs>>o&1 != 0 {
						owners = append(owners, fmt.Sprintf("OWNER%d!", o))
					}
				}
				build(i+1, text+fmt.Sprintf("; x%d/%d -> %s", phase, i, strings.Join(owners, ", ")))
			}
		}
	}
	build(first, strings.Join(roots, "; "))
	return all
}

// named puts the keys of the owners in.
func named(text string) string {
	for i, o := range strings.Split(text, "; ") {
		key, _, _ := strings.Cut(strings.TrimSuffix(o, "#1~[foreground]"), " ")
		text = strings.ReplaceAll(text, fmt.Sprintf("OWNER%d!", i), key+"!")
	}
	return text
}

// one and two are the roots of a cascade. Those of three have guards with other phases.
var (
	one   = []string{"r/0#1~[foreground]"}
	two   = []string{"r/0#1~[foreground]", "r/1#1~[foreground]"}
	three = []string{"r/0#1~[foreground]", "s/1#1~[foreground]"}
)

// every explores one in so many cascades, and all with -whole.
func every(t *testing.T, n, oneIn int, roots []string, late func(objects string) []string, restarts int) {
	worlds, states := 0, 0
	for _, text := range portion.Of(oneIn, cascades(n, roots)) {
		for _, l := range late(text) {
			w := &world{rig: newRig(t, text), asleep: map[graph.NodeID]bool{}, late: l, restarts: restarts, both: len(roots) > 1}
			w.wake()
			worlds++
			if states += explore(t, w); t.Failed() {
				t.Fatalf("in %s, late %q", text, l)
			}
		}
	}
	t.Logf("%d cascades, %d states", worlds, states)
}

// TestEveryOrder: in every cascade of a few objects in two phases, with every order of events,
// all objects go. Each goes only after all objects of earlier phases. Without -whole it has a
// share of the largest cascades.
func TestEveryOrder(t *testing.T) {
	for n := 1; n <= *objects; n++ {
		oneIn := 1
		if n > 3 { // one object more takes a hundred times as long
			oneIn = 73
		}
		every(t, n, oneIn, one, func(string) []string { return []string{""} }, 0)
	}
}

// TestEveryLateArrival: the same is true with an object that is created at any time below any of
// the others, and with a restart at any time. Without -whole it has a share of the cascades.
func TestEveryLateArrival(t *testing.T) {
	every(t, 3, 23, one, func(string) []string { return []string{""} }, 1)
	for n := 1; n <= 2; n++ {
		every(t, n, 9, one, func(text string) (out []string) {
			for _, o := range strings.Split(text, "; ") {
				key, _, _ := strings.Cut(strings.TrimSuffix(o, "#1~[foreground]"), " ")
				out = append(out, "x1/late -> "+key, "x2/late -> "+key+"!")
			}
			return out
		}, 1)
	}
}

// TestEveryTwoRoots: objects below two ordered roots never wait for ever, also if the two guards
// order them the other way round. With the same phases, both orders apply. Without -whole it has a
// share of the cascades.
func TestEveryTwoRoots(t *testing.T) {
	none := func(string) []string { return []string{""} }
	for _, roots := range [][]string{two, three} {
		every(t, 1, 9, roots, func(string) []string { return []string{"", "x1/late -> r/0!"} }, 1)
		every(t, max(*objects-2, 1), 17, roots, none, 0)
	}
}
