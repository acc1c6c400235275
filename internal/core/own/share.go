package own

import (
	"fmt"
	"maps"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/share"
)

// Share is the share of one engine. The zero value is everything. It is not safe for concurrent
// use.
//
// Its invariant, which Check verifies: an object with a note is a node in use.
type Share struct {
	set   share.Set
	part  bool      // the set is not all
	none  bool      // the set is none
	until time.Time // the set is none from then on, zero for no end
	notes map[graph.NodeID]Note
}

// Note is a note of the last decision about a foreign object, for the phases of an order.
type Note uint8

// The notes.
const (
	Unset Note = iota
	// Stays: the object stays although its owners go. No phase waits for it.
	Stays
	// Unproven: the decision lacks evidence, and may turn out to be Stays.
	Unproven
)

// New returns a share of the set, without an end.
func New(set share.Set) (s Share) {
	s.replace(set)
	return s
}

func (s *Share) replace(set share.Set) {
	s.set, s.part, s.none = set, set != share.All(), set == share.None()
}

// Set returns the set.
func (s *Share) Set() share.Set { return s.set }

// Slots returns the number of slots of the set.
func (s *Share) Slots() int { return s.set.Len() }

// IsAll reports whether no object is foreign.
func (s *Share) IsAll() bool { return !s.part }

// IsNone reports whether every object is foreign.
func (s *Share) IsNone() bool { return s.none }

// IsForeign reports whether a node is outside of the share.
func (s *Share) IsForeign(n graph.Node) bool {
	if !s.part {
		return false
	}
	var text [64]byte
	return !s.set.HasText(n.Inside(inside.Key{}).AppendUID(text[:0]))
}

// Has reports whether a UID is in the share.
func (s *Share) Has(uid graph.UID) bool { return !s.part || s.set.Has(uid) }

// Change sets the set and its end. For another set it asks for a look at all objects.
func (s *Share) Change(set share.Set, until time.Time, out *effect.List) {
	s.until = until
	if set == s.set {
		return
	}
	s.replace(set)
	out.Do(effect.LookAtShare)
	out.Keep(effect.Record{Level: effect.Info, Text: "share changed", Args: []any{"extent", set.String()}})
}

// Expire makes the set none if its end has come.
func (s *Share) Expire(now time.Time, out *effect.List) {
	if !s.until.IsZero() && !now.Before(s.until) {
		s.Change(share.None(), time.Time{}, out)
	}
}

// At returns the end of the set, false for none.
func (s *Share) At() (time.Time, bool) { return s.until, !s.until.IsZero() }

// Note takes a note of a foreign object.
func (s *Share) Note(id graph.NodeID, n Note) {
	if n == Unset {
		delete(s.notes, id)
		return
	}
	if s.notes == nil {
		s.notes = map[graph.NodeID]Note{}
	}
	s.notes[id] = n
}

// NoteOf returns the note of an object. That of an object that has joined is of its last decision, too.
func (s *Share) NoteOf(id graph.NodeID) Note { return s.notes[id] }

// Drop forgets an object that is gone, or is decided as an own one.
func (s *Share) Drop(id graph.NodeID) { delete(s.notes, id) }

// Clone returns a share that shares nothing with s.
func (s *Share) Clone() Share {
	c := *s
	c.notes = maps.Clone(s.notes)
	return c
}

// Check verifies the invariant of Share.
func (s *Share) Check(g *graph.Graph) error {
	for id := range s.notes {
		if !g.Inside(inside.Key{}).InUse(id) {
			return fmt.Errorf("N5: foreign object %d is not in the graph", id)
		}
	}
	return nil
}

// Hash writes the state to the printer.
func (s *Share) Hash(p *fingerprint.Printer) {
	p.Flags(s.part)
	if s.part {
		for _, r := range s.set.Ranges() {
			p.Word(r.First)
			p.Word(r.Last)
		}
	}
	if !s.until.IsZero() {
		p.Until(s.until)
	}
	for _, id := range p.Nodes() {
		if n := s.notes[id]; n != Unset {
			p.Node(id)
			p.Word(uint64(n))
		}
	}
}
