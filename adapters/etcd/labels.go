package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// maxLabels bounds the labels of an object.
const maxLabels = 256

// checkLabels refuses labels that no selector can name.
func checkLabels(it *item, labels map[string]string) error {
	if len(labels) > maxLabels {
		return it.invalid("labels", fmt.Sprintf("%d, more than %d", len(labels), maxLabels))
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		value := labels[name]
		by, err := guard.ParseSelector(name + "=" + value)
		if err != nil || !by.Matches(map[string]string{name: value}) || by.Matches(nil) {
			return it.invalid(fmt.Sprintf("labels[%.100q]", name), fmt.Sprintf("it or its value %.100q is no label", value))
		}
	}
	return nil
}

// errPageFull ends the reading of a page.
var errPageFull = errors.New("the page is full")

// Select returns a page of the objects of a kind whose labels match, in order of their keys
// in etcd (ownergraph.LabelSelector). Etcd has no index of labels, so Select reads every
// object of the kind. Each page is a fresh read.
//
// Errors: ErrKindUnknown, and ErrRefused and ErrInvalid for an invalid selector. A damaged
// value ends the selection with an error that names its key.
//
//test:by TestKit
func (s *Store) Select(ctx context.Context, q graph.SelectRequest) (graph.SelectPage, error) {
	if err := ctx.Err(); err != nil {
		return graph.SelectPage{}, err
	}
	layout, ok := s.kinds[q.Kind]
	if !ok {
		return graph.SelectPage{}, fmt.Errorf("select %s: %w", q.Kind, graph.ErrKindUnknown)
	}
	by, err := guard.ParseSelector(q.Selector)
	if err != nil {
		return graph.SelectPage{}, fmt.Errorf("select %s: %w: %w", q.Kind, graph.ErrRefused, err)
	}
	err = s.checkOnce(ctx)
	if err == nil {
		err = s.checkVersion(ctx)
	}
	if err != nil {
		return graph.SelectPage{}, fmt.Errorf("select %s: %w", q.Kind, err)
	}
	out, err := s.matches(ctx, layout, q, by)
	if err != nil {
		return graph.SelectPage{}, fmt.Errorf("select %s: %w", q.Kind, err)
	}
	return out, nil
}

// matches reads the objects of a kind until a page is full.
func (s *Store) matches(ctx context.Context, layout kindLayout, q graph.SelectRequest, by guard.Selector) (out graph.SelectPage, err error) {
	from, last := layout.first, ""
	if q.After != "" {
		if from = q.After + "\x00"; !strings.HasPrefix(from, layout.first) { // the first key after it
			return out, fmt.Errorf("field After: not from a page of this kind: %w, %w", graph.ErrRefused, graph.ErrInvalid)
		}
	}
	_, err = s.pages(ctx, from, layout.end, 0, func(kv *mvccpb.KeyValue) error {
		if q.Limit > 0 && len(out.Objects) == q.Limit {
			out.More = last
			return errPageFull
		}
		_, r, err := s.readKV(kv)
		if err != nil {
			return err
		}
		last = string(kv.Key)
		if by.Matches(r.Labels) {
			out.Objects = append(out.Objects, graph.LabelMatch{Key: r.Object.Key, Version: r.Object.Version, Value: r.Labels[q.Label]})
		}
		return nil
	})
	if errors.Is(err, errPageFull) {
		err = nil
	}
	return out, err
}
