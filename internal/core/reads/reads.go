// Package reads follows the reads of owners: the wanted ones, the ones under way, their
// waiting dependents, and their results.
//
// A read is evidence for the dependents that wait, and never a change of the graph (R4). A
// read that began before its dependent was known does not serve that dependent: another
// one follows (R6). A failed read proves nothing (R8).
package reads

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// MaxWaiters bounds the dependents that wait for one read by name. Past it, all dependents
// of the owner are decided again when the read is done.
const MaxWaiters = 1024

// Machine follows the reads of one engine. Make one with New. It is not safe for
// concurrent use.
//
// Its invariants, which Check verifies:
//
//	N4  each key has at most one read in flight
//	N7  the number of reads that a node waits for is that of the reads that list it, each due or under way
type Machine struct {
	queue   *queue.Queue[graph.NodeID]      // the owners to read
	waiters map[graph.NodeID][]graph.NodeID // by owner, sorted
	under   map[graph.Key]uint64            // the call of the read under way
	results map[graph.NodeID]Result
}

// Result is the result of a read of an owner that exists.
type Result struct {
	State   policy.ReadState
	Version graph.Version
	Grace   int64     // the period of its mark, in seconds
	Began   seq.Stamp // the read began
	Done    seq.Stamp // the read was done
}

// New returns a machine without reads. The queue's configuration says how retries spread.
func New(cfg queue.Config[graph.NodeID]) Machine {
	return Machine{
		queue: queue.New(cfg), waiters: map[graph.NodeID][]graph.NodeID{},
		under: map[graph.Key]uint64{}, results: map[graph.NodeID]Result{},
	}
}

// Want asks for a read of the owner on behalf of a dependent, which waits for it. A read
// that fails is tried again in its time, and no dependent waits for it.
func (m *Machine) Want(v record.Nodes, dependent, owner graph.NodeID) {
	failing := v.State(owner).ReadFailing
	w := m.waiters[owner]
	if at, noted := slices.BinarySearch(w, dependent); !noted && len(w) < MaxWaiters {
		m.waiters[owner] = slices.Insert(w, at, dependent)
		if !failing {
			v.Edit(dependent).PendingReads++
		}
	}
	if !failing {
		m.queue.Add(owner, queue.Normal)
	}
}

// Next returns the next owner to read. One read of each full coordinates is under way at a
// time. Begin follows.
func (m *Machine) Next(v record.Nodes, now time.Time) (owner graph.NodeID, ok bool) {
	for {
		id, ok := m.queue.Next(now)
		if !ok {
			return 0, false
		}
		if !v.InUse(id) || len(m.waiters[id]) == 0 {
			v.Edit(id).ReadFailing = false
			m.queue.Drop(id)
			m.queue.Done(id)
			continue
		}
		if m.under[v.Node(id).Key()] != 0 { // of a former node: its end asks again
			m.queue.Done(id)
			continue
		}
		return id, true
	}
}

// Forgo takes back the read of an owner that Next has returned. The dependents that wait for it
// are decided again.
func (m *Machine) Forgo(v record.Nodes, owner graph.NodeID, out *effect.List) {
	m.Answer(v, owner, out)
	m.queue.Drop(owner)
	m.queue.Done(owner)
}

// Begin notes that the call reads the owner with the key.
func (m *Machine) Begin(k graph.Key, call uint64) { m.under[k] = call }

// Under returns the call of the read of the key that is under way, 0 for none.
func (m *Machine) Under(k graph.Key) uint64 { return m.under[k] }

// End notes that the read of the key is over. Owner is the node with the key, 0 without
// one.
func (m *Machine) End(k graph.Key, owner graph.NodeID) {
	delete(m.under, k)
	if owner != 0 {
		m.queue.Done(owner)
	}
}

// Again asks for another read of an owner whose read proved nothing.
func (m *Machine) Again(owner graph.NodeID) { m.queue.Add(owner, queue.Normal) }

// EndRetries resets the backoff of an owner after a read has answered.
func (m *Machine) EndRetries(owner graph.NodeID) { m.queue.Forget(owner) }

// Retry puts the read of an owner off: for the time that the store has named, if there is one.
func (m *Machine) Retry(owner graph.NodeID, now time.Time, wait time.Duration) {
	if wait > 0 {
		m.queue.AddAt(owner, queue.Normal, now.Add(max(wait, time.Millisecond)))
		return
	}
	m.queue.Retry(owner, queue.Normal, now)
}

// Fail notes that the read of an owner failed with a doubt that only the outside can end,
// or DoubtUnset. Its dependents are decided without it. It returns the dependents that
// waited for this read last and still refer to the owner.
func (m *Machine) Fail(v record.Nodes, owner graph.NodeID, was, doubt graph.Doubt, out *effect.List) (free []graph.NodeID) {
	s := v.Edit(owner)
	s.Blocked = doubt
	counted := !s.ReadFailing
	s.ReadFailing = true
	if !counted && doubt == was {
		return nil
	}
	for _, d := range m.waiters[owner] {
		if m.endWait(v, d, counted, out) && doubt != graph.DoubtUnset && refers(v, d, owner) {
			free = append(free, d)
		}
	}
	return free
}

// Answer asks for new decisions of the dependents that waited for the read of the owner, and for
// no other one.
func (m *Machine) Answer(v record.Nodes, owner graph.NodeID, out *effect.List) {
	w, counted := m.waiters[owner], !v.State(owner).ReadFailing
	delete(m.waiters, owner)
	v.Edit(owner).ReadFailing = false
	if len(w) >= MaxWaiters { // the other dependents are not noted
		out.Fan(owner)
	}
	for _, d := range w {
		m.endWait(v, d, counted, out)
	}
}

// endWait asks for a new decision of a waiting node if it waits for no other read, and reports that.
// Counted says that it waited for this one. Ids are used again, so another node may be
// decided early.
func (m *Machine) endWait(v record.Nodes, id graph.NodeID, counted bool, out *effect.List) bool {
	s := v.Edit(id)
	if counted && s.PendingReads > 0 {
		s.PendingReads--
	}
	if s.PendingReads > 0 || !v.InUse(id) {
		return false
	}
	out.Look(id, queue.Normal)
	return true
}

// Waiting returns the dependents that wait for the read of the owner and still refer to it.
func (m *Machine) Waiting(v record.Nodes, owner graph.NodeID) (out []graph.NodeID) {
	for _, d := range m.waiters[owner] {
		if refers(v, d, owner) {
			out = append(out, d)
		}
	}
	return out
}

// refers reports whether an observed node has a reference to the owner. The id of a waiter
// may name another node by now.
func refers(v record.Nodes, id, owner graph.NodeID) bool {
	n := v.Node(id)
	if n.State() != graph.Observed {
		return false
	}
	for i := range n.Owners() {
		if v.OwnerID(id, i) == owner {
			return true
		}
	}
	return false
}

// Leave forgets a node that left the graph. Failing says that its last read failed.
func (m *Machine) Leave(v record.Nodes, owner graph.NodeID, failing bool, out *effect.List) {
	for _, d := range m.waiters[owner] {
		m.endWait(v, d, !failing, out)
	}
	delete(m.waiters, owner)
}

// Release forgets the read of a node that left the graph, and its result. The id may name
// another node before the call completes.
func (m *Machine) Release(owner graph.NodeID) {
	m.queue.Drop(owner)
	m.queue.Done(owner)
	delete(m.results, owner)
}

// Check verifies the invariants that stand on Machine.
func (m *Machine) Check(v record.Nodes) error {
	due := map[graph.NodeID]bool{}
	for x := range m.queue.Entries() {
		due[x.Key] = true
	}
	noted := make([]uint32, v.Graph.Inside(inside.Key{}).Cap())
	for o, waiters := range m.waiters {
		if k := v.Node(o).Key(); m.under[k] == 0 && !due[o] {
			return fmt.Errorf("N7: nodes wait for a read of %s, which is neither due nor under way", k)
		}
		for _, id := range waiters {
			if !v.State(o).ReadFailing {
				noted[id]++
			}
		}
	}
	for id := range graph.NodeID(len(noted)) {
		if n := v.State(id).PendingReads; n > noted[id] {
			return fmt.Errorf("N7: node %d waits for %d reads, and %d list it", id, n, noted[id])
		}
	}
	for id := range m.results {
		if !v.InUse(id) {
			return fmt.Errorf("N5: read result of node %d, which is not in the graph", id)
		}
	}
	for id := range m.waiters {
		if !v.InUse(id) {
			return fmt.Errorf("N5: waiters of node %d, which is not in the graph", id)
		}
	}
	return m.queue.Check()
}
