package replica

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// HoldEntry puts a hold on an entry or a living object (RULES, A6). A hold of the same holder is replaced. A living
// unmarked object gets the finalizer of protection in the same step, and its entry inherits the hold. A marked object
// gains no finalizer, so that hold binds its entry alone.
//
// Errors: ErrNotFound if there is neither, ErrRefused and ErrInvalid for a hold without a holder.
//
//test:by TestHolds
func (s *State) HoldEntry(key graph.Key, h archive.Hold) (Commit, error) {
	const verb = "hold"
	if s.conf.archive == nil {
		return Commit{}, fmt.Errorf("hold %s: the store has no archive: %w", name(key), graph.ErrRefused)
	}
	if cause := h.Flaw(); cause != "" {
		return Commit{}, invalid(verb, key, "hold", cause)
	}
	had, _ := s.archived.holds.get(key.UID)
	next := holds{list: slices.DeleteFunc(slices.Clone(had.list), func(x archive.Hold) bool { return x.By == h.By }), key: key, protects: had.protects}
	if next.list = append(next.list, h); len(next.list) > archive.MaxHolds {
		return Commit{}, invalid(verb, key, "hold", fmt.Sprintf("more than %d holds", archive.MaxHolds))
	}
	slices.SortFunc(next.list, func(a, b archive.Hold) int { return strings.Compare(a.By, b.By) })
	t, live, err := s.find(verb, key)
	if err != nil || live.UID != key.UID {
		if _, ended := s.archived.entries.get(key.UID); !ended {
			return Commit{}, fmt.Errorf("hold %s: neither an object nor an entry: %w", name(key), graph.ErrNotFound)
		}
		s.archived.holds = s.archived.holds.put(key.UID, next)
		return Commit{}, nil
	}
	add := !live.Deleting && !live.HasFinalizer(graph.FinalizerProtect)
	next.protects = next.protects || add
	s.archived.holds = s.archived.holds.put(key.UID, next)
	if !add {
		return Commit{finalizer.Unchanged, live, s.Version()}, nil
	}
	return s.protect(t, live, graph.Change{AddFinalizer: graph.FinalizerProtect})
}

// EndHold takes a hold off. The finalizer of protection goes with the last one, if a hold has put it on.
//
// Errors: ErrNotFound without such a hold, and ErrRefused if the object goes with its protection and its entry cannot be
// written. Nothing is done then.
//
//test:by TestHolds TestHoldOfLargeObject
func (s *State) EndHold(key graph.Key, by string) (Commit, error) {
	had, _ := s.archived.holds.get(key.UID)
	i := slices.IndexFunc(had.list, func(h archive.Hold) bool { return h.By == by })
	if i < 0 {
		return Commit{}, fmt.Errorf("end hold of %s: %q has none: %w", name(key), by, graph.ErrNotFound)
	}
	return s.setHolds(key.UID, had, slices.Delete(slices.Clone(had.list), i, i+1))
}

// setHolds replaces the holds of an object or an entry by fewer.
func (s *State) setHolds(uid graph.UID, had holds, list []archive.Hold) (Commit, error) {
	if len(list) > 0 {
		s.archived.holds = s.archived.holds.put(uid, holds{list, had.key, had.protects})
		return Commit{}, nil
	}
	t, live, err := s.find("end hold of", had.key)
	if err != nil || live.UID != uid || !had.protects || !live.HasFinalizer(graph.FinalizerProtect) {
		s.archived.holds = s.archived.holds.remove(uid)
		return Commit{}, nil
	}
	c, err := s.protect(t, live, graph.Change{DropFinalizer: graph.FinalizerProtect})
	if err == nil { // a refused write leaves the hold
		s.archived.holds = s.archived.holds.remove(uid)
	}
	return c, err
}

func (s *State) protect(t table, live *graph.Object, c graph.Change) (Commit, error) {
	out, err := finalizer.Patch(*live, graph.Precondition{}, c)
	if err == nil {
		err = s.keep(t, live, out, nil)
	}
	if err != nil {
		return Commit{}, err
	}
	return s.commit(t, out), nil
}

// endHolds takes the holds off whose time is over. An object that cannot lose its protection keeps its holds, and the
// others go on: no object may stop the expiry of all. The error is that of the first such object.
func (s *State) endHolds() (done []Commit, err error) {
	now := s.conf.now()
	for uid, had := range s.archived.holds.all() {
		left := slices.DeleteFunc(slices.Clone(had.list), func(h archive.Hold) bool { return !h.Until.IsZero() && !now.Before(h.Until) })
		if len(left) == len(had.list) {
			continue
		}
		c, failed := s.setHolds(uid, had, left)
		if failed != nil {
			err = cmp.Or(err, failed)
			continue
		}
		if c.object != nil {
			done = append(done, c)
		}
	}
	return done, err
}
