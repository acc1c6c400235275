package properties

import (
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

var large = flag.Int("properties.large", 100_000, "objects of the largest graphs; a tenth of it under the race detector")

// sizes are a small graph and the largest one.
func sizes() []int {
	n := *large
	if raced {
		n /= 10
	}
	return []int{n / 50, n}
}

// work is what one object cost, in what can be counted.
type work struct{ decisions, turns, bytes float64 }

// worked runs a cascade over n objects and returns the work for each, and the
// largest step.
func (b *bulk) worked(n int, f func()) work {
	b.most, b.turns = load{}, 0
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	bytes, decisions := memory.TotalAlloc, b.engine.Stats().Decisions
	f()
	b.settle()
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
			most        float64
		}{
			{"decisions", all[0].decisions, w.decisions, 1.3},
			{"calls of Next", all[0].turns, w.turns, 1.3},
			{"bytes allocated", all[0].bytes, w.bytes, 2}, // tables double
		} {
			if x.here > x.small*x.most {
				t.Errorf("%s: %.2f %s for each object of a large graph, %.2f of a small one", name, x.here, x.what, x.small)
			}
		}
	}
}

// small checks that no single call of the engine did much.
func small(t *testing.T, name string, most load) {
	t.Helper()
	if most.decisions > 128 || most.queued > 256 || most.gone > 1024 || most.keys > 512 {
		t.Errorf("%s: one call decided %d, queued %d and swept %d objects, the queue held %d: want at most 128, 256, 1024 and 512",
			name, most.decisions, most.queued, most.gone, most.keys)
	}
}

// TestLinear: a cascade is linear in the objects that it is about, whatever their
// shape, and no step of it is large. Stars hold fan-out, chains and rings depth:
// nothing recurses, no search for rings begins anew for each level.
func TestLinear(t *testing.T) {
	for _, c := range []struct {
		name   string
		build  func(int) []graph.Object
		p      graph.Propagation
		lag    int
		reason string
	}{
		{"star", func(n int) []graph.Object { return tree(n) }, graph.Background, 0, "one Gone frees all"},
		{"star", func(n int) []graph.Object { return tree(n) }, graph.Foreground, 0, "one mark, one fence"},
		{"star", func(n int) []graph.Object { return tree(n) }, graph.Orphan, 0, "all lose one reference"},
		{"chain", chain, graph.Background, 0, "depth"},
		{"chain", chain, graph.Foreground, 1, "depth, asked in between while each fence is on its way"},
		{"ring", ring, graph.Background, 0, "a ring without an owner outside is a chain once it is cut"},
		{"ring", ring, graph.Foreground, 1, "a ring that waits for itself, found once"},
	} {
		t.Run(c.name+"/"+c.p.String(), func(t *testing.T) {
			var all []work
			for _, n := range sizes() {
				objects := c.build(n)
				b := watched(t, 20, objects)
				b.lag = c.lag
				all = append(all, b.worked(n, func() { b.remove(rootKey, c.p) }))
				small(t, fmt.Sprint(n, " objects"), b.most)
				if left := len(b.objects); left != 0 && (c.p != graph.Orphan || left != n) {
					t.Errorf("%d objects are left", left)
				}
			}
			t.Logf("for each object: %.2f", all)
			linear(t, c.reason, all)
		})
	}
}

// TestLinearRingAtOnce: a ring whose members all wait when the engine begins is
// searched once, not anew for each that goes.
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

// TestBulkInSlices: what is about all dependents of an owner of 100,000 never
// happens at once: an audit, the owner's end, a new listing without any of them.
// None of the three asks anything of the store.
func TestBulkInSlices(t *testing.T) {
	n := sizes()[1]
	b := watched(t, 20, tree(n))
	b.most = load{}
	before := b.engine.Stats()
	audit := b.billed(func() {
		b.now = b.now.Add(11 * time.Minute)
		b.settle()
	})
	after := b.engine.Stats()
	if audit != (bill{}) || after.Audits != before.Audits+1 || after.Decisions-before.Decisions > uint64(n) {
		t.Errorf("an audit cost %+v, want none; %d audits with %d decisions for %d dependents",
			audit, after.Audits-before.Audits, after.Decisions-before.Decisions, n)
	}
	small(t, "audit", b.most)

	b.most = load{}
	b.remove(rootKey, graph.Background)
	b.observe(b.events[0])
	if b.most.keys > 1 || b.most.decisions > 0 {
		t.Errorf("the end of the owner left %d keys in the queue, want 1 at most", b.most.keys)
	}

	b.events = nil
	clear(b.objects)
	b.most = load{}
	sweep := b.billed(func() {
		b.list(nil)
		b.settle()
	})
	small(t, "sweep", b.most)
	if sweep != (bill{}) || b.engine.Stats().Objects != 0 {
		t.Errorf("a sweep cost %+v, want none; %d objects are left in the graph", sweep, b.engine.Stats().Objects)
	}
}

// TestManyMarksShareAFence: objects that are deleted in the foreground at once
// end behind one fence.
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
		b.settle()
	})
	if want := (bill{writes: n, fences: 1}); got != want {
		t.Errorf("cost %+v, want %+v", got, want)
	}
}
