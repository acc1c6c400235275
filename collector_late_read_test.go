package ownergraph_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
)

// TestLateReadIsNoWrite: the read after a conflict exceeds a limit of time. The log says that a
// read takes too long, since no write does.
func TestLateReadIsNoWrite(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(ctx context.Context) error
	}{
		{"timeout of the call", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
		{"limit of the store", func(context.Context) error { return undoneLate{} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &lineCounter{lines: map[string]int{}}
				s := newTap(t, "a; x -> a")
				s.call = func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
					switch {
					case verb == "delete" && key.Kind == "x":
						return ownergraph.ErrConflict
					case verb == "get" && key.Kind == "x":
						return c.fail(ctx)
					}
					return do()
				}
				r := collect(t, s, ownergraph.Config{Logger: slog.New(log)})
				r.idle()
				s.delete(t, "a", ownergraph.Background)
				pass(3 * time.Minute)
				if reads, writes := log.count("WARN read takes too long"), log.count("WARN write takes too long"); reads == 0 || writes > 0 {
					t.Errorf("%d lines about reads and %d about writes, want lines about reads alone", reads, writes)
				}
			})
		})
	}
}
