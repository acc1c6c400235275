package etcdstore

import (
	"context"
	"errors"
	"fmt"
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

// listAll lists every kind at one revision.
func (w *watch) listAll(ctx context.Context, at int64) error {
	for _, k := range w.list {
		if k.sick { // the listing shows whether it still is
			w.out.report(graph.Event{Type: graph.KindRecovered, Kind: k.info.Kind})
			k.sick = false
		}
		if err := w.listKind(ctx, k, at); err != nil {
			return err
		}
	}
	w.revision, w.anew, w.begun = at, false, true
	w.passFences()
	w.out.flush()
	return w.out.err
}

// listKind reports a listing of the kind. Damage ends it, and makes the kind sick. After any
// other error the watch owes a listing of every kind, and no fence passes before it.
//
// Held by TestListingBreaks.
func (w *watch) listKind(ctx context.Context, k *kindState, at int64) error {
	w.out.report(graph.Event{Type: graph.ListBegun, Kind: k.info.Kind})
	keys := map[string]known{}
	var broken error
	at, err := w.store.pages(ctx, k.first, k.end, at, func(kv *mvccpb.KeyValue) error {
		_, r, err := w.store.readKV(kv)
		if err != nil {
			k.damaged, broken = string(kv.Key), err
			return err
		}
		keys[string(kv.Key)] = newKnown(&r.Object, kv.ModRevision)
		w.out.report(graph.Event{Type: graph.Put, Object: r.Object})
		return w.out.err
	})
	switch {
	case broken != nil:
		k.listed = at
		w.sicken(k, broken)
		return nil
	case err != nil:
		w.anew = true // the next session lists again: it has to report what this listing skipped
		return err
	}
	k.listed = at
	k.known.replace(keys)
	w.out.report(graph.Event{Type: graph.ListEnded, Kind: k.info.Kind, Version: version(at)})
	w.reportPassed(k.info.Kind, k.held)
	k.held = nil
	return w.out.err
}

func (w *watch) sicken(k *kindState, reason error) {
	k.sick = true
	w.out.report(graph.Event{Type: graph.KindSick, Kind: k.info.Kind, Reason: reason.Error()})
}

// recheck reads a sick kind after its damaged key has changed. Without damage it reports
// the recovery and a listing.
func (w *watch) recheck(ctx context.Context, k *kindState) error {
	var broken error
	at, err := w.store.pages(ctx, k.first, k.end, 0, func(kv *mvccpb.KeyValue) error {
		if _, _, err := w.store.readKV(kv); err != nil {
			k.damaged, broken = string(kv.Key), err
			return err
		}
		return nil
	})
	switch {
	case broken != nil:
		k.listed = at // changes before the check say nothing about the damaged key
		w.sicken(k, broken)
		return nil
	case err != nil:
		w.anew = true // the order or the change that led here is gone
		return err
	}
	k.sick = false
	w.out.report(graph.Event{Type: graph.KindRecovered, Kind: k.info.Kind})
	return w.listKind(ctx, k, 0)
}
