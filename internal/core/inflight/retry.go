package inflight

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Retry returns the retry of a node, if it has one. Calls owns the lists of the object.
func (t *Calls[C]) Retry(id graph.NodeID) (o graph.Object, ok bool) {
	o, ok = t.retries[id]
	return o, ok
}

// HasRetry reports whether a node has a retry.
func (t *Calls[C]) HasRetry(id graph.NodeID) bool {
	_, ok := t.retries[id]
	return ok
}

// IsRetry reports whether the retry of a node has the version.
func (t *Calls[C]) IsRetry(id graph.NodeID, v graph.Version) bool {
	o, ok := t.retries[id]
	return ok && o.Version == v
}

// SetRetry notes the object that a reread has returned, for one decision. The proofs for
// the former version no longer count. Its mark may have changed and changed back in between
// (R3). Calls owns the object.
func (t *Calls[C]) SetRetry(v record.Nodes, stamps *seq.Counter, id graph.NodeID, o graph.Object) {
	t.retries[id] = o
	m, at := v.Edit(id), stamps.Stamp()
	m.Known, m.Changed = at, at
	if m.Mark != 0 {
		m.Mark = at
	}
}

// DropRetry forgets the retry of a node.
func (t *Calls[C]) DropRetry(id graph.NodeID) { delete(t.retries, id) }

// DropRetries forgets all retries: they belong to a former history.
func (t *Calls[C]) DropRetries() { clear(t.retries) }

// Retries returns the retries by node. Calls owns the map.
func (t *Calls[C]) Retries() map[graph.NodeID]graph.Object { return t.retries }
