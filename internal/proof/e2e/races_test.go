package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestNamesReused: names are used again, faster than the collector works. Dependents of
// the former owners go, and those of the present owners stay. Dependents that come too
// late go as well.
func TestNamesReused(t *testing.T) {
	const rounds, dependents = 12, 6
	w := begin(t)
	c := w.collect(settings{})
	c.quiet()
	var former, present []object
	owner := w.create(configMap, "owner")
	for i := range rounds {
		former = slices.Concat(former, present)
		present = w.several(dependents, secret, fmt.Sprint("child-", i), blocking(owner))
		if i == rounds-1 {
			break
		}
		before := owner
		w.delete(before, background)
		owner = w.create(configMap, "owner")
		former = append(former, w.create(secret, fmt.Sprint("late-", i), blocking(before)))
	}
	// The names of dependents are used again too, by objects without an owner.
	var anew []object
	for _, o := range former[:dependents] {
		w.goes(o)
		anew = append(anew, w.create(secret, o.name))
	}
	c.quiet()
	w.gone(former...)
	w.stays(slices.Concat(present, anew, []object{owner})...)
	w.ownedBy([]object{owner}, present...)
}

// TestAdoptedWhileOrphaned: while an owner orphans its dependents, another owner adopts
// them, and new ones come. All dependents from before the mark stay, with the new owner
// if they have one. A later dependent is orphaned too, or goes as a dependent of an
// absent owner. It never goes if it was adopted.
func TestAdoptedWhileOrphaned(t *testing.T) {
	const n = 60
	w := begin(t)
	c := w.collect(settings{})
	c.quiet()
	owner, adopter := w.create(configMap, "owner"), w.create(configMap, "adopter")
	children := w.several(n, secret, "child", blocking(owner))
	adopted := w.several(n, secret, "adopted", blocking(owner))
	w.delete(owner, orphan)
	late := make([]object, n)
	w.parallel(2*n, func(i int) {
		if i%2 == 0 {
			w.adopt(adopted[i/2], adopter)
			return
		}
		late[i/2] = w.create(secret, fmt.Sprint("late-", i), owned(owner, adopter))
	})
	c.quiet()
	w.gone(owner)
	w.stays(slices.Concat(children, adopted, late)...)
	w.ownedBy(nil, children...)
	w.ownedBy([]object{adopter}, adopted...)
	w.ownedBy([]object{adopter}, late...)
}

// TestLateWatch: dependents are created and their owners deleted, and the watch of the
// dependents' kind does not report it. The fence keeps each owner that waits or orphans
// until the dependents are known.
func TestLateWatch(t *testing.T) {
	w := begin(t)
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	var late atomic.Bool
	c := w.collect(settings{late: func(r *http.Request) <-chan struct{} {
		if late.Load() && r.URL.Query().Get("watch") != "" && strings.HasSuffix(r.URL.Path, "/secrets") {
			return gate
		}
		return nil
	}})
	c.quiet()
	late.Store(true)
	f := w.families(6, 10)
	f.delete()
	for _, m := range f.list {
		if m.policy == background {
			w.goes(m.children...) // they are known now, and not by the watch
		}
	}
	for _, m := range f.list {
		if finalizer := (map[metav1.DeletionPropagation]string{foreground: "foregroundDeletion", orphan: "orphan"})[m.policy]; finalizer != "" {
			w.marked(m.owner, finalizer)
		}
	}
	open()
	c.quiet()
	f.converged()
}

// adopt adds an owner to the present owners of an object.
func (w *world) adopt(o, owner object) {
	w.t.Helper()
	w.until("adopt "+o.String(), func() error {
		u := w.read(o)
		err := w.tryPatch(o, map[string]any{
			"resourceVersion": u.GetResourceVersion(),
			"ownerReferences": append(u.GetOwnerReferences(), refsTo(nil, []object{owner})...),
		})
		if err != nil && !apierrors.IsConflict(err) {
			w.t.Errorf("adopt %s: %v", o, err)
			return nil
		}
		return err
	})
}
