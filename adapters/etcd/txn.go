package etcdstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// maxBatch is the largest number of nested transactions in one. A server allows 128
// operations by default, and the outer transaction counts with each nested one.
const maxBatch = 127

// readAll reads the present values of the items, with one linearizable request for each
// maxBatch of them.
func (s *Store) readAll(ctx context.Context, items []*item) error {
	for len(items) > 0 {
		part := items[:min(len(items), maxBatch)]
		items = items[len(part):]
		if err := s.readPart(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) readPart(ctx context.Context, items []*item) error {
	if len(items) == 1 {
		r, err := s.kv.Get(ctx, items[0].at)
		if err != nil {
			return refusal(err)
		}
		s.note(r.Header)
		s.take(items[0], only(r.Kvs))
		return nil
	}
	ops := make([]clientv3.Op, len(items))
	for i, it := range items {
		ops[i] = clientv3.OpGet(it.at)
	}
	r, err := s.kv.Txn(ctx).Then(ops...).Commit()
	if err != nil {
		return refusal(err)
	}
	s.note(r.Header)
	for i, it := range items {
		s.take(it, only(r.Responses[i].GetResponseRange().GetKvs()))
	}
	return nil
}

// only returns the one value of an answer, or nil.
func only(kvs []*mvccpb.KeyValue) *mvccpb.KeyValue {
	if len(kvs) == 0 {
		return nil
	}
	return kvs[0]
}

// swap sends the next steps of the items, in transactions that a server takes. Items that
// lost their race have the present value then.
func (s *Store) swap(ctx context.Context, items []*item) {
	for len(items) > 0 {
		n, size := 0, 0
		for n < len(items) && n < maxBatch {
			if size += len(items[n].at) + len(items[n].next.value); n > 0 && size > s.conf.MaxBytes {
				break
			}
			n++
		}
		s.swapPart(ctx, items[:n])
		items = items[n:]
	}
}

// swapPart sends one transaction, and again after another writer has set a version of the prefix
// that the program knows.
func (s *Store) swapPart(ctx context.Context, items []*item) {
	for range maxTries {
		r, err := s.send(ctx, items)
		if err == nil {
			s.note(r.Header)
			if s.isAnswer(items, r) {
				s.concludeAll(items, r)
				return
			}
			err = s.checkVersion(ctx)
		}
		if err != nil {
			for _, it := range items {
				it.fail(fmt.Errorf("%s: %w", it, refusal(err)))
			}
			return
		}
		if items = s.encodeAgain(items); len(items) == 0 {
			return
		}
	}
	for _, it := range items {
		it.fail(fmt.Errorf("%s: %w", it, errContended))
	}
}

// send makes one transaction of the steps. An item alone needs no nested one.
func (s *Store) send(ctx context.Context, items []*item) (*clientv3.TxnResponse, error) {
	if len(items) == 1 {
		compare, then, other := items[0].transaction()
		return s.kv.Txn(ctx).If(append(compare, s.unchanged()...)...).Then(then...).Else(other...).Commit()
	}
	ops := make([]clientv3.Op, len(items))
	for i, it := range items {
		ops[i] = clientv3.OpTxn(it.transaction())
	}
	return s.kv.Txn(ctx).If(s.unchanged()...).Then(ops...).Commit()
}

// isAnswer reports whether an answer is about the items. Otherwise the version of the prefix
// has changed, and nothing is done.
func (s *Store) isAnswer(items []*item, r *clientv3.TxnResponse) bool {
	if r.Succeeded || len(items) > 1 || len(r.Responses) != 1 {
		return r.Succeeded || len(items) == 1
	}
	return s.isUnchanged(only(r.Responses[0].GetResponseRange().GetKvs()), items[0].next.revision)
}

func (s *Store) concludeAll(items []*item, r *clientv3.TxnResponse) {
	if len(items) == 1 {
		s.conclude(items[0], (*pb.TxnResponse)(r), r.Header.Revision)
		return
	}
	for i, it := range items {
		s.conclude(it, r.Responses[i].GetResponseTxn(), r.Header.Revision)
	}
}

// transaction returns the compare-and-swap of an item, in a shape that kine takes too.
func (it *item) transaction() (compare []clientv3.Cmp, then, other []clientv3.Op) {
	op := clientv3.OpDelete(it.at)
	if !it.next.remove {
		op = clientv3.OpPut(it.at, string(it.next.value), clientv3.WithLease(clientv3.LeaseID(it.next.lease)))
	}
	return []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(it.at), "=", it.next.revision)},
		[]clientv3.Op{op}, []clientv3.Op{clientv3.OpGet(it.at)}
}

// conclude takes the answer to an item's transaction.
func (s *Store) conclude(it *item, r *pb.TxnResponse, revision int64) {
	if len(r.Responses) != 1 { // an answer that breaks the protocol says nothing
		it.fail(fmt.Errorf("%s: the server answered %d results, want 1", it, len(r.Responses)))
		return
	}
	answer := r.Responses[0]
	// Kine reports success for the deletion of a key that never was there.
	if r.Succeeded && it.next.remove && answer.GetResponseDeleteRange().GetDeleted() == 0 {
		s.take(it, nil)
		return
	}
	if r.Succeeded {
		if it.done, it.answered = true, revision; !it.next.remove {
			it.next.record.Object.Version = version(revision)
		}
		return
	}
	kv := only(answer.GetResponseRange().GetKvs())
	// Kine refuses a write whose commit failed, as if its condition was not met.
	switch {
	case s.conf.Kine && kv != nil && it.rule != nil && !it.next.remove && bytes.Equal(kv.Value, it.next.value):
		it.fail(fmt.Errorf("%s: %w", it, errMaybeDone))
	case kv == nil && it.rule == nil: // kine, where the object has gone since
		it.fail(fmt.Errorf("%s: %w", it, errContended))
	default:
		s.take(it, kv)
		it.next = step{}
	}
}

// errVersionUnknown says that kine has done a write, and its revision cannot be read. The outcome
// counts as unknown, so that no caller gets a wrong version.
var errVersionUnknown = errors.New("kine has done the write, and its version is unknown")

// correct reads the revision of a value that kine has written. The revision of kine's answer
// may be that of a write at the same time. Another write of the key may have followed already, so
// correct also reads the key as of that answer.
//
//test:by TestLinearizableOnKine TestOvertakenOnKine
func (s *Store) correct(ctx context.Context, it *item) error {
	if !s.conf.Kine || it.next.remove || it.next.value == nil { // an unchanged record has no new value
		return nil
	}
	for _, at := range []int64{0, it.answered} { // 0 is now
		r, err := s.kv.Get(ctx, it.at, clientv3.WithRev(at))
		if err != nil {
			return fmt.Errorf("%w: %w", errVersionUnknown, err)
		}
		if kv := only(r.Kvs); kv != nil && bytes.Equal(kv.Value, it.next.value) {
			it.next.record.Object.Version = version(kv.ModRevision)
			return nil
		}
	}
	return errVersionUnknown
}

// refusal adds ErrRefused to an error by which the server refuses the client. The server
// judges rights and sizes before it does anything. Every other error may come after the
// write.
func refusal(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrRequestTooLarge):
		return fmt.Errorf("%w: %w: %w", graph.ErrRefused, graph.ErrInvalid, err)
	case errors.Is(err, rpctypes.ErrPermissionDenied), errors.Is(err, rpctypes.ErrUserEmpty), errors.Is(err, rpctypes.ErrAuthFailed):
		return fmt.Errorf("%w: %w", graph.ErrRefused, err)
	}
	return err
}
