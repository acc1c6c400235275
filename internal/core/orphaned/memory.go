// Package orphaned remembers the owners whose orphaning the engine has ended. A dependent that
// came between the fence of an orphaning and the end of its owner is orphaned, too.
//
// The watch decides which references those are:
//
//	end of the orphaning   reference                       dependent
//	after a fence          shown before the owner's end    is orphaned
//	after a fence          shown later                     is garbage
//	without a fence        any                             is orphaned
//
// The answer of the write that ends the orphaning may come later than the end, or be lost. So it counts
// no longer once the watch has shown the end after a fence.
//
// The fence has shown each dependent from before the mark. A reference that comes after the end
// was added to an owner that is gone. Each other engine finds garbage there, as this one does
// after a restart, and as Kubernetes does.
//
// The memory is best effort. Events of two kinds have no common order, so a reference from before
// the end may come after it. Without a fence, dependents from before the mark may come late.
// There a mistake keeps an object.
package orphaned

import (
	"errors"
	"iter"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/tombstone"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Memory is the memory of one engine. Make one with New. It is not safe for concurrent use.
//
// It has no invariants beside those of its sets, which Check verifies.
type Memory struct {
	size int
	// owners have lost their orphan finalizer. The root of an owner is the code of its end.
	owners tombstone.Set
	// references are those that the watch showed before the end of their owner. A key has the
	// UID of the dependent, and the UID of the owner as its name.
	references tombstone.Set
}

// End describes the end of an orphaning. It is a value.
type End struct {
	// Pending says that the write which ends it has no answer.
	Pending bool
	// Fenced says that a fence had shown every dependent from before the mark.
	Fenced bool
	// Shown says that the watch has shown the end of the owner. An owner outlives its orphan
	// finalizer with another finalizer.
	Shown bool
}

const pending, fenced, shown = 1, 2, 4

// seen reports whether the watch decides which references the memory serves. The answer of the
// write does not count then: it may come later than the end, and another engine may be first.
func (x End) seen() bool { return x.Fenced && x.Shown }

// code returns the end as the root of a key.
func (x End) code() (code uint64) {
	if x.Pending {
		code = pending
	}
	if x.Fenced {
		code |= fenced
	}
	if x.Shown {
		code |= shown
	}
	return code
}

// New returns a memory of at most size owners and size references. At its bound it forgets the
// least recently used ones first. With a negative size it stays empty.
func New(size int) Memory {
	return Memory{size: size, owners: tombstone.New(size), references: tombstone.New(size)}
}

// Add remembers an owner.
func (m *Memory) Add(owner graph.Key, end End) { m.owners.AddRoot(owner, end.code()) }

// Has returns the end of an owner, if the memory has the owner.
func (m *Memory) Has(owner graph.Key) (end End, ok bool) {
	code, ok := m.owners.Root(owner)
	return End{code&pending != 0, code&fenced != 0, code&shown != 0}, ok
}

// Begin takes a write that is issued. The end of its owner may come before its answer.
func (m *Memory) Begin(x *inflight.Call) {
	if x.Orphan >= inflight.Ends {
		m.Add(x.Key, End{Pending: true, Fenced: x.Orphan == inflight.Ends})
	}
}

// Done takes the answer of a write. A write that failed, or whose outcome is unknown, leaves
// nothing to remember, unless the watch has shown the end of the owner meanwhile.
//
//test:by TestObserve TestUpdate
func (m *Memory) Done(x *inflight.Call, succeeded bool) {
	end, _ := m.Has(x.Key)
	switch {
	case x.Orphan >= inflight.Ends && (succeeded || end.seen()):
		m.Add(x.Key, End{Fenced: x.Orphan == inflight.Ends, Shown: end.Shown})
	case x.Orphan >= inflight.Ends:
		m.owners.Remove(x.Key)
	case x.Orphan == inflight.Frees && succeeded:
		m.drop(x.Key.UID)
	}
}

// Empty reports whether the memory has no owner.
func (m *Memory) Empty() bool { return m.owners.Empty() }

// Observe takes the end of an object, which the graph shows. It remembers the references to an
// owner of the memory. The memory's size bounds their number.
//
//test:by TestObserve
func (m *Memory) Observe(g *graph.Graph, owner graph.Key) {
	end, ok := m.Has(owner)
	if !ok {
		return
	}
	end.Shown = true
	m.Add(owner, end)
	n, ok := g.Inside(inside.Key{}).OfUID(owner.UID)
	if !ok {
		return
	}
	left := m.size
	for d := range referring(g, n) {
		if left--; left < 0 {
			return
		}
		m.Show(d.Key().UID, owner.UID)
	}
}

// referring yields the nodes whose references name the UID of a node. A node may come twice.
func referring(g *graph.Graph, n graph.Node) iter.Seq[graph.Node] {
	return func(yield func(graph.Node) bool) {
		ids := append([]graph.NodeID{n.ID()}, n.Inside(inside.Key{}).SameUID()...)
		for _, id := range ids {
			for d := range g.Node(id).Dependents() {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// Show remembers a reference that the watch showed before the end of its owner.
func (m *Memory) Show(dep, owner graph.UID) { m.references.Add(reference(dep, owner)) }

func reference(dep, owner graph.UID) graph.Key { return graph.Key{Name: string(owner), UID: dep} }

// Update takes another version of a dependent. A reference that the version lacks is
// forgotten: the one that comes again is another one.
//
//test:by TestUpdate
func (m *Memory) Update(dep graph.Node) {
	if m.references.Empty() {
		return
	}
	k := dep.Key()
	for _, r := range m.references.AllOfUID(k.UID) {
		if !refers(dep, graph.UID(r.Name)) {
			m.references.Remove(r)
		}
	}
}

func refers(dep graph.Node, owner graph.UID) bool {
	for i := range dep.Owners() {
		if dep.OwnerAt(i).UID == owner {
			return true
		}
	}
	return false
}

// drop forgets the references of a dependent.
func (m *Memory) drop(dep graph.UID) {
	for _, r := range m.references.AllOfUID(dep) {
		m.references.Remove(r)
	}
}

// Of returns the owner that a reference of the dependent means, if the memory serves the
// reference. It counts by the UID, as the orphaning did: a mistake there keeps an object. A
// setting that reads other coordinates as absent leaves no owner for them.
//
//test:by TestOf
func (m *Memory) Of(set graph.Config, dep graph.UID, k graph.Key) (owner graph.Key, ok bool) {
	end, ok := m.Has(k)
	if owner = k; !ok {
		if owner, ok = m.owners.OfUID(k.UID); !ok || !graph.Inside(inside.Key{}).IsOrphanedBy(&set, k.Scope, k, owner) {
			return graph.Key{}, false
		}
		end, _ = m.Has(owner)
	}
	if end.Pending && !end.seen() || end.seen() && !m.references.Has(reference(dep, owner.UID)) {
		return graph.Key{}, false
	}
	return owner, true
}

// Use counts a decision that rests on the memory of an owner as a use of it.
func (m *Memory) Use(dep, owner graph.UID) {
	m.owners.UseUID(owner)
	m.references.Use(reference(dep, owner))
}

// Shown returns the owners of a dependent's references that the watch showed before the
// owner's end, in order.
func (m *Memory) Shown(dep graph.UID) (owners []graph.UID) {
	for _, r := range m.references.AllOfUID(dep) {
		owners = append(owners, graph.UID(r.Name))
	}
	return owners
}

// Clear forgets everything.
func (m *Memory) Clear() {
	m.owners.Clear()
	m.references.Clear()
}

// Clone returns a memory with the same content.
func (m *Memory) Clone() Memory {
	return Memory{size: m.size, owners: m.owners.Clone(), references: m.references.Clone()}
}

// Check verifies the invariants of both sets.
func (m *Memory) Check() error { return errors.Join(m.owners.Check(), m.references.Check()) }

// Hash adds the content to a fingerprint.
func (m *Memory) Hash(p *fingerprint.Printer) {
	for _, s := range [...]*tombstone.Set{&m.owners, &m.references} {
		for k := range s.All() {
			code, _ := s.Root(k)
			p.Key(k)
			p.Word(code)
		}
		p.Word(uint64(s.Len()))
	}
}
