package memory

import (
	"iter"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// next decides under the lock what the watch reports now. It copies no object:
// the reports read what never changes, without the lock, when they are run. The
// channel is closed when there is more to report; nil says that there is now.
//
// What changes seldom (rewinds, kinds, health) is not in the log: the watch
// compares what it said with what is so. So a watch that missed the log misses
// nothing of it, and each round tells that first, before any change that
// depends on it.
func (w *watch) next() ([]iter.Seq[graph.Event], <-chan struct{}) {
	s := w.store
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &round{watch: w, state: s.state}
	anew := !w.started || w.rewinds != s.rewinds || w.pos < s.log.first
	if w.rewinds != s.rewinds { // also a watch that begins after a restore: its reader may have seen what was before
		r.tell(graph.Event{Type: graph.Rewound, Reason: s.reason, Epoch: s.state.Epoch()})
	}
	if anew || w.control != s.control {
		r.tellKinds(anew)
	}
	if anew || w.control != s.control || len(w.asked) > 0 {
		r.tellListings(anew)
	}
	if anew {
		w.pos = s.log.next()
	}
	w.started, w.rewinds, w.control, w.asked = true, s.rewinds, s.control, nil
	r.tellChanges()
	r.tellFences()
	if w.pos < s.log.next() {
		return r.reports, nil
	}
	return r.reports, s.changed()
}

// round is what one look at the store has to report, in this order.
type round struct {
	*watch
	state   *replica.State
	reports []iter.Seq[graph.Event]
}

func (r *round) tell(events ...graph.Event) { r.reports = append(r.reports, slices.Values(events)) }

// tellKinds reports the kinds that went, and the set of kinds if it changed.
func (r *round) tellKinds(anew bool) {
	infos := r.state.Kinds()
	if !anew && slices.Equal(infos, r.infos) {
		return
	}
	for _, info := range r.infos {
		if !r.state.Serves(info.Kind) {
			r.tell(graph.Event{Type: graph.KindVanished, Kind: info.Kind})
			delete(r.kinds, info.Kind)
		}
	}
	for _, info := range infos {
		if r.kinds[info.Kind] == nil {
			r.kinds[info.Kind] = &told{}
		}
	}
	r.infos = infos
	r.tell(graph.Event{Type: graph.KindsKnown, Kinds: slices.Clone(infos)})
}

// tellListings reports which kinds fell sick or recovered, and lists those that
// need it: all of them, or the new, the recovered and the asked for.
func (r *round) tellListings(anew bool) {
	for _, info := range r.infos {
		kind := info.Kind
		t := r.kinds[kind]
		if sick, reason := r.state.Sick(kind); sick {
			if !t.sick || t.reason != reason {
				r.tell(graph.Event{Type: graph.KindSick, Kind: kind, Reason: reason})
			}
			t.sick, t.reason, t.listed = true, reason, false
			continue
		}
		if t.sick {
			r.tell(graph.Event{Type: graph.KindRecovered, Kind: kind})
			t.sick = false
		}
		if anew || !t.listed || r.asked[kind] {
			t.listed, t.floor = true, r.store.log.next()
			r.reports = append(r.reports, listing(kind, r.state.ObjectsOf(kind), r.state.Version()))
		}
		r.tellPassed(kind, t.owed)
		t.owed = nil
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

// tellChanges reports the next batch of the log, without what the listings of
// its kinds have brought or will bring, and then how far that goes.
func (r *round) tellChanges() {
	changes := r.store.log.from(r.pos, batch)
	if len(changes) == 0 {
		return
	}
	var due []replica.Commit
	for i, c := range changes {
		t := r.kinds[c.Key().Kind]
		if t != nil && !t.sick && r.pos+uint64(i) >= t.floor {
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
	r.tellProgress(changes[len(changes)-1].Version())
}

// tellProgress reports how far every kind is, but for those whose listing said
// more.
func (r *round) tellProgress(at graph.Version) {
	var events []graph.Event
	for _, info := range r.infos {
		if t := r.kinds[info.Kind]; !t.sick && r.pos >= t.floor {
			events = append(events, graph.Event{Type: graph.Progress, Kind: info.Kind, Version: at})
		}
	}
	r.tell(events...)
}
