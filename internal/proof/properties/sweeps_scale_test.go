package properties

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// tenantsOf returns a sweep of tenants with n volumes and pods of the tenant "1", and
// n of the tenant "11".
func tenantsOf(n int) (ownergraph.Config, []graph.Object) {
	cfg := ownergraph.Config{Sweeps: []guard.Sweep{{
		Finalizer: "x.io/tenant", Holder: "tenant",
		Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}, {By: guard.ByScope, Delimiter: "-"}},
		Phases:  []guard.Phase{{Kinds: []graph.Kind{"volume"}}, {Kinds: []graph.Kind{"pod"}, After: true}},
	}}}
	objects := []graph.Object{object(key("tenant", "1")), object(key("tenant", "11"))}
	for i := range n / 2 {
		for _, tenant := range []string{"1", "11"} {
			volume := object(key("volume", fmt.Sprint(tenant, "-", i)))
			pod := object(graph.Key{Kind: "pod", Scope: fmt.Sprint(tenant, "-", i%100), Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint("p", tenant, "-", i))})
			objects = append(objects, volume, pod)
		}
	}
	return cfg, objects
}

// TestSweepCost sweeps 100,000 members with -whole, and 5,000 without, beside as many of a
// neighbour. The sweep costs
// one write for each member, one for the holder and two fences. Each step is small,
// and the neighbour's objects stay.
func TestSweepCost(t *testing.T) {
	for _, n := range sizes() {
		cfg, objects := tenantsOf(n)
		b := newBulkWith(t, cfg, 20, objects)
		b.list(objects)
		b.run()
		b.largest = load{}
		holder := b.objects[graph.Key{Kind: "tenant", Name: "1"}]
		cost := b.billed(func() {
			b.remove(holder.Key, graph.Unset)
			b.run()
		})
		if want := (bill{writes: n + 1, fences: 2}); cost != want {
			t.Errorf("%d members cost %+v, want %+v", n, cost, want)
		}
		small(t, fmt.Sprint("a sweep of ", n), b.largest)
		if left := len(b.objects); left != n+1 {
			t.Errorf("%d objects remain, want the neighbour and its %d objects", left, n)
		}
		if s := b.engine.Stats(); s.Sweeps.Members != uint64(n) || s.Sweeps.MembersGone != uint64(n) || s.Sweeps.Running != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// TestSweepAtStart is TestSweepCost for a holder that is marked before the engine
// begins. The members come in any order.
func TestSweepAtStart(t *testing.T) {
	n := sizes()[0]
	cfg, objects := tenantsOf(n)
	objects[0].Deleting, objects[0].Finalizers = true, []string{"x.io/tenant"}
	b := newBulkWith(t, cfg, 20, objects)
	cost := b.billed(func() {
		b.list(objects)
		b.run()
	})
	if cost.writes != n+2 || cost.reads != 0 || cost.fences > 4 { // the neighbour is guarded, too
		t.Errorf("%d members cost %+v", n, cost)
	}
	if err := probe.Check(b.engine); err != nil {
		t.Error(err)
	}
}

// TestSweepsShareFences checks that a thousand tenants that are deleted at once share
// walks and fences.
func TestSweepsShareFences(t *testing.T) {
	const tenants, each = 1000, 10
	cfg, _ := tenantsOf(0)
	var objects []graph.Object
	for i := range tenants {
		objects = append(objects, object(key("tenant", fmt.Sprint(i))))
		for j := range each {
			objects = append(objects, object(key("volume", fmt.Sprint(i, "-", j))))
		}
	}
	objects = append(objects, object(graph.Key{Kind: "pod", Scope: "none", Name: "p", UID: "p"})) // the plan names the kind
	b := newBulkWith(t, cfg, 20, objects)
	b.list(objects)
	b.run()
	before := b.engine.Stats().Decisions
	b.largest = load{}
	cost := b.billed(func() {
		for i := range tenants {
			b.remove(key("tenant", fmt.Sprint(i)), graph.Unset)
		}
		b.run()
	})
	if cost.writes != tenants*(each+1) || cost.reads != 0 || cost.fences > 20 {
		t.Errorf("%d tenants with %d members each cost %+v", tenants, each, cost)
	}
	if n := b.engine.Stats().Decisions - before; n > 4*tenants*(each+1) {
		t.Errorf("%d decisions", n)
	}
	t.Logf("%+v, %d decisions", cost, b.engine.Stats().Decisions-before)
	if len(b.objects) != 1 {
		t.Errorf("%d objects are left", len(b.objects))
	}
}
