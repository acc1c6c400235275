package e2e

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An owner that is deleted in the foreground ends after what blocks it, however
// deep, and not before.
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

// A dependent that has another owner does not hold the one that waits for it:
// it loses that reference and stays. Upstream:
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

// A dependent whose reference does not block is not waited for, said or not
// said. Upstream: TestNonBlockingOwnerRefDoesNotBlock.
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

// A dependent that blocks, and that somebody else's finalizer keeps, keeps its
// owner. Upstream: TestBlockingOwnerRefDoesBlock.
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

// An owner that another finalizer keeps is deleted in the foreground once more
// after the first time was done: it is done again. Upstream:
// TestDoubleDeletionWithFinalizer.
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

// Owners in a ring wait for each other, and are let go. No integration test of
// upstream has it, but its end-to-end test of a dependency circle.
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
