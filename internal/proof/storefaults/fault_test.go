package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// TestFaultsBite begins each fault of a database and ends it. Meanwhile a write fails or
// changes its outcome, except under the faults that only slow it down. Afterwards a write
// succeeds.
func TestFaultsBite(t *testing.T) {
	harmless := []string{"clock", "lock"}
	for _, store := range stores() {
		t.Run(store, func(t *testing.T) {
			s := start(t, store)
			if err := s.fresh(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			c, err := s.target().of(1, false).open()
			if err != nil {
				t.Fatal(err)
			}
			defer c.close()
			u := &crowd{store: c, history: &judge.History{}, timeout: time.Second}
			rnd := rand.New(rand.NewPCG(1, 1))
			for _, f := range (extent{lasts: 1}).faults(s) {
				written(t, u, rnd, f.name)
				end, err := f.begin(t.Context(), rnd)
				if err != nil {
					t.Fatalf("%s: begin: %v", f.name, err)
				}
				if !slices.Contains(harmless, f.name) {
					until(t, f.name+" makes a write fail", func() bool { return write(t.Context(), u, rnd) != judge.Done })
				}
				if err := end(t.Context()); err != nil {
					t.Fatalf("%s: end: %v", f.name, err)
				}
			}
			written(t, u, rnd, "the end")
			if err := s.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

// write makes an object large enough to need more disk soon.
func write(ctx context.Context, u *crowd, rnd *rand.Rand) judge.Outcome {
	o := graph.Object{Key: u.newKey(rnd)}
	for i := range 20 {
		o.Finalizers = append(o.Finalizers, fmt.Sprintf("faults.example/%050d", i))
	}
	return u.call(ctx, judge.Call{Verb: judge.Create, Key: o.Key, Object: o}, func(ctx context.Context) (graph.UID, error) {
		made, err := u.store.create(ctx, o, false)
		return made.UID, err
	}).Outcome
}

func written(t *testing.T, u *crowd, rnd *rand.Rand, before string) {
	t.Helper()
	until(t, "a write before "+before, func() bool { return write(t.Context(), u, rnd) == judge.Done })
}

// TestClockJumps reads the time of Postgres under the fake clock.
func TestClockJumps(t *testing.T) {
	s := start(t, "postgres").(*postgresSite)
	if err := s.fresh(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for _, hours := range []int{-4, 4, 0} {
		if err := s.clock.set(hours); err != nil {
			t.Fatal(err)
		}
		var is time.Time
		if err := s.direct.QueryRowContext(t.Context(), `SELECT clock_timestamp()`).Scan(&is); err != nil {
			t.Fatal(err)
		}
		if off := time.Until(is).Round(time.Hour); off != time.Duration(hours)*time.Hour {
			t.Errorf("the server's clock differs by %s, want %d hours", off, hours)
		}
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// TestCommandRefuses names the wrong flag.
func TestCommandRefuses(t *testing.T) {
	for _, tc := range []struct {
		args   []string
		reason string
	}{
		{[]string{"-store", "mysql"}, "no such store"},
		{[]string{"-store", "sqlite", "-only", "kill-server"}, "a file has no server"},
		{[]string{"-x"}, "no such flag"},
		{[]string{"-for", "-1s", "-store", "sqlite"}, "no such duration"},
		{[]string{"-for", "1s"}, "etcd has no long rounds"},
		{[]string{"-store", "sqlite", "-writers", "-1"}, "no such number"},
		{[]string{"-store", "sqlite", "-only", "kill-writer"}, "a short round has no writers of their own"},
	} {
		if err := command(t.Context(), tc.args, io.Discard); err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("%q: error %v: %s", tc.args, err, tc.reason)
		}
	}
}
