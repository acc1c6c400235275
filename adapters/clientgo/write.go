package clientgo

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
)

// Get returns the object at key's coordinates and ignores the UID of key. It is a
// consistent read in one request.
//
// Errors: see storeError. ErrNotFound also if the key's scope contradicts its kind,
// because no such object can exist. ErrRefused for a name that no path can contain.
//
//test:by TestGet
func (s *Store) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	r, c, err := s.reach(ctx, "get", key)
	if err != nil {
		return graph.Object{}, err
	}
	m, err := s.read(ctx, "get", key, r)
	if err != nil {
		return graph.Object{}, err
	}
	return c.objectOf(key.Kind, m), nil
}

// Delete deletes the object at key's coordinates under the precondition of the options,
// in one request. With GraceAtMost and a grace period it reads a pod first, and sends the shorter
// period: the pod's own or the one of the options. The read takes the right to get pods. If the read
// fails, Delete returns its error and deletes nothing.
//
// Errors: see storeError. ErrConflict also if the read finds another UID.
//
//test:by TestDelete TestDeleteGrace TestDeleteGraceFaults
func (s *Store) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	r, _, err := s.reach(ctx, "delete", key)
	if err != nil {
		return err
	}
	epoch, _ := s.history.epoch() // the read is a part of this write
	seconds, err := s.graceFor(ctx, key, opts, r)
	if err != nil {
		return err
	}
	body := metav1.DeleteOptions{GracePeriodSeconds: seconds}
	if pre := opts.Precondition; pre != (graph.Precondition{}) {
		body.Preconditions = &metav1.Preconditions{}
		if uid := types.UID(pre.UID); uid != "" {
			body.Preconditions.UID = &uid
		}
		if version := string(pre.Version); version != "" {
			body.Preconditions.ResourceVersion = &version
		}
	}
	if policy := policyOf(opts.Propagation); policy != "" {
		body.PropagationPolicy = &policy
	}
	err = s.writeSince(ctx, r, epoch, func() error { return s.client.delete(ctx, r.at, key.Scope, key.Name, body) })
	return s.storeError(ctx, "delete", key, r, err)
}

// policyOf returns the API's name of a propagation, "" for Unset.
func policyOf(p graph.Propagation) metav1.DeletionPropagation {
	switch p {
	case graph.Background:
		return metav1.DeletePropagationBackground
	case graph.Foreground:
		return metav1.DeletePropagationForeground
	case graph.Orphan:
		return metav1.DeletePropagationOrphan
	}
	return ""
}

// reach returns the resource of an object, if such an object can exist.
func (s *Store) reach(ctx context.Context, verb string, key graph.Key) (resource, *catalog, error) {
	if err := ctx.Err(); err != nil {
		return resource{}, nil, err
	}
	r, c, err := s.find(ctx, verb, key)
	if err != nil {
		return r, c, err
	}
	for _, f := range [...]struct{ field, text string }{{"name", key.Name}, {"scope", key.Scope}} {
		if why := notSegment(f.text); why != "" {
			return r, c, fmt.Errorf("%s %s: %s: %s: %w", verb, placeText(key), f.field, why, graph.ErrRefused)
		}
	}
	switch {
	case key.Name == "":
		return r, c, fmt.Errorf("%s %s: name: empty: %w", verb, placeText(key), graph.ErrRefused)
	case r.scoped != (key.Scope != ""):
		return r, c, fmt.Errorf("%s %s: scope: none such in its kind: %w", verb, key, graph.ErrNotFound)
	}
	return r, c, nil
}

func (s *Store) read(ctx context.Context, verb string, key graph.Key, r resource) (*metav1.PartialObjectMetadata, error) {
	epoch, _ := s.history.epoch()
	m, err := s.client.get(ctx, r.at, key.Scope, key.Name)
	if err != nil {
		return nil, s.storeError(ctx, verb, key, r, err)
	}
	if err := checkStored(r, key, m); err != nil {
		return nil, fmt.Errorf("%s %s: %w", verb, key, err)
	}
	if !identified(m) || m.Name != key.Name || m.Namespace != key.Scope {
		return nil, fmt.Errorf("%s %s: %w", verb, key, errNoMetadata)
	}
	_ = s.history.observe(key.Kind, m.ResourceVersion, "", epoch) // errRewound comes to the watches too
	return m, nil
}

// storeError returns the meaning of a server's error. If the server does not serve the
// path, it starts a discovery.
func (s *Store) storeError(ctx context.Context, verb string, key graph.Key, r resource, err error) error {
	if err == nil {
		return nil
	}
	if sentinelOf(err, r.at.Resource, key.Name) == graph.ErrKindUnknown {
		s.each((*run).rediscoverSoon)
	}
	return storeError(ctx, verb, key, r.at.Resource, err)
}
