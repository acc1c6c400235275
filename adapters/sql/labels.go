package sqlstore

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// maxLabels bounds the labels of an object.
const maxLabels = 256

// Label replaces the labels of the object at key's coordinates, if pre is met, and returns
// the object with its new version. Equal labels change nothing. A new object has no labels,
// and the labels go when the object is removed.
//
// Errors:
//   - ErrKindUnknown, ErrNotFound.
//   - ErrConflict if pre is not met.
//   - ErrRefused and ErrInvalid for more than 256 labels, or for a label or value that
//     Kubernetes does not allow.
//
//test:by TestKit
func (s *Store) Label(ctx context.Context, key graph.Key, pre graph.Precondition, labels map[string]string) (graph.Object, error) {
	const verb = "label"
	text, err := encodeLabels(verb, key, labels)
	if err != nil {
		return graph.Object{}, err
	}
	var after graph.Object
	err = s.write(ctx, false, func(ses *session) error {
		live, kinds, err := ses.findIn(ctx, verb, key)
		switch {
		case err != nil:
			return err
		case !pre.Holds(live.object):
			return fmt.Errorf("%s %s: precondition: uid %q, version %q: %w", verb, name(key), pre.UID, pre.Version, graph.ErrConflict)
		case live.labels == text:
			after = live.object
			return nil
		}
		next := live.next(live.object.Clone())
		next.labels = text
		err = ses.carryOut(ctx, verb, kinds, live, next, finalizer.Stored)
		after = next.object
		return err
	})
	if err != nil {
		return graph.Object{}, s.failed(verb, name(key), err)
	}
	return after, nil
}

// encodeLabels returns the labels as JSON with sorted names, and "" for no labels.
func encodeLabels(verb string, key graph.Key, labels map[string]string) (string, error) {
	if len(labels) > maxLabels {
		return "", refused(verb, key, "labels", fmt.Sprintf("more than %d", maxLabels))
	}
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		if by, err := guard.ParseSelector(label + "=" + labels[label]); err != nil || !by.Matches(map[string]string{label: labels[label]}) || by.Matches(nil) {
			return "", refused(verb, key, fmt.Sprintf("labels[%q]", label), fmt.Sprintf("it or %q is none", labels[label]))
		}
	}
	if len(labels) == 0 {
		return "", nil
	}
	text, err := json.Marshal(labels)
	return string(text), err
}

// Select returns a page of the objects of a kind whose labels match
// (ownergraph.LabelSelector). It reads every object of the kind. Errors: ErrKindUnknown,
// ErrRefused and ErrInvalid for an invalid selector or page.
//
//test:by TestKit
func (s *Store) Select(ctx context.Context, q graph.SelectRequest) (graph.SelectPage, error) {
	if err := ctx.Err(); err != nil {
		return graph.SelectPage{}, fmt.Errorf("select %s: %w", q.Kind, err)
	}
	by, err := guard.ParseSelector(q.Selector)
	if err != nil {
		return graph.SelectPage{}, fmt.Errorf("select %s: %w: %w", q.Kind, graph.ErrRefused, err)
	}
	after, err := hex.DecodeString(q.After)
	if err != nil {
		return graph.SelectPage{}, fmt.Errorf("select %s: After: %w: %w", q.Kind, graph.ErrRefused, graph.ErrInvalid)
	}
	var page graph.SelectPage
	err = s.retry(ctx, func() (err error) {
		page, err = s.selectPage(ctx, q, by, after)
		return err
	})
	if err != nil {
		return graph.SelectPage{}, readFailed("select", string(q.Kind), err)
	}
	return page, nil
}

// errPageFull ends the reading of a page.
var errPageFull = errors.New("the page is full")

func (s *Store) selectPage(ctx context.Context, q graph.SelectRequest, by guard.Selector, after []byte) (graph.SelectPage, error) {
	ses, err := s.reading(ctx)
	if err != nil {
		return graph.SelectPage{}, err
	}
	kinds, err := s.readKinds(ctx, &ses.c)
	if err != nil {
		return graph.SelectPage{}, err
	}
	if !kinds.serves(q.Kind) {
		return graph.SelectPage{}, fmt.Errorf("select %s: %w", q.Kind, graph.ErrKindUnknown)
	}
	p := matches{q: q, by: by, after: after}
	for {
		rows, err := s.readPage(ctx, kinds.start, kinds.number(q.Kind), 0, p.after)
		for i := 0; i < len(rows) && err == nil; i++ {
			err = p.add(rows[i])
		}
		switch {
		case errors.Is(err, errPageFull):
			p.page.More = hex.EncodeToString(p.after)
			return p.page, nil
		case err != nil || len(rows) < pageSize:
			return p.page, err
		}
	}
}

// matches collects the objects of a page.
type matches struct {
	q     graph.SelectRequest
	by    guard.Selector
	after []byte // the place of the last row
	page  graph.SelectPage
}

func (m *matches) add(r *row) error {
	var labels map[string]string
	if r.labels != "" {
		if err := json.Unmarshal([]byte(r.labels), &labels); err != nil {
			return fmt.Errorf("labels of uid %q: %w", r.object.UID, err)
		}
	}
	if m.by.Matches(labels) {
		if m.q.Limit > 0 && len(m.page.Objects) == m.q.Limit {
			return errPageFull
		}
		r.object.Kind = m.q.Kind
		m.page.Objects = append(m.page.Objects, graph.LabelMatch{Key: r.object.Key, Version: r.object.Version, Value: labels[m.q.Label]})
	}
	m.after = r.place
	return nil
}
