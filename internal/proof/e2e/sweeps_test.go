package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/examples/tenants/tenancy"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// whole sweeps tenants, and ends namespaces.
func (e *estate) whole() settings {
	return settings{engine: ownergraph.Config{Sweeps: []guard.Sweep{tenancy.Tenants(e.tenant.name(), false), scopeSweep()}}}
}

// TestNamespaceWithoutSweep: this engine has no sweep of namespaces. A deleted
// namespace is held with its objects, and reported.
func TestNamespaceWithoutSweep(t *testing.T) {
	e := newEstate(t)
	c := e.sweep(settings{engine: ownergraph.Config{Sweeps: []guard.Sweep{tenancy.Tenants(e.tenant.name(), false)}}})
	e.remember()
	e.delete(e.holders[gone], background)
	space := e.spaces[gone]
	e.until("wait for the tenant to be held by its namespace", func() error {
		for _, h := range c.Held(1000) {
			if h.Key.Name == space.name && h.Reason == policy.NeedFinalizers && slices.Contains(h.Detail, clientgo.NamespaceFinalizer) {
				return nil
			}
		}
		return errNotYet
	})
	if _, err := c.WaitIdle(e.ctx); err != nil {
		t.Fatal(err)
	}
	e.read(e.holders[gone])
	u := e.read(space)
	if f, _, _ := unstructured.NestedStringSlice(u.Object, "spec", "finalizers"); u.GetDeletionTimestamp() == nil || !slices.Equal(f, []string{"kubernetes"}) {
		t.Errorf("marked %v, finalizers %q", u.GetDeletionTimestamp(), f)
	}
	for _, o := range e.made {
		if o.ns == space.name {
			e.stays(o)
		}
	}
	if e.asked[http.MethodPut] > 0 {
		t.Errorf("requests %v", e.asked)
	}
}

// TestScopeSweepBesideUpstream: upstream's controller and ours both end namespaces.
// Shared work is done once, and neither controller works without end.
func TestScopeSweepBesideUpstream(t *testing.T) {
	e := newEstate(t)
	e.namespaceController()
	for i := range 4 {
		space := e.create(namespace, e.its(gone, fmt.Sprint("more-", i)))
		e.several(5, configMap, "full", under(space.name))
		e.create(secret, "held", under(space.name), finalizers(hold)) // so that both work on it for a while
	}
	c := e.sweep(e.whole())
	e.remember()
	e.delete(e.holders[gone], background)
	for _, o := range e.made {
		if o.name != "held" {
			continue
		}
		// Upstream has found it, and says so in the namespace's status.
		e.until("wait for upstream", func() error {
			u := e.read(object{kind: namespace, name: o.ns, uid: e.uidOf(o.ns)})
			list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
			if len(list) == 0 {
				return errNotYet
			}
			return nil
		})
	}
	for _, o := range e.made {
		if o.name == "held" {
			e.free(o)
		}
	}
	members := e.demandGone(gone)
	e.report(members, c)
	if s := c.Stats(); e.asked[http.MethodPut] > 3*5 || s.Writes.Conflicts > 3*uint64(members) {
		t.Errorf("requests %v, %d conflicts: they disturb each other", e.asked, s.Writes.Conflicts)
	}
}

// TestTwoSweepers: two engines sweep the same tenants.
func TestTwoSweepers(t *testing.T) {
	e := newEstate(t)
	e.several(40, volume, e.its(gone, "volume"))
	e.several(20, configMap, "full", under(e.spaces[gone].name))
	a := e.sweep(e.whole())
	b := e.sweep(e.whole())
	e.remember()
	e.delete(e.holders[gone], background)
	e.report(e.demandGone(gone), a, b)
}

// TestSweeperKilled: the engine is killed in the middle of a sweep, twice. The next engine knows
// nothing of it.
func TestSweeperKilled(t *testing.T) {
	e := newEstate(t)
	e.several(90, volume, e.its(gone, "volume"))
	e.several(20, configMap, "full", under(e.spaces[gone].name))
	first := e.sweep(e.whole()) // guards the tenants
	first.stop()
	e.remember()
	for i := range 2 {
		m, s := newMortal(10), e.whole()
		s.meet = m.meet
		c := e.start(s)
		c.book.at(m.writes, m.die)
		if i == 0 {
			e.delete(e.holders[gone], background)
		}
		e.happens("the engine is killed", m.dead)
		c.stop()
		e.read(e.holders[gone])
	}
	left := 0
	for key := range e.state(e.revision()) {
		if isOf(gone).MatchString(key) {
			left++
		}
	}
	if left < 10 {
		t.Errorf("%d objects are left: the test shows little", left)
	}
	last := e.start(e.whole())
	e.report(e.demandGone(gone), last)
}

// TestSweepAgainstCreator: a user goes on creating objects for a tenant during its
// sweep. Each new object is swept too, once. The tenant stays until all of them are
// gone.
func TestSweepAgainstCreator(t *testing.T) {
	const late = 60
	e := newEstate(t)
	held := e.create(volume, e.its(gone, "held"), finalizers(hold))
	c := e.sweep(e.whole())
	e.remember()
	e.delete(e.holders[gone], background)
	for i := range late {
		e.create(volume, e.its(gone, fmt.Sprint("late-", i)))
		e.create(e.quota, e.its(gone, fmt.Sprint("late-", i)))
	}
	e.read(e.holders[gone])
	e.free(held)
	members := e.demandGone(gone) + 2*late
	e.report(members, c)
	if s := c.Stats(); int(s.Calls.Of(engine.CallDelete)) > members+int(s.Writes.Conflicts) {
		t.Errorf("%d deletes of %d members, %d conflicts", s.Calls.Of(engine.CallDelete), members, s.Writes.Conflicts)
	}
}
