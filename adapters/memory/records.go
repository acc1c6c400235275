package memory

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
)

// ReadRecord returns the record of the name (ownergraph.Records). Records live as long as the
// store, and Config.Objects brings none. Errors: ErrNotFound, ErrInvalid.
//
//test:by TestRecords
func (s *Store) ReadRecord(ctx context.Context, name string) (graph.Record, error) {
	if err := checkRecord(ctx, "read", name, nil); err != nil {
		return graph.Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records[name]
	if !ok {
		return graph.Record{}, fmt.Errorf("read record %q: %w", name, graph.ErrNotFound)
	}
	r.Value = bytes.Clone(r.Value)
	return r, nil
}

// WriteRecord stores the value under the name, if the record has the version
// (ownergraph.Records). It returns the new version: a random number of the store and a
// counter. With Config.UIDPrefix the counter begins at 1. Errors: ErrConflict, ErrInvalid.
//
//test:by TestRecords
func (s *Store) WriteRecord(ctx context.Context, name string, value []byte, version graph.Version) (graph.Version, error) {
	if err := checkRecord(ctx, "write", name, value); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.records[name].Version; now != version {
		return "", fmt.Errorf("write record %q: version %q, not %q: %w", name, now, version, graph.ErrConflict)
	}
	s.recorded++
	next := graph.Version(strconv.FormatUint(s.recorded, 10))
	s.records[name] = graph.Record{Value: bytes.Clone(value), Version: next}
	return next, nil
}

func checkRecord(ctx context.Context, verb, name string, value []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := graph.ValidateRecord(name, value); err != nil {
		return fmt.Errorf("%s %w", verb, err)
	}
	return nil
}
