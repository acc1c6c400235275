package properties

import (
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// bill is the number of an engine's requests to the store.
type bill struct{ writes, reads, fences int }

// billed returns the requests of a part of a bulk's history.
func (b *bulk) billed(f func()) bill {
	before := b.engine.Stats()
	f()
	after := b.engine.Stats()
	return bill{
		writes: int(after.Calls.Of(engine.CallPatch) + after.Calls.Of(engine.CallDelete) - before.Calls.Of(engine.CallPatch) - before.Calls.Of(engine.CallDelete)),
		reads:  int(after.Calls.Of(engine.CallRead) - before.Calls.Of(engine.CallRead)),
		fences: int(after.Calls.Of(engine.CallFence) - before.Calls.Of(engine.CallFence)),
	}
}

// shape is a graph below a root, with the figures of the table of costs.
type shape struct {
	name          string
	objects       []graph.Object
	leaves, inner int // below the root
	children      int // of the root
	levels        int // of objects that have dependents, with the root
	shared        int // waiting owners of objects with several of them
	reason        string
}

func shapes() []shape {
	return []shape{
		{"one", tree(1), 1, 0, 1, 1, 0, "the smallest cascade"},
		{"star", tree(1000), 1000, 0, 1000, 1, 0, "one owner of many: all share its fence, its mark and its Gone"},
		{"three levels", tree(3, 10), 30, 3, 3, 2, 0, "inner objects cost one write more in the foreground"},
		{"wide", tree(20, 3), 60, 20, 20, 2, 0, "inner objects share a fence, as many as calls may be under way"},
		{"chain", chain(49), 1, 48, 1, 49, 0, "each level is marked behind the fence of the level above"},
		{"diamond", diamond(), 1, 2, 2, 2, 2, "an object with two waiting owners costs a read of each, for one instant"},
	}
}

// TestCost checks the table of costs: writes and reads exactly, fences by level.
func TestCost(t *testing.T) {
	for _, s := range shapes() {
		for _, c := range []struct {
			p      graph.Propagation
			want   bill
			left   int
			reason string
		}{
			{graph.Background, bill{writes: s.leaves + s.inner}, 0, "each object once, no read after an observed Gone, no fence"},
			{graph.Foreground, bill{s.leaves + 2*s.inner + 1, s.shared, s.levels}, 0, "inner objects are marked and released, and leaves are deleted at once"},
			{graph.Orphan, bill{s.children + 1, 0, 1}, s.leaves + s.inner, "the children lose a reference, and the owner a finalizer"},
		} {
			t.Run(s.name+"/"+c.p.String(), func(t *testing.T) {
				b := watched(t, 20, s.objects)
				got := b.billed(func() {
					b.remove(rootKey, c.p)
					b.run()
				})
				if got != c.want || len(b.objects) != c.left {
					t.Errorf("cost %+v, want %+v, %d objects left, want %d: %s; %s", got, c.want, len(b.objects), c.left, s.reason, c.reason)
				}
			})
		}
	}
}

// TestCostOfSlowEvents checks that late events cause no second write of an object. A
// level may need a second fence if its marks come one by one, or in several batches.
func TestCostOfSlowEvents(t *testing.T) {
	broad := shape{"broad", tree(60, 3), 180, 60, 60, 2, 0, "three batches of marks"}
	for _, s := range append(shapes(), broad) {
		b := watched(t, 20, s.objects)
		b.lag = 1
		got := b.billed(func() {
			b.remove(rootKey, graph.Foreground)
			b.run()
		})
		want := bill{s.leaves + 2*s.inner + 1, s.shared, 2 * s.levels}
		if got.writes != want.writes || got.reads != want.reads || got.fences < s.levels || got.fences > want.fences {
			t.Errorf("%s: cost %+v, want %+v at most: one event at a time may cost more fences only", s.name, got, want)
		}
	}
}

// TestCostOfUnseenOwners checks that an owner that was gone before the engine began
// costs one read. Its number of dependents does not matter. The watch shows the end
// of each further level.
func TestCostOfUnseenOwners(t *testing.T) {
	const owners, dependents = 5, 30
	var all []graph.Object
	for i := range owners {
		for _, o := range tree(dependents, 2) {
			o.Scope = string(rune('a' + i)) // five trees side by side
			o.UID += graph.UID(o.Scope)
			for j := range o.Owners {
				o.Owners[j].Scope = o.Scope
				o.Owners[j].UID += graph.UID(o.Scope)
			}
			all = append(all, o)
		}
	}
	b := newBulk(t, 20, all)
	for place := range b.objects {
		if place.Kind == rootKey.Kind {
			delete(b.objects, place)
		}
	}
	got := b.billed(func() {
		b.list(all)
		b.run()
	})
	want := bill{writes: owners * dependents * 3, reads: owners}
	// A fence confirms the absence of a read, since the owner might live in another
	// scope.
	if got.fences > 1 {
		t.Errorf("%d fences, want at most one for all owners", got.fences)
	}
	got.fences = 0
	if got != want || len(b.objects) != 0 {
		t.Errorf("cost %+v, want %+v: one read for each owner; %d objects left", got, want, len(b.objects))
	}
}

// TestCostOfConflicts checks that each conflict costs one more write and one more
// read. Each batch of objects that changed below a waiting or orphaning owner costs a
// read of the owner.
func TestCostOfConflicts(t *testing.T) {
	const workers = 20
	for _, c := range []struct {
		p                  graph.Propagation
		conflicts, batches int
		reason             string
	}{
		{graph.Background, 1, 0, "one conflict; the owner is gone, and stays so"},
		{graph.Background, 30, 0, "one conflict for each object"},
		{graph.Foreground, 30, 2, "the fence is older than the changes"},
		{graph.Orphan, 30, 2, "the fence is older than the changes"},
	} {
		calm := watched(t, workers, tree(30))
		plain := calm.billed(func() { calm.remove(rootKey, c.p); calm.run() })
		b := watched(t, workers, tree(30))
		met := map[graph.Key]bool{}
		b.before = func(call engine.Call) error {
			if len(met) < c.conflicts && !met[call.Key] && call.Key != rootKey {
				met[call.Key] = true
				b.touch(call.Key)
			}
			return nil
		}
		got := b.billed(func() { b.remove(rootKey, c.p); b.run() })
		got.reads -= plain.reads + c.conflicts // those of the owner are left
		want := bill{plain.writes + c.conflicts, c.batches, plain.fences}
		if got.writes != want.writes || got.fences != want.fences || got.reads < 0 || got.reads > want.reads {
			t.Errorf("%s, %d conflicts: cost %+v beside the rereads, want %+v at most: %s", c.p, c.conflicts, got, want, c.reason)
		}
	}
}

// TestOneWriteUntilItsEvent checks that the engine does not judge a written object by
// its old version. Its owners change while the event of the write is late.
func TestOneWriteUntilItsEvent(t *testing.T) {
	x, y, z := key("x", "x"), key("y", "y"), key("z", "z")
	dep := object(key("dep", "d"), blocking(x), blocking(y), blocking(z))
	b := watched(t, 20, []graph.Object{object(x), object(y), object(z), dep})
	got := b.billed(func() {
		b.remove(x, graph.Background)
		b.round() // trims the reference to x
		late := b.events
		b.events = nil
		b.remove(y, graph.Background)
		b.round()
		b.round()
		b.events = append(b.events, late...)
		b.run()
	})
	if want := (bill{writes: 2}); got != want {
		t.Errorf("cost %+v, want %+v: the engine trims two references", got, want)
	}
}
