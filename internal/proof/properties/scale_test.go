package properties

import (
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
)

var large = flag.Int("properties.large", 0, "objects of the largest graphs; 0 for 100,000 with -whole, and for 5,000 without")

// sizes are a small graph and the largest one.
func sizes() []int {
	n := *large
	if n == 0 {
		n = portion.Number(5_000, 100_000)
	}
	return []int{n / 50, n}
}

// work is the countable cost of one object.
type work struct{ decisions, turns, bytes float64 }

// worked runs a cascade over n objects and returns the work for each, and the
// largest step.
func (b *bulk) worked(n int, f func()) work {
	b.largest, b.turns = load{}, 0
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	bytes, decisions := memory.TotalAlloc, b.engine.Stats().Decisions
	f()
	b.run()
	runtime.ReadMemStats(&memory)
	decisions = b.engine.Stats().Decisions - decisions
	each := func(x uint64) float64 { return float64(x) / float64(n) }
	return work{each(decisions), each(uint64(b.turns)), each(memory.TotalAlloc - bytes)}
}

// linear checks that the work for one object does not grow with the graph.
func linear(t *testing.T, name string, all []work) {
	t.Helper()
	for _, w := range all[1:] {
		for _, x := range []struct {
			what        string
			small, here float64
			limit       float64
		}{
			{"decisions", all[0].decisions, w.decisions, 1.3},
			{"calls of Next", all[0].turns, w.turns, 1.3},
			{"bytes allocated", all[0].bytes, w.bytes, 2}, // tables double
		} {
			if x.here > x.small*x.limit {
				t.Errorf("%s: %.2f %s for each object of a large graph, %.2f of a small one", name, x.here, x.what, x.small)
			}
		}
	}
}

// small checks that each single call of the engine did little work.
func small(t *testing.T, name string, largest load) {
	t.Helper()
	if largest.decisions > 128 || largest.queued > 256 || largest.gone > 1024 || largest.keys > 512 {
		t.Errorf("%s: one call decided %d, queued %d and pruned %d objects, the queue had %d: want at most 128, 256, 1024 and 512",
			name, largest.decisions, largest.queued, largest.gone, largest.keys)
	}
}

// TestLinear checks that the work of a cascade is linear in its objects, for every
// shape, and that each step is small. Stars test fan-out. Chains and rings test depth:
// no function recurses, and the search for rings does not begin anew for each level.
func TestLinear(t *testing.T) {
	for _, c := range []struct {
		name   string
		build  func(int) []graph.Object
		p      graph.Propagation
		lag    int
		reason string
	}{
		{"star", func(n int) []graph.Object { return tree(n) }, graph.Background, 0, "one Gone wakes all dependents"},
		{"star", func(n int) []graph.Object { return tree(n) }, graph.Foreground, 0, "one mark, one fence"},
		{"star", func(n int) []graph.Object { return tree(n) }, graph.Orphan, 0, "all dependents lose one reference"},
		{"chain", chain, graph.Background, 0, "a chain is deep"},
		{"chain", chain, graph.Foreground, 1, "a chain is deep, and Next is called while each fence is under way"},
		{"ring", ring, graph.Background, 0, "a ring without an outside owner becomes a chain"},
		{"ring", ring, graph.Foreground, 1, "a ring that waits for itself is found once"},
	} {
		t.Run(c.name+"/"+c.p.String(), func(t *testing.T) {
			var all []work
			for _, n := range sizes() {
				objects := c.build(n)
				b := watched(t, 20, objects)
				b.lag = c.lag
				all = append(all, b.worked(n, func() { b.remove(rootKey, c.p) }))
				small(t, fmt.Sprint(n, " objects"), b.largest)
				if left := len(b.objects); left != 0 && (c.p != graph.Orphan || left != n) {
					t.Errorf("%d objects are left", left)
				}
			}
			t.Logf("for each object: %.2f", all)
			linear(t, c.reason, all)
		})
	}
}

// TestLinearRingAtOnce has a ring whose members all wait when the engine begins. The
// engine searches the ring once, and not again for each member that goes.
func TestLinearRingAtOnce(t *testing.T) {
	var all []work
	for _, n := range sizes() {
		objects := ring(n)
		for i := range objects {
			objects[i].Deleting, objects[i].Finalizers = true, []string{graph.FinalizerForeground}
		}
		b := newBulk(t, 20, objects)
		b.lag = 1
		all = append(all, b.worked(n, func() { b.list(objects) }))
		if len(b.objects) != 0 {
			t.Errorf("%d objects are left", len(b.objects))
		}
	}
	t.Logf("for each object: %.2f", all)
	linear(t, "a ring of waiting objects", all)
}

// TestBulkInSlices has an owner of 100,000 dependents with -whole, and of 5,000 without. The engine works through them
// in slices: for an audit, for the owner's end, and for an empty listing. None of the
// three makes a request to the store.
func TestBulkInSlices(t *testing.T) {
	n := sizes()[1]
	b := watched(t, 20, tree(n))
	b.largest = load{}
	before := b.engine.Stats()
	audit := b.billed(func() {
		b.now = b.now.Add(11 * time.Minute)
		b.run()
	})
	after := b.engine.Stats()
	if audit != (bill{}) || after.Audits != before.Audits+1 || after.Decisions-before.Decisions > uint64(n) {
		t.Errorf("an audit cost %+v, want none; %d audits with %d decisions for %d dependents",
			audit, after.Audits-before.Audits, after.Decisions-before.Decisions, n)
	}
	small(t, "audit", b.largest)

	b.largest = load{}
	b.remove(rootKey, graph.Background)
	b.observe(b.events[0])
	if b.largest.keys > 1 || b.largest.decisions > 0 {
		t.Errorf("the end of the owner left %d keys in the queue, want 1 at most", b.largest.keys)
	}

	b.events = nil
	clear(b.objects)
	b.largest = load{}
	pruning := b.billed(func() {
		b.list(nil)
		b.run()
	})
	small(t, "pruning", b.largest)
	if pruning != (bill{}) || b.engine.Stats().Objects != 0 {
		t.Errorf("pruning cost %+v, want none; %d objects are left in the graph", pruning, b.engine.Stats().Objects)
	}
}

// TestManyMarksShareAFence checks that foreground deletions at one time share one
// fence.
func TestManyMarksShareAFence(t *testing.T) {
	n := sizes()[0]
	var objects []graph.Object
	for i := range n {
		objects = append(objects, object(key("solo", strconv.Itoa(i))))
	}
	b := watched(t, 20, objects)
	got := b.billed(func() {
		for _, o := range objects {
			b.remove(o.Key, graph.Foreground)
		}
		b.run()
	})
	if want := (bill{writes: n, fences: 1}); got != want {
		t.Errorf("cost %+v, want %+v", got, want)
	}
}
