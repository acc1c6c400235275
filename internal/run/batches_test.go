package run_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/run"
)

// slowStore is a store whose batches take a time for each call and for each write. It breaks a
// batch off that takes longer than a limit, if there is one.
type slowStore struct{ call, write, limit time.Duration }

// next makes one full batch, and returns its time.
func (s slowStore) next(b *run.Batches) time.Duration {
	n := b.Limit()
	took := s.call + time.Duration(n)*s.write
	if s.limit > 0 && took > s.limit {
		b.End(n, s.limit, fmt.Errorf("statement timeout: %w", context.DeadlineExceeded))
		return s.limit
	}
	b.End(n, took, nil)
	return took
}

// TestBatchesGrow: the batches of a fast store soon have the largest size, also if each round
// trip is long. A round trip says nothing about the size.
func TestBatchesGrow(t *testing.T) {
	for _, c := range []struct {
		store  slowStore
		reason string
	}{
		{slowStore{time.Millisecond, 50 * time.Microsecond, 0}, "a store nearby"},
		{slowStore{0, 0, 0}, "a store whose calls are not timed"},
		{slowStore{3 * time.Second, 100 * time.Microsecond, 0}, "a store behind a long way"},
	} {
		b := run.NewBatches(500, 30*time.Second)
		if n := b.Limit(); n > 4 {
			t.Errorf("the first batch has %d writes: each may take a second", n)
		}
		for range 8 {
			c.store.next(b)
		}
		if x := b.State(); x.Limit != 500 || x.Before > 0 || x.Late != 0 {
			t.Errorf("%s: %+v after 8 batches, want batches of 500", c.reason, x)
		}
	}
}

// TestBatchesShrink: each write takes long. No batch takes much longer than a second beyond the
// first ones, the sizes stay, and the state says that they are small.
func TestBatchesShrink(t *testing.T) {
	for _, c := range []struct {
		write       time.Duration
		least, most int
		reason      string
	}{
		{200 * time.Millisecond, 2, 8, "a foreign key without an index"},
		{20 * time.Millisecond, 25, 55, "a slow trigger"},
		{10 * time.Second, 1, 2, "a write that takes longer than a batch may"},
	} {
		b := run.NewBatches(500, 30*time.Second)
		s := slowStore{time.Millisecond, c.write, 0}
		for i := range 200 {
			if took := s.next(b); i > 10 && took > 4*c.write+1200*time.Millisecond {
				t.Errorf("%s: batch %d takes %v", c.reason, i, took)
			}
		}
		if x := b.State(); x.Limit < c.least || x.Limit > c.most {
			t.Errorf("%s: %+v, want %d to %d writes", c.reason, x, c.least, c.most)
		}
	}
}

// TestBatchesShrinkLater: a store becomes slow while its batches are large, as after a user has
// added a foreign key. Then it is fast again, and the batches are large again.
func TestBatchesShrinkLater(t *testing.T) {
	b := run.NewBatches(500, 30*time.Second)
	fast, slow := slowStore{time.Millisecond, 10 * time.Microsecond, 0}, slowStore{time.Millisecond, 100 * time.Millisecond, 0}
	for range 10 {
		fast.next(b)
	}
	for range 3 {
		slow.next(b)
	}
	if x := b.State(); x.Before != 500 || x.Limit > 20 {
		t.Errorf("%+v, want small batches, and that they were larger", x)
	}
	for range 50 {
		fast.next(b)
	}
	if x := b.State(); x.Before > 0 || x.Limit != 500 {
		t.Errorf("%+v, want large batches again", x)
	}
}

// TestBatchesLate: a store breaks off each batch that takes longer than 100 ms. The batches get
// smaller at once, and larger ones are tried less and less.
func TestBatchesLate(t *testing.T) {
	b := run.NewBatches(500, 30*time.Second)
	s := slowStore{time.Millisecond, 2 * time.Millisecond, 100 * time.Millisecond}
	for range 100 {
		s.next(b)
	}
	first := b.State().Late
	for range 1000 {
		s.next(b)
	}
	if x := b.State(); first == 0 || first > 10 || x.Late-first > 10 || x.Limit > 49 && x.Limit != 64 {
		t.Errorf("%d late batches of 100, and %+v after 1000 more; want at most 10 each, and batches of at most 49", first, x)
	}
	for range 20 { // a single write is no batch
		b.End(1, time.Second, context.DeadlineExceeded)
	}
	if x := b.State(); x.Late-first > 10 || x.Limit < 16 {
		t.Errorf("%+v after late single writes, which say nothing about batches", x)
	}
}

// TestBatchesOfShortTimeout: a batch has to end long before the timeout of its call.
func TestBatchesOfShortTimeout(t *testing.T) {
	b := run.NewBatches(500, time.Second)
	s := slowStore{time.Millisecond, 20 * time.Millisecond, 0}
	for i := range 100 {
		if took := s.next(b); i > 10 && took > 400*time.Millisecond {
			t.Errorf("batch %d takes %v, and its call ends after 1 s", i, took)
		}
	}
}

// TestBatchesRefused: the work of a refused batch is lost, so the next one is smaller. It stays
// large enough for a store that refuses all.
func TestBatchesRefused(t *testing.T) {
	b := run.NewBatches(500, 30*time.Second)
	for range 10 {
		slowStore{time.Millisecond, 0, 0}.next(b)
	}
	b.Refused(500)
	if x := b.State(); x.Limit != 250 || x.Before > 0 {
		t.Errorf("%+v after a refused batch of 500, want 250; a refusal is no fault of the time", x)
	}
	for range 10 {
		b.Refused(b.Limit())
	}
	if n := b.Limit(); n != 16 {
		t.Errorf("%d writes after many refused batches, want 16", n)
	}
}

// TestNoBatches: a store without batches has one write in a call.
func TestNoBatches(t *testing.T) {
	b := run.NewBatches(1, 0)
	b.End(1, time.Hour, context.DeadlineExceeded)
	b.End(1, 1, nil)
	if n := b.Limit(); n != 1 || b.Max() != 1 {
		t.Errorf("%d of %d writes", n, b.Max())
	}
}

// TestBatchesLine: late batches have one line a minute, with the number of the others.
func TestBatchesLine(t *testing.T) {
	b := run.NewBatches(500, time.Second)
	at := time.Unix(1, 0)
	for i := range 120 {
		others, ok := b.Line(at.Add(time.Duration(i) * time.Second))
		if ok != (i%60 == 0) || ok && i > 0 && others != 59 {
			t.Errorf("second %d: a line %t with %d others", i, ok, others)
		}
	}
}

// TestIsSplit: the writes go again in smaller parts if none of them is done, and one of them may
// be the cause.
func TestIsSplit(t *testing.T) {
	late := fmt.Errorf("statement timeout: %w", context.DeadlineExceeded)
	for _, c := range []struct {
		err    error
		want   bool
		reason string
	}{
		{nil, false, "all is done"},
		{foreign{late, time.Second}, true, "nothing is done within the limit"},
		{late, false, "the outcome is unknown"},
		{foreign{errors.New("deadlock"), time.Second}, false, "a smaller batch is no better"},
		{errors.New("connection lost"), false, "the outcome is unknown"},
	} {
		if got := run.IsSplit(c.err); got != c.want {
			t.Errorf("%v: %t, want %t: %s", c.err, got, c.want, c.reason)
		}
		if got := run.Plain(c.err); run.IsLate(got) != run.IsLate(c.err) || run.IsSplit(got) != c.want {
			t.Errorf("%v: a plain error is another one", c.err)
		}
	}
}
