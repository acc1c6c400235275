package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// versionName is the key of the version of a prefix, after Config.Prefix. It is absent at
	// the first version. So this program writes nothing, and a later one only sets it.
	versionName  = "version"
	firstVersion = 1
	lastVersion  = 1
)

var errNewer = errors.New("the prefix has a newer version")

// accept judges the key of the version, nil for none. Each transaction that writes demands the
// revision of the accepted key. So nothing is written after an upgrade, and the check costs no
// request of its own.
func (s *Store) accept(kv *mvccpb.KeyValue) error {
	version, revision := int64(firstVersion), int64(0)
	if kv != nil {
		var err error
		revision = kv.ModRevision
		if version, err = strconv.ParseInt(strings.TrimSpace(string(kv.Value)), 10, 64); err != nil || version < firstVersion {
			s.checked.Store(false)
			return fmt.Errorf("key %q: value %.100q is no version: %w", s.versionKey, kv.Value, graph.ErrRefused)
		}
	}
	if version > lastVersion {
		s.checked.Store(false) // the next call asks again
		return fmt.Errorf("key %q: version %d, this program knows %d: %w: %w", s.versionKey, version, lastVersion, graph.ErrRefused, errNewer)
	}
	s.versionAt.Store(revision)
	return nil
}

// checkVersion reads the key of the version.
func (s *Store) checkVersion(ctx context.Context) error {
	r, err := s.kv.Get(ctx, s.versionKey)
	if err != nil {
		return fmt.Errorf("read key %q: %w", s.versionKey, refusal(err))
	}
	s.note(r.Header)
	return s.accept(only(r.Kvs))
}

// unchanged is the condition that the version is the accepted one. Kine takes no further
// condition.
func (s *Store) unchanged() []clientv3.Cmp {
	if s.conf.Kine {
		return nil
	}
	return []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(s.versionKey), "=", s.versionAt.Load())}
}

// isUnchanged reports whether a transaction on one key has failed by that key, and not by the
// version: the key is at another revision than demanded.
func (s *Store) isUnchanged(kv *mvccpb.KeyValue, demanded int64) bool {
	return s.conf.Kine || kv.GetModRevision() != demanded
}
