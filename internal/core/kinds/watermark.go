package kinds

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
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

// Backwards returns the text that says how the version of an event shows that history went backwards,
// "" if it does not. Newest is the result of IsNewest for an observed object.
//
//test:by internal/proof/script.TestScenarios/r5-a-version-that-falls internal/proof/sim.TestSeeds
func (t *Table) Backwards(v record.Nodes, ev *graph.Event, compare Compare) (newest bool, why string) {
	switch ev.Type {
	case graph.Put:
		if t.IsNewest(&ev.Object, compare) { // nor is it older than that of the object itself
			return true, ""
		}
		n, ok := v.Graph.Inside(inside.Key{}).Find(&ev.Object)
		if ok && t.IsOlder(n, v.State(n.ID()).Known, &ev.Object, compare) {
			return false, fmt.Sprintf("%s went from version %s to %s", ev.Object.Key, n.Version(), ev.Object.Version)
		}
	case graph.ListEnded:
		if floor, below := t.IsBelowFloor(ev, compare); below {
			return false, fmt.Sprintf("kind %q was listed at version %s after %s", ev.Kind, ev.Version, floor)
		}
	}
	return false, ""
}

// IsOlder reports whether an object is older than this history had shown it before, at a moment.
func (t *Table) IsOlder(n graph.Node, shown seq.Stamp, o *graph.Object, compare Compare) bool {
	return n.State() == graph.Observed && shown > t.Rewound() && !n.Inside(inside.Key{}).HasVersion(o.Version) &&
		compare(o.Kind, o.Version, n.Version()) < 0
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
