package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// trail has the words of a living object for its entry (RULES, A1).
type trail struct {
	explicit bool // a user's deletion has reached it
	orphaned bool // it has left its dependents behind
}

// String returns the words, "" for none.
func (t trail) String() string {
	if t == (trail{}) {
		return ""
	}
	return fmt.Sprintf(" explicit %t orphaned %t", t.explicit, t.orphaned)
}

// String returns the entry, with what counts for a restore.
func (e Ended) String() string {
	words := trail{e.Explicit, e.Orphaning}
	return strings.TrimSpace(e.Object.String() + words.String() + " " + string(e.Restored.UID))
}

func newState(start []graph.Object, cfg Config) State {
	s := NewState(start)
	s.archives = cfg.Archives
	return s
}

// hear notes that a user's deletion has reached the i-th object. It returns true if none had before.
func (s State) hear(i int) (State, bool) {
	if !s.archives || s.objects[i].trail.explicit {
		return s, false
	}
	s.objects = slices.Clone(s.objects)
	s.objects[i].trail.explicit = true
	return s, true
}

// end adds the entry of an object that has ended.
func (s State) end(o graph.Object, t trail) State {
	if !s.archives {
		return s
	}
	i, _ := slices.BinarySearchFunc(s.entries, o.UID, func(e Ended, u graph.UID) int { return strings.Compare(string(e.Object.UID), string(u)) })
	s.entries = slices.Insert(slices.Clone(s.entries), i, Ended{Object: o, Explicit: t.explicit, Orphaning: t.orphaned})
	return s
}

// restore makes the objects of a restore, if no name is taken.
func (s State) restore(root graph.UID) (State, bool) {
	lives := func(u graph.UID) bool {
		return slices.ContainsFunc(s.objects, func(o object) bool { return o.UID == u && !o.Deleting })
	}
	made := Archive{Entries: s.entries, Lives: lives}.Restore([]graph.UID{root}, false, s.next)
	for i, o := range made {
		lives := slices.ContainsFunc(s.objects, func(p object) bool { return p.Place() == o.Place() })
		if lives || i > 0 && made[i-1].Place() == o.Place() {
			return s, false
		}
	}
	s.entries = slices.Clone(s.entries)
	members := Archive{Entries: s.entries, Lives: lives}.Set([]graph.UID{root})
	for _, o := range made {
		s = s.insert(o)
		for i, e := range s.entries {
			if slices.Contains(members, e.Object.UID) && e.Object.Place() == o.Place() {
				s.entries[i].Restored = o.Key
			}
		}
	}
	return s, len(made) > 0
}
