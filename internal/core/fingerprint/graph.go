package fingerprint

import (
	"cmp"
	"iter"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/queue"
)

// Version hashes the version of an object, or its renamed number.
func (p *Printer) Version(k graph.Key, v graph.Version) {
	if p.rename != nil {
		p.Word(p.rename(k, v))
		return
	}
	p.Text(string(v))
}

// Key hashes full coordinates.
func (p *Printer) Key(k graph.Key) {
	p.Text(string(k.Kind))
	p.Text(k.Scope)
	p.Text(k.Name)
	p.Text(string(k.UID))
}

// Object hashes the metadata of an object.
func (p *Printer) Object(o graph.Object) {
	p.Key(o.Key)
	p.Version(o.Key, o.Version)
	p.Flags(o.Deleting)
	p.Word(uint64(o.Generation))
	p.Word(uint64(o.ObservedGeneration))
	p.Owners(o.Owners)
	p.Word(uint64(len(o.Finalizers)))
	for _, f := range o.Finalizers {
		p.Text(f)
	}
}

// Owners hashes owner references in their order.
func (p *Printer) Owners(refs []graph.Owner) {
	p.Word(uint64(len(refs)))
	for _, r := range refs {
		p.Key(r.Key)
		p.Flags(r.Unresolved, r.Block, r.Controller)
		p.Word(uint64(r.OnDelete))
	}
}

// Node hashes a node by its rank.
func (p *Printer) Node(id graph.NodeID) { p.Word(p.Rank(id)) }

// List hashes node ids in their order. An id that is not in use will name a new node
// later. The number of nodes to be made until then tells it from other such ids.
func (p *Printer) List(ids []graph.NodeID) {
	p.Word(uint64(len(ids)))
	for _, id := range ids {
		p.Node(id)
		if p.Rank(id) == 0 {
			p.Word(uint64(p.graph.Inside(inside.Key{}).ReuseAfter(id)))
		}
	}
}

// Seq hashes the nodes of a sequence in their order.
func (p *Printer) Seq(ids iter.Seq[graph.NodeID]) {
	n := uint64(0)
	for id := range ids {
		p.Node(id)
		n++
	}
	p.Word(n)
}

// Set hashes node ids whose order decides nothing.
func (p *Printer) Set(ids []graph.NodeID) {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b graph.NodeID) int { return cmp.Compare(p.Rank(a), p.Rank(b)) })
	p.List(ids)
}

// From hashes the ranks of the node ids from at on, in order of ids. It stands for the
// rest of a walk over the graph.
func (p *Printer) From(at graph.NodeID) {
	for id := at; int(id) < len(p.index); id++ {
		p.Node(id)
	}
}

// Queue hashes the entries of a queue.
func (p *Printer) Queue(q *queue.Queue[graph.NodeID]) {
	for x := range q.Entries() {
		p.Node(x.Key)
		p.Word(uint64(x.Priority)<<32 | uint64(x.State)<<16 | uint64(x.Attempts))
		p.Until(x.At)
	}
	p.Word(uint64(q.PassedOver(queue.Normal))<<32 | uint64(q.PassedOver(queue.Low)))
	p.Word(uint64(q.Len()))
}
