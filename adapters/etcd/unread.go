package etcdstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/logline"
)

// unread is an object whose key or value cannot be read, as a watch reports it. The object
// exists, is unmarked, and has the references of its last readable value. Only the watch's
// own goroutine uses it.
type unread struct {
	at       string       // the key in etcd
	object   graph.Object // as reported
	kept     []string     // its finalizers but for the one that names the cause
	created  int64        // the revision that made the key
	revision int64        // of the value
	made     bool         // no readable value has shown its UID, and the watch has made one up
	blind    bool         // no readable value has shown its references: see guards.go
}

// unreadOf returns the object of a key that cannot be read. A key that was made anew is
// another object.
//
//test:by TestUnreadableAlone TestUnreadableInGap TestMalformedKey TestRandomValues
func (w *watch) unreadOf(ctx context.Context, k *kindState, kv *mvccpb.KeyValue, cause error) *unread {
	at := string(kv.Key)
	b := k.unread[at]
	if b == nil || b.created != kv.CreateRevision {
		b = w.newUnread(k, kv)
		w.store.log.Line(slog.LevelWarn, "object held: it cannot be read", logline.Cause(cause, at, b.object.PlaceString(), b.object.Name), "key", b.object.Key.String(), "err", cause)
	}
	if b.blind {
		w.recall(ctx, b, kv)
	}
	b.revision = kv.ModRevision
	b.object.Finalizers = append(b.kept[:len(b.kept):len(b.kept)], graph.UnreadableBecause(cause.Error()))
	return b
}

// newUnread finds the identity of the object. No place has a malformed key. So it is no
// object of the store, and is reported at a place that names the key.
func (w *watch) newUnread(k *kindState, kv *mvccpb.KeyValue) *unread {
	b := &unread{at: string(kv.Key), created: kv.CreateRevision}
	place, err := w.store.place(b.at)
	if b.object.Key = place; err != nil {
		b.object.Key = graph.Key{Kind: k.info.Kind, Name: fmt.Sprintf("key %.300q", kv.Key)}
		if k.info.Scoped {
			b.object.Scope = "?"
		}
		b.made, b.object.UID = true, graph.UID(rand.Text())
		return b
	}
	b.blind = true
	if b.object.UID, b.made = w.store.lastUID(k, b.at, kv.CreateRevision); b.object.UID == "" {
		b.made, b.object.UID = true, graph.UID(rand.Text())
	}
	return b
}

const (
	// maxRecalls bounds the objects whose former values a watch reads for one listing or one
	// answer of the stream.
	maxRecalls   = 512
	maxFormer    = 8               // values of one object
	formerWithin = 5 * time.Second // for these reads
)

// recall takes the references from the last readable value that etcd has kept. A failure
// leaves the object blind, which is safe.
func (w *watch) recall(ctx context.Context, b *unread, kv *mvccpb.KeyValue) {
	if w.recalls++; w.recalls > maxRecalls || b.made && w.shown(b) { // its UID has gone out
		return
	}
	ctx, cancel := context.WithTimeout(ctx, formerWithin)
	defer cancel()
	o, ok := w.store.lastReadable(ctx, b.object.Place(), kv)
	if ctx.Err() != nil {
		w.recalls = maxRecalls // the others would wait as long
	}
	if !ok || o.UID != b.object.UID && !b.made {
		return
	}
	w.dropBlind(b)
	b.object.UID, b.object.Owners, b.made, b.blind = o.UID, o.Owners, false, false
	b.object.Generation, b.object.ObservedGeneration = o.Generation, o.ObservedGeneration
	for _, f := range o.Finalizers {
		if f != graph.FinalizerForeground && f != graph.FinalizerOrphan {
			b.kept = append(b.kept, f)
		}
	}
}

// shown reports whether the watch has reported the object before.
func (w *watch) shown(b *unread) bool { return w.kinds[b.object.Kind].unread[b.at] == b }

// lastReadable returns the object of the last value before this one that can be read.
func (s *Store) lastReadable(ctx context.Context, place graph.Key, kv *mvccpb.KeyValue) (graph.Object, bool) {
	revision := kv.ModRevision
	for range maxFormer {
		if revision--; revision < kv.CreateRevision {
			break
		}
		r, err := s.kv.Get(ctx, string(kv.Key), clientv3.WithRev(revision))
		if err != nil {
			break
		}
		former := only(r.Kvs)
		if former == nil || former.CreateRevision != kv.CreateRevision {
			break
		}
		if was, err := s.conf.Codec.Decode(place, former.Value); err == nil && was.Object.Place() == place {
			return was.Object, true
		}
		revision = former.ModRevision
	}
	return graph.Object{}, false
}

// report reports the object. The version rises with each report. Without known references the
// object refers to itself. That counts for nothing, and the engine reports the object as held.
func (b *unread) report(w *watch) {
	o, k := b.object.Clone(), w.kinds[b.object.Kind]
	if len(o.Owners) == 0 {
		o.Owners = []graph.Owner{{Key: o.Key}}
	}
	o.Version = version(max(b.revision, k.listed, w.revision))
	w.out.report(graph.Event{Type: graph.Put, Object: o})
}

// reportUnread reports the object of a change that cannot be read.
func (w *watch) reportUnread(ctx context.Context, k *kindState, kv *mvccpb.KeyValue, cause error) {
	at := string(kv.Key)
	b := w.unreadOf(ctx, k, kv, cause)
	was, ok := k.known.get(at)
	k.setUnread(b)
	if _, ended := k.ending[at]; ended {
		delete(k.ending, at)
		w.stale = true
	}
	if w.addBlind(b) {
		b.object.Owners = w.endingOwners()(b.object.Scope)
	}
	k.known.set(at, b.known())
	b.report(w)
	if ok && was.uid != b.object.UID {
		w.out.report(graph.Event{Type: graph.Gone, Key: graph.Key{Kind: b.object.Kind, Scope: b.object.Scope, Name: b.object.Name, UID: was.uid}})
	}
}

func (k *kindState) setUnread(b *unread) {
	if k.unread == nil {
		k.unread = map[string]*unread{}
	}
	k.unread[b.at] = b
}

func (b *unread) known() known { return known{uid: b.object.UID, revision: b.revision, made: b.made} }

// release ends the report of an object that can be read again, or that is gone. Another
// object of its scope first takes the references to the owners that end.
func (w *watch) release(k *kindState, at string) {
	b := k.unread[at]
	if b == nil {
		return
	}
	delete(k.unread, at)
	w.dropBlind(b)
	w.store.log.Line(slog.LevelInfo, "objects can be read again, or are gone", "")
}
