package etcdstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// item is one write on its way, or one read.
type item struct {
	verb string
	key  graph.Key
	at   string // the key in etcd
	rule rule
	live *live // as read last
	next step
	done bool // err and next.record are the answer
	err  error

	answered int64 // the revision of the answer to the write
}

// rule is a pure rule of a store. It returns the effect of a write on the present record,
// and the record after it.
type rule func(now Record) (finalizer.Effect, Record, error)

// live is a record as it is stored. A revision of 0 says that the place is empty.
type live struct {
	record   Record
	revision int64
	lease    int64
}

// step is the next transaction of an item.
type step struct {
	revision int64 // the key must have it; 0: there is no key
	remove   bool
	value    []byte
	lease    int64
	record   Record // after the step
}

// maxTries bounds the tries of a write that loses its race. Each try follows another write
// of the same key.
const maxTries = 64

// errContended ends a write that has lost every race.
var errContended = errors.New("other writes of the same object came first, each time")

// errMaybeDone says that kine has refused a write whose result is there.
var errMaybeDone = errors.New("kine has refused the write, and its result is there")

func (it *item) String() string { return it.verb + " " + it.subject() }

// subject names the object in a message. A long name is cut.
func (it *item) subject() string {
	const most = 200
	text := it.key.PlaceString()
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return text
}

func (it *item) invalid(field, cause string) error {
	return fmt.Errorf("%s: %s: %s: %w, %w", it, field, cause, graph.ErrRefused, graph.ErrInvalid)
}

func (it *item) fail(err error) { it.done, it.err = true, err }

// take takes the present value of the key, nil for none.
func (s *Store) take(it *item, kv *mvccpb.KeyValue) {
	if kv == nil {
		it.fail(fmt.Errorf("%s: %w", it, graph.ErrNotFound))
		return
	}
	record, err := s.decode(it.key.Place(), kv)
	if err != nil && it.verb != verbGet { // nothing is written over a value that cannot be read
		err = fmt.Errorf("%w: %w", graph.ErrRefused, err)
	}
	if err != nil {
		it.fail(fmt.Errorf("%s: %w", it, err))
		return
	}
	it.live = &live{record, kv.ModRevision, kv.Lease}
}

// judge runs the rule of an item on the record that was read last.
func (s *Store) judge(it *item) {
	effect, after, err := it.rule(it.live.record)
	switch {
	case err != nil:
		it.fail(err)
		return
	case effect == finalizer.Unchanged:
		it.done, it.next.record = true, after
		return
	}
	it.next = step{revision: it.live.revision, remove: effect == finalizer.Removed, lease: it.live.lease, record: after}
	if !it.next.remove {
		s.encode(it)
	}
}

func (s *Store) encode(it *item) {
	value, err := s.encodeRecord(it.next.record)
	switch {
	case err != nil:
		it.fail(fmt.Errorf("%s: %w: %w", it, graph.ErrRefused, err))
	case len(value)+len(it.at) > s.conf.MaxBytes:
		it.fail(it.invalid("value", fmt.Sprintf("%d bytes with its key, more than %d", len(value)+len(it.at), s.conf.MaxBytes)))
	default:
		it.next.value = value
	}
}

// write carries out items of different places. Each of them gets its result.
func (s *Store) write(ctx context.Context, items []*item) {
	for range maxTries {
		if s.unread(ctx, items); s.finished(items) {
			return
		}
		for _, it := range items {
			if !it.done && it.live != nil {
				s.judge(it)
			}
		}
		s.swap(ctx, open(items))
		if s.finished(items) {
			return
		}
	}
	for _, it := range open(items) {
		it.fail(fmt.Errorf("%s: %w", it, errContended))
	}
}

// unread reads the items that have no step and were not read.
func (s *Store) unread(ctx context.Context, items []*item) {
	var list []*item
	for _, it := range items {
		if !it.done && it.live == nil && it.next.revision == 0 {
			list = append(list, it)
		}
	}
	if err := s.readAll(ctx, list); err != nil {
		for _, it := range list {
			it.fail(fmt.Errorf("%s: %w", it, err))
		}
	}
}

func (s *Store) finished(items []*item) bool { return len(open(items)) == 0 }

// open returns the items that have no answer yet.
func open(items []*item) []*item {
	list := make([]*item, 0, len(items))
	for _, it := range items {
		if !it.done {
			list = append(list, it)
		}
	}
	return list
}
