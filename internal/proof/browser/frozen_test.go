package browser

import (
	"context"
	"iter"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
)

// frozen shows a collector as of one moment, so that the screenshots stay the same. It replaces
// the times and the counts that differ from run to run.
type frozen struct {
	*ownergraph.Collector
	samples int
}

// moment is the time of the screenshots.
func moment() time.Time { return time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC) }

// clock is a minute earlier at its first call, which is that of New.
func (f *frozen) clock() time.Time {
	if f.samples++; f.samples == 1 {
		return moment().Add(-time.Minute)
	}
	return moment()
}

// ages are the ages of held objects, by the length of the key so that each object keeps its own.
func age(k graph.Key) time.Time {
	n := time.Duration(len(k.Name)*7+len(k.Kind)*3) % 97
	return moment().Add(-n * 41 * time.Second)
}

func (f *frozen) Stats() engine.Stats {
	s := f.Collector.Stats()
	s.Calls = engine.Counts[engine.CallType, uint64]{}
	s.Events, s.Gone, s.Decisions = 0, 0, 0
	if f.samples > 1 {
		s.Events, s.Gone, s.Decisions = 7410, 512, 1873
		s.Calls.Add(engine.CallRead, 91)
		s.Calls.Add(engine.CallDelete, 512)
		s.Calls.Add(engine.CallPatch, 66)
	}
	return s
}

func (f *frozen) HeldReasons() []engine.HeldReason {
	out := f.Collector.HeldReasons()
	for i := range out {
		out[i].Oldest = moment().Add(-time.Duration(out[i].Reason) * 7 * time.Minute)
	}
	return out
}

func (f *frozen) Held(limit int) []engine.Held { return aged(f.Collector.Held(limit)) }

// Deletions have begun at fixed times, so that their order and their rates stay the same.
func (f *frozen) Deletions(limit int) []engine.Deletion {
	out := f.Collector.Deletions(limit)
	for i := range out {
		out[i].Since = age(out[i].Root)
	}
	return out
}

func aged(list []engine.Held) []engine.Held {
	for i := range list {
		list[i].Since = age(list[i].Key)
	}
	return list
}

func (f *frozen) Running() []engine.HandlerRun {
	out := f.Collector.Running()
	for i := range out {
		out[i].Since = age(out[i].Key)
	}
	return out
}

func (f *frozen) Explain(ctx context.Context, k graph.Key) (explain.Explanation, error) {
	x, err := f.Collector.Explain(ctx, k)
	x.Changed, x.Look = age(k), time.Time{}
	for i := range x.Owners {
		x.Owners[i].At = age(k)
	}
	agedConditions(x.Wait)
	return x, err
}

func agedConditions(list []explain.Condition) {
	for i := range list {
		list[i].Since, list[i].Next = age(list[i].Key), time.Time{}
		agedConditions(list[i].For)
	}
}

func (f *frozen) Follow(ctx context.Context, k graph.Key) iter.Seq2[engine.Progress, error] {
	return func(yield func(engine.Progress, error) bool) {
		for p, err := range f.Collector.Follow(ctx, k) {
			p.By, p.Since, p.Rate = aged(p.By), moment(), 0
			p.Reads, p.Writes, p.Fences = 0, 0, 0
			if !yield(p, err) {
				return
			}
		}
	}
}
