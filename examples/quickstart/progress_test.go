package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
)

func TestCountsLine(t *testing.T) {
	tests := []struct {
		counts  counts
		elapsed time.Duration
		want    string
		reason  string
	}{
		{counts{gone: 3, writes: 4, fences: 1}, 1234 * time.Microsecond, "x: 3 gone; 0 reads, 4 writes, 1 fence, 1ms", "the usual case"},
		{counts{gone: 3, held: 2, reads: 1}, 2345678 * time.Microsecond, "x: 3 gone, 2 held; 1 read, 0 writes, 0 fences, 2.3s", "held objects are counted if there are any"},
		{counts{gone: 3, max: 12, held: 2}, time.Millisecond, "x: 3 of at most 12 gone, 2 held; 0 reads, 0 writes, 0 fences, 1ms", "a deletion has an end"},
		{counts{}, 850 * time.Nanosecond, "x: 0 gone; 0 reads, 0 writes, 0 fences, 1µs", "a memory store is fast"},
		{counts{}, 75 * time.Minute, "x: 0 gone; 0 reads, 0 writes, 0 fences, 1h15m0s", "a real one need not be"},
	}
	for _, tt := range tests {
		if got := tt.counts.line("x", tt.elapsed); got != tt.want {
			t.Errorf("line = %q, want %q: %s", got, tt.want, tt.reason)
		}
	}
}

func TestProgress(t *testing.T) {
	const clear = "\r\x1b[K"
	tests := []struct {
		name, reason string
		live         bool
		label        string
		want         string
	}{
		{"terminal", "one line, redrawn every 100 ms at most", true, "x",
			clear + "x: 2 gone; 0 reads, 0 writes, 0 fences, 100ms" + clear + "x: 3 gone; 0 reads, 0 writes, 0 fences, 1s" + clear + "x: 3 gone; 0 reads, 0 writes, 0 fences, 2s" + clear + "x: 4 gone; 0 reads, 0 writes, 0 fences, 2s\n"},
		{"file", "a line each second at most, and none twice", false, "x",
			"x: 3 gone; 0 reads, 0 writes, 0 fences, 1s\nx: 4 gone; 0 reads, 0 writes, 0 fences, 2s\n"},
		{"long label", "a redrawn line does not wrap, the last one may", true, strings.Repeat("y", 90),
			clear + "..." + strings.Repeat("y", 32) + ": 2 gone; 0 reads, 0 writes, 0 fences, 100ms" +
				clear + "..." + strings.Repeat("y", 35) + ": 3 gone; 0 reads, 0 writes, 0 fences, 1s" + clear + "..." + strings.Repeat("y", 35) + ": 3 gone; 0 reads, 0 writes, 0 fences, 2s" +
				clear + strings.Repeat("y", 90) + ": 4 gone; 0 reads, 0 writes, 0 fences, 2s\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			start := time.Unix(0, 0)
			at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
			p := newProgress(&out, tt.live, tt.label, start)
			p.update(at(99), counts{gone: 1})
			p.update(at(100), counts{gone: 2})
			p.update(at(199), counts{gone: 2})
			p.update(at(1000), counts{gone: 3})
			p.update(at(2000), counts{gone: 3})
			if err := p.done(at(2001), counts{gone: 4}); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != tt.want {
				t.Errorf("wrote %q\nwant  %q: %s", got, tt.want, tt.reason)
			}
		})
	}
}

func TestSince(t *testing.T) {
	stats := func(gone uint64, held int, reads, deletes, patches, fences uint64) (s ownergraph.Stats) {
		s.Gone, s.ByStatus[ownergraph.StatusWaiting] = gone, held
		s.Calls[ownergraph.CallRead], s.Calls[ownergraph.CallDelete] = reads, deletes
		s.Calls[ownergraph.CallPatch], s.Calls[ownergraph.CallFence] = patches, fences
		return s
	}
	base, now := stats(1, 1, 2, 3, 4, 5), stats(11, 3, 22, 33, 44, 55)
	if got, want := since(base, now), (counts{gone: 10, held: 3, reads: 20, writes: 70, fences: 50}); got != want {
		t.Errorf("since = %+v, want %+v", got, want)
	}
}

// TestWatchProgress: watchProgress prints the progress while it waits. It ends the line
// at the end of the wait, also after an error. It counts held objects only after
// success.
func TestWatchProgress(t *testing.T) {
	broken := errors.New("made by the test")
	for end, last := range map[error]string{nil: "x: 250 gone, 1 held; ", broken: "x: 250 gone; "} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			began := time.Now()
			wait := func(ctx context.Context) ([]ownergraph.Held, error) {
				<-time.After(250 * time.Millisecond)
				return []ownergraph.Held{{}}, end
			}
			now := func() counts { return counts{gone: uint64(time.Since(began) / time.Millisecond), held: 1} }
			holds, err := watchProgress(t.Context(), newProgress(&out, true, "x", began), wait, now)
			if !errors.Is(err, end) || len(holds) != 1 {
				t.Errorf("watchProgress = %v, %v, want the results of wait, and %v", holds, err, end)
			}
			const clear, none = "\r\x1b[K", "0 reads, 0 writes, 0 fences, "
			want := clear + "x: 100 gone; " + none + "100ms" + clear + "x: 200 gone; " + none + "200ms" + clear + last + none + "250ms\n"
			if out.String() != want {
				t.Errorf("wrote %q\nwant  %q", &out, want)
			}
		})
	}
}

// brokenWriter fails with its text.
type brokenWriter string

func (w brokenWriter) Write([]byte) (int, error) { return 0, errors.New(string(w)) }

func TestProgressReportsWriteError(t *testing.T) {
	p := newProgress(brokenWriter("pipe is closed"), false, "x", time.Unix(0, 0))
	if err := p.done(time.Unix(1, 0), counts{}); err == nil || err.Error() != "pipe is closed" {
		t.Errorf("done = %v", err)
	}
}

func TestIsTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	t.Setenv("TERM", "xterm")
	if isTerminal(w) || isTerminal(&bytes.Buffer{}) {
		t.Error("a pipe or a buffer counts as a terminal")
	}
	if !isTerminal(null) {
		t.Error("a character device does not count as a terminal")
	}
	t.Setenv("TERM", "dumb")
	if isTerminal(null) {
		t.Error("a dumb terminal cannot redraw a line")
	}
}
