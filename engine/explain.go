package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/queue"
)

// maxExplained bounds the owners of one explanation.
const maxExplained = 64

// Explain explains an object: its present decision, the evidence about its owners, and the
// chain of conditions for which it waits. It changes nothing. The key has the full
// coordinates. A key without a UID names the only object with these coordinates, otherwise
// the one that has gone last, otherwise the only one that references name. Such a lookup
// walks all nodes. Objects that are gone are known as long as Config.History keeps their
// deletions. With the UID, the engine also knows those that are still of use as absent owners.
//
// The decision is that of the engine's own path at the time of its last step. For a holder
// or member of a sweep it is the recorded one. A chain has at most 64 conditions, and the
// explanation counts the others.
//
// An error wraps ErrNotFound where no object and no reference has the key. It wraps
// ErrInvalid for a key without kind or name, and for a key without a UID that fits several
// objects at once. Such an error lists the UIDs.
//
//test:by ownergraph.TestExplain ownergraph.TestExplainEnds ownergraph.TestExplainKeys ownergraph.TestExplainGone
//test:by internal/proof/properties.TestExplainAgrees
func (e *Engine) Explain(key graph.Key) (explain.Explanation, error) {
	s := keySearch{key: key}
	for !s.done {
		if err := s.step(e, e.graph.Inside(inside.Key{}).Cap()); err != nil {
			return explain.Explanation{}, fmt.Errorf("explain %w", err)
		}
	}
	full, err := s.Choose()
	if err != nil {
		return explain.Explanation{}, fmt.Errorf("explain %w", err)
	}
	return driver{e}.ExplainAt(full, e.now)
}

// keySearch is a search for the objects with the coordinates of a key without UID.
type keySearch struct {
	key   graph.Key
	from  graph.NodeID
	done  bool
	alive []graph.Key // observed
	gone  graph.Key   // without one, the object whose end is the last, if the history has any
	other []graph.Key // only referred to
}

// Done reports whether the search has ended.
func (s *keySearch) Done() bool { return s.done }

// Step looks at a slice of the nodes under the driver's lock, and at the end at the objects that are
// gone. Its errors, and those of Choose, begin with the key.
func (s *keySearch) Step(d Driver) error { return s.step(d.Engine, searchSlice) }

// searchSlice is the number of nodes that a search by name looks at under one lock.
const searchSlice = 4096

func (s *keySearch) step(e *Engine, limit int) error {
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
	ids, s.from = e.graph.Inside(inside.Key{}).AtPlace(key, s.from, limit)
	for _, id := range ids {
		if n := e.graph.Node(id); n.State() == graph.Observed {
			s.alive = append(s.alive, n.Key())
		} else {
			s.other = append(s.other, n.Key())
		}
	}
	if s.done = s.from == 0; s.done {
		s.alive = slices.DeleteFunc(s.alive, func(k graph.Key) bool { return !isObserved(e.graph, k) }) // it may have gone since
		if d, ok := e.history.Find(key); ok && !isObserved(e.graph, d.Object.Key) {
			s.gone = d.Object.Key // a rewind has not brought it back
		}
	}
	return nil
}

func isObserved(g *graph.Graph, k graph.Key) bool {
	n, ok := g.Lookup(k)
	return ok && n.State() == graph.Observed
}

// LeaveGone leaves out the objects that are gone.
func (s *keySearch) LeaveGone() { s.gone = graph.Key{} }

// Choose returns the key that the search has found. A live object goes before one that is
// gone, and this one before those that are only referred to.
func (s *keySearch) Choose() (graph.Key, error) {
	key, found := s.key, s.alive
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
		return graph.Key{}, fmt.Errorf("%s: %w", seed.PlaceText(key), graph.ErrNotFound)
	case 1:
		return found[0], nil
	}
	var uids []string
	for _, k := range found[:min(len(found), maxExplained)] {
		uids = append(uids, string(k.UID))
	}
	return graph.Key{}, fmt.Errorf("%s: uid: %d objects have these coordinates: %s: %w", seed.PlaceText(key), len(found), strings.Join(uids, ", "), graph.ErrInvalid)
}

// explain explains the object with the full coordinates.
//
// The panic of a function of the Config is an error that names the function. An explanation
// changes nothing, so the engine goes on.
func (x *explainer) explain(key graph.Key) (out explain.Explanation, err error) {
	defer run.CatchFunction(&err, "explain "+key.String())
	e := x.e
	n, ok := e.graph.Lookup(key)
	if !ok {
		return x.gone(key)
	}
	out = explain.Explanation{Key: n.Key()}
	switch n.State() {
	case graph.Observed:
		j := x.judge(n.ID())
		out.State, out.Version, out.Deleting = explain.Exists, n.Version(), n.Deleting()
		out.Decision = j.explained()
		out.Owners, out.OwnersCut = x.owners(j), max(n.Owners()-maxExplained, 0)
		out.Changed = e.times.At(e.state(n.ID()).Known)
		out.SweepsInScope = e.sweeps.InScope(n.Object())
		x.path = []graph.NodeID{n.ID()}
		out.Wait = x.conditions(j)
		if at := e.work.EntryOf(n.ID()); at.State == queue.Delayed {
			out.Look = at.At
		}
	default:
		if x.referred(n, &out); out.State == explain.Gone {
			x.deletion(&out)
		}
	}
	out.Cut = x.cut
	return out, nil
}
