package e2e

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
)

// TestRestoredMidCascade: in the middle of a cascade the server goes down, with deletes
// in flight. It comes back restored from an older backup. The owner is alive again, and
// the dependents have the versions on which those deletes are conditioned. None of them
// goes.
func TestRestoredMidCascade(t *testing.T) {
	const dependents, workers, written = 300, 20, 150
	s, err := server.Start(t.Context(), server.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	w := enter(t, s) // the database has no memory of the undone history, and no judge can use it
	owner := w.create(configMap, "owner")
	children := w.several(dependents, secret, "child", owned(owner))
	restore, err := s.Backup(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	c := w.collect(settings{engine: ownergraph.Config{Workers: workers}})
	t.Cleanup(c.stop)
	c.quiet()
	restored := make(chan struct{})
	c.book.at(written, func() {
		defer close(restored)
		if err := restore(w.ctx); err != nil {
			t.Error(err)
		}
	})
	w.delete(owner, background)
	w.happens("the server is restored", restored)
	c.quiet()
	w.stays(owner)
	w.stays(children...)
	if n := c.Stats().Writes.Unknown; n == 0 {
		t.Error("no write was on the way when the server went down")
	}
	// The restored world goes on.
	w.delete(owner, background)
	w.goes(children...)
	c.quiet()
}
