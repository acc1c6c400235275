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

// state is the sequential model: one place, and what lives there. It is
// immutable.
type state struct {
	live bool
	// object is what lives there, in the model's form (see plain). A UID or a
	// version that is empty was made and has not been shown yet: so nobody can
	// have asked for it.
	object graph.Object
	uids   []graph.UID     // of former incarnations
	past   []graph.Version // of this incarnation's former states
}

// model is what porcupine is asked about. Its states are of type state, inputs
// and outputs of type call.
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

// step returns what there may be after the call, none if it cannot have been
// answered as it was.
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

// unknown says that nobody can tell whether the call has happened.
func (c call) unknown() bool {
	return c.err != nil && !slices.ContainsFunc(contractErrors(), func(is error) bool { return errors.Is(c.err, is) })
}

func contractErrors() []error {
	return []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused, graph.ErrInvalid}
}

// mayRefuse reports whether the call may be answered by its error, which says
// that nothing was done.
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

// done returns what there may be after a call that succeeded.
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
		} else if c.got.UID == s.object.UID { // what was there last; its version is anybody's
			shown = append(shown, n)
		}
	}
	return shown
}

// shows returns the state in which the object is seen to be got, none if it
// cannot be that.
func (s state) shows(got graph.Object) []state {
	seen := plain(got)
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

// write returns what there may be once the write has happened, none where its
// conditions or the rules of package finalizer exclude that, and why.
func (s state) write(c call) ([]state, error) {
	switch {
	case c.verb == get:
		return nil, nil
	case c.verb == create && s.live:
		return nil, graph.ErrConflict
	case c.verb == create:
		return []state{{live: true, object: plain(c.asked), uids: s.uids}}, nil
	case !s.live:
		return nil, graph.ErrNotFound
	}
	out, err := s.outcome(c)
	if err != nil {
		return nil, err
	}
	next := state{live: true, object: plain(out.Object), uids: s.uids, past: with(s.past, s.object.Version)}
	next.object.Version = ""
	switch {
	case out.Effect == finalizer.Removed:
		return []state{{uids: with(s.uids, s.object.UID)}}, nil
	case next.object.EqualContent(s.object): // but for the order: the store may make a new version, or keep the old one
		return []state{s, next}, nil
	}
	return []state{next}, nil
}

// outcome asks the rules. A version that nobody has been shown is not what a
// precondition names.
func (s state) outcome(c call) (finalizer.Outcome, error) {
	if c.pre.UID != "" && c.pre.UID != s.object.UID || c.pre.Version != "" && c.pre.Version != s.object.Version {
		return finalizer.Outcome{}, graph.ErrConflict
	}
	switch c.verb {
	case update:
		wanted := s.object.Clone()
		wanted.Owners, wanted.Finalizers = c.asked.Owners, c.asked.Finalizers
		return finalizer.Update(s.object, wanted)
	case patch:
		return finalizer.Patch(s.object, graph.Precondition{}, c.change)
	}
	opts := c.options
	opts.Precondition = graph.Precondition{}
	return finalizer.Delete(s.object, opts, graph.Unset)
}

// plain returns the object in the form in which it is compared: without its
// generations, its lists sorted.
func plain(o graph.Object) graph.Object {
	o = o.Clone()
	o.Generation, o.ObservedGeneration = 0, 0
	slices.Sort(o.Finalizers)
	slices.SortFunc(o.Owners, func(a, b graph.Owner) int {
		return cmp.Or(a.Key.Compare(b.Key), strings.Compare(a.String(), b.String()))
	})
	return o
}

// with returns a copy of the list that holds v, if v is not empty.
func with[T ~string](list []T, v T) []T {
	if v == "" || slices.Contains(list, v) {
		return list
	}
	return append(slices.Clone(list), v)
}
