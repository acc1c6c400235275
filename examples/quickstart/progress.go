package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

const (
	redrawEvery = 100 * time.Millisecond // on a terminal
	printEvery  = time.Second            // elsewhere
	lineWidth   = 79                     // a line that wraps cannot be redrawn
)

// counts is how far a deletion has come.
type counts struct {
	gone     int
	expected int // to go in all, 0 if that is not known
	held     int // stay for a reason
	requests int // made of the store
}

// line describes c after elapsed time, for the deletion that label names.
func (c counts) line(label string, elapsed time.Duration) string {
	s := fmt.Sprintf("%s: %d gone", label, c.gone)
	if c.expected > 0 {
		s = fmt.Sprintf("%s: %d of %d gone", label, c.gone, c.expected)
	}
	if c.held > 0 {
		s += fmt.Sprintf(", %d held", c.held)
	}
	return s + fmt.Sprintf(", %d requests, %s", c.requests, roundTime(elapsed))
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

// isTerminal reports whether lines on w can be redrawn.
func isTerminal(w io.Writer) bool {
	f, isFile := w.(*os.File)
	if !isFile || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
