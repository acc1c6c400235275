package memory

import (
	"iter"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// next computes the reports of the next round under the lock. It copies no object. The
// reports read immutable values, so the caller runs them without the lock. The channel
// is closed when there is more to report. It is nil if there is more now.
//
// Rewinds, kinds and health change seldom and are not in the log. The watch compares
// its last report with the present. So a watch that fell behind the log still reports
// the present kinds and health. Each round reports them before any change that depends
// on them.
func (w *watch) next() ([]iter.Seq[graph.Event], <-chan struct{}) {
	s := w.store
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &round{watch: w, state: s.state}
	anew := !w.started || w.rewinds != s.rewinds || w.pos < s.log.first
	if w.rewinds != s.rewinds { // also for a watch that begins after a restore: its reader may know the state of before
		r.report(graph.Event{Type: graph.Rewound, Reason: s.reason, Epoch: s.state.Epoch()})
	}
	if anew || w.control != s.control {
		r.reportKinds(anew)
	}
	if anew || w.control != s.control || len(w.relist) > 0 {
		r.reportListings(anew)
	}
	if anew {
		w.pos = s.log.next()
	}
	w.started, w.rewinds, w.control, w.relist = true, s.rewinds, s.control, nil
	r.reportChanges()
	r.reportFences()
	if w.pos < s.log.next() {
		return r.reports, nil
	}
	return r.reports, s.changed()
}

// round has the reports of one round, in order.
type round struct {
	*watch
	state   *replica.State
	reports []iter.Seq[graph.Event]
}

func (r *round) report(events ...graph.Event) { r.reports = append(r.reports, slices.Values(events)) }

// reportKinds reports the removed kinds, and the set of kinds if it changed.
func (r *round) reportKinds(anew bool) {
	infos := r.state.Kinds()
	if !anew && slices.Equal(infos, r.infos) {
		return
	}
	for _, info := range r.infos {
		if !r.state.Serves(info.Kind) {
			r.report(graph.Event{Type: graph.KindVanished, Kind: info.Kind})
			delete(r.kinds, info.Kind)
		}
	}
	for _, info := range infos {
		if r.kinds[info.Kind] == nil {
			r.kinds[info.Kind] = &reported{}
		}
	}
	r.infos = infos
	r.report(graph.Event{Type: graph.KindsKnown, Kinds: slices.Clone(infos)})
}

// reportListings reports the kinds that became sick or recovered, and lists kinds. It
// lists all kinds if anew is set. Otherwise it lists the new, the recovered and the
// requested kinds.
func (r *round) reportListings(anew bool) {
	for _, info := range r.infos {
		kind := info.Kind
		t := r.kinds[kind]
		if sick, reason := r.state.Sick(kind); sick {
			if !t.sick || t.reason != reason {
				r.report(graph.Event{Type: graph.KindSick, Kind: kind, Reason: reason})
			}
			t.sick, t.reason, t.listed = true, reason, false
			continue
		}
		if t.sick {
			r.report(graph.Event{Type: graph.KindRecovered, Kind: kind})
			t.sick = false
		}
		if anew || !t.listed || r.relist[kind] {
			t.listed, t.listedAt = true, r.store.log.next()
			r.reports = append(r.reports, listing(kind, r.state.ObjectsOf(kind), r.state.Version()))
		}
		r.reportPassed(kind, t.fences)
		t.fences = nil
	}
}

// listing yields a listing of a kind's objects at a version.
func listing(kind graph.Kind, objects iter.Seq[graph.Object], at graph.Version) iter.Seq[graph.Event] {
	return func(yield func(graph.Event) bool) {
		if !yield(graph.Event{Type: graph.ListBegun, Kind: kind}) {
			return
		}
		for o := range objects {
			if !yield(graph.Event{Type: graph.Put, Object: o}) {
				return
			}
		}
		yield(graph.Event{Type: graph.ListEnded, Kind: kind, Version: at})
	}
}

// reportChanges reports the next changes of the log and the progress of each kind. It
// leaves out a change that the latest listing of its kind contains. It also leaves out
// the changes of sick kinds, because a listing will contain them.
func (r *round) reportChanges() {
	changes := r.store.log.from(r.pos, maxChanges)
	if len(changes) == 0 {
		return
	}
	var due []replica.Commit
	for i, c := range changes {
		t := r.kinds[c.Key().Kind]
		if t != nil && !t.sick && r.pos+uint64(i) >= t.listedAt {
			due = append(due, c)
		}
	}
	r.pos += uint64(len(changes))
	r.reports = append(r.reports, func(yield func(graph.Event) bool) {
		for _, c := range due {
			if !yield(c.Event()) {
				return
			}
		}
	})
	r.reportProgress(changes[len(changes)-1].Version())
}

// reportProgress reports the progress of every kind, except a kind whose listing is
// newer.
func (r *round) reportProgress(at graph.Version) {
	var events []graph.Event
	for _, info := range r.infos {
		if t := r.kinds[info.Kind]; !t.sick && r.pos >= t.listedAt {
			events = append(events, graph.Event{Type: graph.Progress, Kind: info.Kind, Version: at})
		}
	}
	r.report(events...)
}
