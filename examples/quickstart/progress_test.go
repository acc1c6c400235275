package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestCountsLine(t *testing.T) {
	tests := []struct {
		counts  counts
		elapsed time.Duration
		want    string
		reason  string
	}{
		{counts{gone: 3, expected: 12, requests: 4}, 1234 * time.Microsecond, "x: 3 of 12 gone, 4 requests, 1ms", "the usual case"},
		{counts{gone: 3, held: 2}, 2345678 * time.Microsecond, "x: 3 gone, 2 held, 0 requests, 2.3s", "what is held shows only where it is, an unknown total never"},
		{counts{}, 850 * time.Nanosecond, "x: 0 gone, 0 requests, 1µs", "a memory store is fast"},
		{counts{}, 75 * time.Minute, "x: 0 gone, 0 requests, 1h15m0s", "a real one need not be"},
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
			clear + "x: 2 gone, 0 requests, 100ms" + clear + "x: 3 gone, 0 requests, 1s" + clear + "x: 3 gone, 0 requests, 2s" + clear + "x: 4 gone, 0 requests, 2s\n"},
		{"file", "a line each second at most, and none twice", false, "x",
			"x: 3 gone, 0 requests, 1s\nx: 4 gone, 0 requests, 2s\n"},
		{"long label", "a redrawn line does not wrap, the last one may", true, strings.Repeat("y", 90),
			clear + "..." + strings.Repeat("y", 49) + ": 2 gone, 0 requests, 100ms" +
				clear + "..." + strings.Repeat("y", 52) + ": 3 gone, 0 requests, 1s" + clear + "..." + strings.Repeat("y", 52) + ": 3 gone, 0 requests, 2s" +
				clear + strings.Repeat("y", 90) + ": 4 gone, 0 requests, 2s\n"},
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
