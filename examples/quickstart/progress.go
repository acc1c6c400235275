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
	lineWidth   = 79                     // a line that wraps cannot be redrawn
)

// counts is how far a deletion has come.
type counts struct {
	gone                  uint64
	most                  int    // go at most, 0 if that is not known
	held                  int    // stay for a reason
	reads, writes, fences uint64 // asked of the store by the collector
}

// since returns what came about between two looks at a collector.
func since(base, now ownergraph.Stats) counts {
	return counts{
		gone:   now.Gone - base.Gone,
		held:   now.Held + now.Blocked,
		reads:  now.Reads - base.Reads,
		writes: now.Deletes + now.Patches - base.Deletes - base.Patches,
		fences: now.FenceCalls - base.FenceCalls,
	}
}

// line describes c after elapsed time, for the deletion that label names.
func (c counts) line(label string, elapsed time.Duration) string {
	s := fmt.Sprintf("%s: %d", label, c.gone)
	if c.most > 0 {
		s += fmt.Sprintf(" of at most %d", c.most)
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

// progress shows counts as they come: on a terminal one line, redrawn, else
// a line now and then. It is not safe for concurrent use.
type progress struct {
	out   io.Writer
	live  bool
	label string
	start time.Time
	last  time.Time // of what is shown
	shown counts
	err   error // the first of out
}

func newProgress(out io.Writer, live bool, label string, now time.Time) *progress {
	return &progress{out: out, live: live, label: label, start: now, last: now}
}

// update shows c, unless something was shown a moment ago. Without a terminal
// it does not repeat itself.
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

// done shows the last counts and ends the line. It returns the first error of
// writing.
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

// cut shortens a line to lineWidth, at its front: the counts are at its end.
func cut(line string) string {
	runes := []rune(line)
	if len(runes) <= lineWidth {
		return line
	}
	return "..." + string(runes[len(runes)-lineWidth+3:])
}

// settler waits until nothing is left to do, and returns what is held.
type settler func(ctx context.Context) ([]ownergraph.Held, error)

// watchProgress waits until the collector has settled, and shows how far it is
// meanwhile and at the end.
func watchProgress(ctx context.Context, p *progress, settle settler, now func() counts) ([]ownergraph.Held, error) {
	var holds []ownergraph.Held
	done := make(chan error)
	go func() {
		var err error
		holds, err = settle(ctx)
		done <- err
	}()
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		select {
		case at := <-tick.C:
			c := now()
			c.held = 0 // what waits at the moment need not be held in the end
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
