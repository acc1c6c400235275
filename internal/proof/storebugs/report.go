package main

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
)

// reportKinds reports the changes of the set of kinds, and of the kinds that are
// out of reach.
func (w *watch) reportKinds(m *snapshot) {
	var infos []graph.KindInfo
	for _, k := range m.kinds {
		if k.served {
			infos = append(infos, k.info)
		}
	}
	if !slices.Equal(infos, w.known) {
		w.known = slices.Clone(infos)
		switch w.s.bug {
		case KindsCompared:
			w.known = infos
		case KindsRewritten:
			w.buffer = append(w.buffer[:0], infos...)
			infos = w.buffer
		}
		w.report(graph.Event{Type: graph.KindsKnown, Kinds: infos})
	}
	for _, k := range m.kinds {
		name := k.info.Kind
		was := w.state(name)
		switch {
		case !k.served && was != nil:
			w.report(graph.Event{Type: graph.KindVanished, Kind: name})
			delete(w.kinds, name)
			continue
		case !k.served:
			continue
		case was == nil:
			was = &kindState{listed: unlisted}
			w.kinds[name] = was
			m.relist[name] = true
		}
		w.reportHealth(m, k, was)
	}
}

func (w *watch) reportHealth(m *snapshot, k kind, was *kindState) {
	sick := k.sick != "" && !w.s.has(SickIsEmpty)
	switch {
	case sick && !was.sick:
		w.report(graph.Event{Type: graph.KindSick, Kind: k.info.Kind, Reason: k.sick})
	case !sick && was.sick:
		w.report(graph.Event{Type: graph.KindRecovered, Kind: k.info.Kind})
		m.relist[k.info.Kind] = true
	}
	was.sick = sick
	if sick {
		was.listed = unlisted
		delete(m.relist, k.info.Kind)
	}
}

// reportChanges reports a page of the log, without the changes that a listing
// brought.
func (w *watch) reportChanges(m *snapshot) error {
	if !w.started || w.pos == m.seq {
		return nil
	}
	count, last := 0, w.pos
	err := m.rows("SELECT seq, type, kind, body FROM changes WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?", []any{w.pos, m.seq, page}, func(scan func(...any) error) error {
		var seq int64
		var what graph.EventType
		var name graph.Kind
		var body string
		if err := scan(&seq, &what, &name, &body); err != nil {
			return err
		}
		count, last = count+1, seq
		return w.reportChange(m, seq, what, name, body)
	})
	if err != nil {
		return err
	}
	if count < page && !w.s.has(NumbersBeforeCommit) { // NumbersBeforeCommit waits at the last row
		last = m.seq
		if w.s.has(PositionReadLater) {
			last, err = w.s.latest(m.ctx)
		}
	}
	w.pos = last
	return err
}

// latest is for planted bugs. It reads the end of the log after the snapshot.
func (s *Store) latest(ctx context.Context) (last int64, err error) {
	t, err := s.begin(ctx, "DEFERRED")
	if err != nil {
		return 0, err
	}
	defer t.close()
	return last, t.row("SELECT seq FROM state", nil, &last)
}

func (w *watch) reportChange(m *snapshot, seq int64, what graph.EventType, name graph.Kind, body string) error {
	was := w.state(name)
	if was == nil || was.sick {
		return nil
	}
	switch what {
	case graph.ListBegun:
		m.relist[name] = true
		return nil
	case graph.Put, graph.Gone:
	default:
		return nil // changes of the kinds, which reportKinds reports
	}
	if m.relist[name] || seq <= was.listed || w.s.has(NoticesOutOfOrder) && w.s.memo.wasLate(seq) || w.losesNext() {
		return nil
	}
	var o graph.Object
	if err := json.Unmarshal([]byte(body), &o); err != nil {
		return err
	}
	if w.s.has(AliasedEvents) {
		o = w.s.memo.cached(o)
	}
	e := graph.Event{Type: what, Object: o}
	if what == graph.Gone {
		e = graph.Event{Type: what, Key: o.Key}
		if w.s.has(GoneWithoutUID) {
			e.Key.UID = ""
		}
	}
	w.report(e)
	return nil
}

// reportListings lists the kinds that need a new listing.
func (w *watch) reportListings(m *snapshot) error {
	for _, k := range m.kinds {
		name := k.info.Kind
		if !m.relist[name] || w.state(name) == nil {
			continue
		}
		list, err := w.listed(m, name)
		if err != nil {
			return err
		}
		w.report(graph.Event{Type: graph.ListBegun, Kind: name})
		for i, o := range list {
			if w.s.has(ListEndedEarly) && i == page {
				w.report(graph.Event{Type: graph.ListEnded, Kind: name, Version: version(m.seq)})
			}
			w.report(graph.Event{Type: graph.Put, Object: o})
		}
		if !w.s.has(ListEndedEarly) || len(list) <= page {
			w.report(graph.Event{Type: graph.ListEnded, Kind: name, Version: version(m.seq)})
		}
		w.state(name).listed = m.seq
	}
	return nil
}

func (w *watch) listed(m *snapshot, name graph.Kind) ([]graph.Object, error) {
	if w.s.has(SickIsEmpty) {
		for _, k := range m.kinds {
			if k.info.Kind == name && k.sick != "" {
				return nil, nil
			}
		}
	}
	if w.s.has(PositionBeforeListing) {
		t, err := w.s.begin(m.ctx, "DEFERRED")
		if err != nil {
			return nil, err
		}
		defer t.close()
		return t.objects(name)
	}
	list, err := m.objects(name)
	if err == nil && w.s.has(ListedBeforePosition) && !w.started {
		w.pos, err = w.s.latest(m.ctx)
	}
	return list, err
}

// reportFences reports the fences up to the position, after all changes that they
// cover. A kind that is out of reach passes them after its next listing.
func (w *watch) reportFences(m *snapshot) error {
	if !w.started {
		w.fence = m.seq
	}
	var ids []uint64
	upTo := w.pos
	if w.s.has(FencesAfterRead) || w.s.has(NumbersBeforeCommit) {
		upTo = 1 << 62
	}
	err := m.rows("SELECT id, seq FROM fences WHERE seq > ? AND seq <= ? ORDER BY seq", []any{w.fence, upTo}, func(scan func(...any) error) error {
		var text string
		if err := scan(&text, &w.fence); err != nil {
			return err
		}
		id, err := strconv.ParseUint(text, 10, 64)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return err
	}
	for _, k := range m.kinds {
		if was := w.state(k.info.Kind); was != nil {
			w.pass(k.info.Kind, was, ids)
		}
	}
	for _, id := range ids {
		w.report(graph.Event{Type: graph.FencePassed, Fence: id})
	}
	return nil
}

func (w *watch) pass(name graph.Kind, was *kindState, ids []uint64) {
	if was.sick && !w.s.has(FencesSkipSick) {
		was.owed = append(was.owed, ids...)
		return
	}
	for _, id := range append(was.owed, ids...) {
		w.report(graph.Event{Type: graph.FencePassed, Kind: name, Fence: id})
	}
	was.owed = nil
}

// reportProgress reports the position of each kind after its events.
func (w *watch) reportProgress(m *snapshot) {
	if len(w.out) == 0 {
		return
	}
	at := w.pos
	if w.s.has(ProgressAhead) {
		at = m.seq
	}
	for _, k := range m.kinds {
		if was := w.state(k.info.Kind); was != nil && was.listed != unlisted {
			w.report(graph.Event{Type: graph.Progress, Kind: k.info.Kind, Version: version(max(at, was.listed))})
		}
	}
}
