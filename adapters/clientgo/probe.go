package clientgo

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxProbed bounds the number of probed kinds with new versions.
const maxProbed = 3

// probe compares the written kind. If no probe since the sign did so, it also compares
// the kind with the newest observed version. One database stores most kinds, and the
// last observation of a quiet kind may be old. If a kind's server returns an error,
// probe tries the next kind.
func (s *Store) probe(ctx context.Context, r resource, all bool) error {
	if err := s.probeKind(ctx, r); err != nil || !all {
		return err
	}
	served, asked := s.catalog.Load().kinds, 0
	for _, kind := range s.history.byVersion() {
		newest, ok := served[kind]
		if kind == r.kind || asked == maxProbed {
			return nil
		}
		if !ok {
			continue
		}
		asked++
		err := s.probeKind(ctx, newest)
		var status apierrors.APIStatus
		if !errors.As(err, &status) && !errors.Is(err, errErratic) {
			return err
		}
	}
	return nil
}

// probeKind compares the version of a consistent list of one object. It returns
// errRewound after a rewind.
func (s *Store) probeKind(ctx context.Context, r resource) error {
	epoch, _ := s.history.epoch()
	least := s.history.observed(r.kind)
	list, err := s.client.list(ctx, r.at, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	err = s.history.observe(r.kind, list.ResourceVersion, least, epoch)
	if errors.Is(err, errRewound) {
		s.each(func(r *run) { signal(r.rewind) })
	}
	return err
}
