package fault

import (
	"bytes"
	"context"

	"github.com/ownergraph/ownergraph"
)

// records are the records of the inner store, with faults. The Store unwraps to them, so that
// a store without records has none behind faults either.
type records struct {
	ownergraph.Store // the inner one
	s                *Store
	of               ownergraph.Records
}

// Unwrap returns the inner store, for its other powers.
func (r *records) Unwrap() ownergraph.Store { return r.Store }

// ReadRecord is the inner store's, with faults.
//
//test:by TestRecordFaults
func (r *records) ReadRecord(ctx context.Context, name string) (out ownergraph.Record, err error) {
	_, err = r.s.do(ctx, call{site: atRecord, verb: "read record " + name}, func(ctx context.Context) (err error) {
		out, err = r.of.ReadRecord(ctx, name)
		return err
	})
	if err != nil {
		return ownergraph.Record{}, err
	}
	return out, nil
}

// WriteRecord is the inner store's, with faults.
//
//test:by TestRecordFaults
func (r *records) WriteRecord(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
	value = bytes.Clone(value)      // the call may run after the caller has gone on
	made := new(ownergraph.Version) // such a call writes it, too
	_, err := r.s.do(ctx, call{site: atRecordWrite, verb: "write record " + name}, func(ctx context.Context) (err error) {
		*made, err = r.of.WriteRecord(ctx, name, value, version)
		return err
	})
	if err != nil {
		return "", err
	}
	return *made, nil
}
