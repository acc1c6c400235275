package fanout

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/queue"
)

var now = time.Unix(1000, 0)

// rig is a machine over a graph, and the queue that it fills.
type rig struct {
	testing.TB
	m Machine
	v View
}

func newRig(t testing.TB, objects string) *rig {
	t.Helper()
	r := &rig{TB: t, v: View{
		Nodes: record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}},
		Work:  queue.New(queue.Config[graph.NodeID]{Hash: func(id graph.NodeID) uint64 { return uint64(id) }, Number: func(id graph.NodeID) uint32 { return uint32(id) }}),
	}}
	all, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	r.apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}})
	for _, o := range all {
		r.apply(graph.Event{Type: graph.Put, Object: o})
	}
	return r
}

func (r *rig) apply(ev graph.Event) {
	r.Helper()
	if _, err := r.v.Graph.Apply(ev); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) id(name string) graph.NodeID {
	r.Helper()
	for n := range r.v.Graph.Nodes() {
		if n.Key().Name == name {
			return n.ID()
		}
	}
	r.Fatalf("no object %q", name)
	return 0
}

// decided takes the ready nodes from the queue, in order.
func (r *rig) decided() string {
	r.Helper()
	if err := r.m.Check(r.v.Nodes); err != nil {
		r.Error(err)
	}
	var out []string
	for id, ok := r.v.Work.Next(now); ok; id, ok = r.v.Work.Next(now) {
		out = append(out, r.v.Node(id).Key().Name)
		r.v.Work.Done(id)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestNext: Next returns the dependents of the changed owners, one at a time.
func TestNext(t *testing.T) {
	const world = "a/o#1; b/x#1 -> a/o; b/y#1 -> a/o; b/z#1 -> a/o; a/p#1; b/q#1 -> a/p; a/alone#1"
	for _, c := range []struct {
		reason       string
		change       func(r *rig)
		budget, most int
		want, later  string // the dependents of this step, and of the ones that follow
	}{
		{"all dependents of one owner", func(r *rig) { r.push("o") }, 10, 10, "x y z", ""},
		{"an object without dependents is not listed", func(r *rig) { r.push("alone") }, 10, 10, "", ""},
		{"two owners, one after another", func(r *rig) { r.push("o", "p") }, 10, 10, "q x y z", ""},
		{"the budget ends the step, and the cursor stays", func(r *rig) { r.push("o") }, 2, 10, "y z", "x"},
		{"a long queue ends the step", func(r *rig) { r.push("o") }, 10, 1, "z", "x y"},
		{"an owner that changes again begins anew", func(r *rig) {
			r.push("o")
			r.step(2, 10)
			r.decided()
			r.push("o")
		}, 10, 10, "x y z", ""},
		{"a dependent that waits for a read is left out", func(r *rig) {
			r.v.Edit(r.id("y")).PendingReads = 1
			r.push("o")
		}, 10, 10, "x z", ""},
		{"an owner that lost its dependents meanwhile has none", func(r *rig) {
			r.push("p")
			n := r.v.Node(r.id("q"))
			r.apply(graph.Event{Type: graph.Gone, Key: n.Key()})
		}, 10, 10, "", ""},
	} {
		r := newRig(t, world)
		c.change(r)
		r.step(c.budget, c.most)
		got := r.decided()
		r.step(100, 100)
		if later := r.decided(); got != c.want || later != c.later {
			t.Errorf("%s: %q and then %q, want %q and %q", c.reason, got, later, c.want, c.later)
		}
		if len(r.m.Owners()) > 0 {
			t.Errorf("%s: %v are still listed", c.reason, r.m.Owners())
		}
	}
}

// step takes at most budget dependents into the queue, while fewer than most are ready.
func (r *rig) step(budget, most int) {
	for n := 0; n < budget && len(r.m.Owners()) > 0 && r.v.Work.Ready() < most; n++ {
		if id := r.m.Next(r.v.Nodes); id != 0 {
			r.v.Work.Add(id, queue.Low)
		}
	}
}

func (r *rig) push(names ...string) {
	r.Helper()
	for _, name := range names {
		r.m.Push(r.v.Nodes, r.id(name))
	}
}

// TestPushByUID: the dependents that count by the owner's UID are decided, too.
func TestPushByUID(t *testing.T) {
	r := newRig(t, "a/o@u#1; b/x#1 -> a/o@u; b/y#1 -> a/o@u?")
	r.push("o")
	r.step(10, 10)
	if got := r.decided(); got != "x y" {
		t.Errorf("%q is decided: the reference of y is not resolved, and may mean the owner", got)
	}
}

// TestStepWoken: a woken node is decided, and with a waiting owner its dependents.
func TestStepWoken(t *testing.T) {
	const world = "a/solid#1; b/x#1 -> a/solid; a/waits#1~[foregroundDeletion]; b/y#1 -> a/waits; a/leaves#1~[orphan]; b/z#1 -> a/leaves"
	for _, c := range []struct {
		reason, node string
		budget, most int
		want, later  string
	}{
		{"a solid object alone", "solid", 10, 10, "solid", ""},
		{"a waiting owner, and then its dependents", "waits", 10, 10, "waits", "y"},
		{"an orphaning owner, and then its dependents", "leaves", 10, 10, "leaves", "z"},
		{"without a budget it stays woken", "solid", 0, 10, "", ""},
		{"a long queue leaves it woken", "solid", 10, 0, "", ""},
	} {
		r := newRig(t, world)
		r.m.Wake(r.id(c.node))
		r.m.StepWoken(r.v, c.budget, c.most)
		got := r.decided()
		r.step(10, 10)
		if later := r.decided(); got != c.want || later != c.later {
			t.Errorf("%s: %q and then %q, want %q and %q", c.reason, got, later, c.want, c.later)
		}
		if left := len(r.m.Woken()); (left > 0) != (c.want == "") {
			t.Errorf("%s: %d are still woken", c.reason, left)
		}
	}
}

// TestFreedNode: a node that left the graph is dropped from both lists.
func TestFreedNode(t *testing.T) {
	r := newRig(t, "a/o#1; b/x#1 -> a/o")
	o, x := r.v.Node(r.id("o")).Key(), r.v.Node(r.id("x")).Key()
	r.push("o")
	r.m.Wake(r.id("o"))
	for _, k := range []graph.Key{x, o} {
		r.apply(graph.Event{Type: graph.Gone, Key: k})
	}
	r.m.StepWoken(r.v, 10, 10)
	r.step(10, 10)
	if got := r.decided(); got != "" || len(r.m.Owners())+len(r.m.Woken()) > 0 {
		t.Errorf("%q is decided, and %v and %v are listed", got, r.m.Owners(), r.m.Woken())
	}
}

// TestCheck: a mark without an entry in the list would keep an owner from fanning out again.
func TestCheck(t *testing.T) {
	r := newRig(t, "a/o#1; b/x#1 -> a/o")
	r.v.Edit(r.id("o")).FanningOut = true
	if err := r.m.Check(r.v.Nodes); err == nil || !strings.Contains(err.Error(), "a/o") {
		t.Errorf("%v, want an error that names the owner", err)
	}
}

// TestClone: a copy shares no list.
func TestClone(t *testing.T) {
	r := newRig(t, "a/o#1; b/x#1 -> a/o; b/y#1 -> a/o")
	r.push("o")
	r.m.Wake(r.id("x"))
	c := r.m.Clone()
	before := fmt.Sprint(c)
	r.m.owners[0], r.m.woken[0] = r.id("y"), r.id("y")
	if after := fmt.Sprint(c); after != before {
		t.Errorf("the copy was %s and is %s", before, after)
	}
}

// TestHash: each field changes the hash.
func TestHash(t *testing.T) {
	r := newRig(t, "a/o#1; b/x#1 -> a/o")
	sum := func(m Machine) uint64 {
		p := fingerprint.New(r.v.Graph, now, nil)
		m.Hash(p)
		return p.Sum()
	}
	full := Machine{owners: []graph.NodeID{r.id("o")}, woken: []graph.NodeID{r.id("x")}}
	for _, c := range []struct {
		reason  string
		changed Machine
	}{
		{"the owner still fans out", Machine{woken: full.woken}},
		{"the node is still woken", Machine{owners: full.owners}},
		{"the lists are not one", Machine{owners: full.woken, woken: full.owners}},
		{"another seed", Machine{owners: full.owners, woken: full.woken, salt: salt{seed: 1}}},
		{"another pass", Machine{owners: full.owners, woken: full.woken, salt: salt{pass: 1}}},
		{"another size", Machine{owners: full.owners, woken: full.woken, salt: salt{size: 1}}},
		{"another draw", Machine{owners: full.owners, woken: full.woken, salt: salt{draws: 1}}},
	} {
		if sum(c.changed) == sum(full) {
			t.Errorf("the hash is the same: %s", c.reason)
		}
	}
	if n := reflect.TypeFor[Machine]().NumField(); n != 3 {
		t.Errorf("the machine has %d fields, and the table changes 3", n)
	}
}
