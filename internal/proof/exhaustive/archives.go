package exhaustive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// archives reports whether the store keeps entries.
func (s Scope) archives() bool { return s.Users == Undeleting }

// undeleting returns the restores of Undeleting users: of each object that ended, and was not restored.
func undeleting(s *world.Store, users Users) (out []oracle.Action) {
	if users != Undeleting {
		return nil
	}
	for _, e := range s.Entries() {
		if !e.IsRestored() {
			out = append(out, oracle.Action{Verb: oracle.Restore, Object: graph.Object{Key: e.Object.Key}})
		}
	}
	slices.SortFunc(out, func(a, b oracle.Action) int { return a.Object.Key.Compare(b.Object.Key) })
	return out
}

// judgeEntries judges the entries of a world whose store keeps them (RULES, A1).
func judgeEntries(w *world.World) error {
	if !w.Store.Archiving() {
		return nil
	}
	return w.Store.JudgeEntries()
}

// undo judges the restore of all that users deleted, once for each past.
func (p *pasts) undo(n uint32, cfg oracle.Config) error {
	if x := &p.items[n]; !x.undone {
		if err := judgeUndone(x.w, p.start, cfg); err != nil {
			return err
		}
		x.undone = true
	}
	return nil
}

// judgeUndone restores, on a copy of a quiet world, all that users deleted (RULES, A2 and A7). Then the store is quiet again, so
// nothing is deleted anew. The objects of the start are back, with their owners or fewer. One may stay away only if it had lost
// a reference before its end, or if it needs an owner that is marked or stays away for such a reason.
func judgeUndone(w *world.World, start []graph.Object, cfg oracle.Config) error {
	if !w.Store.Archiving() {
		return nil
	}
	x := &world.World{Store: w.Store, Kinds: w.Kinds, Ledger: w.Ledger.Clone()}
	x.Archives()
	if _, err := x.RestoreAll(); err != nil {
		return err
	}
	objects := x.Store.Objects()
	line := oracle.Line(objects)
	if ends := oracle.Ends(objects, nil, cfg); !slices.Equal(ends, []string{line}) {
		return fmt.Errorf("A2: the restore of all that users deleted makes %q, which ends with %q", line, ends)
	}
	for _, o := range objects {
		if lost, more := compared(o, start); more {
			return fmt.Errorf("A2: the restore of all that users deleted makes %s, which has an owner more than at the start: lost %t", o, lost)
		}
	}
	if away := unexcused(&x.Store, start); len(away) > 0 {
		return fmt.Errorf("A2: after the restore of all that users deleted, %s stays away, and A7 does not say why", strings.Join(away, ", "))
	}
	return nil
}

// compared compares the owners of an object with those at the start, by their names: some are lost, or there are more.
func compared(o graph.Object, start []graph.Object) (lost, more bool) {
	i := slices.IndexFunc(start, func(s graph.Object) bool { return s.Place() == o.Place() })
	if i < 0 {
		return false, true
	}
	has := func(refs []graph.Owner, r graph.Owner) bool {
		return slices.ContainsFunc(refs, func(p graph.Owner) bool { return p.Place() == r.Place() && p.OnDelete == r.OnDelete })
	}
	for _, r := range start[i].Owners {
		lost = lost || !has(o.Owners, r)
	}
	for _, r := range o.Owners {
		more = more || !has(start[i].Owners, r)
	}
	return lost, more
}

// unexcused returns the objects that stay away without a reason of A7.
func unexcused(s *world.Store, start []graph.Object) (names []string) {
	excused := map[string]bool{}
	var away []archive.Entry
	for _, e := range s.Entries() {
		if e.IsRestored() {
			continue
		}
		away = append(away, e)
		lost, _ := compared(e.Object, start)
		excused[e.Object.Name] = lost
	}
	for range away {
		for _, e := range away {
			for _, r := range e.Object.Owners {
				o, lives := s.At(r.Key)
				excused[e.Object.Name] = excused[e.Object.Name] || excused[r.Name] || lives && o.Deleting
			}
		}
	}
	for _, e := range away {
		if !excused[e.Object.Name] {
			names = append(names, e.Object.String())
		}
	}
	return names
}

// Archived returns the stages of CI with a store that keeps entries.
func Archived() []Stage {
	stage := func(objects int, s Scope) Stage {
		s.Users = Undeleting
		return Stage{Objects: objects, Scope: s, Whole: true}
	}
	return []Stage{
		stage(2, Scope{Actions: 3, Late: true}),
		stage(2, Scope{Actions: 3, Policies: true}),
		stage(2, Scope{Actions: 2, Policies: true, Strict: true, Late: true}),
		stage(2, Scope{Actions: 2, Policies: true, Crashes: 1}),
		stage(3, Scope{Actions: 2}),
		{Objects: 3, To: 120, Scope: Scope{Actions: 2, Policies: true, Users: Undeleting}, Whole: true},
		{Objects: 2, Foreign: true, Scope: Scope{Actions: 2, Policies: true, Users: Undeleting}, Whole: true},
	}
}
