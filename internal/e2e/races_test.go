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

// Names are used again, faster than the collector is: dependents of the former
// go, those of the present stay, and those that come too late go as well.
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
	// The names of dependents are used again too, by such as nobody owns.
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

// While an owner leaves its dependents, they are adopted, and new ones come. All
// that were there before the mark stay, with the new owner if they have one.
// What came later is left behind too or goes as what has an absent owner does,
// but never if it was adopted.
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

// Dependents are created and their owners deleted, and the watch of the
// dependents' kind says nothing of it. No owner that waits or orphans ends
// before they are known, which the fence sees to.
func TestLateWatch(t *testing.T) {
	w := begin(t)
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	var hold atomic.Bool
	c := w.collect(settings{late: func(r *http.Request) <-chan struct{} {
		if hold.Load() && r.URL.Query().Get("watch") != "" && strings.HasSuffix(r.URL.Path, "/secrets") {
			return gate
		}
		return nil
	}})
	c.quiet()
	hold.Store(true)
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
	f.settled()
}

// adopt adds an owner to those that an object has now.
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
