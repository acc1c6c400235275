package etcdstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// recordsPrefix begins the keys of records, after Config.Prefix. No kind may have such keys.
const recordsPrefix = ".records/"

// recordHead is the first line of a record's value. The version is random and a part of the
// value. So no restore gives it to another value, and the revision in an answer of kine, which
// may be that of another write, does not matter.
type recordHead struct {
	Version graph.Version `json:"version"`
}

// ReadRecord returns the record of the name (ownergraph.Records). It is a linearizable read of
// the key .records/ and the name, after the prefix. A value that cannot be decoded is damaged,
// and never absent. Errors: ErrNotFound, ErrInvalid, and ErrRefused without the right to read.
//
//test:by TestKit TestKitOnKine TestDamagedRecord
func (s *Store) ReadRecord(ctx context.Context, name string) (graph.Record, error) {
	if err := graph.ValidateRecord(name, nil); err != nil {
		return graph.Record{}, fmt.Errorf("read %w", err)
	}
	r, kv, err := s.readRecord(ctx, name)
	if err == nil && kv == nil {
		err = graph.ErrNotFound
	}
	if err != nil {
		return graph.Record{}, fmt.Errorf("read record %s: %w", name, err)
	}
	return r, nil
}

// WriteRecord stores the value under the name, if the record has the version
// (ownergraph.Records). It costs a read and a transaction on the condition of the revision
// that was read. Versions are random. Errors: ErrConflict, ErrInvalid, and ErrRefused without
// the right to write.
//
//test:by TestKit TestKitOnKine TestDamagedRecord
func (s *Store) WriteRecord(ctx context.Context, name string, value []byte, version graph.Version) (graph.Version, error) {
	if err := graph.ValidateRecord(name, value); err != nil {
		return "", fmt.Errorf("write %w", err)
	}
	next := graph.Version(rand.Text())
	if err := s.swapRecord(ctx, name, version, next, value); err != nil {
		return "", fmt.Errorf("write record %s: %w", name, err)
	}
	return next, nil
}

func (s *Store) swapRecord(ctx context.Context, name string, version, next graph.Version, value []byte) error {
	head, err := json.Marshal(recordHead{next})
	if err != nil {
		return err
	}
	whole := append(append(head, '\n'), value...)
	for range maxTries {
		now, kv, err := s.readRecord(ctx, name)
		switch {
		case err != nil:
			return err
		case now.Version != version:
			return fmt.Errorf("version %q, not %.80q: %w", now.Version, version, graph.ErrConflict)
		}
		if done, err := s.putRecord(ctx, name, kv, whole); done || err != nil {
			return err
		}
	}
	return errContended
}

// readRecord returns a nil kv and an empty version if there is no record.
func (s *Store) readRecord(ctx context.Context, name string) (graph.Record, *mvccpb.KeyValue, error) {
	if err := ctx.Err(); err != nil {
		return graph.Record{}, nil, err
	}
	if err := s.checkOnce(ctx); err != nil {
		return graph.Record{}, nil, err
	}
	key := s.conf.Prefix + recordsPrefix + name
	answer, err := s.kv.Get(ctx, key)
	if err != nil {
		return graph.Record{}, nil, refusal(err)
	}
	s.note(answer.Header)
	kv := only(answer.Kvs)
	if kv == nil {
		return graph.Record{}, nil, nil
	}
	var head recordHead
	line, value, found := bytes.Cut(kv.Value, []byte{'\n'})
	if err := json.Unmarshal(line, &head); err != nil || !found || head.Version == "" {
		return graph.Record{}, nil, fmt.Errorf("key %q: %w", key, &damage{errors.New("not written by this package")})
	}
	return graph.Record{Value: value, Version: head.Version}, kv, nil
}

// putRecord writes the key, if it is at the revision of kv. It reports false if it is not. If
// kine refuses a write whose commit failed, and the value is there, then the write is done: the
// value has its random version.
func (s *Store) putRecord(ctx context.Context, name string, kv *mvccpb.KeyValue, whole []byte) (done bool, err error) {
	key, revision := s.conf.Prefix+recordsPrefix+name, int64(0)
	if kv != nil {
		revision = kv.ModRevision
	}
	compare := append(s.unchanged(), clientv3.Compare(clientv3.ModRevision(key), "=", revision))
	answer, err := s.kv.Txn(ctx).If(compare...).
		Then(clientv3.OpPut(key, string(whole))).Else(clientv3.OpGet(key)).Commit()
	if err != nil {
		return false, refusal(err)
	}
	s.note(answer.Header)
	if answer.Succeeded || len(answer.Responses) != 1 {
		return answer.Succeeded, nil
	}
	now := only(answer.Responses[0].GetResponseRange().GetKvs())
	if !s.isUnchanged(now, revision) {
		return false, s.checkVersion(ctx)
	}
	return now != nil && bytes.Equal(now.Value, whole), nil
}
