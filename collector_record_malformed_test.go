package ownergraph_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
)

// TestRecordMalformedForCaller: a call for a user that finds the record malformed pauses
// everything at once, and not at the next read of the collector's own.
func TestRecordMalformedForCaller(t *testing.T) {
	kind := engine.Extent{Kind: "c"}
	for _, c := range []struct {
		verb string
		call func(ctx context.Context, r *rig) error
	}{
		{"pause", func(ctx context.Context, r *rig) error { _, err := r.Pause(ctx, kind); return err }},
		{"resume", func(ctx context.Context, r *rig) error { return r.Resume(ctx, kind) }},
		{"approve", func(ctx context.Context, r *rig) error {
			_, err := r.ApproveBraked(ctx, engine.BrakeApproval{AtMost: 9, Until: time.Now().Add(time.Hour)})
			return err
		}},
		{"refuse", func(ctx context.Context, r *rig) error {
			_, err := r.RefuseBraked(ctx, engine.KeepHeld)
			return err
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newRecorded(t, "a; b/1 -> a; b/2 -> a; b/3 -> a; c; d -> c")
			cfg := withRecord
			cfg.Brake = engine.Brake{PerCascade: 2}
			r := collectOn(t, s, s.tap, cfg)
			r.idle()
			s.delete(t, "a", ownergraph.Background)
			r.idle()
			pass(11 * time.Second)
			s.set("typing mistake")
			if err := c.call(t.Context(), r); err == nil || !strings.Contains(err.Error(), "malformed") {
				t.Fatalf("%s: error %v, want that the record is malformed", c.verb, err)
			}
			all := false
			for _, x := range r.Paused() {
				all = all || x.What.All && strings.Contains(x.Unread, "malformed")
			}
			synctest.Wait() // an approval may let deletes go before the record is read
			before := s.count("delete")
			s.delete(t, "c", ownergraph.Background)
			synctest.Wait()
			if !all || s.count("delete") != before {
				t.Errorf("%s: paused %+v, and %d deletes follow", c.verb, r.Paused(), s.count("delete")-before)
			}
		})
	}
}
