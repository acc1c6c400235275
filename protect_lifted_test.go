package ownergraph_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestProtectionLifted: a rule keeps an object of an absent owner as long as a collector has the rule. The
// first collector without it deletes the object, and one with a living owner stays.
func TestProtectionLifted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "o; p; backup/a -> o; backup/b -> o, p; x -> o")
		cfg := ownergraph.Config{Protect: []guard.Protection{{Name: "backups", Kinds: []graph.Kind{"backup"}}}}
		r := collect(t, s, cfg)
		r.idle()
		s.delete(t, "o", ownergraph.Background)
		pass(time.Hour)
		s.contains(t, "backup/a -> o; backup/b -> p; p")
		_ = r.stop()

		again := collect(t, s, cfg)
		pass(time.Hour)
		s.contains(t, "backup/a -> o; backup/b -> p; p")
		_ = again.stop()

		collect(t, s, ownergraph.Config{}).idle()
		s.contains(t, "backup/b -> p; p")
	})
}
