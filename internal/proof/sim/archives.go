package sim

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// This file lets users restore what they deleted, and judges the words of deletions (RULES, A1 and A2).

// undelete draws the restore of an object that ended, or a purge.
func (s *sim) undelete() (st step, ok bool) {
	entries := s.w.Store.Entries()
	if len(entries) == 0 || len(s.w.Store.Objects()) >= s.o.most {
		return step{}, false
	}
	if s.rng.IntN(8) == 0 {
		return step{op: opPurge, number: int16(s.rng.IntN(min(len(entries), 8)))}, true
	}
	for range 4 { // an explicit one, if there are some
		e := &entries[s.rng.IntN(len(entries))]
		st = step{op: opUndelete, action: &oracle.Action{Object: graph.Object{Key: e.Object.Key}}}
		if e.Explicit && !e.IsRestored() {
			break
		}
	}
	return st, true
}

// bringBack carries a restore out, and judges it: it is that of the oracle, and each new object refers to objects that live
// unmarked.
func (s *sim) bringBack(st step) error {
	created, bad := s.w.RestoreEntries(archive.Request{Roots: []graph.UID{st.action.Object.UID}})
	for _, o := range created {
		for _, r := range o.Owners {
			there := func(o graph.Object) bool { return o.UID == r.UID && !o.Deleting }
			if !s.o.has(duplicateUIDs) && !slices.ContainsFunc(s.w.Store.Objects(), there) {
				return fmt.Errorf("A2: the restore of %s makes %s, and its owner %s is not there", st.action.Object.Key, o, r.Key)
			}
		}
	}
	return bad
}

// judgeCause judges the word of an engine: each delete has it, if the store has an archive. A user's deletion has none.
func (s *sim) judgeCause(side int, c engine.Call) error {
	if c.Type != engine.CallDelete {
		return nil
	}
	switch cause := c.Options.Cause; {
	case (cause != nil) != s.w.Store.Archiving():
		return fmt.Errorf("A1: engine %d deletes %s with the cause %v, in a world with an archive: %t", side, c.Key, cause, s.w.Store.Archiving())
	case cause != nil && cause.Holder.UID != "" && cause.Root != cause.Holder:
		return fmt.Errorf("A1: engine %d deletes %s for the holder %s, and names the root %s", side, c.Key, cause.Holder, cause.Root)
	}
	return nil
}
