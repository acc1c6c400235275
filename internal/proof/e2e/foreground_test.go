package e2e

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestForeground: an owner that is deleted in the foreground ends after the dependents
// that block it, at any depth.
func TestForeground(t *testing.T) {
	w := begin(t)
	top := w.create(configMap, "top")
	middle := w.several(3, secret, "middle", blocking(top))
	var leaves []object
	for _, m := range middle {
		leaves = append(leaves, w.several(3, pod, m.name, blocking(m))...)
	}
	c := w.collect(settings{})
	w.delete(top, foreground)
	c.quiet()
	w.gone(append(append(leaves, middle...), top)...)
}

// TestSolidOwnerDoesNotBlock: a dependent with another owner does not hold the owner
// that waits for it. It loses that reference and stays. Upstream:
// TestSolidOwnerDoesNotBlockWaitingOwner.
func TestSolidOwnerDoesNotBlock(t *testing.T) {
	w := begin(t)
	owner, other := w.create(controller, "owner"), w.create(controller, "other")
	child := w.create(pod, "child", blocking(owner), owned(other))
	c := w.collect(settings{})
	w.delete(owner, foreground)
	c.quiet()
	w.gone(owner)
	w.stays(other, child)
	w.ownedBy([]object{other}, child)
}

// TestNonBlockingDoesNotBlock: an owner does not wait for a dependent whose reference
// does not block, whether the field is false or missing. Upstream:
// TestNonBlockingOwnerRefDoesNotBlock.
func TestNonBlockingDoesNotBlock(t *testing.T) {
	w := begin(t)
	owner := w.create(controller, "owner")
	said := w.create(pod, "said", references(refsTo(new(false), []object{owner})...), finalizers(hold))
	unsaid := w.create(pod, "unsaid", references(refsTo(nil, []object{owner})...), finalizers(hold))
	c := w.collect(settings{})
	w.delete(owner, foreground)
	c.idle()
	w.gone(owner)
	w.marked(said, hold)
	w.marked(unsaid, hold)
}

// TestBlockingBlocks: a dependent that blocks, and that a foreign finalizer keeps,
// keeps its owner. Upstream: TestBlockingOwnerRefDoesBlock.
func TestBlockingBlocks(t *testing.T) {
	w := begin(t)
	owner := w.create(controller, "owner")
	child := w.create(pod, "child", blocking(owner), finalizers(hold))
	c := w.collect(settings{})
	w.delete(owner, foreground)
	if held := c.idle(); len(held) != 2 {
		t.Errorf("held: %v, want the owner and its dependent", held)
	}
	w.marked(owner, metav1.FinalizerDeleteDependents)
	w.marked(child, hold)
	w.free(child)
	c.quiet()
	w.gone(child, owner)
}

// TestDeletedTwice: a foreign finalizer keeps an owner after a foreground deletion was
// done. The owner is deleted in the foreground again, and that deletion is done too.
// Upstream: TestDoubleDeletionWithFinalizer.
func TestDeletedTwice(t *testing.T) {
	w := begin(t)
	owner := w.create(pod, "owner", finalizers(hold))
	c := w.collect(settings{})
	for range 2 {
		w.delete(owner, foreground)
		c.idle()
		w.marked(owner, hold)
	}
	w.free(owner)
	c.quiet()
	w.gone(owner)
}

// TestForegroundRing: owners in a ring wait for each other, and are let go. Upstream
// has no integration test of it, and an end-to-end test of a dependency circle.
func TestForegroundRing(t *testing.T) {
	w := begin(t)
	a := w.create(pod, "a")
	b := w.create(pod, "b", blocking(a))
	d := w.create(pod, "d", blocking(b))
	w.patch(a, map[string]any{"ownerReferences": refsTo(new(true), []object{d})})
	c := w.collect(settings{})
	w.delete(a, foreground)
	c.quiet()
	w.gone(a, b, d)
}
