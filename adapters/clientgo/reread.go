package clientgo

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	selection "k8s.io/apimachinery/pkg/fields"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// Reread reads single objects again for a Dump, so that the absence of an owner rests on a
// read that began after its reference was known (rule R2). An object that is there joins the
// dump. If a read fails, the kind counts as not listed, and its missing objects as unknown.
// Reread takes the right to list alone: it lists by name.
//
// Errors: the context's own.
//
//test:by TestReread
func (s *Store) Reread(ctx context.Context, in *lint.Input, keys []graph.Key) error {
	c := s.catalog.Load()
	if c == nil {
		return nil
	}
	var mu sync.Mutex
	var all errgroup.Group
	all.SetLimit(s.config.Listings)
	listed := map[graph.Kind]int{}
	for i, k := range in.Kinds {
		if k.Listed {
			listed[k.Kind] = i
		}
	}
	places := map[graph.Key]int{}
	for i := range in.Objects {
		places[in.Objects[i].Place()] = i
	}
	for _, key := range keys {
		r, ok := c.kinds[key.Kind]
		i, full := listed[key.Kind]
		if !ok || !full {
			continue
		}
		all.Go(func() error {
			found, err := s.readByName(ctx, r, key)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil && ctx.Err() == nil:
				in.Kinds[i].Listed, in.Kinds[i].Reason = false, cannotList(r.at, err)
			case found != nil:
				o := c.dumped(key.Kind, found)
				if at, is := places[o.Place()]; is {
					in.Objects[at] = o
				} else { // two keys may have one place
					places[o.Place()] = len(in.Objects)
					in.Objects = append(in.Objects, o)
				}
			}
			return ctx.Err()
		})
	}
	return all.Wait()
}

// readByName returns the object at the coordinates, or nil.
func (s *Store) readByName(ctx context.Context, r resource, key graph.Key) (*metav1.PartialObjectMetadata, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	for next := ""; ; { // a server that ignores the selector sends pages
		opts := metav1.ListOptions{FieldSelector: selection.OneTermEqualSelector("metadata.name", key.Name).String(), Limit: int64(s.config.PageSize), Continue: next}
		page, err := s.client.listIn(ctx, r.at, key.Scope, opts)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			m := &page.Items[i]
			if !identified(m) {
				return nil, fmt.Errorf("%q: %w: no name, UID or version", m.Name, errNoMetadata)
			}
			if m.Name == key.Name && m.Namespace == key.Scope {
				return m, nil
			}
		}
		if next = page.Continue; next == "" {
			return nil, nil
		}
	}
}
