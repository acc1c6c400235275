package reads

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/queue"
)

// SetResult keeps the result of a read of a node in use.
func (m *Machine) SetResult(v record.Nodes, id graph.NodeID, r Result) {
	m.results[id] = r
	v.Edit(id).HasResult = true
}

// Result returns the result of the last read of a node.
func (m *Machine) Result(id graph.NodeID) (Result, bool) {
	r, ok := m.results[id]
	return r, ok
}

// NoResults reports whether no result is kept.
func (m *Machine) NoResults() bool { return len(m.results) == 0 }

// DropResult forgets the result of the last read of a node in use.
func (m *Machine) DropResult(v record.Nodes, id graph.NodeID) {
	if _, ok := m.results[id]; ok {
		delete(m.results, id)
		v.Table.ClearResult(v.Graph, id)
	}
}

// Rewind forgets all results: they belong to a former history (R5).
func (m *Machine) Rewind(v record.Nodes) {
	for id := range m.results {
		v.Table.ClearResult(v.Graph, id)
	}
	clear(m.results)
}

// Resume tries the failed reads of a kind's owners again at once: the kind is well.
func (m *Machine) Resume(v record.Nodes, name graph.Kind) {
	for _, id := range m.Delayed() {
		if v.Node(id).Kind() == name {
			v.Edit(id).Blocked = graph.DoubtUnset
			m.queue.Forget(id)
			m.queue.Add(id, queue.Normal)
		}
	}
}

// Delayed returns the owners whose reads wait for their time, in the queue's order.
func (m *Machine) Delayed() (out []graph.NodeID) {
	for x := range m.queue.Entries() {
		if x.State == queue.Delayed {
			out = append(out, x.Key)
		}
	}
	return out
}

// Entries yields the owners to read, as the queue has them.
func (m *Machine) Entries() iter.Seq[queue.Entry[graph.NodeID]] { return m.queue.Entries() }

// EntryOf returns the place of an owner in the queue of reads, the zero Entry for none.
func (m *Machine) EntryOf(owner graph.NodeID) queue.Entry[graph.NodeID] {
	return m.queue.EntryOf(owner)
}

// Len returns the number of owners to read.
func (m *Machine) Len() int { return m.queue.Len() }

// Ready returns the number of owners that can be read now.
func (m *Machine) Ready() int { return m.queue.Ready() }

// Due returns the time of the next delayed read, false for none.
func (m *Machine) Due() (time.Time, bool) { return m.queue.Due() }

// Clone returns a machine that shares nothing with m.
func (m *Machine) Clone() Machine {
	c := Machine{
		queue: m.queue.Clone(), waiters: make(map[graph.NodeID][]graph.NodeID, len(m.waiters)),
		under: map[graph.Key]uint64{}, results: map[graph.NodeID]Result{},
	}
	for id, w := range m.waiters {
		c.waiters[id] = slices.Clone(w)
	}
	maps.Copy(c.under, m.under)
	maps.Copy(c.results, m.results)
	return c
}

// Hash adds the queue of reads. HashWaiters adds the rest, node by node.
func (m *Machine) Hash(p *fingerprint.Printer) { p.Queue(m.queue) }

// HashWaiters adds the dependents that wait for the read of a node.
func (m *Machine) HashWaiters(p *fingerprint.Printer, id graph.NodeID) { p.List(m.waiters[id]) }
