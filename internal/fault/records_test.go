package fault_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
)

// value returns the record as it is in the memory store, "none" without one.
func (r *rig) value(name string) string {
	r.t.Helper()
	got, err := r.memory.ReadRecord(r.t.Context(), name)
	if errors.Is(err, graph.ErrNotFound) {
		return "none"
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return string(got.Value)
}

// TestRecordFaults checks the answer of a write, and the record at once and in the end.
func TestRecordFaults(t *testing.T) {
	for _, c := range []struct {
		plan       string
		want       error
		now, later string
		reason     string
	}{
		{"none", nil, "b", "b", "the write is the inner store's"},
		{"conflict@1", graph.ErrConflict, "a", "a", "nothing was done"},
		{"refuse@1", graph.ErrRefused, "a", "a", "nothing was done"},
		{"transient@1", fault.ErrBusy, "a", "a", "nothing was done"},
		{"lost-reply@1", fault.ErrNoAnswer, "b", "b", "it was done, and the caller has no answer"},
		{"lost-call@1", fault.ErrNoAnswer, "a", "a", "nothing was done, and the caller has no answer"},
		{"late@1", fault.ErrNoAnswer, "a", "b", "it is done later"},
		{"hang@1", context.DeadlineExceeded, "a", "a", "it hangs until the context ends it"},
		{"crash-before@1", fault.ErrNoAnswer, "a", "a", "instead of the write"},
		{"crash-amid@1", fault.ErrNoAnswer, "a", "b", "the write is under way"},
		{"crash-after@1", fault.ErrNoAnswer, "b", "b", "it is done"},
		{"rewind@1", nil, "b", "b", "the rewind comes before the write"},
		{"sick@1 vanish@1 stale@1 absent@1", nil, "b", "b", "a record has no kind, and a read of it has no lies"},
	} {
		t.Run(c.plan, func(t *testing.T) {
			in(t, func(t *testing.T) {
				r := onto(t, c.plan, "x/x1", fault.Config{Lag: 2 * time.Hour, Crash: func() {}, Rewind: func(context.Context) error { return nil }})
				version, err := r.memory.WriteRecord(t.Context(), "pause", []byte("a"), "")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				power, ok := ownergraph.As[ownergraph.Records](r.Store)
				if !ok {
					t.Fatal("no records")
				}
				value := []byte("b")
				next, err := power.WriteRecord(ctx, "pause", value, version)
				clear(value) // the store keeps no reference to it
				if !errors.Is(err, c.want) || (err != nil) != (c.want != nil) || (next == "") != (err != nil) {
					t.Errorf("%q, %v, want %v: %s", next, err, c.want, c.reason)
				}
				if now := r.value("pause"); now != c.now {
					t.Errorf("at once %q, want %q: %s", now, c.now, c.reason)
				}
				r.Calm()
				if later := r.value("pause"); later != c.later {
					t.Errorf("in the end %q, want %q: %s", later, c.later, c.reason)
				}
			})
		})
	}
}

// TestRecordReadFaults: a read that fails is no proof of absence, and a read whose reply is
// lost is no fault of its own.
func TestRecordReadFaults(t *testing.T) {
	for _, c := range []struct {
		plan   string
		want   error
		reason string
	}{
		{"none", nil, "the read is the inner store's"},
		{"transient@1", fault.ErrBusy, "busy"},
		{"lost-call@1", fault.ErrNoAnswer, "no answer"},
		{"hang@1", context.DeadlineExceeded, "it hangs until the context ends it"},
		{"crash-after@1", fault.ErrNoAnswer, "the answer does not arrive"},
		{"conflict@1 refuse@1 late@1 lost-reply@1 stale@1 absent@1", nil, "these are faults of other calls"},
	} {
		t.Run(c.plan, func(t *testing.T) {
			in(t, func(t *testing.T) {
				r := onto(t, c.plan, "x/x1", fault.Config{Crash: func() {}})
				if _, err := r.memory.WriteRecord(t.Context(), "pause", []byte("a"), ""); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				power, _ := ownergraph.As[ownergraph.Records](r.Store)
				got, err := power.ReadRecord(ctx, "pause")
				switch {
				case !errors.Is(err, c.want) || (err != nil) != (c.want != nil):
					t.Errorf("%v, want %v: %s", err, c.want, c.reason)
				case err == nil && string(got.Value) != "a" || err != nil && got.Value != nil:
					t.Errorf("read %+v beside %v: %s", got, err, c.reason)
				}
			})
		})
	}
}

// TestRecordPower: a store without records has none behind faults, and the other powers of a
// store stay.
func TestRecordPower(t *testing.T) {
	r := onto(t, "none", "x/x1", fault.Config{})
	if _, ok := ownergraph.As[ownergraph.LabelSelector](r.Store); !ok {
		t.Error("the labels of the inner store are lost behind its records")
	}
	bare, err := fault.New(struct{ ownergraph.Store }{r.memory}, fault.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := ownergraph.As[ownergraph.Records](bare); ok {
		t.Error("a store without records has some behind faults")
	}
}
