package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ownergraph/ownergraph"
)

const (
	redrawEvery = 100 * time.Millisecond // on a terminal
	printEvery  = time.Second            // elsewhere
	lineWidth   = 79                     // a longer line would wrap, and could not be redrawn
)

// counts is the progress of a deletion.
type counts struct {
	gone                  uint64
	max                   int    // the upper bound of gone, or 0 if unknown
	held                  int    // objects that stay for a reason
	reads, writes, fences uint64 // calls of the collector to the store
}

// since returns the difference between two states of a collector.
func since(base, now ownergraph.Stats) counts {
	return counts{
		gone:   now.Gone - base.Gone,
		held:   now.Held() + now.ByStatus[ownergraph.StatusBlocked],
		reads:  now.Calls[ownergraph.CallRead] - base.Calls[ownergraph.CallRead],
		writes: now.Calls[ownergraph.CallDelete] + now.Calls[ownergraph.CallPatch] - base.Calls[ownergraph.CallDelete] - base.Calls[ownergraph.CallPatch],
		fences: now.Calls[ownergraph.CallFence] - base.Calls[ownergraph.CallFence],
	}
}

// line describes c after the elapsed time. label names the deletion.
func (c counts) line(label string, elapsed time.Duration) string {
	s := fmt.Sprintf("%s: %d", label, c.gone)
	if c.max > 0 {
		s += fmt.Sprintf(" of at most %d", c.max)
	}
	s += " gone"
	if c.held > 0 {
		s += fmt.Sprintf(", %d held", c.held)
	}
	return s + fmt.Sprintf("; %s, %s, %s, %s", numbered(c.reads, "read"), numbered(c.writes, "write"),
		numbered(c.fences, "fence"), roundTime(elapsed))
}

func roundTime(d time.Duration) time.Duration {
	switch {
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Microsecond)
}

// progress prints counts. On a terminal it redraws one line. Otherwise it prints a line
// from time to time. It is not safe for concurrent use.
type progress struct {
	out   io.Writer
	live  bool
	label string
	start time.Time
	last  time.Time // of the latest output
	shown counts
	err   error // the first error of out
}

func newProgress(out io.Writer, live bool, label string, now time.Time) *progress {
	return &progress{out: out, live: live, label: label, start: now, last: now}
}

// update prints c, unless the latest output is recent. Without a terminal it does not
// repeat equal counts.
func (p *progress) update(now time.Time, c counts) {
	every := printEvery
	if p.live {
		every = redrawEvery
	}
	if now.Sub(p.last) < every || !p.live && c == p.shown {
		return
	}
	p.show(now, c, false)
}

// done prints the last counts and ends the line. It returns the first error of a write.
func (p *progress) done(now time.Time, c counts) error {
	p.show(now, c, true)
	return p.err
}

func (p *progress) show(now time.Time, c counts, last bool) {
	p.last, p.shown = now, c
	line := c.line(p.label, now.Sub(p.start))
	switch {
	case !p.live:
		line += "\n"
	case last:
		line = "\r\x1b[K" + line + "\n"
	default:
		line = "\r\x1b[K" + cut(line)
	}
	if _, err := io.WriteString(p.out, line); err != nil && p.err == nil {
		p.err = err
	}
}

// cut shortens a line to lineWidth at its front, because the counts are at its end.
func cut(line string) string {
	runes := []rune(line)
	if len(runes) <= lineWidth {
		return line
	}
	return "..." + string(runes[len(runes)-lineWidth+3:])
}

// waiter waits until no work is left, and returns the held objects.
type waiter func(ctx context.Context) ([]ownergraph.Held, error)

// watchProgress waits until the collector is idle, and prints the progress meanwhile
// and at the end.
func watchProgress(ctx context.Context, p *progress, wait waiter, now func() counts) ([]ownergraph.Held, error) {
	var holds []ownergraph.Held
	done := make(chan error)
	go func() {
		var err error
		holds, err = wait(ctx)
		done <- err
	}()
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		select {
		case at := <-tick.C:
			c := now()
			c.held = 0 // a waiting object need not be held at the end
			p.update(at, c)
		case err := <-done:
			c := now()
			if err != nil {
				c.held = 0
			}
			return holds, errors.Join(err, p.done(time.Now(), c))
		}
	}
}

// isTerminal reports whether lines on w can be redrawn.
func isTerminal(w io.Writer) bool {
	f, isFile := w.(*os.File)
	if !isFile || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
