package e2e

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
)

// TestEngineKilled: an engine is killed in the middle of its work, three times. From one moment on
// no request leaves it. The next engine knows nothing of it.
func TestEngineKilled(t *testing.T) {
	w := begin(t)
	f := w.families(6, 60)
	deleted := false
	for _, writes := range []int{40, 80, 120} {
		var dead atomic.Bool
		killed := make(chan struct{})
		c := w.collect(settings{meet: func(*http.Request) error {
			if dead.Load() {
				return errors.New("the process is dead")
			}
			return nil
		}})
		c.book.at(writes, func() { dead.Store(true); close(killed) })
		if !deleted {
			c.quiet()
			f.delete()
			deleted = true
		}
		w.happens("the engine is killed", killed)
		c.stop()
	}
	c := w.collect(settings{})
	c.quiet()
	f.converged()
}

// TestServerRestarted: the API server is killed in the middle of a cascade, and started
// again.
func TestServerRestarted(t *testing.T) {
	w := begin(t)
	f := w.families(6, 60)
	c := w.collect(settings{})
	c.quiet()
	restarted := make(chan struct{})
	c.book.at(50, func() {
		defer close(restarted)
		if err := w.server.Restart(w.ctx); err != nil {
			t.Error(err)
		}
	})
	w.parallel(len(f.list), func(i int) { w.deleteThroughOutage(f.list[i].owner, f.list[i].policy) })
	w.happens("the server is restarted", restarted)
	f.converge()
	c.quiet()
	f.converged()
	t.Logf("%d writes of unknown outcome", c.Stats().Writes.Unknown)
}

// TestDefinitionDeletedMeanwhile: a definition goes in the middle of a cascade. Its
// objects block a waiting owner in one case, and are owners in the other.
func TestDefinitionDeletedMeanwhile(t *testing.T) {
	w := begin(t)
	k, d := w.define("Thing")
	top, other := w.create(configMap, "top"), w.create(configMap, "other")
	middle := w.several(40, k, "middle", blocking(top))
	held := w.create(k, "held", blocking(top), finalizers(hold))
	var below, both []object
	for _, m := range middle {
		below = append(below, w.several(3, secret, m.name, blocking(m))...)
		both = append(both, w.create(secret, m.name+"-both", owned(m, other)))
	}
	c := w.collect(settings{})
	c.quiet()
	removed := make(chan struct{})
	c.book.at(30, func() { defer close(removed); w.delete(d, background) })
	w.delete(top, foreground)
	w.happens("the definition is deleted", removed)
	w.until("wait for the held one to be marked", func() error {
		if w.read(held).GetDeletionTimestamp() == nil {
			return errNotYet
		}
		return nil
	})
	w.marked(top, "foregroundDeletion") // it has to wait: one of them is still there
	w.free(held)
	w.goes(d, top)
	w.goes(below...)
	for _, o := range both {
		w.until("wait for the reference to go", func() error {
			if len(w.read(o).GetOwnerReferences()) != 1 {
				return errNotYet
			}
			return nil
		})
	}
	c.quiet()
	w.stays(append(both, other)...)
	w.ownedBy([]object{other}, both...)
}
