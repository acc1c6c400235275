// Package search finds the object that a key without a UID names, for an explanation (RULES, X1). It
// walks the graph in slices, and asks the history for the objects that are gone.
package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Search is a search for the objects with the coordinates of a key. Make one with New. It keeps no
// node, so the graph may change between its steps. It is not safe for concurrent use.
type Search struct {
	key   graph.Key
	from  graph.NodeID
	done  bool
	alive []graph.Key // observed
	gone  graph.Key   // without one, the object whose end is the last, if the history has any
	other []graph.Key // only referred to
}

// New returns a search for a key. A key with a UID names its object, and the search ends with the first
// step.
func New(key graph.Key) *Search { return &Search{key: key} }

// Done reports whether the search has ended.
func (s *Search) Done() bool { return s.done }

// Step looks at no more than limit nodes, and at the end at the objects that are gone. Its errors, and
// those of Choose, begin with the key. They wrap graph.ErrInvalid for a key without kind or name.
//
//test:by TestSearch ownergraph.TestExplainKeys
func (s *Search) Step(g *graph.Graph, h *history.Machine, limit int) error {
	key := s.key
	switch {
	case key.Kind == "":
		return fmt.Errorf("%s: kind: empty: %w", seed.PlaceText(key), graph.ErrInvalid)
	case key.Name == "":
		return fmt.Errorf("%s: name: empty: %w", seed.PlaceText(key), graph.ErrInvalid)
	case key.UID != "":
		s.other, s.done = []graph.Key{key}, true
		return nil
	}
	var ids []graph.NodeID
	ids, s.from = g.Inside(inside.Key{}).AtPlace(key, s.from, limit)
	for _, id := range ids {
		if n := g.Node(id); n.State() == graph.Observed {
			s.alive = append(s.alive, n.Key())
		} else {
			s.other = append(s.other, n.Key())
		}
	}
	if s.done = s.from == 0; s.done {
		s.alive = slices.DeleteFunc(s.alive, func(k graph.Key) bool { return !IsObserved(g, k) }) // it may have gone since
		if d, ok := h.Find(key); ok && !IsObserved(g, d.Object.Key) {
			s.gone = d.Object.Key // a rewind has not brought it back
		}
	}
	return nil
}

// IsObserved reports whether a graph observes an object.
func IsObserved(g *graph.Graph, k graph.Key) bool {
	n, ok := g.Lookup(k)
	return ok && n.State() == graph.Observed
}

// LeaveGone leaves out the objects that are gone.
func (s *Search) LeaveGone() { s.gone = graph.Key{} }

// maxListed bounds the UIDs in an error.
const maxListed = 64

// Choose returns the key that the search has found. A live object goes before one that is
// gone, and this one before those that are only referred to. An error wraps graph.ErrNotFound without
// any, and graph.ErrInvalid with several. Then it lists the UIDs.
//
//test:by TestSearch ownergraph.TestExplainKeys
func (s *Search) Choose() (graph.Key, error) {
	found := s.alive
	switch {
	case len(found) > 0:
	case s.gone != graph.Key{}:
		return s.gone, nil
	default:
		found = s.other
	}
	slices.SortFunc(found, graph.Key.Compare)
	found = slices.Compact(found)
	switch len(found) {
	case 0:
		return graph.Key{}, fmt.Errorf("%s: %w", seed.PlaceText(s.key), graph.ErrNotFound)
	case 1:
		return found[0], nil
	}
	var uids []string
	for _, k := range found[:min(len(found), maxListed)] {
		uids = append(uids, string(k.UID))
	}
	return graph.Key{}, fmt.Errorf("%s: uid: %d objects have these coordinates: %s: %w", seed.PlaceText(s.key), len(found), strings.Join(uids, ", "), graph.ErrInvalid)
}
