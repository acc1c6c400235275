package memory

import (
	"iter"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
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
		r.tell(graph.Event{Type: graph.Rewound, Reason: s.reason, Epoch: s.epoch})
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
	state   *State
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
		if sh, _ := r.state.shelves.get(info.Kind); !sh.served {
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
		sh, _ := r.state.shelves.get(kind)
		if sh.sick {
			if !t.sick || t.reason != sh.reason {
				r.tell(graph.Event{Type: graph.KindSick, Kind: kind, Reason: sh.reason})
			}
			t.sick, t.reason, t.listed = true, sh.reason, false
			continue
		}
		if t.sick {
			r.tell(graph.Event{Type: graph.KindRecovered, Kind: kind})
			t.sick = false
		}
		if anew || !t.listed || r.asked[kind] {
			t.listed, t.floor = true, r.store.log.next()
			r.reports = append(r.reports, listing(kind, sh, r.state.Version()))
		}
		r.tellPassed(kind, t.owed)
		t.owed = nil
	}
}

// listing yields a listing of what the shelf held when it was taken.
func listing(kind graph.Kind, sh shelf, at graph.Version) iter.Seq[graph.Event] {
	return func(yield func(graph.Event) bool) {
		if !yield(graph.Event{Type: graph.ListBegun, Kind: kind}) {
			return
		}
		for _, o := range sh.objects.all() {
			if !yield(graph.Event{Type: graph.Put, Object: o.Clone()}) {
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
	var due []commit
	for i, c := range changes {
		t := r.kinds[c.object.Kind]
		if t != nil && !t.sick && r.pos+uint64(i) >= t.floor {
			due = append(due, c.commit)
		}
	}
	r.pos += uint64(len(changes))
	r.reports = append(r.reports, func(yield func(graph.Event) bool) {
		for _, c := range due {
			if !yield(c.event()) {
				return
			}
		}
	})
	r.tellProgress(version(changes[len(changes)-1].version))
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
