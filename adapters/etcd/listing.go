package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// pages reads a range of keys at one revision, page by page, and returns that revision. 0
// stands for the present. It returns errCompacted if the server forgets the revision
// meanwhile, and an error of take as it is.
func (s *Store) pages(ctx context.Context, from, end string, at int64, take func(*mvccpb.KeyValue) error) (int64, error) {
	for {
		r, err := s.page(ctx, from, end, at)
		if errors.Is(err, rpctypes.ErrCompacted) {
			return at, errCompacted
		}
		if err != nil {
			return at, fmt.Errorf("list from key %.300q: %w", from, refusal(err))
		}
		if at == 0 {
			at = r.Header.GetRevision()
		}
		for _, kv := range r.Kvs {
			if err := take(kv); err != nil {
				return at, err
			}
			from = string(kv.Key) + "\x00" // the first key after it
		}
		if !r.More || len(r.Kvs) == 0 {
			return at, nil
		}
	}
}

// pageWithin bounds the time of one page. Etcd's client would wait for a connection for
// ever, and the listing with it.
const pageWithin = 30 * time.Second

func (s *Store) page(ctx context.Context, from, end string, at int64) (*clientv3.GetResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, pageWithin)
	defer cancel()
	return s.kv.Get(ctx, from, clientv3.WithRange(end), clientv3.WithLimit(int64(s.conf.PageSize)), clientv3.WithRev(at))
}

// listAll lists every kind at one revision. A kind with blind objects is complete after the others,
// because only all kinds show the owners that these hold.
//
//test:by TestBlindGuardOverWatches
func (w *watch) listAll(ctx context.Context, at int64) error {
	var late []*listing
	for _, k := range w.list {
		l, err := w.read(ctx, k, at)
		switch {
		case err != nil:
			return err
		case l.isBlind():
			late = append(late, l)
			continue
		}
		if err := w.end(l); err != nil {
			return err
		}
	}
	for _, l := range late {
		if err := w.end(l); err != nil {
			return err
		}
	}
	w.revision, w.anew, w.begun = at, false, true
	w.passFences()
	w.out.flush()
	return w.out.err
}

// listKind reports a listing of the kind. An object that cannot be read is held alone. After
// an error the watch owes a listing of every kind, and no fence passes before it.
//
//test:by TestListingBreaks
func (w *watch) listKind(ctx context.Context, k *kindState) error {
	l, err := w.read(ctx, k, 0)
	if err != nil {
		return err
	}
	return w.end(l)
}

// listing is a listing whose objects were read.
type listing struct {
	of     *kindState
	at     int64
	keys   map[string]known
	unread map[string]*unread // not reported yet
}

func (l *listing) isBlind() bool {
	for _, b := range l.unread {
		if b.blind {
			return true
		}
	}
	return false
}

// read reports the objects of a listing that can be read.
func (w *watch) read(ctx context.Context, k *kindState, at int64) (*listing, error) {
	w.out.report(graph.Event{Type: graph.ListBegun, Kind: k.info.Kind})
	l, ending := &listing{k, at, map[string]known{}, map[string]*unread{}}, map[string]graph.Key{}
	w.recalls = 0
	at, err := w.store.pages(ctx, k.first, k.end, at, func(kv *mvccpb.KeyValue) error {
		key := string(kv.Key)
		_, r, err := w.store.readKV(kv)
		if err != nil {
			b := w.unreadOf(ctx, k, kv, err)
			l.unread[key], l.keys[key] = b, b.known()
			return nil
		}
		w.release(k, key)
		l.keys[key] = newKnown(&r.Object, kv.ModRevision)
		k.noteEnding(ending, key, &r.Object)
		w.out.report(graph.Event{Type: graph.Put, Object: r.Object})
		return w.out.err
	})
	if err != nil {
		w.anew = true // the next session lists again: it has to report what this listing skipped
		return nil, err
	}
	l.at, k.ending = at, ending
	return l, nil
}

// end reports the objects that cannot be read, and the end of the listing. The references to the
// owners that end come before the objects that have none. The version of the listing is above
// each former one of these objects.
//
//test:by TestUnreadVersions TestBlindKeepsOwner
func (w *watch) end(l *listing) error {
	k := l.of
	k.listed = l.at
	k.known.replace(l.keys)
	was := k.unread
	k.unread, w.stale = l.unread, true
	for _, at := range slices.Sorted(maps.Keys(l.unread)) {
		w.addBlind(l.unread[at])
	}
	for _, b := range was {
		if l.unread[b.at] != b {
			w.dropBlind(b)
		}
	}
	w.store.dropUIDs(k.info.Kind)
	w.guardOwners()
	for _, at := range slices.Sorted(maps.Keys(l.unread)) {
		l.unread[at].report(w)
	}
	w.out.report(graph.Event{Type: graph.ListEnded, Kind: k.info.Kind, Version: version(l.at)})
	return w.out.err
}
