package hook

import (
	"context"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
)

// powersOf returns the store below a wrapper for each of its powers that makes calls. As
// finds each of them, and finds the other powers on the store itself.
func powersOf(inner ownergraph.Store, to Observer) ownergraph.Store {
	s := inner
	if f, ok := ownergraph.As[ownergraph.Fencer](inner); ok {
		s = &fencer{s, f, to}
	}
	if l, ok := ownergraph.As[ownergraph.Lister](inner); ok {
		s = &lister{s, l, to}
	}
	if l, ok := ownergraph.As[ownergraph.LabelSelector](inner); ok {
		s = &labelSelector{s, l, to}
	}
	if r, ok := ownergraph.As[ownergraph.Records](inner); ok {
		s = &records{s, r, to}
	}
	return s
}

type fencer struct {
	ownergraph.Store
	fencer ownergraph.Fencer
	to     Observer
}

func (f *fencer) Unwrap() ownergraph.Store { return f.Store }

func (f *fencer) Fence(ctx context.Context) (token uint64, err error) {
	c := &Call{Type: Fence}
	ctx, err = f.to.Begin(ctx, c), ErrNoAnswer
	defer func() { f.to.End(ctx, c, err) }()
	return f.fencer.Fence(ctx)
}

type lister struct {
	ownergraph.Store
	lister ownergraph.Lister
	to     Observer
}

func (l *lister) Unwrap() ownergraph.Store { return l.Store }

func (l *lister) List(ctx context.Context, kind ownergraph.Kind) (err error) {
	c := &Call{Type: List, Kind: kind}
	ctx, err = l.to.Begin(ctx, c), ErrNoAnswer
	defer func() { l.to.End(ctx, c, err) }()
	return l.lister.List(ctx, kind)
}

type labelSelector struct {
	ownergraph.Store
	selector ownergraph.LabelSelector
	to       Observer
}

func (l *labelSelector) Unwrap() ownergraph.Store { return l.Store }

func (l *labelSelector) Select(ctx context.Context, r ownergraph.SelectRequest) (page ownergraph.SelectPage, err error) {
	c := &Call{Type: Select, Kind: r.Kind}
	ctx, err = l.to.Begin(ctx, c), ErrNoAnswer
	defer func() { l.to.End(ctx, c, err) }()
	return l.selector.Select(ctx, r)
}

type records struct {
	ownergraph.Store
	records ownergraph.Records
	to      Observer
}

func (r *records) Unwrap() ownergraph.Store { return r.Store }

func (r *records) ReadRecord(ctx context.Context, name string) (x ownergraph.Record, err error) {
	c := &Call{Type: ReadRecord}
	ctx, err = r.to.Begin(ctx, c), ErrNoAnswer
	defer func() { r.to.End(ctx, c, err) }()
	return r.records.ReadRecord(ctx, name)
}

func (r *records) WriteRecord(ctx context.Context, name string, value []byte, version ownergraph.Version) (v ownergraph.Version, err error) {
	c := &Call{Type: WriteRecord}
	ctx, err = r.to.Begin(ctx, c), ErrNoAnswer
	defer func() { r.to.End(ctx, c, err) }()
	return r.records.WriteRecord(ctx, name, value, version)
}

// Handlers returns handlers that show their runs to an observer. A nil handler stays nil, so
// that its user refuses it.
//
//test:by TestHandlers
func Handlers(all map[string]finalizer.Handler, to Observer) map[string]finalizer.Handler {
	out := make(map[string]finalizer.Handler, len(all))
	for name, run := range all {
		if run == nil {
			out[name] = nil
			continue
		}
		out[name] = func(ctx context.Context, o ownergraph.Object) (err error) {
			c := &Call{Type: Handle, Key: o.Key, Finalizer: name}
			ctx, err = to.Begin(ctx, c), ErrNoAnswer
			defer func() { to.End(ctx, c, err) }()
			return run(ctx, o)
		}
	}
	return out
}
