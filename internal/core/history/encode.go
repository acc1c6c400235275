package history

import (
	"encoding/binary"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// A record begins with the outcome and the number of a call, without a call with zeros. The
// record of a delete goes on with the byte whether it is no longer of use, the root, the ends of
// two parts of the proof, and the key. The record of an end goes on with the time, the finding
// about garbage, the flags, and the key.
const (
	headSize    = 9
	sentUseless = headSize
	sentRoot    = sentUseless + 1
	sentParts   = sentRoot + 8
	sentKey     = sentParts + 4
	endKey      = headSize + 10
)

// The flags of the record of an end, of a proof, and of an owner's class in it.
const (
	endUnseen   = 1
	endDeleting = 2
	endSelf     = 4 // the object is its own root
	endJudged   = 8 // its version is the judged one, so the proof has no owners
	proofHolder = 1
	classSelf   = 1 << 7
)

// Deletion is a delete that the engine hands out. It is a value.
type Deletion struct {
	Call     uint64
	Key      graph.Key
	Version  graph.Version
	Subject  inflight.Subject
	Node     graph.NodeID
	Input    *policy.Facts // the evidence of the decision
	Decision policy.Decision
	Holder   graph.Key // see Proof
	Root     uint64    // see RootOf
}

// Sent keeps the proof of a delete until its object ends.
func (m *Machine) Sent(v record.Nodes, d *Deletion) {
	if m.sent.max <= 0 {
		return
	}
	b := append(m.text[:0], byte(inflight.OutcomeUnset))
	b = binary.LittleEndian.AppendUint64(b, d.Call)
	b = binary.LittleEndian.AppendUint64(append(b, 0), d.Root)
	b = graph.Inside(inside.Key{}).AppendKey(append(b, 0, 0, 0, 0), &d.Key)
	hash := m.sent.hash(b[sentKey:])
	b = append(binary.AppendUvarint(b, uint64(len(d.Version))), d.Version...)
	b = append(b, byte(d.Decision.Action), byte(d.Decision.Reason), byte(d.Decision.Propagation))
	if d.Holder.UID != "" {
		b = graph.Inside(inside.Key{}).AppendKey(append(b, proofHolder), &d.Holder)
	} else {
		b = append(b, 0)
	}
	binary.LittleEndian.PutUint16(b[sentParts:], uint16(len(b)))
	b, kept := appendOwners(b, len(d.Input.Owners), d.Subject.AppendOwner)
	binary.LittleEndian.PutUint16(b[sentParts+2:], uint16(len(b)))
	for i := range kept {
		class, source, since := witness(v, d.Node, i, d.Input)
		b = binary.LittleEndian.AppendUint64(append(b, class, byte(source)), uint64(since))
	}
	m.sent.add(hash, b)
	m.text = b
}

// appendOwners appends the number of owners, the number of those that are kept, and these.
func appendOwners(b []byte, all int, appendOne func([]byte, int) []byte) (out []byte, kept int) {
	b = append(binary.AppendUvarint(b, uint64(all)), 0)
	count, limit := len(b)-1, len(b)+maxText
	for kept < min(all, maxOwners) {
		end := len(b)
		if b = appendOne(b, kept); len(b) > limit {
			b = b[:end]
			break
		}
		kept++
	}
	b[count] = byte(kept)
	return b, kept
}

// witness returns the class of an owner at a decision, the source of the evidence, and the
// time since which it is known, in Unix nanoseconds.
func witness(v record.Nodes, id graph.NodeID, i int, in *policy.Facts) (class byte, source Source, since int64) {
	f := &in.Owners[i]
	switch class = byte(in.ClassOf(f)); {
	case f.Self:
		return class | classSelf, SourceUnset, 0
	case class == byte(graph.Dangling):
		o := v.OwnerID(id, i)
		s := v.Peek(o, new(record.State))
		if source = ReadAbsent; v.Node(o).State() == graph.Absent || s.GoneObserved {
			source = WatchGone
		}
		return class, source, s.Ended
	case class == byte(graph.Waiting):
		s := v.Peek(v.OwnerID(id, i), new(record.State))
		if source = FencePassed; f.Read == policy.ReadWaiting && f.ReadBegan > in.Known {
			source = ReadWaiting
		}
		if !s.Marked.IsZero() {
			since = s.Marked.UnixNano()
		}
	}
	return class, source, since
}

// appendEnd appends the record of an end. It moves the proof of the delete there.
func (m *Machine) appendEnd(b []byte, n graph.Node, x *End, own []byte, root uint64, g Garbage) []byte {
	flags := byte(0)
	for flag, on := range [...]bool{x.Unseen, n.Deleting(), root == Self, own != nil && isJudged(own, n, len(m.key))} {
		if on {
			flags |= 1 << flag
		}
	}
	if own != nil {
		own[sentUseless] = 1
		b = append(b, own[:headSize]...)
	} else {
		b = append(b, make([]byte, headSize)...)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(x.Now.UnixNano()))
	b = append(append(b, byte(g), flags), m.key...)
	b = appendBytes(b, m.setOf(root))
	b = n.Inside(inside.Key{}).AppendVersion(b)
	b, _ = appendOwners(b, n.Owners(), n.Inside(inside.Key{}).AppendOwner)
	b = n.Inside(inside.Key{}).AppendFinalizers(b, maxText)
	if own == nil {
		return b
	}
	owners, evidence := binary.LittleEndian.Uint16(own[sentParts:]), binary.LittleEndian.Uint16(own[sentParts+2:])
	b = append(b, own[sentKey+len(m.key):owners]...)
	if flags&endJudged == 0 {
		b = append(b, own[owners:evidence]...)
	}
	return append(b, own[evidence:]...)
}

// isJudged reports whether a delete judged the present version of the node.
func isJudged(own []byte, n graph.Node, key int) bool {
	var scratch [64]byte
	return beginsWith(own[sentKey+key:], n.Inside(inside.Key{}).AppendVersion(scratch[:0]))
}

func appendBytes(b, s []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
