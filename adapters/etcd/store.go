package etcdstore

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/logline"
)

// Store is a store of level 2 on an etcd cluster. It is an ownergraph.Store, Fencer,
// Lister, LabelSelector, VersionComparer, Records, Gracer and Batcher. It is safe for concurrent use
// by any number of goroutines and watches, and any number of processes may use one prefix.
// Use New.
type Store struct {
	client    *clientv3.Client
	kv        clientv3.KV
	conf      Config
	kinds     map[graph.Kind]kindLayout
	originKey string

	versionKey string
	version    atomic.Pointer[accepted] // nil before the first answer

	checking sync.Mutex
	checked  atomic.Bool // the servers and the version of the prefix were accepted

	log *logline.Log

	mu      sync.Mutex
	watches map[*watch]struct{}
	left    map[graph.Kind]map[string]known // of watches that are over: see keepUIDs
	newest  moment                          // of all answers
}

// KeepsGrace returns true (ownergraph.Gracer).
//
//test:by TestKeepsGrace
func (s *Store) KeepsGrace() bool { return true }

// Get returns the object at key's coordinates and ignores the UID of key. It is a
// linearizable read. Errors: ErrNotFound, ErrKindUnknown, and ErrRefused without the right
// to read.
func (s *Store) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	r, err := s.Read(ctx, key)
	return r.Object, err
}

const verbGet = "get"

// Read is Get with the labels and the payload.
func (s *Store) Read(ctx context.Context, key graph.Key) (Record, error) {
	it := &item{verb: verbGet, key: key}
	if err := s.locate(ctx, it); err != nil {
		return Record{}, err
	}
	if err := s.readAll(ctx, []*item{it}); err != nil {
		return Record{}, fmt.Errorf("%s: %w", it, err)
	}
	if it.err != nil {
		return Record{}, it.err
	}
	return it.live.record, nil
}

// locate finds the key of an item. It refuses a place that no object can have.
func (s *Store) locate(ctx context.Context, it *item) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", it, err)
	}
	layout, ok := s.kinds[it.key.Kind]
	if !ok {
		return fmt.Errorf("%s: %w", it, graph.ErrKindUnknown)
	}
	name, err := s.conf.Codec.Key(it.key.Place())
	if err != nil {
		return fmt.Errorf("%s: %w: %w", it, graph.ErrRefused, err)
	}
	it.at = s.conf.Prefix + name
	if !strings.HasPrefix(it.at, layout.first) {
		return fmt.Errorf("%s: the codec's key %q is outside of its kind: %w", it, it.at, graph.ErrRefused)
	}
	if len(it.at) > s.conf.MaxBytes {
		return it.invalid("name", fmt.Sprintf("a key of %d bytes, more than %d", len(it.at), s.conf.MaxBytes))
	}
	return s.checkOnce(ctx)
}

// decode reads a key's value. The error names the key and the field.
func (s *Store) decode(place graph.Key, kv *mvccpb.KeyValue) (Record, error) {
	r, err := s.conf.Codec.Decode(place, kv.Value)
	if err == nil && r.Object.Place() != place {
		err = fmt.Errorf("object: the codec answers another place: %w", graph.ErrInvalid)
	}
	if err == nil {
		err = s.checkUID(&r.Object, kv)
	}
	if err != nil {
		return Record{}, fmt.Errorf("read key %.300q: %w", kv.Key, &damage{err})
	}
	r.Object.Version = version(kv.ModRevision)
	return r, nil
}

// damage is the error of a value that cannot be decoded. It hides the sentinels of its
// cause, because the object is there, and its state is not known.
type damage struct{ cause error }

func (d *damage) Error() string { return "the value is damaged: " + d.cause.Error() }

// place reads a key. The error names the key. No object is at a place that contradicts its
// kind, because Create refuses that.
func (s *Store) place(key string) (graph.Key, error) {
	place, err := s.conf.Codec.Place(strings.TrimPrefix(key, s.conf.Prefix))
	if layout, ok := s.kinds[place.Kind]; err == nil {
		switch {
		case !ok || !strings.HasPrefix(key, layout.first):
			err = fmt.Errorf("key: of another kind: %w", graph.ErrInvalid)
		case layout.info.Scoped != (place.Scope != ""):
			err = fmt.Errorf("key: scope: %s: %w", scopeRule(layout.info), graph.ErrInvalid)
		case place.Name == "":
			err = fmt.Errorf("key: name: empty: %w", graph.ErrInvalid)
		}
	}
	if err != nil {
		return graph.Key{}, fmt.Errorf("read key %.300q: %w", key, &damage{err})
	}
	return place, nil
}

// readKV reads a key and its value.
func (s *Store) readKV(kv *mvccpb.KeyValue) (graph.Key, Record, error) {
	place, err := s.place(string(kv.Key))
	if err != nil {
		return place, Record{}, err
	}
	r, err := s.decode(place, kv)
	return place, r, err
}

// version returns a mod revision as a version.
func version(revision int64) graph.Version { return graph.Version(strconv.FormatInt(revision, 10)) }

// CompareVersions orders two versions of the store and ignores the kind
// (ownergraph.VersionComparer). Versions are mod revisions. A text that is not a version is
// older than every version.
//
//test:by TestCompareVersions
func (s *Store) CompareVersions(_ graph.Kind, a, b graph.Version) int {
	number := func(v graph.Version) int64 {
		n, _ := strconv.ParseInt(string(v), 10, 64)
		return n
	}
	return cmp.Compare(number(a), number(b))
}
