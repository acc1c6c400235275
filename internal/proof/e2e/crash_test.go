package e2e

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
)

// mortal kills an engine when some of its writes have succeeded. From that moment on no request
// leaves it. Further writes wait for that moment, so that a late kill finds work left.
type mortal struct {
	writes int
	sent   atomic.Int64
	dead   chan struct{}
}

func newMortal(writes int) *mortal { return &mortal{writes: writes, dead: make(chan struct{})} }

func (m *mortal) die() { close(m.dead) }

// meet lets a request through, unless the engine is dead.
func (m *mortal) meet(r *http.Request) error {
	if r.Method != http.MethodGet && m.sent.Add(1) > int64(m.writes+30) {
		select {
		case <-m.dead:
		case <-r.Context().Done():
			return r.Context().Err()
		}
	}
	select {
	case <-m.dead:
		return errors.New("the process is dead")
	default:
		return nil
	}
}

// TestEngineKilled: an engine is killed in the middle of its work, three times. The next engine knows
// nothing of it.
func TestEngineKilled(t *testing.T) {
	w := begin(t)
	f := w.families(6, 60)
	deleted := false
	for _, writes := range []int{40, 80, 120} {
		m := newMortal(writes)
		c := w.collect(settings{meet: m.meet})
		c.book.at(writes, m.die)
		if !deleted {
			c.quiet()
			f.delete()
			deleted = true
		}
		w.happens("the engine is killed", m.dead)
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
