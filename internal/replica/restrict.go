package replica

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// restriction is an entry of the index of Restrict references: an owner, and an object that
// refers to it so.
type restriction struct {
	owner     graph.UID
	dependent graph.Key // without the UID
}

func (r restriction) compare(o restriction) int {
	return cmp.Or(cmp.Compare(r.owner, o.owner), r.dependent.Compare(o.dependent))
}

// checkRestricted returns the error of a deletion of a restricted object, or nil. A second
// deletion of a marked object gives no mark.
//
//test:by TestRestricted TestRestrictedAgainstWalk
func (s *State) checkRestricted(live *graph.Object) error {
	if live.Deleting || s.restricts.root == nil {
		return nil
	}
	var dependents []graph.Key
	for r := range s.restricts.after(restriction{owner: live.UID}) {
		if r.owner != live.UID {
			break
		}
		t, _ := s.tables.get(r.dependent.Kind)
		if d, ok := t.objects.get(r.dependent); ok && finalizer.Restricts(*d, *live) {
			dependents = append(dependents, d.Key)
		}
	}
	if len(dependents) == 0 {
		return nil
	}
	return graph.NewRestrictedError(live.Key, dependents)
}

// index notes the mark and the Restrict references of next in the place of those of the object that the
// table has there. A nil next has none. Without Config.Strict no reference is noted, and without Config.Archive also no mark.
func (s *State) index(t table, place graph.Key, next *graph.Object) {
	if !s.conf.strict && s.conf.archive == nil {
		return
	}
	old, _ := t.objects.get(place)
	s.indexMark(old, next)
	if !s.conf.strict || s.restricts.root == nil && !restricts(next) {
		return
	}
	for _, r := range ownersOf(old) {
		if r.OnDelete == graph.OnDeleteRestrict {
			s.restricts = s.restricts.remove(restriction{r.UID, place})
		}
	}
	for _, r := range ownersOf(next) {
		if r.OnDelete == graph.OnDeleteRestrict {
			s.restricts = s.restricts.put(restriction{r.UID, place}, struct{}{})
		}
	}
}

func (s *State) indexMark(old, next *graph.Object) {
	if old != nil && old.Deleting && (next == nil || !next.Deleting || next.UID != old.UID) {
		s.marks = s.marks.remove(old.UID)
	}
	if next != nil && next.Deleting {
		s.marks = s.marks.put(next.UID, struct{}{})
	}
}

func restricts(o *graph.Object) bool {
	return slices.ContainsFunc(ownersOf(o), func(r graph.Owner) bool { return r.OnDelete == graph.OnDeleteRestrict })
}

func ownersOf(o *graph.Object) []graph.Owner {
	if o == nil {
		return nil
	}
	return o.Owners
}
