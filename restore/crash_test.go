package restore_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

var errDown = errors.New("the program ended")

// dying is a store whose user ends before or after its n-th write of a restore.
type dying struct {
	*memory.Store
	left  int
	after bool
}

func (d *dying) die(write func() error) error {
	if d.left--; d.left == 0 && !d.after {
		return errDown
	}
	err := write()
	if d.left <= 0 {
		return errDown
	}
	return err
}

// RestoreEntries may be the last write.
func (d *dying) RestoreEntries(ctx context.Context, items []archive.Item) (keys []graph.Key, err error) {
	err = d.die(func() (err error) { keys, err = d.Store.RestoreEntries(ctx, items); return err })
	return keys, err
}

// TestCrash: a restore that ends at any write goes on with another call, and the end is the same (RULES, A4).
func TestCrash(t *testing.T) {
	const store = "r; a -> r; b -> a; c -> r:cascade, d; d -> c; e -> d!"
	for n := 1; n < 12; n++ {
		for _, after := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				s, err := memory.New(memory.Config{Objects: objects(t, store), Strict: n%2 == 0, Archive: &archive.Config{}})
				if err != nil {
					t.Fatal(err)
				}
				r := &rig{s: s, t: t, uids: map[string]graph.UID{}}
				for _, o := range s.Objects() {
					r.uids[o.Name] = o.UID
				}
				want := r.shape()
				r.delete("r", graph.Background)
				for _, d := range []*dying{{s, n, after}, {s, 1 << 30, false}} {
					c, err := ownergraph.New(d, ownergraph.Config{Policies: true})
					if err != nil {
						t.Fatal(err)
					}
					ctx, stop := context.WithCancel(t.Context())
					done := make(chan error)
					go func() { done <- c.Run(ctx) }()
					pass(time.Hour)
					if _, err = restore.Run(ctx, c, r.request("r"), nil); err != nil && !errors.Is(err, errDown) {
						t.Errorf("write %d, after it %t: %v", n, after, err)
					}
					stop()
					<-done
				}
				if got := r.shape(); got != want {
					t.Errorf("write %d, after it %t: the store has %s, want %s", n, after, got, want)
				}
			})
		}
	}
}
