package linear

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// state is the sequential model: one place, and the object there. It is immutable.
type state struct {
	live bool
	// object is the live object in the model's form (see normalized). An empty UID
	// or version was made and has not been shown yet. So no client can have named
	// it.
	object graph.Object
	uids   []graph.UID     // of former incarnations
	past   []graph.Version // of this incarnation's former states
}

// model is the model for porcupine. Its states are of type state, inputs and
// outputs of type call.
func model() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{state{}} },
		Step: func(s, input, _ any) []any {
			var next []any
			for _, n := range s.(state).step(input.(call)) {
				next = append(next, n)
			}
			return next
		},
		Equal: func(a, b any) bool { return a.(state).equal(b.(state)) },
	}
	return m.ToModel()
}

func (s state) equal(t state) bool {
	return s.live == t.live && s.object.Equal(t.object) && slices.Equal(s.uids, t.uids) && slices.Equal(s.past, t.past)
}

// step returns the possible states after the call, or none if the recorded answer
// is impossible.
func (s state) step(c call) []state {
	switch {
	case c.err == nil:
		return s.done(c)
	case c.unknown():
		after, _ := s.write(c)
		return append(after, s) // it has happened, or not yet
	case s.mayRefuse(c):
		return []state{s}
	}
	return nil
}

// unknown reports whether the answer leaves open whether the call has happened.
func (c call) unknown() bool {
	return c.err != nil && !slices.ContainsFunc(contractErrors(), func(is error) bool { return errors.Is(c.err, is) })
}

func contractErrors() []error {
	return []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused, graph.ErrInvalid}
}

// mayRefuse reports whether the call may have its error, which means that nothing
// was done.
func (s state) mayRefuse(c call) bool {
	switch {
	case errors.Is(c.err, graph.ErrNotFound):
		return !s.live && c.verb != create
	case !errors.Is(c.err, graph.ErrConflict):
		return true
	case c.verb == create:
		return s.live
	case !s.live:
		return c.verb == update // the contract of Client leaves it open
	}
	_, err := s.outcome(c)
	return errors.Is(err, graph.ErrConflict)
}

// done returns the possible states after a successful call.
func (s state) done(c call) []state {
	if c.verb == get {
		return s.shows(c.got)
	}
	after, err := s.write(c)
	if err != nil || c.verb != create && c.verb != update {
		return after
	}
	var shown []state
	for _, n := range after {
		if n.live {
			shown = append(shown, n.shows(c.got)...)
			// The answer is the last state of the removed object. The contract leaves
			// its version open.
		} else if c.got.UID == s.object.UID {
			shown = append(shown, n)
		}
	}
	return shown
}

// shows returns the state in which a client sees the object as got, or none if that
// is impossible.
func (s state) shows(got graph.Object) []state {
	seen := normalized(got)
	if !s.live || got.UID == "" || got.Version == "" {
		return nil
	}
	if s.object.UID == "" && !slices.Contains(s.uids, seen.UID) {
		s.object.UID = seen.UID
	}
	if s.object.Version == "" && !slices.Contains(s.past, seen.Version) {
		s.object.Version = seen.Version
	}
	if !s.object.Equal(seen) {
		return nil
	}
	return []state{s}
}

// write returns the possible states after the write. If its conditions or the rules
// of package finalizer exclude the write, it returns the reason.
func (s state) write(c call) ([]state, error) {
	switch {
	case c.verb == get:
		return nil, nil
	case c.verb == create && s.live:
		return nil, graph.ErrConflict
	case c.verb == create:
		return []state{{live: true, object: normalized(c.sent), uids: s.uids}}, nil
	case !s.live:
		return nil, graph.ErrNotFound
	}
	out, err := s.outcome(c)
	if err != nil {
		return nil, err
	}
	next := state{live: true, object: normalized(out.Object), uids: s.uids, past: with(s.past, s.object.Version)}
	next.object.Version = ""
	switch {
	case out.Effect == finalizer.Removed:
		return []state{{uids: with(s.uids, s.object.UID)}}, nil
	// Equal but for the order: the store may make a new version, or keep the old
	// one.
	case next.object.EqualContent(s.object):
		return []state{s, next}, nil
	}
	return []state{next}, nil
}

// outcome applies the rules of package finalizer. A precondition cannot name a
// version that was not shown.
func (s state) outcome(c call) (finalizer.Outcome, error) {
	if c.pre.UID != "" && c.pre.UID != s.object.UID || c.pre.Version != "" && c.pre.Version != s.object.Version {
		return finalizer.Outcome{}, graph.ErrConflict
	}
	switch c.verb {
	case update:
		wanted := s.object.Clone()
		wanted.Owners, wanted.Finalizers = c.sent.Owners, c.sent.Finalizers
		return finalizer.Update(s.object, wanted)
	case patch:
		return finalizer.Patch(s.object, graph.Precondition{}, c.change)
	}
	opts := c.options
	opts.Precondition = graph.Precondition{}
	return finalizer.Delete(s.object, opts, graph.Unset)
}

// normalized returns the object in the form for comparisons: without its
// generations, and with sorted lists.
func normalized(o graph.Object) graph.Object {
	o = o.Clone()
	o.Generation, o.ObservedGeneration = 0, 0
	slices.Sort(o.Finalizers)
	slices.SortFunc(o.Owners, func(a, b graph.Owner) int {
		return cmp.Or(a.Key.Compare(b.Key), strings.Compare(a.String(), b.String()))
	})
	return o
}

// with returns a copy of the list with v added. An empty v is not added.
func with[T ~string](list []T, v T) []T {
	if v == "" || slices.Contains(list, v) {
		return list
	}
	return append(slices.Clone(list), v)
}
