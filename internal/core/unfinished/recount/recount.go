// Package recount compares the table of the unfinished objects with the machines that have
// work for an object.
package recount

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fanout"
	"github.com/ownergraph/ownergraph/internal/core/handlers"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/unfinished"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// View has the machines that know of work for an object, and the table that is held with them.
type View struct {
	record.Nodes
	Work     *queue.Queue[graph.NodeID]
	Fanout   *fanout.Machine
	Held     *held.Table
	Expected *inflight.Expectations
	Handlers *handlers.Runs
}

// Check counts the work for each object anew, from the state of the machines. It returns an error
// unless
//
//  1. each unfinished object is observed and not held
//  2. each unfinished object has work or is queued, or its last decision did not keep it
//  3. each decided object with work is unfinished or held
func Check(v View) error {
	asked, open := v.asked(), &v.Held.Open
	for id := range open.Nodes() {
		switch {
		case !v.InUse(id) || v.Node(id).State() != graph.Observed:
			return fmt.Errorf("unfinished: node %d is unfinished, and not observed", id)
		case v.Held.Has(id):
			return fmt.Errorf("unfinished: %s is unfinished, and held", v.Node(id).Key())
		case v.rests(id) && !asked[id] && v.Work.EntryOf(id).State != queue.Delayed && v.work(id) == "":
			return fmt.Errorf("unfinished: %s is unfinished, and there is no work for it (%v)", v.Node(id).Key(), v.State(id).Reason)
		}
	}
	for n := range v.Graph.Nodes() {
		id := n.ID()
		if n.State() != graph.Observed || open.Has(id) || v.Held.Has(id) || asked[id] {
			continue
		}
		if what := v.work(id); what != "" {
			return fmt.Errorf("unfinished: %s is finished (%v), and there is work: %s", n.Key(), v.State(id).Reason, what)
		}
	}
	return nil
}

// asked returns the nodes that are to be decided without a delay.
func (v View) asked() map[graph.NodeID]bool {
	out := map[graph.NodeID]bool{}
	for x := range v.Work.Entries() {
		if x.State == queue.Ready {
			out[x.Key] = true
		}
	}
	for _, id := range v.Fanout.Woken() {
		out[id] = true
	}
	return out
}

// isKept reports whether the last decision kept a node. A read, a fence or a run that a former
// decision asked for may still be under way, and nothing waits for it.
func (v View) isKept(id graph.NodeID) bool {
	why := v.State(id).Reason
	return why == policy.NoOwners || why == policy.NoOwnerDeletes || why == policy.OwnerSolid || why == policy.ReasonUnset
}

// rests reports whether the last decision left no work for a node.
func (v View) rests(id graph.NodeID) bool {
	return v.isKept(id) || unfinished.WaitsForTurn(v.State(id).Reason) && !v.Handlers.IsRunning(id)
}

// work names the work for a node that has been decided, "" for none.
func (v View) work(id graph.NodeID) string {
	m, kept := v.State(id), v.isKept(id)
	left := kept || unfinished.WaitsForTurn(m.Reason) // of a former decision
	switch {
	case m.Call != 0:
		return "a call"
	case v.Expected.Has(id):
		return "an event of a write is expected"
	case !v.Expected.WatchUntil(id).IsZero():
		return "the watch has to show it"
	case m.PendingReads > 0 && !left:
		return "reads of its owners"
	case m.AwaitsFence && !left:
		return "a fence"
	case v.Handlers.IsRunning(id) && !kept:
		return "a handler runs"
	case unfinished.WaitsForTurn(m.Reason):
		return ""
	case v.Node(id).Deleting():
		return "it is marked"
	case v.Work.EntryOf(id).State == queue.Delayed:
		return "it is put off"
	}
	return ""
}
