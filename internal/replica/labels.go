package replica

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/selector"
)

// maxLabels bounds the labels of an object.
const maxLabels = 256

// Label replaces the labels of the object at key's coordinates, if pre is met. The Label
// of memory.Store documents the errors.
//
//test:by TestLabel
func (s *State) Label(key graph.Key, pre graph.Precondition, labels map[string]string) (Commit, error) {
	const verb = "label"
	t, live, err := s.find(verb, key)
	if err != nil {
		return Commit{}, err
	}
	if !pre.Holds(*live) {
		return Commit{}, fmt.Errorf("%s %s: precondition: uid %q, version %q: %w", verb, name(key), pre.UID, pre.Version, graph.ErrConflict)
	}
	if err := checkLabels(verb, key, labels); err != nil {
		return Commit{}, err
	}
	had, _ := t.labels.get(live.Place())
	if maps.Equal(had, labels) {
		return Commit{finalizer.Unchanged, live, s.Version()}, nil
	}
	if t.labels = t.labels.remove(live.Place()); len(labels) > 0 {
		t.labels = t.labels.put(live.Place(), maps.Clone(labels))
	}
	return s.commit(t, finalizer.Outcome{Effect: finalizer.Stored, Object: live.Clone()}), nil
}

func checkLabels(verb string, key graph.Key, labels map[string]string) error {
	if len(labels) > maxLabels {
		return invalid(verb, key, "labels", fmt.Sprintf("more than %d", maxLabels))
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if !selector.ValidName(name) || !selector.ValidValue(labels[name]) {
			return invalid(verb, key, fmt.Sprintf("labels[%q]", name), fmt.Sprintf("it or %q is none", labels[name]))
		}
	}
	return nil
}

// Labels returns the labels of the object at key's coordinates. Errors: ErrNotFound,
// ErrKindUnknown, ErrSick.
func (s *State) Labels(key graph.Key) (map[string]string, error) {
	t, live, err := s.reach("read labels of", key)
	if err != nil {
		return nil, err
	}
	labels, _ := t.labels.get(live.Place())
	return maps.Clone(labels), nil
}

// Match is one object that Select found. The labels are shared, and the caller must not
// change them.
type Match struct {
	Key     graph.Key
	Version graph.Version
	Labels  map[string]string
}

// Select yields the objects of a kind whose labels match the selector, in order of their
// keys. after is the key of the last object to skip, as text, or "". Later writes do not
// change the sequence.
//
// Errors: ErrKindUnknown, ErrSick, and ErrRefused and ErrInvalid for an invalid selector or
// key.
//
//test:by TestSelect
func (s *State) Select(kind graph.Kind, text, after string) (iter.Seq[Match], error) {
	t, _ := s.tables.get(kind)
	switch {
	case !t.served:
		return nil, fmt.Errorf("select %s: %w", kind, graph.ErrKindUnknown)
	case t.sick:
		return nil, fmt.Errorf("select %s: %s: %w", kind, t.reason, ErrSick)
	}
	by, err := selector.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("select %s: %w: %w", kind, graph.ErrRefused, err)
	}
	from := graph.Key{Kind: kind}
	if after != "" {
		if from, err = graph.ParseKey(after); err != nil {
			return nil, fmt.Errorf("select %s: After: %w: %w", kind, graph.ErrRefused, err)
		}
	}
	return func(yield func(Match) bool) {
		for at, o := range t.objects.after(from.Place()) {
			labels, _ := t.labels.get(at)
			if by.Matches(labels) && !yield(Match{o.Key, o.Version, labels}) {
				return
			}
		}
	}, nil
}
