package etcdstore

import (
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
)

// known is the state of an object as a watch has reported it last.
type known struct {
	uid      graph.UID
	revision int64
	free     bool // no finalizer and no grace period hold it
	made     bool // no readable value of this history has shown the UID
	former   bool // of a former history, so the revision means nothing
}

func newKnown(o *graph.Object, revision int64) known {
	return known{uid: o.UID, revision: revision, free: len(o.Finalizers) == 0 && o.GraceSeconds == 0}
}

// removable reports whether the deletion removes the object at once, by the state that a
// watch has reported. It then returns the revision of that state. The key and the revision
// fix the state for ever, and the transaction demands the revision. So an old report
// removes nothing that it did not show.
//
//test:by TestDeleteInOneRequest
func (s *Store) removable(kind graph.Kind, at string, opts graph.DeleteOptions, def graph.Propagation) (revision int64, ok bool) {
	pre := opts.Precondition
	background := opts.Propagation == graph.Background ||
		opts.Propagation == graph.Unset && (def == graph.Unset || def == graph.Background)
	if pre.Version == "" || !background || opts.GraceSeconds != nil && *opts.GraceSeconds != 0 {
		return 0, false
	}
	revision, err := strconv.ParseInt(string(pre.Version), 10, 64)
	if err != nil || version(revision) != pre.Version {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		k, found := w.kinds[kind].known.get(at)
		if found && k.free && k.revision == revision && (pre.UID == "" || pre.UID == k.uid) {
			return revision, true
		}
	}
	return 0, false
}
