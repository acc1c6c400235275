package kinds

import (
	"github.com/ownergraph/ownergraph/graph"
)

// A kind's watermark is the newest version that was observed of it, where versions can be
// compared. An object or a listing below it shows a rewind (R5).

// advance raises the watermark to a version that a listing or a progress event names.
func (s *State) advance(name graph.Kind, v graph.Version, compare Compare) {
	if compare == nil || v == "" {
		return
	}
	if s.High == "" || compare(name, v, s.High) > 0 {
		s.High = v
	}
}

// IsNewest reports whether no object of the kind had a newer version before this one.
// Then the version of the object itself was not newer either.
func (t *Table) IsNewest(o *graph.Object, compare Compare) bool {
	s := t.cached(o.Kind)
	return s != nil && s.Max != "" && (o.Version == s.Max || compare(o.Kind, o.Version, s.Max) > 0)
}

// Advance raises the watermark to the version of an observed object. Newest is the
// result of IsNewest before the event.
func (t *Table) Advance(o *graph.Object, newest bool, compare Compare) {
	s := t.cached(o.Kind)
	if s == nil {
		return
	}
	same := newest && s.High == s.Max
	if newest || s.Max == "" || compare(o.Kind, o.Version, s.Max) > 0 {
		s.Max = o.Version
	}
	if same || s.High == "" || compare(o.Kind, o.Version, s.High) > 0 {
		s.High = o.Version
	}
}

// cached returns the state of a kind, nil for an unknown one. Most events are about the
// kind of the event before, so the table keeps that state at hand.
func (t *Table) cached(name graph.Kind) *State {
	if t.last != nil && string(t.lastOf) == string(name) {
		return t.last
	}
	s := t.states[name]
	if s != nil {
		t.last, t.lastOf = s, append(t.lastOf[:0], name...)
	}
	return s
}

// IsBelowFloor reports whether a listing ended at a version below the watermark of its
// beginning.
func (t *Table) IsBelowFloor(ev *graph.Event, compare Compare) (floor graph.Version, below bool) {
	s := t.states[ev.Kind]
	if s == nil || ev.Version == "" || s.Floor == "" || compare(ev.Kind, ev.Version, s.Floor) >= 0 {
		return "", false
	}
	return s.Floor, true
}
