package clientgo

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// probed bounds how many kinds with new versions are asked.
const probed = 3

// probe compares the kind that is written and, unless that was done since the sign,
// the kind with the newest version that was seen. One database holds most kinds,
// and a quiet one may have been seen long ago. A kind whose server answers with an
// error says nothing, and the next one is asked.
func (s *Store) probe(ctx context.Context, r resource, all bool) error {
	if err := s.probeKind(ctx, r); err != nil || !all {
		return err
	}
	served, asked := s.catalog.Load().kinds, 0
	for _, kind := range s.history.newest() {
		newest, ok := served[kind]
		if kind == r.kind || asked == probed {
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

// probeKind lists one object of a kind, consistently, and compares the version. Its
// error is errRewound if the history has gone backwards.
func (s *Store) probeKind(ctx context.Context, r resource) error {
	epoch, _ := s.history.epoch()
	least := s.history.mark(r.kind)
	list, err := s.client.list(ctx, r.at, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	err = s.history.see(r.kind, list.ResourceVersion, least, epoch)
	if errors.Is(err, errRewound) {
		s.each(func(r *run) { signal(r.rewind) })
	}
	return err
}
