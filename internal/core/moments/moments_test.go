package moments

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// TestLog: an answer is never later than the truth, and early by at most the resolution or
// its share of the age. A clone answers alike.
func TestLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			l      Log
			stamps seq.Counter
			now    = time.Unix(1e9, 0)
			given  []time.Time // by stamp, from 1
		)
		pause := rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, time.Hour, 24 * time.Hour})
		for range rapid.IntRange(1, 12).Draw(t, "periods") {
			longest := int64(pause.Draw(t, "pause"))
			step := time.Duration(rapid.Int64Range(1, longest).Draw(t, "step"))
			for range rapid.IntRange(1, 400).Draw(t, "steps") {
				now = now.Add(step)
				l.Note(now, stamps.Last())
				stamps.Stamp()
				given = append(given, now)
			}
		}
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		c := l.Clone()
		for i, truth := range given {
			at := l.At(seq.Stamp(i + 1))
			early := truth.Sub(at)
			if bound := max(Resolution, now.Sub(truth)/Share); early < 0 || early > bound {
				t.Fatalf("stamp %d: %v, given at %v: early by %v, more than %v", i+1, at, truth, early, bound)
			}
			if !c.At(seq.Stamp(i + 1)).Equal(at) {
				t.Fatalf("stamp %d: the clone answers otherwise", i+1)
			}
		}
	})
}

// TestNever: without a moment there is no time.
func TestNever(t *testing.T) {
	var l Log
	if !l.At(1).IsZero() {
		t.Error("an empty log has a time")
	}
	l.Note(time.Unix(1, 0), 7)
	for _, c := range []struct {
		stamp  seq.Stamp
		none   bool
		reason string
	}{
		{0, true, "0 is never"},
		{7, true, "it was given before the first entry"},
		{8, false, "it is given from the first entry on"},
	} {
		if got := l.At(c.stamp).IsZero(); got != c.none {
			t.Errorf("stamp %d: no time %v, want %v: %s", c.stamp, got, c.none, c.reason)
		}
	}
}

// TestNoteAllocates: a step within the resolution, and a thinned log, allocate nothing.
func TestNoteAllocates(t *testing.T) {
	var (
		l      Log
		stamps seq.Counter
		now    = time.Unix(1, 0)
	)
	note := func(step time.Duration) {
		now = now.Add(step)
		l.Note(now, stamps.Last())
		stamps.Stamp()
	}
	note(time.Second)
	if n := testing.AllocsPerRun(1000, func() { note(time.Microsecond) }); n > 0 {
		t.Errorf("%v allocations within the resolution", n)
	}
	for range 2 * maxEntries {
		note(time.Second)
	}
	if n := testing.AllocsPerRun(1000, func() { note(time.Second) }); n > 0 {
		t.Errorf("%v allocations in a full log", n)
	}
}
