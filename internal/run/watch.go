package run

import (
	"fmt"
	"maps"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Watch follows the runs of a store's watch, one at a time, and knows which kinds the run
// has told of. A run that ends leaves the kinds in doubt: changes go unseen until the next
// run has listed them. The driver's lock guards a Watch. The zero value has no run.
type Watch struct {
	number uint64 // of the last run
	up     bool
	broke  error // the end of the last run

	knowsKinds bool                // the run has said which kinds there are
	begun      map[graph.Kind]bool // the run has begun a listing of them
	sick       map[graph.Kind]bool // by the run's own word
	heard      time.Time           // of the run's last event, or its start

	doubt map[graph.Kind]bool // since the end of a former run
}

// Begin begins a run and returns its number.
func (w *Watch) Begin(now time.Time) (number uint64) {
	if w.doubt == nil {
		w.doubt = map[graph.Kind]bool{}
	}
	w.number++
	w.up, w.knowsKinds, w.heard = true, false, now
	w.begun, w.sick = map[graph.Kind]bool{}, map[graph.Kind]bool{}
	return w.number
}

// End ends the run, with the reason. The kinds are in doubt from then on.
func (w *Watch) End(why error, kinds []graph.Kind) {
	w.up, w.knowsKinds, w.broke = false, false, why
	w.begun, w.sick = nil, nil
	for _, k := range kinds {
		w.doubt[k] = true
	}
}

// Up reports whether a run is under way.
func (w *Watch) Up() bool { return w.up }

// Is reports whether the run with this number is under way.
func (w *Watch) Is(number uint64) bool { return w.up && w.number == number }

// KnowsKinds reports whether the run has said which kinds there are.
func (w *Watch) KnowsKinds() bool { return w.knowsKinds }

// Doubts reports whether the kind is in doubt, although the run does not call it sick.
func (w *Watch) Doubts(kind graph.Kind) bool { return w.doubt[kind] && !w.sick[kind] }

// Owes reports whether the run has still to list the kind, and was heard within the
// patience, so that it can be relied on. Without a kind it is about the set of kinds.
func (w *Watch) Owes(kind graph.Kind, now time.Time, patience time.Duration) bool {
	done := w.begun[kind] || kind == "" && w.knowsKinds
	return !done && now.Sub(w.heard) < patience
}

// Hear takes an event of the run, and reports whether the engine has to observe it. A kind
// in doubt has recovered only when it has been listed.
func (w *Watch) Hear(now time.Time, ev *graph.Event) (observe bool) {
	w.heard = now
	switch ev.Type {
	case graph.KindsKnown:
		w.knowsKinds = true
	case graph.ListBegun:
		w.begun[ev.Kind] = true
	case graph.KindSick:
		w.sick[ev.Kind] = true
	case graph.KindRecovered:
		delete(w.sick, ev.Kind)
		return !w.doubt[ev.Kind]
	}
	return true
}

// Observed notes that the engine has observed an event of the run. It reports whether the
// event's kind has recovered with it: the kind was in doubt, and is listed now. A kind that
// the run calls sick has not recovered.
func (w *Watch) Observed(ev *graph.Event) (recovered bool) {
	switch ev.Type {
	case graph.KindsKnown:
		w.forget(ev.Kinds)
	case graph.ListEnded:
		recovered = w.Doubts(ev.Kind)
		delete(w.doubt, ev.Kind)
	}
	return recovered
}

// forget drops the kinds that are no longer served.
func (w *Watch) forget(kinds []graph.KindInfo) {
	known := make(map[graph.Kind]bool, len(kinds))
	for _, i := range kinds {
		known[i.Kind] = true
	}
	for _, m := range [...]map[graph.Kind]bool{w.begun, w.sick, w.doubt} {
		maps.DeleteFunc(m, func(kind graph.Kind, _ bool) bool { return !known[kind] })
	}
}

// Why gives the reason for which the run tells nothing yet, "" if it has told the kinds.
func (w *Watch) Why() string {
	switch {
	case !w.up && w.broke != nil:
		return fmt.Sprintf("the watch is down (%v)", w.broke)
	case !w.up:
		return "the watch is down"
	case !w.knowsKinds:
		return "the watch has not said which kinds there are"
	}
	return ""
}
