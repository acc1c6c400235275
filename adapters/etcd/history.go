package etcdstore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// moment is a moment of one cluster's history.
type moment struct {
	cluster  uint64
	revision int64
}

// after reports whether m is later, so that the history of its cluster went backwards.
func (m moment) after(later moment) bool {
	return m.cluster == later.cluster && m.revision > later.revision
}

// identity is the present of a history, by a linearizable read.
type identity struct {
	moment
	origin
	mod int64 // of the origin's key, 0 without one
}

// origin is the value of the store's own key. It goes with the data into a backup, and from
// there into another cluster.
type origin struct {
	// Cluster is the cluster in which the key was written, in hexadecimal digits.
	Cluster string `json:"cluster"`
	// Epoch is random for each restore, and empty before the first.
	Epoch string `json:"epoch"`
}

func (m moment) newOrigin(epoch string) origin {
	return origin{strconv.FormatUint(m.cluster, 16), epoch}
}

// note takes the moment of an answer.
func (s *Store) note(h *pb.ResponseHeader) {
	now := moment{h.GetClusterId(), h.GetRevision()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest.cluster != now.cluster || s.newest.revision < now.revision {
		s.newest = now
	}
}

func (s *Store) newestMoment() moment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest
}

// identify reads the present. It finds two signs that history went backwards without a call
// of Restored: the data come from another cluster, or the revision is below one that this
// Store has observed. It then stores a new epoch, so that all watches of all processes
// announce the same one.
//
//test:by TestRevisionFalls TestAnotherCluster
func (s *Store) identify(ctx context.Context) (identity, error) {
	for {
		before := s.newestMoment()
		now, err := s.readIdentity(ctx)
		if err != nil {
			return identity{}, err
		}
		back := before.after(now.moment) || now.mod != 0 && now.Cluster != now.newOrigin("").Cluster
		switch {
		case back:
			if err = s.declare(ctx, now); err == nil {
				s.begin(now.moment)
			}
		case now.mod == 0:
			err = s.putOrigin(ctx, now, "")
		default:
			return now, nil
		}
		if err != nil {
			return identity{}, err
		}
	}
}

// begin takes a moment, although it is older than another one.
func (s *Store) begin(now moment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = now
}

func (s *Store) readIdentity(ctx context.Context) (identity, error) {
	now, kv, err := s.readOrigin(ctx)
	if err != nil {
		return identity{}, err
	}
	if kv == nil {
		return now, nil
	}
	if now.mod = kv.ModRevision; json.Unmarshal(kv.Value, &now.origin) != nil || now.Cluster == "" {
		return identity{}, fmt.Errorf("read key %q: value %.100q: not written by this package", s.originKey, kv.Value)
	}
	return now, nil
}

// readOrigin also judges the version of the prefix, in the same request if it is not kine's.
func (s *Store) readOrigin(ctx context.Context) (now identity, kv *mvccpb.KeyValue, err error) {
	if s.conf.Kine {
		if err := s.checkVersion(ctx); err != nil {
			return now, nil, err
		}
		r, err := s.kv.Get(ctx, s.originKey)
		if err != nil {
			return now, nil, fmt.Errorf("read key %q: %w", s.originKey, refusal(err))
		}
		now.moment = moment{r.Header.GetClusterId(), r.Header.GetRevision()}
		return now, only(r.Kvs), nil
	}
	r, err := s.kv.Txn(ctx).Then(clientv3.OpGet(s.originKey), clientv3.OpGet(s.versionKey)).Commit()
	if err != nil {
		return now, nil, fmt.Errorf("read key %q: %w", s.originKey, refusal(err))
	}
	now.moment = moment{r.Header.GetClusterId(), r.Header.GetRevision()}
	kvs := make([]*mvccpb.KeyValue, len(r.Responses))
	for i, answer := range r.Responses {
		kvs[i] = only(answer.GetResponseRange().GetKvs())
	}
	if len(kvs) != 2 {
		return now, nil, fmt.Errorf("read key %q: the server answered %d results, want 2", s.originKey, len(kvs))
	}
	return now, kvs[0], s.accept(kvs[1])
}

// putOrigin replaces the origin that was read. Losing the race is no error.
func (s *Store) putOrigin(ctx context.Context, now identity, epoch string) error {
	value, err := json.Marshal(now.newOrigin(epoch))
	if err != nil {
		return err
	}
	compare := append(s.unchanged(), clientv3.Compare(clientv3.ModRevision(s.originKey), "=", now.mod))
	_, err = s.kv.Txn(ctx).If(compare...).
		Then(clientv3.OpPut(s.originKey, string(value))).Else(clientv3.OpGet(s.originKey)).Commit()
	if err != nil {
		return fmt.Errorf("write key %q: %w", s.originKey, refusal(err))
	}
	return nil
}

func (s *Store) declare(ctx context.Context, now identity) error {
	s.forget()
	return s.putOrigin(ctx, now, rand.Text())
}

// Restored tells the store that its keys come from a backup. Call it after each restore,
// before the collectors and the users start again. Package documentation describes the
// steps, under "Restore". Restored stores a new epoch, which every watch announces. It then
// writes each object again, so that no object has a version that it had before. After an
// error, call it again. It costs a read and a write of every object.
//
//test:by TestRestored TestKit
func (s *Store) Restored(ctx context.Context) error {
	if err := s.checkOnce(ctx); err != nil {
		return fmt.Errorf("restored: %w", err)
	}
	now, err := s.readIdentity(ctx)
	if err != nil {
		return fmt.Errorf("restored: %w", err)
	}
	if err := s.declare(ctx, now); err != nil {
		return fmt.Errorf("restored: %w", err)
	}
	for _, info := range s.conf.Kinds {
		if err := s.raise(ctx, s.kinds[info.Kind]); err != nil {
			return fmt.Errorf("restored: raise the versions of kind %s: %w", info.Kind, err)
		}
	}
	return nil
}

// raise writes each key of a kind again, with its value. A key that changes meanwhile has a
// new version by that.
func (s *Store) raise(ctx context.Context, layout kindLayout) error {
	var touches []touch
	size := 0
	_, err := s.pages(ctx, layout.first, layout.end, 0, func(kv *mvccpb.KeyValue) error {
		n := len(kv.Key) + len(kv.Value)
		if len(touches) == maxBatch || len(touches) > 0 && size+n > s.conf.MaxBytes {
			if err := s.touch(ctx, touches); err != nil {
				return err
			}
			touches, size = touches[:0], 0
		}
		touches, size = append(touches, newTouch(kv)), size+n
		return nil
	})
	if err != nil {
		return err
	}
	return s.touch(ctx, touches)
}

// touch is a write of a key's present value.
type touch struct {
	compare []clientv3.Cmp
	then    []clientv3.Op
	other   []clientv3.Op
}

func newTouch(kv *mvccpb.KeyValue) touch {
	key := string(kv.Key)
	return touch{
		[]clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(key), "=", kv.ModRevision)},
		[]clientv3.Op{clientv3.OpPut(key, string(kv.Value), clientv3.WithLease(clientv3.LeaseID(kv.Lease)))},
		[]clientv3.Op{clientv3.OpGet(key)},
	}
}

func (s *Store) touch(ctx context.Context, list []touch) error {
	if s.conf.Kine {
		for _, t := range list {
			if _, err := s.kv.Txn(ctx).If(t.compare...).Then(t.then...).Else(t.other...).Commit(); err != nil {
				return refusal(err)
			}
		}
		return nil
	}
	ops := make([]clientv3.Op, len(list))
	for i, t := range list {
		ops[i] = clientv3.OpTxn(t.compare, t.then, nil)
	}
	if len(ops) == 0 {
		return nil
	}
	for range maxTries {
		r, err := s.kv.Txn(ctx).If(s.unchanged()...).Then(ops...).Commit()
		if err != nil || r.Succeeded {
			return refusal(err)
		}
		if err := s.checkVersion(ctx); err != nil {
			return err
		}
	}
	return errContended
}

// forget drops the states that watches have reported, but for their UIDs. A revision of a former
// history may name another state now.
func (s *Store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		for _, k := range w.kinds {
			k.known.replace(formerly(k.known.all()))
		}
	}
	for kind, left := range s.left {
		s.left[kind] = formerly(left)
	}
}
