package world

import (
	"fmt"
	"maps"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// labels are the labels of objects by their keys. A change makes a new map.
type labels map[graph.Key]map[string]string

// with returns labels in which k has the given set. An empty set removes k.
func (l labels) with(k graph.Key, set map[string]string) labels {
	if len(set) == 0 && len(l[k]) == 0 {
		return l
	}
	out := maps.Clone(l)
	if out == nil {
		out = labels{}
	}
	if out[k] = maps.Clone(set); len(set) == 0 {
		delete(out, k)
	}
	return out
}

// Labels returns the labels of the objects that have any. The caller must not change
// the map, and the store never changes it.
func (s *Store) Labels() map[graph.Key]map[string]string { return s.labels }

// Label replaces the labels of an object and gives it a new version. The event is
// unset if the labels are the same.
func (s *Store) Label(k graph.Key, set map[string]string) (graph.Event, error) {
	live, err := s.Get(k)
	switch {
	case err != nil:
		return graph.Event{}, err
	case live.UID != k.UID:
		return graph.Event{}, fmt.Errorf("label %s: %w", k, graph.ErrConflict)
	case maps.Equal(s.labels[k], set):
		return graph.Event{}, nil
	}
	s.labels = s.labels.with(k, set)
	return s.commit(live, finalizer.Outcome{Effect: finalizer.Stored, Object: live}), nil
}

// Select returns a page of the objects of a kind whose labels match, by key.
func (s *Store) Select(q ownergraph.SelectRequest) (out ownergraph.SelectPage, err error) {
	selector, err := guard.ParseSelector(q.Selector)
	if err != nil {
		return out, err
	}
	after := graph.Key{Kind: q.Kind}
	if q.After != "" {
		if after, err = graph.ParseKey(q.After); err != nil {
			return out, err
		}
	}
	for _, o := range s.objects {
		if o.Kind != q.Kind || o.Place().Compare(after.Place()) <= 0 || !selector.Matches(s.labels[o.Key]) {
			continue
		}
		if q.Limit > 0 && len(out.Objects) == q.Limit {
			out.More = out.Objects[q.Limit-1].Key.String()
			break
		}
		out.Objects = append(out.Objects, graph.LabelMatch{Key: o.Key, Version: o.Version, Value: s.labels[o.Key][q.Label]})
	}
	return out, nil
}

// Label lets a user replace the labels of an object. It returns true if the labels
// changed.
func (w *World) Label(k graph.Key, set map[string]string) bool {
	ev, err := w.Store.Label(k, set)
	if err != nil || ev.Type == graph.EventUnset {
		return false
	}
	w.publish(ev)
	return true
}

// selected returns the answer of a page from a present or older store. A kind that
// is down or sick now returns an error.
func (w *World) selected(side int, from *Store, q ownergraph.SelectRequest) (r engine.Result) {
	if r.Err = w.serves(graph.Key{Kind: q.Kind}); r.Err != nil {
		return r
	}
	if w.Sides[side].Streams[w.kind(q.Kind)].Down || w.Store.isDown(q.Kind) {
		r.Err = fmt.Errorf("select %s: kind is down or sick", q.Kind)
		return r
	}
	r.Selected, r.Err = from.Select(q)
	return r
}
