package etcdstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// follow reports the changes of a stream, and carries out the orders of other goroutines.
func (w *watch) follow(ctx context.Context, st *stream) error {
	p := &progress{}
	defer p.stop()
	w.wakeUp() // for orders since the last session
	for {
		if err := w.next(ctx, st, p); err != nil {
			return err
		}
		if w.out.err != nil {
			return w.out.err
		}
		if err := p.want(st, len(w.fences) > 0); err != nil {
			return err
		}
	}
}

// next takes one message, order or tick. It flushes the batch before it waits.
func (w *watch) next(ctx context.Context, st *stream, p *progress) error {
	select {
	case m := <-st.messages:
		return w.takeMessage(ctx, m)
	default:
	}
	w.reportProgress()
	if w.out.flush(); w.out.err != nil {
		return w.out.err
	}
	select {
	case m := <-st.messages:
		return w.takeMessage(ctx, m)
	case <-w.wake:
		return w.carryOut(ctx)
	case <-p.due():
		return p.again(st)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// carryOut begins the fences and the listings that other goroutines have ordered.
func (w *watch) carryOut(ctx context.Context) error {
	o := w.takeOrders()
	w.fences = keepNewest(append(w.fences, o.fences...))
	if slices.ContainsFunc(w.fences, func(f fence) bool { return f.epoch != w.epoch }) {
		w.anew = w.anew || len(o.relist) > 0
		return errNewEpoch // the next session finds the present epoch
	}
	w.passFences()
	if len(o.relist) > 0 {
		if err := w.store.checkVersion(ctx); err != nil {
			w.anew = true // the orders are gone
			return err
		}
	}
	for _, k := range w.list {
		if !o.relist[k.info.Kind] {
			continue
		}
		if err := w.listKind(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

func (w *watch) takeMessage(ctx context.Context, m message) error {
	if m.err != nil {
		return m.err
	}
	if err := ended(m.answer); err != nil {
		return err
	}
	w.broken = time.Time{}
	if err := w.takeEvents(ctx, m.answer); err != nil {
		return err
	}
	w.passFences()
	return nil
}

// takeEvents reports the events of an answer. Only an answer without events says that the
// watch has seen everything up to the revision of its header.
func (w *watch) takeEvents(ctx context.Context, a *pb.WatchResponse) error {
	if len(a.Events) == 0 {
		w.reached(a.Header.GetRevision())
		return nil
	}
	w.recalls = 0
	for _, e := range a.Events {
		if string(e.Kv.Key) == w.store.versionKey {
			kv := e.Kv
			if e.Type == mvccpb.Event_DELETE {
				kv = nil
			}
			if err := w.store.accept(kv); err != nil {
				return err
			}
		}
		if string(e.Kv.Key) == w.store.originKey && w.isNewEpoch(e) {
			return errNewEpoch
		}
		if err := w.takeEvent(ctx, e); err != nil {
			return err
		}
	}
	w.reached(a.Events[len(a.Events)-1].Kv.ModRevision)
	return nil
}

// isNewEpoch reports whether a change of the origin is a restore that was not announced.
// Any other change must not end the session, because the next one would see it again.
func (w *watch) isNewEpoch(e *mvccpb.Event) bool {
	var o origin
	return e.Type == mvccpb.Event_PUT && json.Unmarshal(e.Kv.Value, &o) == nil && o.Epoch != w.epoch
}

func (w *watch) reached(revision int64) {
	w.revision = max(w.revision, revision)
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.store.newest.revision = max(w.store.newest.revision, w.revision)
}

// takeEvent reports one event. An object that cannot be read is held alone.
func (w *watch) takeEvent(ctx context.Context, e *mvccpb.Event) error {
	key := string(e.Kv.Key)
	k := w.kindOf(key)
	switch {
	case k == nil || e.Kv.ModRevision <= k.listed:
		return nil
	case e.Type == mvccpb.Event_DELETE:
		return w.takeRemoval(k, key)
	}
	_, r, err := w.store.readKV(e.Kv)
	if err != nil {
		w.reportUnread(ctx, k, e.Kv, err)
		return nil
	}
	was, ok := k.known.get(key)
	w.release(k, key)
	w.stale = k.noteEnding(k.ending, key, &r.Object) || w.stale
	k.known.set(key, newKnown(&r.Object, e.Kv.ModRevision))
	put, gone := graph.Event{Type: graph.Put, Object: r.Object}, graph.Event{Type: graph.Gone, Key: r.Object.Key}
	switch gone.Key.UID = was.uid; {
	case !ok || was.uid == r.Object.UID:
		w.out.report(put)
	case was.made: // its references stand until those of the object are known
		w.out.report(put)
		w.out.report(gone)
	default:
		w.out.report(gone)
		w.out.report(put)
	}
	return nil
}

// takeRemoval reports the end of an object. An object that the watch has not reported has
// no end.
func (w *watch) takeRemoval(k *kindState, key string) error {
	was, ok := k.known.get(key)
	if !ok {
		return nil
	}
	var gone graph.Key
	if b := k.unread[key]; b != nil {
		gone = b.object.Key
	} else {
		var err error
		if gone, err = w.store.place(key); err != nil {
			return fmt.Errorf("report a removal: %w", err)
		}
	}
	k.known.remove(key)
	w.release(k, key)
	if _, ended := k.ending[key]; ended {
		delete(k.ending, key)
		w.stale = true
	}
	gone.UID = was.uid
	w.out.report(graph.Event{Type: graph.Gone, Key: gone})
	return nil
}
