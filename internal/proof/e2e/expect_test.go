package e2e

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// until asks again and again, for as long as the test has patience, until there is no
// complaint.
func (w *world) until(what string, ask func() error) {
	w.t.Helper()
	tick, end := time.NewTicker(20*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for {
		err := ask()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			w.t.Fatalf("%s: not within %s: %v\n%s", what, patience, err, w.server.Logs())
		}
	}
}

// absent returns an error if an object is not gone.
func (w *world) absent(o object) error {
	u, err := w.of(o).Get(w.ctx, o.name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case u.GetUID() != o.uid:
		return nil
	}
	return fmt.Errorf("%s is there, deleted %v, finalizers %v, owners %v", o, u.GetDeletionTimestamp(), u.GetFinalizers(), names(u.GetOwnerReferences()))
}

// goes waits until all objects are gone.
func (w *world) goes(list ...object) {
	w.t.Helper()
	for _, o := range list {
		w.until("wait for the end", func() error { return w.absent(o) })
	}
}

// gone demands that all objects are gone now.
func (w *world) gone(list ...object) {
	w.t.Helper()
	for _, o := range list {
		if err := w.absent(o); err != nil {
			w.t.Error("should be gone:", err)
		}
	}
}

// stays demands that all objects are there now, and not being deleted.
func (w *world) stays(list ...object) {
	w.t.Helper()
	for _, o := range list {
		if u := w.read(o); u.GetDeletionTimestamp() != nil {
			w.t.Errorf("%s should stay, and is being deleted", o)
		}
	}
}

// ownedBy demands that all objects are there, and have exactly these owners.
func (w *world) ownedBy(owners []object, list ...object) {
	w.t.Helper()
	want := names(refsTo(nil, owners))
	for _, o := range list {
		if have := names(w.read(o).GetOwnerReferences()); !slices.Equal(have, want) {
			w.t.Errorf("%s has owners %v, want %v", o, have, want)
		}
	}
}

func names(refs []metav1.OwnerReference) []string {
	var out []string
	for _, r := range refs {
		out = append(out, r.Kind+" "+r.Name+" "+string(r.UID))
	}
	return out
}

// marked demands that an object is being deleted, with these finalizers.
func (w *world) marked(o object, finalizers ...string) {
	w.t.Helper()
	u := w.read(o)
	if have := u.GetFinalizers(); u.GetDeletionTimestamp() == nil || !slices.Equal(slices.Sorted(slices.Values(have)), finalizers) {
		w.t.Errorf("%s: deleted %v, finalizers %v, want %v", o, u.GetDeletionTimestamp(), have, finalizers)
	}
}

// parallel calls do n times, with some calls at once.
func (w *world) parallel(n int, do func(i int)) {
	var work sync.WaitGroup
	places := make(chan struct{}, 16)
	for i := range n {
		places <- struct{}{}
		work.Go(func() {
			defer func() { <-places }()
			do(i)
		})
	}
	work.Wait()
}

var errNotYet = errors.New("not yet")

// happens waits for an event that a test has to see.
func (w *world) happens(what string, c <-chan struct{}) {
	w.t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		w.t.Fatalf("not within %s: %s", patience, what)
	}
}
