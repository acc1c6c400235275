package etcdstore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestDamagedRecord: a value that this package has not written is neither absent nor at any
// version, and stays as it is. A removed key is absent.
func TestDamagedRecord(t *testing.T) {
	for _, onKine := range []bool{false, true} {
		r := newRig(t, Config{Kine: onKine})
		key := r.conf.Prefix + ".records/pause"
		for _, tc := range []struct{ value, reason string }{
			{"", "nothing"},
			{"paused", "no line of JSON"},
			{`{"version":"x"}`, "no end of the line"},
			{"{}\npaused", "no version"},
			{`{"version":1}` + "\npaused", "a version of another type"},
		} {
			if err := r.put(t.Context(), key, []byte(tc.value)); err != nil {
				t.Fatal(err)
			}
			_, readErr := r.ReadRecord(t.Context(), "pause")
			_, newErr := r.WriteRecord(t.Context(), "pause", nil, "")
			_, writeErr := r.WriteRecord(t.Context(), "pause", nil, "x")
			for _, err := range []error{readErr, newErr, writeErr} {
				var damaged *damage
				if !errors.As(err, &damaged) || errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrConflict) {
					t.Errorf("kine %t, value %q: %v, want that it is damaged: %s", onKine, tc.value, err, tc.reason)
				}
			}
		}
		if err := r.put(t.Context(), key, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadRecord(t.Context(), "pause"); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("kine %t, after its removal: %v", onKine, err)
		}
		if _, err := r.WriteRecord(t.Context(), "pause", nil, "x"); !errors.Is(err, graph.ErrConflict) {
			t.Errorf("kine %t, a write at a version, after its removal: %v", onKine, err)
		}
	}
}

// TestRecordsOfPrefixes: two stores on one server have records of their own.
func TestRecordsOfPrefixes(t *testing.T) {
	a, b := newRig(t, Config{}), newRig(t, Config{})
	if _, err := a.WriteRecord(t.Context(), "pause", []byte("a"), ""); err != nil {
		t.Fatal(err)
	}
	if r, err := b.ReadRecord(t.Context(), "pause"); !errors.Is(err, graph.ErrNotFound) {
		t.Errorf("another prefix has %+v, %v", r, err)
	}
}

// refusing is a server that has one key, and refuses transactions. With done it carries them
// out all the same, as kine may if a commit fails.
type refusing struct {
	clientv3.KV
	value []byte
	done  bool
	txns  int
}

func (f *refusing) answer() (*pb.ResponseHeader, []*mvccpb.KeyValue) {
	return &pb.ResponseHeader{Revision: 20}, []*mvccpb.KeyValue{{Value: f.value, ModRevision: 5}}
}

func (f *refusing) Get(_ context.Context, key string, _ ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	header, kvs := f.answer()
	if strings.HasSuffix(key, "/"+versionName) {
		kvs = nil
	}
	return &clientv3.GetResponse{Header: header, Kvs: kvs}, nil
}

func (f *refusing) Txn(context.Context) clientv3.Txn { return &refusedTxn{f: f} }

type refusedTxn struct {
	clientv3.Txn
	f    *refusing
	then []byte
}

func (x *refusedTxn) If(...clientv3.Cmp) clientv3.Txn  { return x }
func (x *refusedTxn) Else(...clientv3.Op) clientv3.Txn { return x }

func (x *refusedTxn) Then(ops ...clientv3.Op) clientv3.Txn {
	x.then = ops[0].ValueBytes()
	return x
}

func (x *refusedTxn) Commit() (*clientv3.TxnResponse, error) {
	if x.f.txns++; x.f.done {
		x.f.value = x.then
	}
	header, kvs := x.f.answer()
	return &clientv3.TxnResponse{Header: header, Responses: []*pb.ResponseOp{
		{Response: &pb.ResponseOp_ResponseRange{ResponseRange: &pb.RangeResponse{Kvs: kvs}}},
	}}, nil
}

// TestRefusedRecord: a refused transaction whose value is there is done. One that is refused
// at the version of the write comes again, and never is a conflict.
func TestRefusedRecord(t *testing.T) {
	w, _ := atTen(t)
	s := w.store
	s.conf.Kine = true
	for _, done := range []bool{true, false} {
		server := &refusing{value: []byte(`{"version":"v1"}` + "\nold"), done: done}
		s.kv = server
		next, err := s.WriteRecord(t.Context(), "pause", []byte("new"), "v1")
		if done {
			if r, readErr := s.ReadRecord(t.Context(), "pause"); err != nil || readErr != nil || r.Version != next || string(r.Value) != "new" || server.txns != 1 {
				t.Errorf("done: %q, %v, and then %+v, %v after %d transactions", next, err, r, readErr, server.txns)
			}
			continue
		}
		if !errors.Is(err, errContended) || errors.Is(err, graph.ErrConflict) || server.txns != maxTries {
			t.Errorf("not done: %q, %v, after %d transactions", next, err, server.txns)
		}
	}
}
