package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// mostLabels bounds how many labels an object may have.
const mostLabels = 256

// Label replaces the labels of the object at key's coordinates, if pre holds.
// They are no part of the object, but a change of them gives it a new version.
// An object is created without labels, and keeps them until it is removed.
//
// Errors: ErrKindUnknown, ErrNotFound; ErrConflict where pre does not hold;
// ErrRefused and ErrInvalid for a label or a value that finalizer.ValidLabel and
// finalizer.ValidLabelValue do not know, and for more than 256. Held by TestLabel.
func (s *State) Label(key graph.Key, pre graph.Precondition, labels map[string]string) (graph.Event, graph.Object, error) {
	return report(s.label(key, pre, labels))
}

func (s *State) label(key graph.Key, pre graph.Precondition, labels map[string]string) (commit, error) {
	const verb = "label"
	sh, live, err := s.find(verb, key)
	if err != nil {
		return commit{}, err
	}
	if !pre.Holds(*live) {
		return commit{}, fmt.Errorf("%s %s: precondition: uid %q, version %q: %w", verb, name(key), pre.UID, pre.Version, graph.ErrConflict)
	}
	if len(labels) > mostLabels {
		return commit{}, invalid(verb, key, "labels", fmt.Sprintf("more than %d", mostLabels))
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if !finalizer.ValidLabel(name) || !finalizer.ValidLabelValue(labels[name]) {
			return commit{}, invalid(verb, key, fmt.Sprintf("labels[%q]", name), fmt.Sprintf("it or %q is none", labels[name]))
		}
	}
	had, _ := sh.labels.get(live.Place())
	if maps.Equal(had, labels) {
		return commit{finalizer.Unchanged, live}, nil
	}
	if sh.labels = sh.labels.remove(live.Place()); len(labels) > 0 {
		sh.labels = sh.labels.put(live.Place(), maps.Clone(labels))
	}
	return s.commit(sh, finalizer.Outcome{Effect: finalizer.Stored, Object: live.Clone()}), nil
}

// Labels returns the labels of the object at key's coordinates. Errors:
// ErrNotFound, ErrKindUnknown, ErrSick.
func (s *State) Labels(key graph.Key) (map[string]string, error) {
	sh, live, err := s.reach("read labels of", key)
	if err != nil {
		return nil, err
	}
	labels, _ := sh.labels.get(live.Place())
	return maps.Clone(labels), nil
}

// Select returns a page of the objects of a kind whose labels match, in order of
// their keys (ownergraph.Selector). Errors: ErrKindUnknown, ErrSick, and
// ErrRefused and ErrInvalid for a selector or a page that there is not.
func (s *State) Select(q ownergraph.Selection) (ownergraph.Selected, error) {
	sh, _ := s.shelves.get(q.Kind)
	switch {
	case !sh.served:
		return ownergraph.Selected{}, fmt.Errorf("select %s: %w", q.Kind, graph.ErrKindUnknown)
	case sh.sick:
		return ownergraph.Selected{}, fmt.Errorf("select %s: %s: %w", q.Kind, sh.reason, ErrSick)
	}
	selector, err := finalizer.ParseSelector(q.Selector)
	if err != nil {
		return ownergraph.Selected{}, fmt.Errorf("select %s: %w: %w", q.Kind, graph.ErrRefused, err)
	}
	from := graph.Key{Kind: q.Kind}
	if q.After != "" {
		if from, err = graph.ParseKey(q.After); err != nil {
			return ownergraph.Selected{}, fmt.Errorf("select %s: After: %w: %w", q.Kind, graph.ErrRefused, err)
		}
	}
	var out ownergraph.Selected
	for at, o := range sh.objects.after(from.Place()) {
		labels, _ := sh.labels.get(at)
		if !selector.Matches(labels) {
			continue
		}
		if q.Limit > 0 && len(out.Objects) == q.Limit {
			out.More = out.Objects[q.Limit-1].Key.String()
			break
		}
		out.Objects = append(out.Objects, ownergraph.Labelled{Key: o.Key, Version: o.Version, Value: labels[q.Label]})
	}
	return out, nil
}

// Label replaces the labels of an object and returns the object as it is now. The
// errors are those of State.Label.
func (s *Store) Label(ctx context.Context, key graph.Key, pre graph.Precondition, labels map[string]string) (graph.Object, error) {
	return s.write(ctx, func() (commit, error) { return s.state.label(key, pre, labels) })
}

// Labels returns the labels of an object. The errors are those of State.Labels.
func (s *Store) Labels(ctx context.Context, key graph.Key) (map[string]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.view().Labels(key)
}

// Select returns a page of the objects of a kind whose labels match. The errors
// are those of State.Select. Held by TestSelect.
func (s *Store) Select(ctx context.Context, q ownergraph.Selection) (ownergraph.Selected, error) {
	if err := ctx.Err(); err != nil {
		return ownergraph.Selected{}, err
	}
	return s.view().Select(q)
}
