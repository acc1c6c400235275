package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

// Follower shows the progress of a deletion that another collector may carry out.
type Follower struct {
	Collector *ownergraph.Collector
	Out       *terminal.Output
	// Notes gets the reasons of a deletion that has not ended.
	Notes io.Writer
	// Lines gets each change of the progress, or is nil. The end is empty before the last call.
	Lines func(p engine.Progress, end End) error
	// Patience is the longest time without a change.
	Patience time.Duration
	// Deadline is the end of the wait, or nil.
	Deadline <-chan time.Time
	// Acting is the collector of this program that carries the deletion out, or nil. The line
	// counts all of its requests. Without it the requests are of another program, and none is shown.
	Acting *ownergraph.Collector
	// Made is the number of writes that this program has made for the deletion before. The line
	// counts them beside those of Acting.
	Made uint64
}

// End says how a wait for a deletion has ended.
type End uint8

const (
	// EndUnset: the wait goes on.
	EndUnset End = iota
	// EndDone: the object and everything below it are gone.
	EndDone
	// EndQuiet: nothing has changed for the time of Patience.
	EndQuiet
	// EndDeadline: the time is over.
	EndDeadline
)

var endNames = [...]string{"", "done", "quiet", "deadline"}

// String returns the end in lower case.
func (e End) String() string { return endNames[e] }

// tell hands a progress to Lines.
func (f *Follower) tell(p engine.Progress, end End) error {
	if f.Lines == nil {
		return nil
	}
	return f.Lines(p, end)
}

// report is one result of Collector.Follow.
type report struct {
	engine.Progress
	err error
}

// Follow shows the progress until the object and everything below it are gone. It returns
// false if nothing has changed for the time of Patience, or after Deadline. Then it has named
// the held objects.
func (f *Follower) Follow(ctx context.Context, key graph.Key) (done bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reports := make(chan report)
	go func() {
		for p, err := range f.Collector.Follow(ctx, key) {
			select {
			case reports <- report{p, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	line := f.Out.Line(time.Now())
	quiet := time.NewTimer(f.Patience)
	defer quiet.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	var last report
	for {
		select {
		case r := <-reports:
			changed := !sameState(r.Progress, last.Progress)
			if changed {
				quiet.Reset(f.Patience)
			}
			last = r
			switch {
			case r.err != nil:
				return false, r.err
			case r.Done:
				return true, errors.Join(f.tell(r.Progress, EndDone), line.End(f.shown(key, r.Progress)))
			case changed:
				if err := f.tell(r.Progress, EndUnset); err != nil {
					return false, err
				}
			}
		case at := <-tick.C: // a deletion may show no change for long
			now := f.shown(key, last.Progress)
			now.Held, now.Blocked = 0, 0 // a waiting object need not be held at the end
			if last.Known > 0 {
				line.Update(at, now)
			}
		case <-quiet.C:
			return false, f.unfinished(ctx, line, key, last.Progress, EndQuiet)
		case <-f.Deadline:
			return false, f.unfinished(ctx, line, key, last.Progress, EndDeadline)
		case <-ctx.Done():
			if last.Known > 0 { // the error gets a line of its own
				_ = line.End(f.shown(key, last.Progress))
			}
			return false, fmt.Errorf("interrupted: %w", context.Cause(ctx))
		}
	}
}

// sameState reports whether two reports have the same counts of objects.
func sameState(a, b engine.Progress) bool {
	return a.Begun == b.Begun && a.Gone == b.Gone && a.Left == b.Left && a.Held == b.Held && a.Blocked == b.Blocked && a.Dropped == b.Dropped
}

// shown returns the line for a progress. A collector that only observes makes no request for
// the deletion, so its own counts would be wrong.
//
//test:by cmd/internal/cli.TestActCounts
func (f *Follower) shown(key graph.Key, p engine.Progress) terminal.Progress {
	total := terminal.Exact
	if p.Growing {
		total = terminal.AtLeast
	}
	out := terminal.Progress{Elsewhere: true}
	if f.Acting != nil {
		out = Since(engine.Stats{}, f.Acting.Stats())
		out.Writes += f.Made
	}
	out.Label, out.Known, out.Total = "delete "+key.Text(), uint64(p.Known), total
	out.Gone, out.Left, out.Held, out.Blocked = uint64(p.Gone), uint64(p.Left), uint64(p.Held), uint64(p.Blocked)
	out.References, out.Dropped = uint64(p.References), uint64(p.Dropped)
	out.Rate, out.Elapsed = p.Rate, time.Since(p.Since)
	return out
}

// unfinished ends the line, and says why a deletion has not ended.
func (f *Follower) unfinished(ctx context.Context, line *terminal.Line, key graph.Key, p engine.Progress, end End) error {
	if f.Acting != nil {
		p.Held, p.Blocked, p.By = f.heldOfActing(ctx, p)
	}
	why := "the time is over"
	if end == EndQuiet {
		why = fmt.Sprintf("nothing has changed for %s", f.Patience)
	}
	if err := f.tell(p, end); err != nil {
		return err
	}
	if err := line.End(f.shown(key, p)); err != nil {
		return err
	}
	switch {
	case !p.Begun:
		fmt.Fprintf(f.Notes, "the object has no deletion mark, and %s\n", why)
	case p.Held+p.Blocked == 0, f.Acting == nil && p.Held == 0:
		fmt.Fprintf(f.Notes, "%s, and objects wait for a collector: does one run on the store?\n", why)
	default:
		kept := "Held"
		if p.Blocked > 0 {
			kept = "Held or blocked"
		}
		fmt.Fprintf(f.Notes, "%s. %s:\n", why, kept)
		for _, h := range p.By {
			fmt.Fprintf(f.Notes, "  %s: %s\n", h.Key.Text(), terminal.Printable(Explain(h)))
		}
		if more := p.Held + p.Blocked - len(p.By); more > 0 {
			fmt.Fprintf(f.Notes, "  ... and %s\n", spell.Count(uint64(more), "more object"))
		}
	}
	return nil
}

// heldWithin bounds the time for the held objects of a large deletion.
const heldWithin = 5 * time.Second

// heldOfActing returns the held and blocked members of a deletion as the acting collector has them, which
// knows the pauses of its record. The other collector stands in for one that has no answer.
//
//test:by cmd/internal/cli.TestPause
func (f *Follower) heldOfActing(ctx context.Context, p engine.Progress) (held, blocked int, by []engine.Held) {
	ctx, cancel := context.WithTimeout(ctx, heldWithin)
	defer cancel()
	held, blocked, by = p.Held, p.Blocked, p.By
	for now, err := range f.Acting.Follow(ctx, p.Root) {
		if err != nil {
			break
		}
		if held, blocked, by = now.Held, now.Blocked, now.By; !now.Growing {
			break
		}
	}
	return held, blocked, by
}
