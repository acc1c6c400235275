package clientgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// The bounds of a group's Leases. Another writer may make any number of any size.
const (
	maxLeases     = 1000
	leasesPerPage = 250
	maxLeasePages = 8       // a server may send short pages
	maxLeaseBytes = 4 << 20 // of a page; a Lease of a member has less than 1 KB
)

var (
	errNoLease  = errors.New("the server's answer is not a Lease")
	errLongPage = errors.New("250 Leases are longer than 4 MiB")
)

// sendLease creates a Lease, or replaces it under its UID and version.
func (g *Group) sendLease(ctx context.Context, l *lease, create bool) (*lease, error) {
	body, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	c := g.client
	r := c.rest.Put().AbsPath(segments(leasesAt(), l.Namespace, l.Name)...)
	if create {
		r = c.rest.Post().AbsPath(segments(leasesAt(), l.Namespace, "")...)
	}
	result := r.MaxRetries(0).SetHeader("Content-Type", runtime.ContentTypeJSON).SetHeader("Accept", runtime.ContentTypeJSON).
		Body(body).Do(c.logContext(ctx))
	if err := result.Error(); err != nil {
		return nil, err
	}
	raw, err := result.Raw()
	if err != nil {
		return nil, err
	}
	out := &lease{}
	if err := json.Unmarshal(raw, out); err != nil || out.Name != l.Name || out.UID == "" || out.ResourceVersion == "" {
		return nil, errors.Join(errNoLease, err)
	}
	return out, nil
}

// deleteLease deletes a Lease under its UID and version.
func (g *Group) deleteLease(ctx context.Context, l *lease) error {
	return g.client.delete(ctx, leasesAt(), l.Namespace, l.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &l.UID, ResourceVersion: &l.ResourceVersion},
	})
}

// findLease returns the Lease of a name, nil if there is none. It takes the right to list, as
// listLeases does, and finds a Lease without the label too.
func (g *Group) findLease(ctx context.Context, name string) (*lease, error) {
	list, _, err := g.leasePage(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
	}
	return nil, nil
}

// listLeases returns the Leases with the group's label, in the order of the server. It returns the
// first ones of too many, which are not the whole list.
func (g *Group) listLeases(ctx context.Context) (all []lease, whole bool, err error) {
	opts := metav1.ListOptions{LabelSelector: labels.Set{GroupLabel: g.name}.String()}
	for range maxLeasePages {
		page, next, err := g.leasePage(ctx, opts)
		if err != nil {
			return nil, false, err
		}
		all = append(all, page...)
		switch {
		case len(all) > maxLeases:
			return all[:maxLeases], false, nil
		case next == "":
			return all, true, nil
		}
		opts.Continue = next
	}
	return all, false, nil
}

// leasePage returns a page of Leases, and the token of the next one. It leaves out objects that
// are no Leases.
func (g *Group) leasePage(ctx context.Context, opts metav1.ListOptions) (page []lease, next string, err error) {
	opts.Limit = leasesPerPage
	c := g.client
	body, err := c.rest.Get().MaxRetries(0).AbsPath(segments(leasesAt(), g.namespace, "")...).
		SetHeader("Accept", runtime.ContentTypeJSON).
		SpecificallyVersionedParams(&opts, c.params, schema.GroupVersion{Version: "v1"}).Stream(c.logContext(ctx))
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(body, maxLeaseBytes+1))
	switch {
	case err != nil:
		return nil, "", err
	case len(raw) > maxLeaseBytes:
		return nil, "", errLongPage
	}
	var list struct {
		metav1.ListMeta `json:"metadata"`
		Items           []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, "", errors.Join(errNoLease, err)
	}
	for _, item := range list.Items {
		l := lease{}
		if json.Unmarshal(item, &l) == nil && l.Name != "" && l.Namespace == g.namespace {
			page = append(page, l)
		}
	}
	return page, list.Continue, nil
}

// movedLease reports whether a write met another state of the Lease: another writer has changed,
// created or removed it.
func movedLease(err error, name string) bool {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return true
	}
	return errors.Is(sentinelOf(err, leasesAt().Resource, name), graph.ErrNotFound)
}

// leaseError returns the meaning of a server's error for a Lease. A missing right and a missing
// namespace are ErrRefused. Other errors may pass.
func (g *Group) leaseError(ctx context.Context, verb, name string, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	what := fmt.Sprintf("%s Lease %s/%s", verb, g.namespace, name)
	is, note := sentinelOf(err, leasesAt().Resource, name), ""
	switch {
	case lacksNamespace(err, g.namespace):
		is = graph.ErrRefused
	case apierrors.IsForbidden(err):
		note = fmt.Sprintf(": it takes the rights to create, list, update and delete %s in the namespace %s", leasesAt().GroupResource(), g.namespace)
	case !errors.Is(is, graph.ErrRefused):
		is = nil
	}
	if is != nil {
		return fmt.Errorf("%s%s: %w: %w", what, note, is, withText(err))
	}
	if apierrors.IsNotFound(err) {
		note = ": the server may not serve coordination.k8s.io/v1"
	}
	return withDelay(fmt.Errorf("%s%s: %w", what, note, withText(err)))
}
