package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// restrictCase makes the objects around an owner, and says whether they restrict it.
type restrictCase struct {
	name       string
	make       func(t *testing.T, h *handle, owner graph.Object)
	restricted bool
	reason     string
}

// photo creates an object with a reference to the owner.
func (h *handle) photo(t *testing.T, owner graph.Object, edit func(*graph.Object)) graph.Object {
	t.Helper()
	o := object("photo", "one", owner.Name+"-p")
	o.Owners = []graph.Owner{withPolicy(owner, graph.OnDeleteRestrict)}
	if edit != nil {
		edit(&o)
	}
	return h.mustCreate(t, o)
}

func (h *handle) mustDelete(t *testing.T, o graph.Object, p graph.Propagation) {
	t.Helper()
	if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{Propagation: p}); err != nil {
		t.Fatal(err)
	}
}

var restrictCases = []restrictCase{
	{"unmarked", func(t *testing.T, h *handle, o graph.Object) { h.photo(t, o, nil) }, true, "an unmarked object refers to it"},
	{"unresolved", func(t *testing.T, h *handle, o graph.Object) {
		h.photo(t, o, func(p *graph.Object) { p.Owners[0].Kind = "outside" })
	}, true, "an unresolved reference restricts each object with its UID"},
	{"marked", func(t *testing.T, h *handle, o graph.Object) {
		h.mustDelete(t, h.photo(t, o, func(p *graph.Object) { p.Finalizers = []string{"x/y"} }), graph.Background)
	}, false, "a mark of the dependent is enough"},
	{"held mark", func(t *testing.T, h *handle, o graph.Object) {
		h.mustDelete(t, h.photo(t, o, func(p *graph.Object) { p.Finalizers = []string{graph.FinalizerHold} }), graph.Background)
	}, true, "a mark that a guard holds counts for no dependent"},
	{"lifted hold", func(t *testing.T, h *handle, o graph.Object) {
		p := h.photo(t, o, func(p *graph.Object) { p.Finalizers = []string{graph.FinalizerProtect, "x/y"} })
		h.mustDelete(t, p, graph.Background)
		if err := h.Patch(t.Context(), p.Key, graph.Precondition{}, graph.Change{DropFinalizer: graph.FinalizerProtect}); err != nil {
			t.Fatal(err)
		}
	}, false, "the mark counts now"},
	{"release", func(t *testing.T, h *handle, o graph.Object) {
		h.photo(t, o, func(p *graph.Object) { p.Owners[0].OnDelete = graph.OnDeleteRelease })
	}, false, "the reference is dropped"},
	{"cascade", func(t *testing.T, h *handle, o graph.Object) {
		h.photo(t, o, func(p *graph.Object) { p.Owners[0].OnDelete = graph.OnDeleteCascade })
	}, false, "the dependent goes"},
	{"dropped", func(t *testing.T, h *handle, o graph.Object) {
		p := h.photo(t, o, nil)
		if err := h.Patch(t.Context(), p.Key, graph.Precondition{}, graph.Change{DropOwners: p.Owners}); err != nil {
			t.Fatal(err)
		}
	}, false, "the reference is gone"},
	{"changed", func(t *testing.T, h *handle, o graph.Object) {
		p := h.photo(t, o, nil)
		if _, err := h.Update(t.Context(), graph.Object{Key: p.Key, Owners: refTo(o)}); err != nil {
			t.Fatal(err)
		}
	}, false, "the reference has no policy now"},
	{"changed to", func(t *testing.T, h *handle, o graph.Object) {
		p := h.photo(t, o, func(p *graph.Object) { p.Owners[0].OnDelete = graph.OnDeleteRelease })
		if _, err := h.Update(t.Context(), graph.Object{Key: p.Key, Owners: []graph.Owner{withPolicy(o, graph.OnDeleteRestrict)}}); err != nil {
			t.Fatal(err)
		}
	}, true, "the reference restricts now"},
	{"gone", func(t *testing.T, h *handle, o graph.Object) { h.mustDelete(t, h.photo(t, o, nil), graph.Background) }, false, "the dependent is gone"},
	{"gone in a batch", func(t *testing.T, h *handle, o graph.Object) {
		p, q := h.photo(t, o, nil), h.mustCreate(t, object("photo", "one", o.Name+"-q"))
		if results, err := h.Batch(t.Context(), []graph.Write{deletion(p), deletion(q)}); err != nil || results[0] != nil {
			t.Fatal(results, err)
		}
	}, false, "the dependents are gone"},
	{"owner marked", func(t *testing.T, h *handle, o graph.Object) {
		p := h.photo(t, o, func(p *graph.Object) { p.Owners = nil })
		if err := h.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"}); err != nil {
			t.Fatal(err)
		}
		h.mustDelete(t, o, graph.Background)
		h.writeBody(t, p, withPolicy(o, graph.OnDeleteRestrict))
	}, false, "the owner has its mark already"},
}

// writeBody stores a reference beside the rules, as a store below level 3 does after the mark.
func (h *handle) writeBody(t *testing.T, o graph.Object, ref graph.Owner) {
	t.Helper()
	c := h.conf
	c.Strict = false
	s, err := New(h.db, c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddOwner: &ref}); err != nil {
		t.Fatal(err)
	}
}

// deletions are all ways to delete an object.
func (h *handle) deletions(t *testing.T, p graph.Propagation) map[string]func(graph.Object) error {
	opts := graph.DeleteOptions{Propagation: p}
	return map[string]func(graph.Object) error{
		"Delete": func(o graph.Object) error { return h.Delete(t.Context(), o.Key, opts) },
		"Delete of a version": func(o graph.Object) error {
			o, err := h.Get(t.Context(), o.Key)
			if err != nil {
				return err
			}
			return h.Delete(t.Context(), o.Key, graph.DeleteOptions{Propagation: p, Precondition: deletion(o).Options.Precondition})
		},
		"Batch": func(o graph.Object) error {
			o, err := h.Get(t.Context(), o.Key)
			if err != nil {
				return err
			}
			beside := h.mustCreate(t, object("team", "", o.Name+"-beside-"+p.String()))
			list := []graph.Write{deletion(o), deletion(beside)}
			list[0].Options.Propagation, list[1].Options.Propagation = p, graph.Background
			results, err := h.Batch(t.Context(), list)
			if err != nil {
				return err
			}
			if results[1] != nil {
				t.Errorf("the neighbour in the batch: %v", results[1])
			}
			return results[0]
		},
		"Tx.Delete": func(o graph.Object) error {
			return h.inTx(t, func(tx *Tx) error { return tx.Delete(t.Context(), o.Key, opts) })
		},
	}
}

// TestRestrict: at level 3 no deletion of a restricted object passes, with each propagation and in each
// way, and each other deletion passes. A refused one changes nothing.
func TestRestrict(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h, n := d.mustHandle(t, acting), 0
		for _, c := range restrictCases {
			for _, p := range []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan} {
				for how := range h.deletions(t, p) {
					n++
					owner := h.mustCreate(t, object("bucket", "one", fmt.Sprint("b", n)))
					c.make(t, h, owner)
					before := h.contentOf(t)
					err := h.deletions(t, p)[how](owner)
					if errors.Is(err, graph.ErrRestricted) != c.restricted || err != nil && !c.restricted {
						t.Errorf("%s %s of %q: %v, want it restricted: %t: %s", how, p, c.name, err, c.restricted, c.reason)
					}
					if _, there := h.contentOf(t)[owner.Key]; c.restricted && (!there || !agree(before, h.contentOf(t))) {
						t.Errorf("%s %s of %q: a refusal has changed the store", how, p, c.name)
					}
				}
			}
		}
	})
}

// TestRestrictReferences: at level 3 an owner with any mark takes no new reference with restrict, in any
// way. A changed policy is a new reference. An old one stays.
func TestRestrictReferences(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, acting)
		for _, p := range []graph.Propagation{graph.Unset, graph.Background, graph.Foreground, graph.Orphan} {
			o := object("bucket", "one", p.String())
			o.Finalizers = []string{"x/y"}
			o = h.mustCreate(t, o)
			dep := h.photo(t, o, func(d *graph.Object) { d.Owners[0].OnDelete = graph.OnDeleteUnset })
			if p != graph.Unset {
				h.mustDelete(t, o, p)
			}
			outside := withPolicy(o, graph.OnDeleteRestrict)
			outside.Kind = "outside"
			for name, ref := range map[string]graph.Owner{"resolved": withPolicy(o, graph.OnDeleteRestrict), "outside": outside} {
				for how, err := range h.refers(t, fmt.Sprint(p, "-", name), ref) {
					if refused := p != graph.Unset; errors.Is(err, graph.ErrRefused) != refused || err != nil && !refused {
						t.Errorf("%s to an owner with the mark %s, %s: %v, want refused: %t", how, p, name, err, refused)
					}
				}
			}
			_, err := h.Update(t.Context(), graph.Object{Key: dep.Key, Owners: []graph.Owner{withPolicy(o, graph.OnDeleteRestrict)}})
			if refused := p != graph.Unset; errors.Is(err, graph.ErrRefused) != refused || err != nil && !refused {
				t.Errorf("a changed policy, the mark is %s: %v, want refused: %t", p, err, refused)
			}
		}
	})
}

// TestRestrictRace: a transaction writes the first or a further reference with restrict, another one
// deletes the owner. The one waits for the other, and decides anew.
func TestRestrictRace(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, acting)
	for _, further := range []bool{false, true} {
		for _, deletesFirst := range []bool{false, true} {
			for _, p := range []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan} {
				h.restrictRace(t, fmt.Sprint(further, deletesFirst, p), further, deletesFirst, graph.DeleteOptions{Propagation: p})
			}
		}
	}
}

func (h *handle) restrictRace(t *testing.T, name string, further, deletesFirst bool, opts graph.DeleteOptions) {
	t.Helper()
	owner := h.mustCreate(t, object("bucket", "one", name))
	if further {
		h.mustDelete(t, h.photo(t, owner, func(o *graph.Object) { o.Name += "-first" }), graph.Background)
	}
	dep := object("photo", "one", name)
	dep.Owners = []graph.Owner{withPolicy(owner, graph.OnDeleteRestrict)}
	tx, err := h.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan error, 1)
	if deletesFirst {
		err = h.Tx(tx).Delete(t.Context(), owner.Key, opts)
		go func() { _, err := h.Create(t.Context(), dep); second <- err }()
	} else {
		_, err = h.Tx(tx).Create(t.Context(), dep)
		go func() { second <- h.Delete(t.Context(), owner.Key, opts) }()
	}
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second one waits for a lock", func() bool {
		var n int
		err := h.db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_locks WHERE NOT granted`).Scan(&n)
		return err == nil && n > 0
	})
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-second; !errors.Is(err, graph.ErrRefused) || errors.Is(err, graph.ErrRestricted) == deletesFirst {
		t.Errorf("%s: the second one: %v, want it refused", name, err)
	}
}

// TestRestrictTogether: many writers refer to owners with restrict, which others delete in each way. No
// object refers to an owner that is marked or gone in the end.
func TestRestrictTogether(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, acting)
		for round := range 12 {
			first, second := h.mustCreate(t, object("bucket", "one", fmt.Sprint(round))), h.mustCreate(t, object("bucket", "one", fmt.Sprint(round, "-second")))
			var group sync.WaitGroup
			for i := range 3 {
				group.Go(func() {
					dep := object("photo", "one", fmt.Sprint(round, "-", i))
					dep.Owners = []graph.Owner{withPolicy(first, graph.OnDeleteRestrict), withPolicy(second, graph.OnDeleteRestrict)}
					if _, err := h.Create(t.Context(), dep); err != nil && !errors.Is(err, graph.ErrRefused) {
						t.Errorf("create: %v", err)
					}
				})
			}
			group.Go(func() {
				err := h.deletions(t, graph.Propagation(1+round%3))["Batch"](first)
				err = errors.Join(err, h.Delete(t.Context(), second.Key, graph.DeleteOptions{}))
				if err != nil && !errors.Is(err, graph.ErrRefused) {
					t.Errorf("delete: %v", err)
				}
			})
			group.Wait()
		}
		now := h.contentOf(t)
		for _, o := range now {
			for _, ref := range o.Owners {
				if owner, there := now[ref.Key]; !there || owner.Deleting {
					t.Errorf("%v restricts %v, which is there: %t", o, ref.Key, there)
				}
			}
		}
	})
}

// TestRestrictLevels: a transaction of the user at a higher level has an older view than its locks. The
// store refuses to delete an object that an object has restricted. Another one it deletes, unless it
// got its first such reference meanwhile.
func TestRestrictLevels(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, acting)
	for _, level := range levels {
		plain, was, meanwhile := h.mustCreate(t, object("bucket", "one", "plain"+level.String())), h.mustCreate(t, object("bucket", "one", "was"+level.String())), h.mustCreate(t, object("bucket", "one", "meanwhile"+level.String()))
		h.mustDelete(t, h.photo(t, was, nil), graph.Background)
		for name, c := range map[string]struct {
			owner  graph.Object
			wants  func(error) bool
			reason string
		}{
			"plain": {plain, func(err error) bool { return err == nil }, "no object restricts it"},
			"was": {was, func(err error) bool {
				return (err == nil) == (level == sql.LevelReadCommitted) && (err == nil || errors.Is(err, errOldView) && errors.Is(err, graph.ErrRefused))
			}, "an object has restricted it"},
			"meanwhile": {meanwhile, func(err error) bool {
				return err != nil && (errors.Is(err, graph.ErrRestricted) == (level == sql.LevelReadCommitted))
			}, "the snapshot is older than the reference"},
		} {
			tx := h.begin(t, level)
			h.run(t, tx, `SELECT 1 FROM pg_class LIMIT 1`) // it takes the snapshot
			if name == "meanwhile" {
				h.photo(t, meanwhile, nil)
			}
			err := h.Tx(tx).Delete(t.Context(), c.owner.Key, graph.DeleteOptions{})
			if !c.wants(err) {
				t.Errorf("%s at the level %s: %v: %s", name, level, err, c.reason)
			}
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRestrictBounded: the look reads a page with the first restricting objects, and the error names few.
func TestRestrictBounded(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, acting)
		owner := h.mustCreate(t, object("bucket", "one", "b"))
		list := make([]graph.Object, 3*restrictPage)
		for i := range list {
			list[i] = object("photo", "one", fmt.Sprint("p", i))
			list[i].Owners = []graph.Owner{withPolicy(owner, graph.OnDeleteRestrict)}
		}
		var made []graph.Object
		if err := h.inTx(t, func(tx *Tx) (err error) { made, err = tx.CreateAll(t.Context(), list); return err }); err != nil {
			t.Fatal(err)
		}
		var restricted *graph.RestrictedError
		if err := h.Delete(t.Context(), owner.Key, graph.DeleteOptions{}); !errors.As(err, &restricted) || len(restricted.Dependents)+restricted.More != restrictPage || !slices.IsSortedFunc(restricted.Dependents, graph.Key.Compare) {
			t.Errorf("%v", err)
		}
		for _, o := range made[:len(made)-1] {
			if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		last := made[len(made)-1]
		if err := h.Delete(t.Context(), owner.Key, graph.DeleteOptions{}); !errors.As(err, &restricted) || !slices.Equal(restricted.Dependents, []graph.Key{last.Key}) {
			t.Errorf("%v, want one that names %v", err, last.Key)
		}
		h.mustDelete(t, last, graph.Background)
		h.mustDelete(t, owner, graph.Background)
		if n := h.rows(t, h.conf.names().Replace(`{restricts}`)); n != 0 {
			t.Errorf("%d rows of restricting objects are left", n)
		}
	})
}

// TestStatementsOfStrictDeletions: a deletion of an object that nothing has restricted takes as many
// statements as before the step.
func TestStatementsOfStrictDeletions(t *testing.T) {
	want := map[string][4]int64{"postgres": {1, 2, 1, 4}, "sqlite": {4, 4, 6, 4}}
	onEach(t, func(t *testing.T, d *database) {
		for _, edit := range []func(*Config){strict, acting} {
			h := d.mustHandle(t, edit)
			made := func(name string) graph.Object {
				return h.mustCreate(t, object("bucket", "one", fmt.Sprint(name, h.conf.Policies)))
			}
			remove := func(o graph.Object, p graph.Propagation) func() error {
				return func() error { return h.Delete(t.Context(), o.Key, graph.DeleteOptions{Propagation: p}) }
			}
			a, b, c, e, f := made("a"), made("b"), made("c"), made("e"), made("f")
			got := [4]int64{
				h.statementsOf(t, remove(a, graph.Background)), h.statementsOf(t, remove(b, graph.Foreground)),
				h.statementsOf(t, func() error { _, err := h.Batch(t.Context(), []graph.Write{deletion(c), deletion(e)}); return err }),
				want[h.d.name][3],
			}
			if h.conf.Policies {
				h.mustDelete(t, h.photo(t, f, nil), graph.Background)
				got[3] = h.statementsOf(t, remove(f, graph.Background))
			}
			if got != want[h.d.name] {
				t.Errorf("policies %t: a background and a foreground deletion, a batch, and a deletion with the look take %d statements, want %d", h.conf.Policies, got, want[h.d.name])
			}
		}
	})
}
