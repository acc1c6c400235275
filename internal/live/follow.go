package live

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/policy"
)

// Follower shows the progress of a deletion that another collector may carry out.
type Follower struct {
	Collector *ownergraph.Collector
	Out       *terminal.Output
	// Notes gets the reasons of a deletion that has not ended.
	Notes io.Writer
	// Patience is the longest time without a change.
	Patience time.Duration
	// Deadline is the end of the wait, or nil.
	Deadline <-chan time.Time
	// Held lists the held objects. The default is that of Collector.
	Held func(limit int) []ownergraph.Held
}

// report is one result of Collector.Follow.
type report struct {
	ownergraph.Progress
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
			if !sameState(r.Progress, last.Progress) {
				quiet.Reset(f.Patience)
			}
			last = r
			switch {
			case r.err != nil:
				return false, r.err
			case r.Done:
				return true, line.End(shown(key, r.Progress))
			}
		case at := <-tick.C: // a deletion may show no change for long
			now := shown(key, last.Progress)
			now.Held = 0 // a waiting object need not be held at the end
			if last.Known > 0 {
				line.Update(at, now)
			}
		case <-quiet.C:
			return false, f.unfinished(line, key, last.Progress, fmt.Sprintf("nothing has changed for %s", f.Patience))
		case <-f.Deadline:
			return false, f.unfinished(line, key, last.Progress, "the time is over")
		case <-ctx.Done():
			if last.Known > 0 { // the error gets a line of its own
				_ = line.End(shown(key, last.Progress))
			}
			return false, fmt.Errorf("interrupted: %w", context.Cause(ctx))
		}
	}
}

// sameState reports whether two reports have the same counts of objects.
func sameState(a, b ownergraph.Progress) bool {
	return a.Begun == b.Begun && a.Gone == b.Gone && a.Left == b.Left && a.Held == b.Held
}

// shown returns the line for a progress.
func shown(key graph.Key, p ownergraph.Progress) terminal.Progress {
	total := terminal.Exact
	if p.Growing {
		total = terminal.AtLeast
	}
	return terminal.Progress{
		Label: "delete " + spell.Key(key), Known: uint64(p.Known), Total: total, Gone: uint64(p.Gone), Left: uint64(p.Left), Held: uint64(p.Held),
		Reads: p.Reads, Writes: p.Writes, Fences: p.Fences, Rate: p.Rate, Elapsed: time.Since(p.Since),
	}
}

// unfinished ends the line, and says why a deletion has not ended.
func (f *Follower) unfinished(line *terminal.Line, key graph.Key, p ownergraph.Progress, why string) error {
	if err := line.End(shown(key, p)); err != nil {
		return err
	}
	held := f.heldNow(p.By)
	switch {
	case !p.Begun:
		fmt.Fprintf(f.Notes, "the object has no deletion mark, and %s\n", why)
	case len(held) == 0:
		fmt.Fprintf(f.Notes, "%s, and objects wait for a collector: does one run on the store?\n", why)
	default:
		fmt.Fprintf(f.Notes, "%s. Held:\n", why)
		for _, h := range held {
			fmt.Fprintf(f.Notes, "  %s: %s\n", spell.Key(h.Key), terminal.Printable(Explain(h)))
		}
		if more := p.Held - len(held); more > 0 {
			fmt.Fprintf(f.Notes, "  ... and %d more\n", more)
		}
	}
	return nil
}

// heldNow returns those of the objects that are held now, with their present reasons. An
// object that only waits for the write of another collector does not count.
func (f *Follower) heldNow(by []ownergraph.Held) (list []ownergraph.Held) {
	all := f.Held
	if all == nil {
		all = f.Collector.Held
	}
	now := make(map[graph.Key]ownergraph.Held)
	for _, h := range all(math.MaxInt) {
		now[h.Key] = h
	}
	for _, h := range by {
		if h, is := now[h.Key]; is && h.Reason != policy.ObserveOnly {
			list = append(list, h)
		}
	}
	return list
}
