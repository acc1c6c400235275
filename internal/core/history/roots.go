package history

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// The root of an object, in its node state and in a tombstone, is a number of this package:
// Unknown, Self, or a set of roots. The text of a set is the byte that says whether it has
// nearest owners, the number of roots that were left out, and the keys in order.
const (
	// Unknown: the root is not fixed, or was forgotten.
	Unknown uint64 = iota
	// Self: the object is its own root.
	Self

	firstSet
)

// MaxRoots bounds the roots of one object.
const MaxRoots = 8

// isKnown reports whether a root is known, and not forgotten.
func (m *Machine) isKnown(root uint64) bool {
	return root == Self || root >= firstSet && (m.sets.has(root-firstSet+1) || m.isFound(root))
}

// setOf returns the text of a set, or nil.
func (m *Machine) setOf(root uint64) []byte {
	if root == Self || !m.isKnown(root) {
		return nil
	}
	if m.isFound(root) {
		return m.found.sets[root-m.firstFound()]
	}
	return m.sets.at(root - firstSet + 1)
}

// intern returns the number of the set with the text. A set that is about to be forgotten
// gets a new number.
func (m *Machine) intern(text []byte) uint64 {
	hash := m.sets.hash(text)
	for n := m.sets.find(hash, 0); n != 0 && !m.isOld(n); n = m.sets.find(hash, n) {
		if bytes.Equal(m.sets.at(n), text) {
			return n - 1 + firstSet
		}
	}
	if m.found.asks {
		return m.find(text)
	}
	if n := m.sets.add(hash, text); n != 0 {
		return n - 1 + firstSet
	}
	return Unknown
}

// isOld reports whether a set is among the oldest quarter of a full ring.
func (m *Machine) isOld(n uint64) bool {
	return m.sets.len() > m.sets.max/2 && n-m.sets.first < uint64(m.sets.len())/4
}

// owners sums up the owners of an object.
type owners struct {
	any, solid, unknown bool
	cascades            bool           // a cascade owner is gone or waits, and only such owners count
	ids                 []graph.NodeID // gone or waiting
	text                []byte         // scratch of a set

	asks  bool     // nothing is kept: see AskRoots
	fixes bool     // something would be kept
	sets  [][]byte // that would be kept
}

func (w *owners) reset() {
	w.any, w.solid, w.unknown, w.cascades, w.ids = false, false, false, false, w.ids[:0]
}

// isPlain reports whether an owner counts without regard to the others: see addByPolicy.
func (w *owners) isPlain(p graph.OnDelete) bool { return p == graph.OnDeleteUnset && !w.cascades }

// addByPolicy adds an owner of the class if the policy of its reference gives the object a root. From
// the first cascade owner that goes, only such owners count.
func (w *owners) addByPolicy(p graph.OnDelete, c graph.Class, o graph.NodeID) {
	if p != graph.OnDeleteCascade || c != graph.Dangling && c != graph.Waiting {
		return
	}
	if !w.cascades {
		w.reset()
		w.cascades = true
	}
	w.add(c, o)
}

// add adds an owner of the class.
func (w *owners) add(c graph.Class, o graph.NodeID) {
	w.any = true
	switch c {
	case graph.Solid:
		w.solid = true
	case graph.Dangling, graph.Waiting:
		w.ids = append(w.ids, o)
	default:
		w.unknown = true
	}
}

// judge returns the root of an observed object whose deletion begins now, and whether it is
// garbage, by the graph and by the proofs of absence.
func (m *Machine) judge(v record.Nodes, id graph.NodeID, rewound seq.Stamp) (uint64, Garbage) {
	n, w := v.Node(id), &m.found
	w.reset()
	for i := range n.Owners() {
		switch r := n.Reference(i); {
		case r.Self:
		case w.isPlain(r.OnDelete):
			w.add(classOf(v, &r, rewound), r.Owner)
		default:
			w.addByPolicy(r.OnDelete, classOf(v, &r, rewound), r.Owner)
		}
	}
	switch root := m.sum(v); {
	case !w.any || w.solid:
		return root, NoGarbage
	case w.unknown:
		return root, GarbageUnknown
	default:
		return root, WasGarbage
	}
}

// classOf returns the class of an owner by the graph or by a call that did not find it. A
// doubt about the reference itself stays.
func classOf(v record.Nodes, r *graph.Reference, rewound seq.Stamp) graph.Class {
	doubted := r.Class == graph.Unknown && r.Doubt != graph.Unobserved && r.Doubt != graph.Unlisted
	if !doubted && v.Peek(r.Owner, new(record.State)).Absent > rewound {
		return graph.Dangling
	}
	return r.Class
}

// RootOf returns the root that an object has if it is deleted by a decision with this
// evidence.
func (m *Machine) RootOf(v record.Nodes, id graph.NodeID, in *policy.Facts) uint64 {
	w := &m.found
	w.reset()
	for i := range in.Owners {
		switch f := &in.Owners[i]; {
		case f.Self:
		case w.isPlain(f.OnDelete):
			w.add(in.ClassOf(f), v.OwnerID(id, i))
		default:
			w.addByPolicy(f.OnDelete, in.ClassOf(f), v.OwnerID(id, i))
		}
	}
	return m.sum(v)
}

// sum returns the root of an object with the found owners (RULES, Root). It is the object
// itself if it has no owner or a solid one, otherwise the union of the roots of its owners.
func (m *Machine) sum(v record.Nodes) uint64 {
	w := &m.found
	if !w.any || w.solid {
		return Self
	}
	first, same := Unknown, !w.unknown
	for i, o := range w.ids {
		root := m.rootOfOwner(v, o)
		if i == 0 {
			first = root
		}
		same = same && root == first
	}
	if same {
		return first
	}
	return m.unite(v, w.unknown)
}

// rootOfOwner returns the set of roots of an owner that is gone or waiting. The node keeps
// it for the next dependent. An owner of unknown root stands in for it, so that no union lacks it.
func (m *Machine) rootOfOwner(v record.Nodes, o graph.NodeID) uint64 {
	n, root := v.Node(o), v.Peek(o, new(record.State)).Root
	switch {
	case root == Self:
		root = m.internOne(n)
	case !m.isKnown(root) || m.isEmpty(root):
		root = m.nearest(n, true)
	case m.isOld(root - firstSet + 1):
		m.found.text = append(m.found.text[:0], m.setOf(root)...)
		root = m.intern(m.found.text)
	default:
		return root
	}
	switch {
	case n.State() == graph.Observed && !n.Deleting(): // its root is not fixed yet
	case m.found.asks:
		m.found.fixes = true
	default:
		v.Edit(o).Root = root
	}
	return root
}

// isEmpty reports whether a set names no root, and has left none out: the owners of its object
// were not known.
func (m *Machine) isEmpty(root uint64) bool { return len(m.setOf(root)) == 2 && m.setOf(root)[1] == 0 }

// nearest returns the set that stands in for an unknown root: the absent owners of an
// observed object. Without one, and for another object, it is the object itself as the owner
// of others, and an empty set otherwise.
func (m *Machine) nearest(n graph.Node, asOwner bool) uint64 {
	var keys [][]byte
	for i := range min(n.Owners(), maxUnion) {
		if r := n.Reference(i); !r.Self && r.Class == graph.Dangling {
			o, _ := n.OwnerNode(i)
			keys = append(keys, o.Inside(inside.Key{}).AppendKey(nil))
		}
	}
	if len(keys) == 0 && asOwner {
		keys = append(keys, n.Inside(inside.Key{}).AppendKey(nil))
	}
	return m.internKeys(true, max(n.Owners()-maxUnion, 0), keys...)
}

// internOne returns the set of one root.
func (m *Machine) internOne(n graph.Node) uint64 {
	m.found.text = n.Inside(inside.Key{}).AppendKey(append(m.found.text[:0], 0, 0))
	if len(m.found.text) > maxText {
		m.found.text = append(m.found.text[:0], 0, 1)
	}
	return m.intern(m.found.text)
}

// internKeys returns the set of the keys, with the number of the others. It sorts them.
func (m *Machine) internKeys(nearest bool, more int, keys ...[]byte) uint64 {
	m.found.text = appendSet(m.found.text[:0], nearest, more, keys)
	return m.intern(m.found.text)
}

// appendSet appends the text of a set with the first of the keys. It sorts them. More counts
// the roots that were left out before.
func appendSet(b []byte, nearest bool, more int, keys [][]byte) []byte {
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	kept, size := 0, 0
	for kept < min(len(keys), MaxRoots) && size+len(keys[kept]) <= maxText {
		size += len(keys[kept])
		kept++
	}
	b = binary.AppendUvarint(append(b, flagOf(nearest)), uint64(more+len(keys)-kept))
	for _, k := range keys[:kept] {
		b = append(b, k...)
	}
	return b
}

// root reads a set. Nothing is the set of an unknown root.
func (r *reader) root() (x Root) {
	if len(r.b) == 0 {
		return Root{Nearest: true}
	}
	x.Nearest, x.More = r.byte() != 0, r.number()
	for len(r.b) > 0 {
		x.Keys = append(x.Keys, r.key())
	}
	slices.SortFunc(x.Keys, graph.Key.Compare)
	return x
}

// flagOf returns a byte for a fact.
func flagOf(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// unite returns the union of the sets of the found owners.
func (m *Machine) unite(v record.Nodes, nearest bool) uint64 {
	w, more := &m.found, 0
	var keys [][]byte
	for _, o := range w.ids {
		set := m.setOf(m.rootOfOwner(v, o))
		if len(set) == 0 || len(keys) > maxUnion {
			more++
			continue
		}
		r := reader{bytes.Clone(set)} // the next set may take its memory
		nearest = r.byte() != 0 || nearest
		more += r.number()
		for len(r.b) > 0 {
			keys = append(keys, r.skipKey())
		}
	}
	w.text = appendSet(w.text[:0], nearest, more, keys)
	return m.intern(w.text)
}

// maxUnion bounds the roots that a union looks at. It counts the sets of later owners as
// one each.
const maxUnion = 256

// Mark notes the root of an object whose mark the watch shows, unless it is known. New says
// that the watch had not shown the object before. Then the moment of the mark is unknown, and
// so is the root of an object that may have been garbage.
func (m *Machine) Mark(v record.Nodes, id graph.NodeID, isNew bool, rewound seq.Stamp) {
	s := v.Edit(id)
	if m.isKnown(s.Root) {
		return
	}
	m.key = v.Node(id).Inside(inside.Key{}).AppendKey(m.key[:0])
	if own := m.own(m.key, s.Call); own != nil {
		s.Root = binary.LittleEndian.Uint64(own[sentRoot:])
	} else if root, g := m.judge(v, id, rewound); g == NoGarbage || !isNew {
		s.Root = root
	}
}

// rootAtEnd returns the root of an object at its end. The fixed root is that of its mark,
// own is the delete of this engine, and judged is the root by the owners now.
func (m *Machine) rootAtEnd(n graph.Node, fixed uint64, own []byte, judged uint64) uint64 {
	sent := Unknown
	if own != nil {
		sent = binary.LittleEndian.Uint64(own[sentRoot:])
	}
	switch {
	case n.Deleting() && m.isKnown(fixed):
		return fixed
	case m.isKnown(sent):
		return sent
	case n.Deleting(): // the engine did not observe its mark
		return m.nearest(n, false)
	}
	return judged
}

// RootAt returns the roots that a number of an object stands for.
func (m *Machine) RootAt(n graph.Node, root uint64) Root {
	if root == Self {
		return Root{Keys: []graph.Key{n.Key()}}
	}
	return (&reader{bytes.Clone(m.setOf(root))}).root()
}

// Cause returns the word of an engine about its delete of a node (RULES, A1): the first of the node's roots. That of a
// member of a sweep is the holder.
func (m *Machine) Cause(n graph.Node, root uint64, holder graph.Key) *graph.Cause {
	c := &graph.Cause{Root: holder, Holder: holder}
	if keys := m.RootAt(n, root).Keys; holder.UID == "" && len(keys) > 0 {
		c.Root = keys[0]
	}
	return c
}
