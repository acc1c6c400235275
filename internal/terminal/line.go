package terminal

import "time"

const (
	redrawEvery = 100 * time.Millisecond // on a terminal
	printEvery  = time.Second            // elsewhere

	usualColumns = 80 // the width of a window of unknown size
)

// Line is the progress of one piece of work on an Output. An Output shows one Line at a
// time. It is not safe for concurrent use.
type Line struct {
	out   *Output
	last  time.Time // of the latest output
	shown Progress
}

// Line begins a line of progress. It writes nothing yet.
func (o *Output) Line(now time.Time) *Line { return &Line{out: o, last: now} }

// Update shows p, unless the latest output is recent. On a terminal that is 100 ms, and
// elsewhere one second. Elsewhere it does not show the same counts again.
//
//test:by TestLine TestPlainLinesAreRare
func (l *Line) Update(now time.Time, p Progress) {
	every := printEvery
	if l.out.live {
		every = redrawEvery
	}
	if now.Sub(l.last) < every || !l.out.live && p.sameCounts(l.shown) {
		return
	}
	l.last, l.shown = now, p
	if !l.out.live {
		l.out.Print(p.String() + "\n")
		return
	}
	l.out.redraw(cut(p.title(), p.counts(), columns(l.out.screen)-1)) // a full row may wrap
}

// End shows p in full at any time, and ends the line. It returns the first error of the
// writer.
//
//test:by TestLine
func (l *Line) End(p Progress) error {
	line := p.String() + "\n"
	if l.out.live {
		l.out.redraw(line)
		l.out.drawn = false
	} else {
		l.out.Print(line)
	}
	return l.out.err
}
