package clientgo

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

var _ ownergraph.LabelSelector = (*Store)(nil)

// acceptLabels requests metadata with labels. It requests JSON, because the store's
// protobuf codec skips labels.
const acceptLabels = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

// Select returns a page of the objects of a kind whose labels match. The server selects
// them, in one request for metadata. The first page is a consistent read and never
// comes from a cache that may be behind. Later pages have the version of the first. If
// the server has forgotten that version, the error is transient.
//
// Errors: ErrKindUnknown for a kind that is not served or not in the set of kinds.
// ErrRefused for a selector that the server rejects, or if the server forbids the list.
//
//test:by TestSelect TestConformance
func (s *Store) Select(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
	var out ownergraph.SelectPage
	if err := ctx.Err(); err != nil {
		return out, err
	}
	r, _, err := s.find(ctx, "select", graph.Key{Kind: q.Kind})
	if err != nil {
		return out, err
	}
	want, err := labels.Parse(q.Selector)
	if err != nil {
		return out, fmt.Errorf("select %s: %w: %w", q.Kind, graph.ErrRefused, err)
	}
	limit := q.Limit
	if limit == 0 {
		limit = s.config.PageSize
	}
	page, err := s.client.listLabels(ctx, r.at, metav1.ListOptions{LabelSelector: q.Selector, Limit: int64(limit), Continue: q.After})
	if err != nil {
		return out, s.selectError(ctx, q, r, err)
	}
	for i := range page.Items {
		m := &page.Items[i]
		if !identified(m) {
			return out, fmt.Errorf("select %s: %q: %w", q.Kind, m.Name, errNoMetadata)
		}
		if !want.Matches(labels.Set(m.Labels)) {
			return out, fmt.Errorf("select %s: %q: %w %q", q.Kind, m.Name, errNoMatch, q.Selector)
		}
		out.Objects = append(out.Objects, graph.LabelMatch{
			Key:     graph.Key{Kind: q.Kind, Scope: m.Namespace, Name: m.Name, UID: graph.UID(m.UID)},
			Version: graph.Version(m.ResourceVersion), Value: m.Labels[q.Label],
		})
	}
	out.More = page.Continue
	return out, nil
}

// errNoMatch is the error for a server that ignores selectors.
var errNoMatch = errors.New("the server's answer does not match the selector")

// selectError returns the meaning of a server's error for a selection. An error for a
// whole kind never proves that an object is absent.
func (s *Store) selectError(ctx context.Context, q ownergraph.SelectRequest, r resource, err error) error {
	if notServed(err) && ctx.Err() == nil {
		s.each((*run).rediscoverSoon)
		return fmt.Errorf("select %s: %w: %w", q.Kind, graph.ErrKindUnknown, err)
	}
	return s.storeError(ctx, "select", graph.Key{Kind: q.Kind}, r, err)
}

// listLabels lists objects with their labels.
func (c *client) listLabels(ctx context.Context, at schema.GroupVersionResource, opts metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	out := &metav1.PartialObjectMetadataList{}
	err := decode(c.rest.Get().MaxRetries(0).AbsPath(segments(at, "", "")...).
		SetHeader("Accept", acceptLabels).
		SpecificallyVersionedParams(&opts, c.params, schema.GroupVersion{Version: "v1"}).Do(c.logContext(ctx)), out)
	return out, err
}
