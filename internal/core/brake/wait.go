package brake

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/queue"
)

// maxRoots bounds the cascades of one object: 8 roots of the history, and LeftOut.
const maxRoots = 8 + 1

// wait is the wait of one node. It lasts until the node is decided again.
type wait struct {
	at     uint64 // the number of the join
	answer Answer
	called bool           // for a token, and woken
	later  bool           // the node cannot be decided now
	need   uint8          // places, with NeedRoom
	slots  [maxRoots]slot // the cascades that it waits for; 0 ends them
}

// line is a list of nodes that wait for one thing. A node may have left the line since it
// was added.
type line struct {
	nodes  fifo.List[place]
	live   int  // nodes that still wait in it
	called bool // all nodes were woken since the last one came
}

// place is the place of a node in a line.
type place struct {
	node graph.NodeID
	at   uint64
}

func (l *line) clone() line {
	c := *l
	c.nodes = l.nodes.Clone()
	return c
}

// lineFor returns the line of a wait that names no cascade, or nil.
func (m *Machine) lineFor(a Answer, need uint8) *line {
	switch a {
	case NeedListings:
		return &m.listing
	case NeedRoom:
		return &m.full[need]
	case NeedToken:
		return &m.window
	}
	return nil
}

// join makes a node wait. A node that waits for the same keeps its place.
func (m *Machine) join(id graph.NodeID, j *Judgement) {
	a, need, slots := j.Answer, uint8(0), j.blocked()
	if a == NeedRoom {
		need = j.need
	}
	if w, ok := m.waits[id]; ok && w.answer == a && w.slots == slots && w.need == need && !w.called && a >= NeedCount {
		w.later = false
		m.waits[id] = w
		m.recall(&w)
		return
	} else if ok && w.answer == NeedToken && a == NeedToken && !w.called {
		return
	}
	m.Leave(id)
	m.joins++
	m.waits[id] = wait{at: m.joins, answer: a, slots: slots, need: need}
	m.counted[a]++
	p := place{id, m.joins}
	if l := m.lineFor(a, need); l != nil {
		m.push(l, p)
	}
	for _, s := range slots {
		if s == 0 {
			break
		}
		m.push(&m.at(s).held, p)
		m.noteEnd(s)
	}
}

// recall notes that a node of a woken line waits on.
func (m *Machine) recall(w *wait) {
	if l := m.lineFor(w.answer, w.need); l != nil {
		l.called = false
	}
	for _, s := range w.slots {
		m.at(s).held.called = false
	}
}

// push adds a node to a line, and drops the nodes that have left if they are many.
func (m *Machine) push(l *line, p place) {
	if l.called = false; l.nodes.Len() > 2*l.live+64 {
		var kept fifo.List[place]
		for _, x := range l.nodes.All() {
			if m.waits[x.node].at == x.at {
				kept.Push(&x)
			}
		}
		l.nodes = kept
	}
	l.nodes.Push(&p)
	l.live++
}

// Leave ends the wait of a node: it is decided otherwise, or has gone.
func (m *Machine) Leave(id graph.NodeID) {
	w, ok := m.waits[id]
	if !ok {
		return
	}
	delete(m.waits, id)
	m.counted[w.answer]--
	switch l := m.lineFor(w.answer, w.need); {
	case w.called && w.answer == NeedRoom:
		m.promised -= int(w.need)
	case w.called:
		m.called--
	case l != nil:
		l.live--
	}
	for _, s := range w.slots {
		if s == 0 {
			break
		}
		m.at(s).held.live--
		m.noteEnd(s)
	}
}

// Postpone notes that a node cannot be decided now, as before a listing or a read. A node that
// waits for a user waits on. Otherwise its cascade could be forgotten together with the answer
// of the user. It is decided again after the listing or the read, so no line has to call it.
//
//test:by TestPostponeCallsNothing
func (m *Machine) Postpone(id graph.NodeID) {
	w := m.waits[id]
	if slices.ContainsFunc(w.slots[:], func(s slot) bool { return m.at(s).waitsForUser() }) {
		w.later = true
		m.waits[id] = w
		return
	}
	m.Leave(id)
}

// End ends the wait of an object that has gone. Its node may stay in the graph.
func (m *Machine) End(id graph.NodeID) {
	m.Leave(id)
	m.walk.end(id)
}

// Drop ends the wait of a node that leaves the graph. Its id may name another node later.
func (m *Machine) Drop(id graph.NodeID) {
	m.End(id)
	m.walk.drop(id)
}

// wake asks for decisions of the nodes of a line. They wait until then.
func (m *Machine) wake(v View, l *line) {
	if l.called {
		return
	}
	l.called = true
	for _, x := range l.nodes.All() {
		if m.waits[x.node].at == x.at {
			v.Out.Wake(x.node)
		}
	}
}

// callNext asks for decisions of as many nodes as there are tokens, the oldest first.
func (m *Machine) callNext(v View, budget int) (n int) {
	if m.window.live == 0 {
		return 0
	}
	m.bucket.fill(v.Now)
	for p := (place{}); n < budget && m.window.live > 0 && m.bucket.tokens > m.called && m.window.nodes.Pop(&p); n++ {
		w := m.waits[p.node]
		if w.at != p.at {
			continue
		}
		w.called = true
		m.waits[p.node] = w
		m.called++
		m.window.live--
		v.Out.Look(p.node, priority(v, p.node))
	}
	return n
}

func priority(v View, id graph.NodeID) queue.Priority { return effect.Priority(v.Node(id)) }
