package e2e

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	background = metav1.DeletePropagationBackground
	foreground = metav1.DeletePropagationForeground
	orphan     = metav1.DeletePropagationOrphan
)

// TestCascade: a dependent of one owner goes with it. A dependent with another owner,
// or without owners, stays. Upstream: TestCascadingDeletion.
func TestCascade(t *testing.T) {
	w := begin(t)
	owner, other := w.create(controller, "owner"), w.create(controller, "other")
	sole := w.create(pod, "sole", owned(owner))
	both := w.create(pod, "both", owned(owner, other))
	none := w.create(pod, "none")
	c := w.collect(settings{})
	c.quiet()
	w.stays(owner, other, sole, both, none)
	w.delete(owner, background)
	c.quiet()
	w.gone(owner, sole)
	w.stays(other, both, none)
	w.ownedBy([]object{other}, both)
}

// TestAbsentOwner: an object that refers to an owner that never existed goes. It may be
// older or newer than the collector. Upstream: TestCreateWithNonExistentOwner.
func TestAbsentOwner(t *testing.T) {
	w := begin(t)
	never := object{controller, w.ns, "never", types.UID("0d5a7a86-0000-0000-0000-000000000000")}
	before := w.create(pod, "before", owned(never))
	c := w.collect(settings{})
	c.quiet()
	w.gone(before)
	after := w.create(pod, "after", owned(never))
	c.quiet()
	w.gone(after)
}

// TestManyAtOnce: owners are deleted all at once, in five ways. They are: no
// propagation, where the kind leaves its dependents behind; the same with the orphan
// finalizer set before; with that finalizer, but in the background; and orphaning in
// the old and in the new spelling. Upstream: TestStressingCascadingDeletion.
func TestManyAtOnce(t *testing.T) {
	const owners, dependents = 10, 3
	//lint:ignore SA1019 servers still take the old spelling, and so must the collector
	orphans := func(yes bool) metav1.DeleteOptions { return metav1.DeleteOptions{OrphanDependents: &yes} }
	ways := []struct {
		name   string
		with   []option
		delete metav1.DeleteOptions
		remain bool
		reason string
	}{
		{"default", nil, metav1.DeleteOptions{}, true, "replication controllers orphan by default"},
		{"marked", []option{finalizers("orphan")}, metav1.DeleteOptions{}, true, "the finalizer says so"},
		{"overruled", []option{finalizers("orphan")}, orphans(false), false, "the deletion's word counts more"},
		{"old", nil, orphans(true), true, "the deletion says so"},
		{"new", nil, metav1.DeleteOptions{PropagationPolicy: new(orphan)}, true, "the deletion says so"},
	}
	w := begin(t)
	c := w.collect(settings{})
	c.quiet()
	all := make([][]object, len(ways)*owners)
	w.parallel(len(all), func(i int) {
		way := ways[i%len(ways)]
		o := w.create(controller, fmt.Sprint(way.name, "-", i), way.with...)
		all[i] = append(all[i], o)
		for j := range dependents {
			all[i] = append(all[i], w.create(pod, fmt.Sprint(o.name, "-", j), owned(o)))
		}
		if err := w.of(o).Delete(w.ctx, o.name, way.delete); err != nil {
			t.Errorf("delete %s: %v", o, err)
		}
	})
	c.quiet()
	for i, family := range all {
		w.gone(family[0])
		if way := ways[i%len(ways)]; way.remain {
			w.stays(family[1:]...)
			w.ownedBy(nil, family[1:]...)
		} else {
			w.gone(family[1:]...)
		}
	}
	if s := c.Stats(); s.Writes.BestEffort != 0 || s.Nodes != s.Objects {
		t.Errorf("%d writes were not exact; %d phantoms are left", s.Writes.BestEffort, s.Nodes-s.Objects)
	}
}

// TestOrphan: dependents stay when their owner orphans them. Upstream: TestOrphaning.
func TestOrphan(t *testing.T) {
	w := begin(t)
	owner, other := w.create(controller, "owner"), w.create(configMap, "other")
	sole := w.several(5, pod, "sole", owned(owner))
	both := w.several(2, secret, "both", owned(other, owner))
	c := w.collect(settings{})
	// The test does not wait until the collector has seen them. The collector has to.
	w.delete(owner, orphan)
	c.quiet()
	w.gone(owner)
	w.stays(slices.Concat(sole, both, []object{other})...)
	w.ownedBy(nil, sole...)
	w.ownedBy([]object{other}, both...)
}
