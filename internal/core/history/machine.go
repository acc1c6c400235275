package history

import (
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Machine has the history of one engine. Make one with New. It is not safe for concurrent
// use.
//
// Its invariants, which Check verifies, are those of its three rings: see ring.
type Machine struct {
	sent  ring // the deletes that were handed out, by key
	ended ring // the ends of objects, by coordinates without the UID
	sets  ring // sets of roots, by text

	gone   map[uint64]int // the ends since the beginning, by the set of their roots; for reports
	ending uint64         // the root of the end at hand

	draft []byte // the record of the end at hand, which the graph has still to take
	text  []byte // scratch for a record
	key   []byte // scratch for a key
	found owners // scratch
}

const (
	// eachEntry bounds the bytes of an entry on average. Longer ones displace several.
	eachEntry = 1024
	// maxSets bounds the remembered sets of roots, and eachSet their bytes on average.
	maxSets, eachSet = 16384, 256
	// maxOwners bounds the owners of an entry and of a proof. maxText bounds the bytes of
	// the owners, of the finalizers and of the roots.
	maxOwners, maxText = 16, 6 << 10
	// maxSteps bounds the deletes of one object, and the objects of one name, that an
	// event looks at.
	maxSteps = 16
)

// New returns an empty history of at most entries deletions. With a number below 1 it keeps
// no entry. It knows the roots all the same.
func New(entries int) Machine {
	return Machine{sent: newRing(entries, eachEntry), ended: newRing(entries, eachEntry), sets: newRing(maxSets, eachSet)}
}

// mayHaveDeleted reports whether a delete with the outcome may have deleted its object.
func mayHaveDeleted(o inflight.Outcome) bool {
	return o == inflight.OutcomeUnset || o == inflight.Succeeded || o == inflight.Unknown
}

// SetOutcome notes the outcome of a delete. The end of the object may have come first.
func (m *Machine) SetOutcome(k graph.Key, call uint64, o inflight.Outcome) {
	m.key = graph.Inside(inside.Key{}).AppendKey(m.key[:0], &k)
	b := m.sent.findCall(m.sent.hash(m.key), call)
	if b != nil && b[sentUseless] != 0 { // its record is in the history of ends
		b = nil
	}
	if b == nil {
		b = m.ended.findCall(m.ended.hash(m.key[:placeSize(m.key)]), call)
	} else if !mayHaveDeleted(o) {
		b[sentUseless] = 1
	}
	if b != nil {
		b[0] = byte(o)
	}
	m.trim()
}

// trim forgets the oldest deletes as long as they are of no use: their objects have ended, or
// another actor was first. Most deletes end soon, so their ring stays short.
func (m *Machine) trim() {
	for m.sent.len() > 0 && m.sent.at(m.sent.first)[sentUseless] != 0 {
		m.sent.forget()
	}
}

// findCall returns the record of a call with the hash, among the newest ones, or nil.
func (r *ring) findCall(hash, call uint64) []byte {
	for n, steps := r.find(hash, 0), 0; n != 0 && steps < maxSteps; n, steps = r.find(hash, n), steps+1 {
		if b := r.at(n); binary.LittleEndian.Uint64(b[1:]) == call {
			return b
		}
	}
	return nil
}

// own returns the record of the delete that has ended the object or may have done so, or
// nil. A delete that succeeded goes before the others. A delete without an outcome counts
// only while it is under way.
func (m *Machine) own(key []byte, underWay uint64) (found []byte) {
	if m.sent.len() == 0 {
		return nil
	}
	hash := m.sent.hash(key)
	for n, steps := m.sent.find(hash, 0), 0; n != 0 && steps < maxSteps; n, steps = m.sent.find(hash, n), steps+1 {
		b := m.sent.at(n)
		switch outcome := inflight.Outcome(b[0]); {
		case !beginsWith(b[sentKey:], key), !mayHaveDeleted(outcome):
		case outcome == inflight.Succeeded:
			return b
		case outcome == inflight.OutcomeUnset && binary.LittleEndian.Uint64(b[1:]) != underWay:
		case found == nil:
			found = b
		}
	}
	return found
}

func beginsWith(b, key []byte) bool { return len(b) >= len(key) && string(b[:len(key)]) == string(key) }

// End is the end of an observed object, before the graph takes it. It is a value.
type End struct {
	Node    graph.NodeID
	Now     time.Time
	Unseen  bool
	Rewound seq.Stamp // the last rewind
}

// Draft makes the record of an end, for Keep, and notes the root in the state of the node.
func (m *Machine) Draft(v record.Nodes, x *End) {
	n, s := v.Node(x.Node), v.Edit(x.Node)
	m.key = n.Inside(inside.Key{}).AppendKey(m.key[:0])
	own := m.own(m.key, s.Call)
	judged, garbage := m.judge(v, x.Node, x.Rewound)
	s.Root = m.rootAtEnd(n, s.Root, own, judged)
	s.Ended, m.ending = x.Now.UnixNano(), s.Root
	if m.draft = m.draft[:0]; m.ended.max > 0 {
		m.draft = m.appendEnd(m.draft, n, x, own, s.Root, garbage)
		m.trim()
	}
}

// Keep takes the draft into the history: the graph has taken the end.
func (m *Machine) Keep() {
	m.countEnd(m.ending)
	m.ending = Unknown
	if len(m.draft) > 0 {
		place := placeSize(m.draft[endKey:])
		m.ended.add(m.ended.hash(m.draft[endKey:][:place]), m.draft)
		m.draft = m.draft[:0]
	}
	if max(cap(m.draft), cap(m.key), cap(m.text), cap(m.found.text)) > 2*maxRecord { // of a name without bounds
		m.draft, m.key, m.text, m.found.text = nil, nil, nil, nil
	}
}

// placeSize returns the size of the coordinates without the UID.
func placeSize(key []byte) int {
	r := reader{key}
	for range 3 {
		r.bytes()
	}
	return len(key) - len(r.b)
}

// Find returns the last deletion of an object. Without a UID it is the last one of an object
// with these coordinates.
func (m *Machine) Find(k graph.Key) (Entry, bool) {
	for e := range m.All(k) {
		return e, true
	}
	return Entry{}, false
}

// All yields the deletions of the objects with these coordinates, the newest first. With a
// UID it yields those of this object: a rewind may bring an object back.
func (m *Machine) All(k graph.Key) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		key := graph.Inside(inside.Key{}).AppendKey(nil, &k)
		place := placeSize(key)
		hash := m.ended.hash(key[:place])
		if k.UID == "" {
			key = key[:place]
		}
		for n := m.ended.find(hash, 0); n != 0; n = m.ended.find(hash, n) {
			b := m.ended.at(n)
			if beginsWith(b[endKey:], key) && !yield((&reader{b}).entry()) {
				return
			}
		}
	}
}

// Len returns the number of deletions, and Bytes the memory of the history.
func (m *Machine) Len() int   { return m.ended.len() }
func (m *Machine) Bytes() int { return m.sent.bytes() + m.ended.bytes() + m.sets.bytes() }

// Clone returns a history that shares nothing with m.
func (m *Machine) Clone() Machine {
	return Machine{sent: m.sent.clone(), ended: m.ended.clone(), sets: m.sets.clone(), gone: maps.Clone(m.gone)}
}

// Check verifies the invariants of Machine.
func (m *Machine) Check() error {
	return errors.Join(m.sent.check(), m.ended.check(), m.sets.check())
}
