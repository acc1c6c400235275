package replica

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"pgregory.net/rapid"
)

// newRestricted returns a strict state with the objects of the notation.
func newRestricted(t *testing.T, objects string) *State {
	t.Helper()
	s, err := New(Config{Kinds: testKinds, Objects: parse(t, objects), UIDPrefix: "u", Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRestricted: a strict state refuses each deletion of a restricted object, with every
// propagation, and the error names the dependents. Another state refuses none.
func TestRestricted(t *testing.T) {
	const hold, protect = graph.FinalizerHold, graph.FinalizerProtect
	for _, tc := range []struct {
		objects string
		by      []string // the places of the dependents that refuse
		reason  string
	}{
		{"rs/ns/o@o1", nil, "the object has no dependent"},
		{"rs/ns/o@o1; pod/ns/d@d1 -> rs/ns/o@o1!", nil, "an unset reference restricts nothing"},
		{"rs/ns/o@o1; pod/ns/d@d1 -> rs/ns/o@o1:release; pod/ns/e@e1 -> rs/ns/o@o1:cascade", nil, "other policies restrict nothing"},
		{"rs/ns/o@o1; pod/ns/d@d1 -> rs/ns/o@o1:restrict", []string{"pod/ns/d"}, "the dependent has no mark"},
		{"rs/ns/o@o1[x,foreground]; pod/ns/d@d1 -> rs/ns/o@o1!:restrict", []string{"pod/ns/d"}, "the object would get a mark and stay"},
		{"rs/ns/o@o1; pod/ns/d@d1 -> node/n@n1, rs/ns/o@o1:restrict; node/n@n1; node/m@m1 -> rs/ns/o@o1:restrict", []string{"node/m", "pod/ns/d"}, "all are named, sorted"},
		{"rs/ns/o@o1; pod/ns/d@d1 -> rs/o@o1?:restrict", []string{"pod/ns/d"}, "an unresolved reference restricts by its UID"},
		{"rs/ns/o@o1; pod/ns/d@d1~[x] -> rs/ns/o@o1:restrict", nil, "a marked dependent restricts nothing"},
		{"rs/ns/o@o1; pod/ns/d@d1~[" + hold + "] -> rs/ns/o@o1:restrict", []string{"pod/ns/d"}, "a held mark is none"},
		{"rs/ns/o@o1; pod/ns/d@d1~[" + protect + "] -> rs/ns/o@o1:restrict", []string{"pod/ns/d"}, "a protected mark is none"},
		{"rs/ns/o@o1; pod/ns/d@d1 -> rs/ns/o@o2:restrict; pod/ns/e@e1 -> rs/ns/p@o1:restrict", nil, "another UID or place is another owner"},
		{"rs/ns/o@o1 -> pod/ns/d@d1:restrict; pod/ns/d@d1 -> rs/ns/o@o1:restrict", []string{"pod/ns/d"}, "a ring restricts each member"},
		{"rs/ns/o@o1~[x]; pod/ns/d@d1 -> rs/ns/o@o1:restrict", nil, "a marked object gets no mark"},
		{"rs/ns/o@o1; job/ns/j@j1 -> rs/ns/o@o1:restrict", []string{"job/ns/j"}, "a removed kind keeps its objects"},
	} {
		for _, p := range []graph.Propagation{graph.Unset, graph.Background, graph.Foreground, graph.Orphan} {
			for _, strict := range []bool{true, false} {
				s, err := New(Config{Kinds: testKinds, Objects: parse(t, tc.objects), UIDPrefix: "u", Strict: strict})
				if err != nil {
					t.Fatal(err)
				}
				_ = s.RemoveKind("job") // of one case
				before := s.version
				_, err = s.Delete(key(t, "rs/ns/o"), graph.DeleteOptions{Propagation: p})
				if !strict || tc.by == nil {
					if err != nil {
						t.Errorf("%s: delete %s, Strict %t: %v, want no error: %s", tc.objects, p, strict, err, tc.reason)
					}
					continue
				}
				var restricted *graph.RestrictedError
				if !errors.As(err, &restricted) || !errors.Is(err, graph.ErrRestricted) || s.version != before {
					t.Fatalf("%s: delete %s: %v, want a RestrictedError and no change: %s", tc.objects, p, err, tc.reason)
				}
				var by []string
				for _, d := range restricted.Dependents {
					by = append(by, d.PlaceString())
				}
				if !slices.Equal(by, tc.by) || restricted.Key.String() != "rs/ns/o@o1" {
					t.Errorf("%s: delete %s: %v, want the dependents %v: %s", tc.objects, p, err, tc.by, tc.reason)
				}
			}
		}
	}
}

// TestRestrictedEnds: a restriction ends with the dependent, its mark, or its reference.
func TestRestrictedEnds(t *testing.T) {
	const objects = "rs/ns/o@o1; pod/ns/d@d1[x] -> rs/ns/o@o1:restrict"
	d, o := "pod/ns/d", "rs/ns/o"
	for _, tc := range []struct {
		name, reason string
		write        func(*State) error
	}{
		{"mark", "the mark is enough", func(s *State) error {
			_, err := s.Delete(key(t, d), graph.DeleteOptions{})
			return err
		}},
		{"update", "the reference is gone", func(s *State) error {
			_, err := s.Update(parse(t, "pod/ns/d@d1[x]")[0])
			return err
		}},
		{"policy", "the reference has another policy", func(s *State) error {
			_, err := s.Update(parse(t, "pod/ns/d@d1[x] -> rs/ns/o@o1:cascade")[0])
			return err
		}},
		{"patch", "the reference is gone", func(s *State) error {
			_, err := s.Patch(key(t, d), graph.Precondition{}, graph.Change{DropOwners: parse(t, "a -> rs/ns/o@o1")[0].Owners})
			return err
		}},
		{"gone", "the dependent is gone", func(s *State) error {
			_, err := s.Delete(key(t, d), graph.DeleteOptions{})
			_, gone := s.Update(fresh(t, "pod/ns/d"))
			return errors.Join(err, gone)
		}},
	} {
		s := newRestricted(t, objects)
		earlier, snapshot := s.Clone(), s.Snapshot()
		if err := tc.write(s); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Delete(key(t, o), graph.DeleteOptions{}); err != nil {
			t.Errorf("%s: delete: %v, want no error: %s", tc.name, err, tc.reason)
		}
		if err := s.Restore(snapshot); err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]*State{"clone": earlier, "restored": s} {
			if _, err := s.Delete(key(t, o), graph.DeleteOptions{}); !errors.Is(err, graph.ErrRestricted) {
				t.Errorf("%s, %s: delete: %v, want ErrRestricted: the state of then has the reference", tc.name, name, err)
			}
		}
	}
}

// TestRestrictReferences: a strict state refuses a new Restrict reference to an owner with any
// mark. A reference with another policy is a new one.
func TestRestrictReferences(t *testing.T) {
	const objects = `rs/ns/b@b1~[x]; rs/ns/l@l1; rs/ns/w@w1~[foreground];
		pod/ns/d@d1 -> rs/ns/b@b1, rs/ns/w@w1:restrict`
	const marked, waits = "is being deleted, and cannot be restricted", "is being deleted in the foreground"
	for _, tc := range []struct{ refs, want, reason string }{
		{"rs/ns/b@b1, rs/ns/w@w1:restrict", "", "no reference is new"},
		{"rs/ns/b@b1, rs/ns/l@l1:restrict", "", "the owner has no mark"},
		{"rs/ns/b@b1:restrict", marked, "a background mark"},
		{"rs/ns/b@b1:release", "", "a background mark takes other references"},
		{"rs/ns/b@b1:cascade", "", "a background mark takes other references"},
		{"rs/ns/w@w1", waits, "the changed policy makes a new reference"},
		{"rs/ns/w@w1:cascade", waits, "the changed policy makes a new reference"},
		{"rs/ns/x@x1:restrict", "does not exist", "an absent owner"},
		{"rs/b@b1?:restrict", marked, "an unresolved reference restricts by its UID"},
		{"rs/l@l1?:restrict", "", "no marked object has the UID"},
		{"rs/b@b1?", "", "an unresolved reference without a policy is not judged"},
	} {
		s := newRestricted(t, objects)
		_, err := s.Update(parse(t, "pod/ns/d@d1 -> "+tc.refs)[0])
		if tc.want == "" && err != nil || tc.want != "" && (!errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("update to %s: %v, want %q: %s", tc.refs, err, tc.want, tc.reason)
		}
		loose := newState(t, objects)
		if _, err := loose.Update(parse(t, "pod/ns/d@d1 -> "+tc.refs)[0]); err != nil {
			t.Errorf("update to %s without Strict: %v, want no error", tc.refs, err)
		}
	}
}

// TestRestrictedAgainstWalk: after any writes, the index has exactly the Restrict references of
// the objects. So a deletion is refused if and only if a walk of all objects finds one.
func TestRestrictedAgainstWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := New(Config{Kinds: modelKinds, UIDPrefix: "u", Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		snapshot := s.Snapshot()
		owners := func(t *rapid.T) (list []graph.Owner) {
			for _, o := range s.Objects() {
				if r := (graph.Owner{Key: o.Key}); rapid.Bool().Draw(t, "refer") {
					r.Unresolved = rapid.IntRange(0, 4).Draw(t, "unresolved") == 0
					r.OnDelete = graph.OnDelete(rapid.IntRange(0, 3).Draw(t, "policy"))
					list = append(list, r)
				}
			}
			return list
		}
		finalizers := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", graph.FinalizerHold, graph.FinalizerForeground}), 0, 2, rapid.ID)
		t.Repeat(map[string]func(*rapid.T){
			"create": func(t *rapid.T) {
				_, _ = s.Create(graph.Object{Key: places.Draw(t, "place"), Owners: owners(t), Finalizers: finalizers.Draw(t, "finalizers")})
			},
			"update": func(t *rapid.T) {
				_, _ = s.Update(graph.Object{Key: places.Draw(t, "place"), Owners: owners(t), Finalizers: finalizers.Draw(t, "finalizers")})
			},
			"mark":    func(*rapid.T) { snapshot = s.Snapshot() },
			"restore": func(*rapid.T) { s = s.Clone(); _ = s.Restore(snapshot) },
			"delete":  func(t *rapid.T) { deleteAgainstWalk(t, s) },
			"":        func(t *rapid.T) { checkIndex(t, s) },
		})
	})
}

func deleteAgainstWalk(t *rapid.T, s *State) {
	place, opts := places.Draw(t, "place"), options.Draw(t, "options")
	live, err := s.Get(place)
	if err != nil {
		return
	}
	want := !live.Deleting && slices.ContainsFunc(s.Objects(), func(d graph.Object) bool { return finalizer.Restricts(d, live) })
	if _, err := s.Delete(place, opts); errors.Is(err, graph.ErrRestricted) != want || !want && err != nil {
		t.Fatalf("delete %s: %v, want it restricted: %t, in\n%s", place, err, want, graph.Format(s.Objects()))
	}
}

func checkIndex(t *rapid.T, s *State) {
	var want, got []restriction
	for _, o := range s.Objects() {
		if _, marked := s.marks.get(o.UID); marked != o.Deleting {
			t.Fatalf("the index of marks has %s: %t", o, marked)
		}
		for _, r := range o.Owners {
			if r.OnDelete == graph.OnDeleteRestrict {
				want = append(want, restriction{r.UID, o.Place()})
			}
		}
	}
	slices.SortFunc(want, restriction.compare)
	for r := range s.restricts.all() {
		got = append(got, r)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the index has %v, want %v", got, want)
	}
}

// TestRestrictCostsNothing: a state without Restrict references has an empty index, and a
// deletion looks at no other object.
func TestRestrictCostsNothing(t *testing.T) {
	s := newRestricted(t, "rs/ns/o@o1; pod/ns/d@d1 -> rs/ns/o@o1; pod/ns/e@e1 -> rs/ns/o@o1:cascade")
	o, d := s.tables, key(t, "pod/ns/d")
	table, _ := o.get("pod")
	live, _ := table.objects.get(d)
	if got := testing.AllocsPerRun(100, func() { s.index(table, d, live) }); got != 0 || s.restricts.root != nil {
		t.Errorf("a write of the index makes %v allocations, want none and an empty index", got)
	}
	if got := testing.AllocsPerRun(100, func() { _ = s.checkRestricted(live) }); got != 0 {
		t.Errorf("a look makes %v allocations, want none", got)
	}
}
