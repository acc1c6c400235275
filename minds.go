package ownergraph

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// minds keeps what the engine knows of each node. Of most it is when their state
// became known and how they were decided, which takes eight bytes, in the node's
// own note. What is known of the others is a record of its own, made when it is
// first asked for to be changed, and given back when the note is enough again.
type minds struct {
	pages [][]record // of pageMinds each, which do not move
	free  []uint32
	used  int
	awake []graph.NodeID // whose record may have changed since the last call
}

type record struct {
	mind
	listed bool // among awake
}

const (
	pageMinds = 16

	noteRecord  = 1 << 63 // the note is the number of a record
	noteAudited = 1 << 62
	noteKept    = 1 << 61 // a glance was enough to keep it as it is
	noteReason  = 48      // where they begin
	noteDoubt   = 56
	mostDoubt   = 1<<(61-noteDoubt) - 1
	mostStamp   = 1<<noteReason - 1
)

func (t *minds) at(i uint32) *record { return &t.pages[i/pageMinds][i%pageMinds] }

func (t *minds) add(m mind) uint32 {
	if len(t.free) == 0 {
		n := uint32(len(t.pages) * pageMinds)
		t.pages = append(t.pages, make([]record, pageMinds))
		for i := range uint32(pageMinds) {
			t.free = append(t.free, n+pageMinds-1-i)
		}
	}
	i := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	t.used++
	*t.at(i) = record{mind: m}
	return i
}

// drop gives a record back, and all of them with the last of many.
func (t *minds) drop(i uint32) {
	*t.at(i) = record{}
	t.free = append(t.free, i)
	if t.used--; t.used == 0 && len(t.pages) > pageMinds {
		t.pages, t.free, t.awake = nil, nil, nil
	}
}

// peek returns a copy of what is known of a node; nothing of one that is not in
// use.
func (e *Engine) peek(id graph.NodeID) mind {
	if !e.graph.InUse(id) {
		return mind{}
	}
	return e.nodes.recall(e.graph.Note(id))
}

func (t *minds) recall(note uint64) mind {
	if note&noteRecord != 0 {
		return t.at(uint32(note)).mind
	}
	known := policy.Stamp(note & mostStamp)
	return mind{
		known: known, changed: known, audited: note&noteAudited != 0,
		reason: policy.Reason(note >> noteReason), doubt: graph.Doubt(note >> noteDoubt & mostDoubt),
	}
}

// mind returns what is known of a node, to be changed until the next call of the
// engine. Of one that is not in use, changes are lost.
func (e *Engine) mind(id graph.NodeID) *mind {
	if !e.graph.InUse(id) {
		return new(mind)
	}
	note := e.graph.Note(id)
	if note&noteRecord == 0 {
		note = noteRecord | uint64(e.nodes.add(e.nodes.recall(note)))
		e.graph.SetNote(id, note)
	}
	r := e.nodes.at(uint32(note))
	if !r.listed {
		r.listed = true
		e.nodes.awake = append(e.nodes.awake, id)
	}
	return &r.mind
}

// rest gives back the records that are needed no more.
func (e *Engine) rest() {
	for _, id := range e.nodes.awake {
		if !e.graph.InUse(id) || e.graph.Note(id)&noteRecord == 0 {
			continue
		}
		i := uint32(e.graph.Note(id))
		r := e.nodes.at(i)
		r.listed = false
		if note, ok := e.note(id, &r.mind); ok {
			e.graph.SetNote(id, note)
			e.nodes.drop(i)
		}
	}
	e.nodes.awake = e.nodes.awake[:0]
}

// note returns what is known of a node as eight bytes, if they are enough.
func (e *Engine) note(id graph.NodeID, m *mind) (note uint64, ok bool) {
	if !m.plain() || m.known > mostStamp || m.doubt > mostDoubt {
		return 0, false
	}
	if _, seen := e.sights[id]; seen {
		return 0, false
	}
	note = uint64(m.known) | uint64(m.reason)<<noteReason | uint64(m.doubt)<<noteDoubt
	if m.audited {
		note |= noteAudited
	}
	return note, true
}

// plain reports whether nothing is known of a node that a note could not hold. When it
// changed as an owner is of use only beside what a read showed of it.
func (m *mind) plain() bool {
	return *m == mind{known: m.known, changed: m.known, role: m.role, reason: m.reason, doubt: m.doubt, audited: m.audited}
}

// know notes when the state of a node became known of which nothing else is.
func (t *minds) know(g *graph.Graph, id graph.NodeID, known policy.Stamp) {
	g.SetNote(id, uint64(known&mostStamp))
}

// keep notes that a plain node is kept at a glance.
func (t *minds) keep(g *graph.Graph, id graph.NodeID, why policy.Reason) {
	note := g.Note(id)
	if note&noteRecord == 0 {
		g.SetNote(id, note&mostStamp|uint64(why)<<noteReason|noteKept)
		return
	}
	m := &t.at(uint32(note)).mind
	m.reason, m.doubt, m.audited = why, graph.DoubtUnset, false
}

// kept reports whether that has been noted, and holds.
func (t *minds) kept(g *graph.Graph, id graph.NodeID) bool {
	return g.Note(id)&(noteRecord|noteKept) == noteKept
}

// unkeep notes that it has to be looked at again.
func (t *minds) unkeep(g *graph.Graph, id graph.NodeID) {
	if t.kept(g, id) {
		g.SetNote(id, g.Note(id)&^noteKept)
	}
}

// renew notes when another version of the state became known of which nothing
// else is.
func (t *minds) renew(g *graph.Graph, id graph.NodeID, known policy.Stamp) {
	g.SetNote(id, g.Note(id)&^(mostStamp|noteAudited)|uint64(known&mostStamp))
}

// lose forgets what is known of a node that has left the graph with this note,
// and returns it.
func (t *minds) lose(note uint64) mind {
	m := t.recall(note)
	if note&noteRecord != 0 {
		t.drop(uint32(note))
	}
	return m
}

func (t minds) clone() minds {
	t.pages = slices.Clone(t.pages)
	for i := range t.pages {
		t.pages[i] = slices.Clone(t.pages[i])
	}
	t.free, t.awake = slices.Clone(t.free), slices.Clone(t.awake)
	return t
}
