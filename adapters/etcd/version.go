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
	// the first version. So a program without Config.Policies writes nothing.
	versionName  = "version"
	firstVersion = 1
	// policiesVersion has references with a policy. Programs of the first version would decide as
	// if such a policy was unset.
	policiesVersion = 2
	lastVersion     = policiesVersion
)

// accepted is the value of the key of the version that the program has accepted.
type accepted struct {
	version  int64
	revision int64 // of the key, 0 for none
}

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
	s.version.Store(&accepted{version, revision})
	return nil
}

// acceptedVersion returns the accepted version of the prefix. Before the first answer it is the
// first one.
func (s *Store) acceptedVersion() accepted {
	if v := s.version.Load(); v != nil {
		return *v
	}
	return accepted{version: firstVersion}
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

// beginPolicies raises the version of a prefix for Config.Policies. A program that comes first
// may have set another one, which it judges.
//
//test:by TestPoliciesBegin
func (s *Store) beginPolicies(ctx context.Context) error {
	for range maxTries {
		now := s.acceptedVersion()
		if !s.conf.Policies || now.version >= policiesVersion {
			return nil
		}
		r, err := s.kv.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(s.versionKey), "=", now.revision)).
			Then(clientv3.OpPut(s.versionKey, strconv.Itoa(policiesVersion))).Else(clientv3.OpGet(s.versionKey)).Commit()
		if err != nil {
			return fmt.Errorf("write key %q: %w", s.versionKey, refusal(err))
		}
		if s.note(r.Header); r.Succeeded {
			s.version.Store(&accepted{policiesVersion, r.Header.GetRevision()})
			return nil
		}
		if err := s.checkVersion(ctx); err != nil {
			return err
		}
	}
	return errContended
}

// encodeRecord returns the value of a record in the form that the version of the prefix has.
func (s *Store) encodeRecord(r Record) ([]byte, error) {
	if _, own := s.conf.Codec.(JSON); own && s.acceptedVersion().version < policiesVersion {
		return encodeJSON(r, false) // other programs still read it
	}
	return s.conf.Codec.Encode(r)
}

// encodeAgain encodes the values of items for the version that was accepted since. It returns those
// that have no answer.
func (s *Store) encodeAgain(items []*item) []*item {
	for _, it := range items {
		if !it.next.remove {
			s.encode(it)
		}
	}
	return open(items)
}

// unchanged is the condition that the version is the accepted one. Kine takes no further
// condition.
func (s *Store) unchanged() []clientv3.Cmp {
	if s.conf.Kine {
		return nil
	}
	return []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(s.versionKey), "=", s.acceptedVersion().revision)}
}

// isUnchanged reports whether a transaction on one key has failed by that key, and not by the
// version: the key is at another revision than demanded.
func (s *Store) isUnchanged(kv *mvccpb.KeyValue, demanded int64) bool {
	return s.conf.Kine || kv.GetModRevision() != demanded
}
