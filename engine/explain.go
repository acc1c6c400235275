package engine

import (
	"fmt"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/search"
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
// The decision is the one that the engine would make at the time of its last step: both ask one
// judgement. A decision brings two things up to date before: memberships of a sweep that a change of
// the holder brings, and the count of a small cascade. A chain has at most 64 conditions, and the
// explanation counts the others.
//
// An error wraps ErrNotFound where no object and no reference has the key. It wraps
// ErrInvalid for a key without kind or name, and for a key without a UID that fits several
// objects at once. Such an error lists the UIDs.
//
//test:by ownergraph.TestExplain ownergraph.TestExplainEnds ownergraph.TestExplainKeys ownergraph.TestExplainGone
//test:by internal/proof/properties.TestExplainAgrees internal/proof/sim.TestSeeds
func (e *Engine) Explain(key graph.Key) (explain.Explanation, error) {
	s := search.New(key)
	for !s.Done() {
		if err := s.Step(e.graph, &e.history, e.graph.Inside(inside.Key{}).Cap()); err != nil {
			return explain.Explanation{}, fmt.Errorf("explain %w", err)
		}
	}
	full, err := s.Choose()
	if err != nil {
		return explain.Explanation{}, fmt.Errorf("explain %w", err)
	}
	return driver{e}.ExplainAt(full, e.now)
}

// searchSlice is the number of nodes that a search by name looks at under one lock.
const searchSlice = 4096

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
