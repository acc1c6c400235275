package evidence

import (
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/orphaned"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// TestAbsenceServes: absence beyond the graph counts only where it is proven for the
// dependent (R2, absence, and R8).
func TestAbsenceServes(t *testing.T) {
	edit := func(change func(m *record.State)) func(*rig) {
		return func(r *rig) { change(r.v.Edit(r.id("o"))) }
	}
	for _, c := range []struct {
		reason, objects string
		change          func(*rig)
		want            graph.Class
	}{
		{"nothing shows the owner", "b/d#1 -> a/o", func(*rig) {}, graph.Unknown},
		{"a read after the dependent was known did not find it", "b/d#1 -> a/o", edit(func(m *record.State) { m.Absent = late }), graph.Dangling},
		{"the store may have made the owner since that read", "b/d#1 -> a/o", edit(func(m *record.State) { m.Absent = early }), graph.Unknown},
		{"the watch showed the end, which is true for all dependents", "b/d#1 -> a/o", edit(func(m *record.State) { m.Absent, m.GoneObserved = early, true }), graph.Dangling},
		{"the watch had shown the owner before a lookup failed", "a/o#1; b/d#1 -> a/o", edit(func(m *record.State) { m.Absent = early }), graph.Dangling},
		{"the owner is there", "a/o#1; b/d#1 -> a/o", func(*rig) {}, graph.Solid},
		{"the absence is of a former history", "b/d#1 -> a/o", func(r *rig) {
			r.v.Edit(r.id("o")).Absent = late
			r.kinds.Rewind(later)
		}, graph.Unknown},
		{"the absence is from before a sign that history went backwards", "b/d#1 -> a/o", func(r *rig) {
			r.v.Edit(r.id("o")).Absent = late
			r.stampTo(later)
			r.kinds.Lose(now, &r.stamps, true, r.v.Graph)
		}, graph.Unknown},
		{"the absence is from after that sign", "b/d#1 -> a/o", func(r *rig) {
			r.stampTo(late)
			r.kinds.Lose(now, &r.stamps, true, r.v.Graph)
			r.v.Edit(r.id("o")).Absent = later
		}, graph.Dangling},
		{"a global object may not have an owner in a scope, so the reference is in doubt", "b/d#1 -> p/s/o", edit(func(m *record.State) { m.Absent = late }), graph.Unknown},
		{"the reference is not resolved", "b/d#1 -> a/o?", func(*rig) {}, graph.Unknown},
	} {
		r := newRig(t, c.objects)
		c.change(r)
		if f := r.fact("d"); f.Class != c.want {
			t.Errorf("%s: the owner is %v for doubt %v, want %v", c.reason, f.Class, f.Doubt, c.want)
		}
	}
}

// TestUnconfirmed: an owner that only a read did not find may live in another scope or under
// another name, until a fence shows the whole kind.
func TestUnconfirmed(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(r *rig, m *record.State)
		want   bool
	}{
		{"it may have another name", func(*rig, *record.State) {}, true},
		{"the watch showed the end", func(_ *rig, m *record.State) { m.GoneObserved = true }, false},
		{"the store has no fences", func(r *rig, _ *record.State) { r.v.Fence.Exact = false }, false},
		{"a setting takes another name for absent", func(r *rig, _ *record.State) { r.v.OwnerName = graph.NameAbsent }, false},
		{"its kind has passed a fence since", func(r *rig, _ *record.State) {
			r.kinds.OpenFence()
			r.kinds.PassFence("a", 1, late)
		}, false},
	} {
		r := newRig(t, "b/d#1 -> a/o")
		m := r.v.Edit(r.id("o"))
		m.Absent = late
		c.change(r, m)
		if f := r.fact("d"); f.Class != graph.Dangling || f.Unconfirmed != c.want {
			t.Errorf("%s: class %v, unconfirmed %t, want %t", c.reason, f.Class, f.Unconfirmed, c.want)
		}
	}
}

// TestReadCounts: a read counts until a later event of the watch says otherwise (R2,
// presence).
func TestReadCounts(t *testing.T) {
	solid := reads.Result{State: policy.ReadSolid, Version: "1", Began: late, Done: late + 1}
	edit := func(change func(m *record.State)) func(*rig) {
		return func(r *rig) { change(r.v.Edit(r.id("o"))) }
	}
	for _, c := range []struct {
		reason, objects string
		read            reads.Result
		change          func(*rig)
		want            policy.ReadState
		same            bool
	}{
		{"of an owner that the watch has not shown", "b/d#1 -> a/o", solid, func(*rig) {}, policy.ReadSolid, false},
		{"a listing ended later without the owner", "b/d#1 -> a/o", solid, func(r *rig) {
			r.stampTo(later)
			r.list("a")
		}, policy.ReadUnset, false},
		{"of the version in the graph", "a/o#1; b/d#1 -> a/o", solid, func(*rig) {}, policy.ReadSolid, true},
		{"of another version", "a/o#2; b/d#1 -> a/o", solid, func(*rig) {}, policy.ReadSolid, false},
		{"a later event shows the same state", "a/o#1; b/d#1 -> a/o", solid, edit(func(m *record.State) { m.Known = later }), policy.ReadSolid, false},
		{"the state changed later, and changed back", "a/o#1; b/d#1 -> a/o", solid, edit(func(m *record.State) { m.Known, m.Role = later, later }), policy.ReadUnset, false},
		{"a later event shows another state", "a/o#1~[orphan]; b/d#1 -> a/o", solid, edit(func(m *record.State) { m.Known = later }), policy.ReadUnset, false},
		{"the read is of a former history", "a/o#1; b/d#1 -> a/o", solid, func(r *rig) { r.kinds.Rewind(later) }, policy.ReadUnset, false},
		{"the read is from before a sign that history went backwards", "a/o#1; b/d#1 -> a/o", solid, func(r *rig) {
			r.stampTo(later)
			r.kinds.Lose(now, &r.stamps, true, r.v.Graph)
		}, policy.ReadUnset, false},
	} {
		r := newRig(t, c.objects)
		r.result("o", c.read)
		c.change(r)
		f := r.fact("d")
		if f.Read != c.want || f.SameVersion != c.same || (f.ReadBegan != 0) != (c.want != policy.ReadUnset) {
			t.Errorf("%s: %v, began at %d, same version %t, want %v and %t", c.reason, f.Read, f.ReadBegan, f.SameVersion, c.want, c.same)
		}
	}
}

// TestOrphaningFact: an owner counts as orphaning only where fences cover it, and its
// controller gets time.
func TestOrphaningFact(t *testing.T) {
	const leaves = "a/o#1~[orphan]%2/1; b/d#1 -> a/o"
	for _, c := range []struct {
		reason, objects             string
		change                      func(*rig)
		orphaning, waits, isOverdue bool
	}{
		{"no controller has to acknowledge", leaves, func(*rig) {}, true, false, false},
		{"the controller has time left", leaves, func(r *rig) { r.acknowledge(now) }, true, true, false},
		{"that time is over", leaves, func(r *rig) { r.acknowledge(now.Add(-time.Minute)) }, true, false, true},
		{"the controller has acknowledged", "a/o#1~[orphan]%2/2; b/d#1 -> a/o", func(r *rig) { r.acknowledge(now) }, true, false, false},
		{"the reference is not resolved, and counts by its UID", "a/o@u#1~[orphan]; b/d#1 -> a/o@u?", func(*rig) {}, true, false, false},
		{"the owner is solid", "a/o#1; b/d#1 -> a/o", func(*rig) {}, false, false, false},
		{"two live objects have its UID", "a/o@u#1~[orphan]; a/x@u#1; b/d#1 -> a/o@u", func(*rig) {}, false, false, false},
		{"its kind no longer takes part", leaves, func(r *rig) {
			r.apply(graph.Event{Type: graph.KindVanished, Kind: "a"})
		}, false, false, false},
		{"a later lookup did not find it", leaves, func(r *rig) { r.v.Edit(r.id("o")).Absent = late }, false, false, false},
	} {
		r := newRig(t, c.objects)
		c.change(r)
		f := r.fact("d")
		if f.Orphaning != c.orphaning || f.Unacknowledged != c.waits || f.Overdue != c.isOverdue {
			t.Errorf("%s: orphaning %t, unacknowledged %t, overdue %t", c.reason, f.Orphaning, f.Unacknowledged, f.Overdue)
		}
	}
}

// acknowledge gives the controllers of kind a half a minute from the mark on.
func (r *rig) acknowledge(marked time.Time) {
	r.v.Acknowledge, r.v.AcknowledgeWithin = []graph.Kind{"a"}, 30*time.Second
	r.v.Edit(r.id("o")).Marked = marked
}

// TestChanged: an owner's absence is a change of the owner, which voids older reads (R2, one
// instant).
func TestChanged(t *testing.T) {
	r := newRig(t, "a/o#1; b/d#1 -> a/o")
	for _, c := range []struct {
		absent, want seq.Stamp
		reason       string
	}{
		{0, known, "the last version became known then"},
		{late, late, "the absence became known later"},
		{early, known, "the version became known after the absence"},
	} {
		r.v.Edit(r.id("o")).Absent = c.absent
		if f := r.fact("d"); f.Changed != c.want {
			t.Errorf("absent at %d: changed at %d, want %d: %s", c.absent, f.Changed, c.want, c.reason)
		}
	}
}

// TestRemembered: only an absent owner counts as one whose orphaning this engine ended. The
// reference has to be older than the end.
func TestRemembered(t *testing.T) {
	r := newRig(t, "b/d#1 -> a/o; b/e#1 -> a/o")
	owner := r.v.Node(r.id("o")).Key()
	r.orphaned.Add(owner, orphaned.End{Fenced: true, Shown: true})
	r.orphaned.Show(r.v.Node(r.id("d")).Key().UID, owner.UID)
	if f := r.fact("d"); f.Remembered {
		t.Errorf("%+v, and the owner may live", f)
	}
	r.v.Edit(r.id("o")).Absent = late
	if f := r.fact("d"); !f.Remembered {
		t.Errorf("%+v, and the engine remembers the owner", f)
	}
	if f := r.fact("e"); f.Remembered {
		t.Errorf("%+v, and the watch showed the reference after the end", f)
	}
}

// TestElsewhereWithheld: an object orphans a dependent by its UID, unless its mark counts for no
// dependent. The class is that of the wrong coordinates.
func TestElsewhereWithheld(t *testing.T) {
	r := newRig(t, "p/s/o@u#1~[orphan]; p/s/d#1 -> p/s/x@u; p/s/k#1 -> a/x@u")
	r.v.Edit(r.id("o")).Mark = late
	for _, name := range []string{"d", "k"} {
		if f := r.fact(name); !f.Elsewhere || !f.Orphaning || f.Mark != late || f.Class != graph.Unknown {
			t.Errorf("%s: %+v, want the mark of the object with the UID", name, f)
		}
	}
	r.v.Edit(r.id("o")).Withheld = true
	if f := r.fact("d"); f.Elsewhere || f.Orphaning || f.Doubt != graph.Renamed {
		t.Errorf("%+v, and the mark counts for no dependent", f)
	}
}

// TestRetry: the answer of a conflict's read is judged in place of the graph's object, with
// evidence from after it (R1).
func TestRetry(t *testing.T) {
	r := newRig(t, "b/d#1 -> a/o")
	r.v.Edit(r.id("o")).Absent, r.v.Edit(r.id("o")).GoneObserved = early, true
	answer := r.v.Node(r.id("d")).Object()
	answer.Version = "2"
	r.v.Retries[r.id("d")] = answer
	in := r.v.Input(r.id("d"), &r.scratch)
	if !in.Retry || in.Owners[0].Class != graph.Unknown {
		t.Errorf("%+v: the absence is older than the answer, and no listing has confirmed it", in)
	}
	answer.Owners[0].Block, answer.Finalizers, answer.Deleting = true, []string{graph.FinalizerOrphan}, true
	r.v.Retries[r.id("d")] = answer
	if in = r.v.Input(r.id("d"), &r.scratch); !in.Owners[0].Block || !in.Finalizers || !in.Deleting || in.Propagation != graph.Orphan || in.References != 1 {
		t.Errorf("%+v: these are not the facts of the answer", in)
	}
	answer.Finalizers = []string{graph.UnreadableBecause("no JSON")}
	r.v.Retries[r.id("d")] = answer
	if in = r.v.Input(r.id("d"), &r.scratch); !in.Unreadable {
		t.Errorf("%+v: the store could not read the answer", in)
	}
	answer.Owners = nil
	r.v.Retries[r.id("d")] = answer
	if in = r.v.Input(r.id("d"), &r.scratch); in.References != 0 || len(in.Owners) != 1 {
		t.Errorf("%+v: the answer has no owner, and the graph's object has one", in)
	}
}

// TestObjectFacts: the input has the facts of the object that the rules need.
func TestObjectFacts(t *testing.T) {
	for _, c := range []struct {
		object string
		want   policy.Facts
		blocks []bool
		reason string
	}{
		{"b/d#1", policy.Facts{}, nil, "nothing"},
		{"b/d#1 -> a/o!", policy.Facts{References: 1}, []bool{true}, "one owner, which it blocks"},
		{"b/d#1 -> a/o, a/x!", policy.Facts{References: 2, Several: true}, []bool{false, true}, "two owners"},
		{"b/d#1 -> a/o, a/o!", policy.Facts{References: 2}, []bool{false, true}, "one owner twice"},
		{"b/d@d#1 -> a/o, b/d@d, a/o", policy.Facts{References: 3}, []bool{false, false, false}, "the object itself does not count"},
		{"b/d#1 -> a/o, a/o, a/x", policy.Facts{References: 3, Several: true}, []bool{false, false, false}, "the third is another one"},
		{"b/d#1[f]", policy.Facts{Finalizers: true}, nil, "a finalizer of another client"},
		{"b/d#1~", policy.Facts{Deleting: true}, nil, "a mark without a finalizer"},
		{"b/d#1~[foreground]", policy.Facts{Deleting: true, Finalizers: true, Propagation: graph.Foreground}, nil, "a foreground mark"},
		{"b/d#1[orphan]", policy.Facts{Finalizers: true, Propagation: graph.Orphan}, nil, "the finalizer without the mark"},
	} {
		r := newRig(t, c.object)
		in := r.v.Input(r.id("d"), &r.scratch)
		got := policy.Facts{
			Deleting: in.Deleting, Finalizers: in.Finalizers, Propagation: in.Propagation, References: in.References, Several: in.Several,
		}
		var blocks []bool
		for _, o := range in.Owners {
			blocks = append(blocks, o.Block)
		}
		if !reflect.DeepEqual(got, c.want) || !reflect.DeepEqual(blocks, c.blocks) {
			t.Errorf("%s: %+v with blocks %v, want %+v with %v: %s", c.object, got, blocks, c.want, c.blocks, c.reason)
		}
	}
}

// TestInputChangesNothing: the input leaves the machines as they are. Once the scratch has
// memory, an input takes none.
func TestInputChangesNothing(t *testing.T) {
	r := newRig(t, "a/o#1~[foregroundDeletion]; a/x#1; b/d#1 -> a/o, a/x, a/gone")
	r.result("gone", reads.Result{State: policy.ReadSolid, Version: "1", Began: late, Done: late})
	id := r.id("d")
	before := map[graph.NodeID]record.State{}
	for n := range r.v.Graph.Nodes() {
		before[n.ID()] = r.v.State(n.ID())
	}
	first := r.v.Input(id, &Scratch{})
	if allocs := testing.AllocsPerRun(100, func() { r.v.Input(id, &r.scratch) }); allocs > 0 {
		t.Errorf("%v allocations for each input", allocs)
	}
	if second := r.v.Input(id, &r.scratch); !reflect.DeepEqual(first, second) {
		t.Errorf("%+v and then %+v", first, second)
	}
	for n := range r.v.Graph.Nodes() {
		if was := before[n.ID()]; r.v.State(n.ID()) != was {
			t.Errorf("%s had %+v, and has %+v", n.Key(), was, r.v.State(n.ID()))
		}
	}
}
