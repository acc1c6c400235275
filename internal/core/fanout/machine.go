// Package fanout brings the dependents of changed owners into the queue, and the nodes that
// waited for a fence or a read.
//
// One change may concern a million dependents. So the machine keeps the owners, and the
// graph keeps a cursor over the dependents of each. Each step adds some dependents to the
// queue, while the queue is short.
package fanout

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/queue"
)

// View has the lower machines that a step uses. The machine keeps none.
type View struct {
	record.Nodes
	Work *queue.Queue[graph.NodeID] // the nodes to decide
}

// Machine has the owners that fan out, and the nodes that were woken. The zero value is
// empty. It is not safe for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. a node is marked as fanning out only if it is listed
//  2. a pass is one of those of a salted machine
type Machine struct {
	owners []graph.NodeID // their dependents have to be decided; a node that left the graph may be listed
	woken  []graph.NodeID // they have to be decided, and with a waiting owner its dependents
	salt   salt
}

// New returns an empty machine. Machines with different seeds have different orders. Seed 0 is the
// order of the changes and of the graph.
func New(seed uint64) Machine { return Machine{salt: salt{seed: seed}} }

// Push asks for decisions of the dependents of an owner, from the first on. For an observed owner
// these include the dependents whose references have its UID and other coordinates, or none:
// they may count by the UID alone.
func (m *Machine) Push(v record.Nodes, id graph.NodeID) {
	if !v.Graph.Inside(inside.Key{}).Fan(id) {
		return
	}
	if !v.Table.IsFanning(v.Graph, id) {
		v.Table.SetFanning(v.Graph, id, true)
		m.owners = append(m.owners, id)
	}
	if m.owners[0] == id { // from the first on, also for a new node with the id of a former one
		m.salt.begin(v, id)
	}
}

// first returns the owner whose dependents come next, 0 without one.
func (m *Machine) first() graph.NodeID {
	if len(m.owners) == 0 {
		return 0
	}
	return m.owners[0]
}

// Wake asks for a decision of a node.
func (m *Machine) Wake(id graph.NodeID) { m.woken = append(m.woken, id) }

// Next moves on by one dependent of the listed owners, and returns it. It returns 0 for a
// dependent that waits for reads, which is decided after these, and not once for each
// owner. It returns 0 also at the end of an owner's dependents, and for a dependent of another
// pass.
func (m *Machine) Next(v record.Nodes) graph.NodeID {
	if len(m.owners) == 0 {
		return 0
	}
	id := m.owners[0]
	if v.InUse(id) && v.Table.IsFanning(v.Graph, id) {
		if dep, ok := v.Graph.Inside(inside.Key{}).FanNext(id); ok {
			if m.salt.leaves(dep) || v.Table.AwaitsReads(v.Graph, dep) {
				return 0
			}
			return dep
		}
		if m.salt.nextPass() && v.Graph.Inside(inside.Key{}).Fan(id) {
			return 0
		}
		if other, ok := v.Graph.Inside(inside.Key{}).FanMember(id); ok {
			m.Push(v, other)
			return 0
		}
		v.Table.SetFanning(v.Graph, id, false)
	}
	m.owners = fifo.Rest(m.owners)
	m.salt.choose(m.owners)
	m.salt.begin(v, m.first())
	return 0
}

// StepWoken moves woken nodes into the queue: at most budget of them, and while fewer than
// most keys are ready. An owner that waits or orphans fans out.
func (m *Machine) StepWoken(v View, budget, most int) {
	for n := 0; n < budget && len(m.woken) > 0 && v.Work.Ready() < most; n++ {
		id := m.woken[0]
		m.woken = fifo.Rest(m.woken)
		if !v.InUse(id) {
			continue
		}
		node := v.Node(id)
		v.Work.Add(id, effect.Priority(node))
		if node.Waiting() || node.Orphaning() {
			m.Push(v.Nodes, id)
		}
	}
}

// Owners returns the owners that fan out, the first one first. The machine owns the slice.
func (m *Machine) Owners() []graph.NodeID { return m.owners }

// Woken returns the woken nodes, the first one first. The machine owns the slice.
func (m *Machine) Woken() []graph.NodeID { return m.woken }

// Check verifies the invariants of Machine.
func (m *Machine) Check(v record.Nodes) error {
	listed := make(map[graph.NodeID]bool, len(m.owners))
	for _, id := range m.owners {
		listed[id] = true
	}
	for n := range v.Graph.Nodes() {
		if v.State(n.ID()).FanningOut && !listed[n.ID()] {
			return fmt.Errorf("fanout: %s is marked as fanning out, and is not listed", n.Key())
		}
	}
	return m.salt.check()
}

// Clone returns a machine that shares nothing with m.
func (m *Machine) Clone() Machine {
	return Machine{owners: slices.Clone(m.owners), woken: slices.Clone(m.woken), salt: m.salt}
}

// Hash writes the lists to the printer. The engine writes the cursors with the nodes.
func (m *Machine) Hash(p *fingerprint.Printer) {
	p.List(m.owners)
	p.List(m.woken)
	if m.salt != (salt{}) { // every other machine has the hash from before there were salts
		p.Word(m.salt.seed)
		p.Word(m.salt.draws)
		p.Word(uint64(m.salt.pass))
		p.Word(uint64(m.salt.size))
	}
}
