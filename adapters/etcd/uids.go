package etcdstore

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// lastUID returns the UID that a watch of this Store has reported for a key since the key was
// made, "" for none. The watch's own report comes first. An engine may still have the object from
// that watch. Under another UID the next listing would end the object. So a UID that was made up
// stays too, and so does that of a former history.
//
//test:by TestUnreadableInGap TestUIDReplacedBetweenWatches TestRestoredWhileUnreadable
func (s *Store) lastUID(own *kindState, at string, created int64) (uid graph.UID, made bool) {
	var last, guess known
	take := func(k known, ok bool) {
		switch {
		case !ok || !k.former && k.revision < created:
		case k.made:
			guess = k
		case k.revision > last.revision:
			last = k
		}
	}
	k, ok := own.known.get(at)
	if take(k, ok); last.uid != "" {
		return last.uid, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		take(w.kinds[own.info.Kind].known.get(at))
	}
	before, found := s.left[own.info.Kind][at]
	take(before, found)
	take(k, ok)
	if last.uid != "" {
		return last.uid, false
	}
	return guess.uid, true
}

// formerly returns the states of a history that is over. Only their UIDs count.
func formerly(keys map[string]known) map[string]known {
	out := make(map[string]known, len(keys))
	for at, k := range keys {
		out[at] = known{uid: k.uid, made: true, former: true}
	}
	return out
}

// keepUIDs keeps the UIDs of a watch that is over, for a later watch of the same engine. The
// caller has the lock.
func (s *Store) keepUIDs(w *watch) {
	for _, k := range w.list {
		left := k.known.all()
		if left == nil { // not listed
			continue
		}
		for at, was := range s.left[k.info.Kind] { // of another watch that was ahead
			if k, ok := left[at]; !ok || k.revision < was.revision {
				left[at] = was
			}
		}
		if s.left == nil {
			s.left = map[graph.Kind]map[string]known{}
		}
		s.left[k.info.Kind] = left
	}
}

// dropUIDs ends the memory of watches that are over, after a listing of the kind. The running
// watch has the UIDs now.
func (s *Store) dropUIDs(kind graph.Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.left, kind)
}

// checkUID refuses a value whose UID is another one than a watch of this Store has reported for
// the same key. No write of a store does that: a key gets another UID only after its removal. Under
// the new UID the end of the old one would be proven, and its dependents would go.
//
//test:by TestUIDReplaced TestUIDReplacedInGap
func (s *Store) checkUID(o *graph.Object, kv *mvccpb.KeyValue) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := string(kv.Key)
	check := func(k known, ok bool) error {
		if ok && !k.made && k.uid != o.UID && kv.CreateRevision <= k.revision && k.revision <= kv.ModRevision {
			return fmt.Errorf("object.uid: %.100q, the key has %.100q until it is removed: %w", o.UID, k.uid, graph.ErrInvalid)
		}
		return nil
	}
	for w := range s.watches {
		if state := w.kinds[o.Kind]; state != nil {
			if err := check(state.known.get(at)); err != nil {
				return err
			}
		}
	}
	k, ok := s.left[o.Kind][at]
	return check(k, ok)
}
