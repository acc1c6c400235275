package brake

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
)

// All cascades of one object are remembered together, or none of them. If each took its place on
// its own, one of them could displace another one of the same object. The object would then be
// decided again and again.
//
// An object without room needs as many places as it has cascades that are not remembered, and as
// many as it has ones that may be forgotten: these do not make room for it. It is decided again
// when there are so many places. The machine has no more objects decided at once than there are
// places for them.

// rooms has the lines of the objects that need a number of places, by that number.
type rooms [maxRoots + 1]line

func (r *rooms) clone() (c rooms) {
	for i := range r {
		c[i] = r[i].clone()
	}
	return c
}

// begins reports whether a judgement of an object begins counts: one of its cascades is not known, no
// listing is awaited, and there is room for all. Without room it returns the places that the object
// needs.
//
//test:by TestOwnRoots TestOwnEndedRoots TestNoRoomForAll
func (m *Machine) begins(v View, id graph.NodeID, roots []graph.Key) (begins bool, need uint8) {
	if !v.Listed {
		return false, 0
	}
	fresh, ended := 0, 0
	for i, k := range roots {
		if m.isExempt(k) || slices.Contains(roots[:i], k) {
			continue
		}
		s := m.index[k]
		begins = begins || m.at(s).isUnknown(v.Returned)
		switch {
		case s == 0:
			fresh++
		case m.at(s).free:
			ended++
		}
	}
	room := m.room()
	if w := m.waits[id]; !w.called || w.answer != NeedRoom { // others were promised a place
		room -= m.promised
	}
	if all := fresh + ended; fresh > 0 && all > room {
		return false, uint8(min(all, maxRoots))
	}
	return begins, 0
}

// reserve gives the cascades of an object their places. Judge has found room for all of them.
func (m *Machine) reserve(roots []graph.Key) {
	own := make([]slot, 0, maxRoots)
	for _, k := range roots {
		if s := m.index[k]; s != 0 && !m.isExempt(k) {
			own = append(own, s)
		}
	}
	for _, k := range roots {
		if m.index[k] == 0 && !m.isExempt(k) {
			own = append(own, m.place(k, own))
		}
	}
}

// isRoomy reports whether an object waits for places, and there are so many.
func (m *Machine) isRoomy() bool {
	if m.counted[NeedRoom] == 0 {
		return false
	}
	room := m.room() - m.promised
	for n := range m.full {
		if m.full[n].live > 0 && n <= room {
			return true
		}
	}
	return false
}

// callRoomy asks for decisions of as many objects as there are places for them, the oldest first.
func (m *Machine) callRoomy(v View, budget int) {
	for ; budget > 0 && m.isRoomy(); budget-- {
		room, first := m.room()-m.promised, place{}
		for n := range min(len(m.full), room+1) {
			if p := m.head(&m.full[n]); p.at != 0 && (first.at == 0 || p.at < first.at) {
				first = p
			}
		}
		w := m.waits[first.node]
		l := &m.full[w.need]
		l.nodes.Pop(&first)
		l.live--
		w.called = true
		m.waits[first.node] = w
		m.promised += int(w.need)
		v.Out.Look(first.node, priority(v, first.node))
	}
}

// head returns the first place of a line whose node still waits there, and drops those before it.
// It returns the zero place for an empty line.
func (m *Machine) head(l *line) (p place) {
	if l.live == 0 {
		l.nodes = fifo.List[place]{}
		return p
	}
	for {
		if p = l.nodes.All()[0]; m.waits[p.node].at == p.at {
			return p
		}
		l.nodes.Pop(&p)
	}
}
