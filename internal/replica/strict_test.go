package replica

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// strictStart has owners in each state, and dependents that refer to them already. The job
// is an object of a kind that is removed.
const strictStart = `job/ns/j@j1; node/n@n1; pod/ns/d@d1 -> rs/ns/w@w1, rs/ns/o@o1!, rs/ns/x@x1;
	rs/ns/b@b1~[x]; rs/ns/l@l1; rs/ns/o@o1~[orphan]; rs/ns/w@w1~[foreground]`

func newStrict(t *testing.T, strict bool) *State {
	t.Helper()
	s, err := New(Config{Kinds: testKinds, Objects: parse(t, strictStart), UIDPrefix: "u", Strict: strict})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveKind("job"); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStrict: a strict state refuses each new reference to an owner that is absent, or that
// is marked for a foreground or orphan deletion. Another state refuses none of them.
func TestStrict(t *testing.T) {
	const gone, waits, orphans = "does not exist", "is being deleted in the foreground", "is being deleted and orphans its dependents"
	const was = "rs/ns/w@w1, rs/ns/o@o1!, rs/ns/x@x1"
	create := func(text string) func(*State) (Commit, error) {
		return func(s *State) (Commit, error) { return s.Create(fresh(t, text)) }
	}
	update := func(refs string) func(*State) (Commit, error) {
		return func(s *State) (Commit, error) { return s.Update(parse(t, "pod/ns/d@d1[y] -> "+refs)[0]) }
	}
	patch := func(drop, add string) func(*State) (Commit, error) {
		return func(s *State) (Commit, error) {
			c := graph.Change{AddOwner: &parse(t, "pod/ns/d@d1 -> "+add)[0].Owners[0]}
			if drop != "" {
				c.DropOwners = parse(t, "pod/ns/d@d1 -> "+drop)[0].Owners
			}
			return s.Patch(key(t, "pod/ns/d"), graph.Precondition{UID: "d1"}, c)
		}
	}
	change := func(c graph.Change) func(*State) (Commit, error) {
		return func(s *State) (Commit, error) {
			return s.Patch(key(t, "pod/ns/d"), graph.Precondition{UID: "d1"}, c)
		}
	}
	for _, tc := range []struct {
		name   string
		write  func(*State) (Commit, error)
		want   string // the error after the key
		reason string
	}{
		{"create", create("pod/ns/p -> rs/ns/l@l1!, node/n@n1"), "", "both owners live"},
		{"create absent", create("pod/ns/p -> rs/ns/l@l1, rs/ns/x@x1"), "owners[1]: rs/ns/x@x1 " + gone, "the second owner is absent"},
		{"create other uid", create("pod/ns/p -> rs/ns/l@l2"), "owners[0]: rs/ns/l@l2 " + gone, "another object is at the place"},
		{"create other scope", create("pod/other/p -> rs/ns/l@l1"), "", "the owner lives in its own scope"},
		{"create scope of the dependent", create("pod/other/p -> rs/l@l1"), "owners[0]: rs/other/l@l1 " + gone, "the reference is resolved first"},
		{"create scoped owner of a global kind", create("node/ns/n@n2"), "scope", "other rules come first"},
		{"create foreground", create("pod/ns/p -> rs/ns/w@w1"), "owners[0]: rs/ns/w@w1 " + waits, "the owner waits"},
		{"create orphan", create("pod/ns/p -> rs/ns/o@o1"), "owners[0]: rs/ns/o@o1 " + orphans, "the owner orphans"},
		{"create background", create("pod/ns/p -> rs/ns/b@b1!"), "", "a background mark takes dependents"},
		{"create unserved", create("pod/ns/p -> job/ns/j@j9"), "", "the kind is not served"},
		{"create unresolved", create("pod/ns/p -> rs/ns/w@w1?"), "", "the reference is unresolved"},
		{"create unresolved restrict", create("pod/ns/p -> rs/w@w1?:restrict"), "owners[0]: rs/w@w1 is being deleted, and cannot be restricted", "it restricts by its UID"},
		{"create unresolved restrict of a living object", create("pod/ns/p -> rs/l@l1?:restrict"), "", "the object has no mark"},
		{"create global dependent", create("volume/v -> rs/w@w1"), "", "the reference is unresolved"},
		{"create taken", create("pod/ns/d -> rs/ns/x@x1"), `name: taken by uid "d1"`, "the name is taken first"},
		{"update adds", update(was + ", rs/ns/l@l1"), "", "the others are kept"},
		{"update adds absent", update(was + ", rs/ns/z@z1"), "owners[3]: rs/ns/z@z1 " + gone, "the new owner is absent"},
		{"update moves", update("rs/ns/w@w1, rs/ns/o@o1!, rs/ns/l@l2"), "owners[2]: rs/ns/l@l2 " + gone, "the reference has another owner now"},
		{"update moves uid", update("rs/ns/w@w2, rs/ns/o@o1!, rs/ns/x@x1"), "owners[0]: rs/ns/w@w2 " + gone, "the reference has another UID now"},
		{"update keeps", update(was), "", "no reference is new"},
		{"update reorders", update("rs/ns/x@x1, rs/ns/o@o1!, rs/ns/w@w1"), "", "no reference is new"},
		{"update drops", update("rs/ns/x@x1"), "", "references go"},
		{"update blocks", update("rs/ns/w@w1!, rs/ns/o@o1!, rs/ns/x@x1"), "owners[0]: rs/ns/w@w1 " + waits, "the owner would wait for one more"},
		{"update unblocks", update("rs/ns/w@w1, rs/ns/o@o1, rs/ns/x@x1"), "", "the owner waits for one less"},
		{"update controls", update("rs/ns/w@w1^, rs/ns/o@o1!, rs/ns/x@x1"), "", "the controller is no matter of deletions"},
		{"patch", patch("", "rs/ns/l@l1"), "", "the owner lives"},
		{"patch absent", patch("", "rs/ns/z@z1"), "owners[3]: rs/ns/z@z1 " + gone, "the owner is absent"},
		{"patch foreground", patch("rs/ns/w@w1", "rs/ns/w@w1!"), "owners[2]: rs/ns/w@w1 " + waits, "it begins to block"},
		{"patch again", patch("rs/ns/w@w1", "rs/ns/w@w1"), "", "the object has the reference"},
		{"patch moves", patch("rs/ns/w@w1", "node/n@n2"), "owners[2]: node/n@n2 " + gone, "the new owner is absent"},
		{"patch background", patch("", "rs/ns/b@b1"), "", "a background mark takes dependents"},
		{"patch finalizer", change(graph.Change{AddFinalizer: "y"}), "", "the references are kept"},
		{"patch drop", change(graph.Change{DropOwners: parse(t, "a -> rs/ns/o@o1")[0].Owners}), "", "a reference goes"},
		{"patch unblock", change(graph.Change{Unblock: parse(t, "a -> rs/ns/o@o1")[0].Owners}), "", "a reference no longer blocks"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStrict(t, true)
			before := graph.Format(s.Objects())
			_, err := tc.write(s)
			if tc.want == "" {
				if err != nil {
					t.Fatalf("%v, want no error: %s", err, tc.reason)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), ": "+tc.want) {
				t.Errorf("%v, want %q: %s", err, tc.want, tc.reason)
			}
			equals(t, s, before)
			if !strings.HasPrefix(tc.want, "owners") {
				return
			}
			refused(t, tc.name, err, strings.TrimSuffix(err.Error(), ": refused"), tc.reason, graph.ErrRefused)
			if _, err := tc.write(newStrict(t, false)); err != nil {
				t.Errorf("without Strict: %v: %s", err, tc.reason)
			}
		})
	}
}

// TestStrictCycle: users make cycles by updates. A member that waits takes no new reference.
func TestStrictCycle(t *testing.T) {
	s, err := New(Config{Kinds: testKinds, UIDPrefix: "u", Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := s.Create(fresh(t, "pod/ns/a"))
	b, err := s.Create(fresh(t, "pod/ns/b -> pod/ns/a@"+string(a.Object().UID)))
	if err != nil {
		t.Fatal(err)
	}
	o := a.Object()
	o.Owners = []graph.Owner{{Key: b.Key(), Block: true}}
	if _, err := s.Update(o); err != nil {
		t.Errorf("a cycle of two: %v, want no error: both live", err)
	}
	if _, err := s.Delete(a.Key(), graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	o = b.Object()
	o.Version, o.Owners[0].Block = "", true
	if _, err := s.Update(o); err == nil {
		t.Error("b begins to block a, which waits: no error")
	}
	o.Owners = nil
	if _, err := s.Update(o); err != nil {
		t.Errorf("b drops its reference: %v", err)
	}
	o.Owners = []graph.Owner{{Key: a.Key()}}
	if _, err := s.Update(o); err == nil {
		t.Error("b refers to a again, which waits: no error")
	}
}

// TestStrictRestore: a restore brings back owners and dependents together, with their marks.
// Owners of the time after it are absent.
func TestStrictRestore(t *testing.T) {
	s := newStrict(t, true)
	snapshot := s.Snapshot()
	late, err := s.Create(fresh(t, "rs/ns/late"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Patch(key(t, "rs/ns/w"), graph.Precondition{}, graph.Change{DropFinalizer: graph.FinalizerForeground}); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(snapshot); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Get(key(t, "pod/ns/d")); err != nil || len(o.Owners) != 3 {
		t.Errorf("%v, %v, want its references of then", o, err)
	}
	for owner, want := range map[string]string{
		"rs/ns/late@" + string(late.Object().UID): "does not exist", "rs/ns/w@w1": "is being deleted in the foreground",
	} {
		if _, err := s.Create(fresh(t, "pod/ns/p -> "+owner)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("create with owner %s: %v, want %q", owner, err, want)
		}
	}
}

// TestStrictRemoved: an update that removes its object is not judged.
func TestStrictRemoved(t *testing.T) {
	s := newStrict(t, true)
	o := fresh(t, "rs/ns/b -> rs/ns/x@x1")
	if _, err := s.Update(o); err != nil {
		t.Errorf("%v, want no error: the object is gone after its last finalizer", err)
	}
	if _, err := s.Get(o.Key); err == nil {
		t.Error("the object is still there")
	}
}
