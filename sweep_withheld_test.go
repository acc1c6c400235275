package ownergraph_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestWithheldMembers: the delete of a sweep's member waits for a protection, or for an approval of
// the brake. The member loses its references all the same, so that the deletion of an owner ends.
func TestWithheldMembers(t *testing.T) {
	protect := []guard.Protection{{Names: []string{"1-a"}}}
	for _, c := range []struct {
		start   string
		protect []guard.Protection
		brake   engine.Brake
		by      graph.Propagation
		left    string
		reason  string
	}{
		{"tenant/1; o; volume/1-a -> o", protect, engine.Brake{}, graph.Orphan, "tenant/1~[x.io/tenant]; volume/1-a", "the owner orphans it"},
		{"tenant/1; o; p; volume/1-a -> o!, p", protect, engine.Brake{}, graph.Foreground, "p; tenant/1~[x.io/tenant]; volume/1-a -> p", "another owner keeps it"},
		{"tenant/1; o; volume/1-a -> o; volume/1-b", nil, engine.Brake{PerCascade: 1}, graph.Orphan, "tenant/1~[x.io/tenant]; volume/1-a; volume/1-b", "the brake holds the sweep"},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := sweeping(tenancy())
			cfg.Protect, cfg.Brake = c.protect, c.brake
			s := newTap(t, c.start)
			r := collect(t, s, cfg)
			r.idle()
			s.delete(t, "tenant/1", graph.Background)
			r.idle()
			s.delete(t, "o", c.by)
			pass(time.Hour)
			if got := s.shape(); got != c.left {
				t.Errorf("the store has %s, want %s: %s; held: %s", got, c.left, c.reason, lines(r.Held(9)))
			}
		})
	}
}
