package replica

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestKinds(t *testing.T) {
	s := newState(t, "pod/ns/a@a1#3")
	if got := s.Kinds(); !slices.Equal(got, testKinds) {
		t.Errorf("Kinds() = %v, want %v", got, testKinds)
	}
	refused(t, "AddKind", s.AddKind(graph.KindInfo{}), "add kind: kind: empty", "a kind has a name", graph.ErrRefused)
	refused(t, "AddKind", s.AddKind(graph.KindInfo{Kind: "pod"}), "add kind pod: scoped: it has objects and was true",
		"their places would be invalid", graph.ErrRefused)
	for _, info := range []graph.KindInfo{{Kind: "job"}, {Kind: "job", Scoped: true}, {Kind: "pod", Scoped: true, NoOwner: true}} {
		if err := s.AddKind(info); err != nil {
			t.Errorf("AddKind(%v): %v", info, err)
		}
	}
	want := []graph.KindInfo{
		{Kind: "event", Scoped: true, NoOwner: true}, {Kind: "job", Scoped: true}, {Kind: "node"},
		{Kind: "pod", Scoped: true, NoOwner: true}, {Kind: "rs", Scoped: true}, {Kind: "volume"},
	}
	if got := s.Kinds(); !slices.Equal(got, want) {
		t.Errorf("Kinds() = %v, want %v", got, want)
	}
	equals(t, s, "pod/ns/a@a1#3")
}

func TestRemoveKind(t *testing.T) {
	s := newState(t, "node/n@n1#2; pod/ns/a@a1#3")
	if err := s.RemoveKind("pod"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Get(key(t, "pod/ns/a"))
	refused(t, "Get", err, "get pod/ns/a", "the kind is not served", graph.ErrKindUnknown)
	refused(t, "RemoveKind", s.RemoveKind("pod"), "remove kind pod", "it is gone", graph.ErrKindUnknown)
	refused(t, "Sicken", s.Sicken("pod", "x"), "sicken kind pod", "it is gone", graph.ErrKindUnknown)
	refused(t, "Recover", s.Recover("pod"), "recover kind pod", "it is gone", graph.ErrKindUnknown)
	equals(t, s, "node/n@n1#2")
	if _, o, err := apart(s.Create(fresh(t, "node/m -> pod/ns/a@a1"))); err != nil || !o.Owners[0].Unresolved {
		t.Errorf("Create: %v, %v, want an unresolved reference: the kind is not served", o, err)
	}
	if err := s.AddKind(graph.KindInfo{Kind: "pod", Scoped: true}); err != nil {
		t.Fatal(err)
	}
	equals(t, s, "node/m@u1#4%1/0 -> pod/ns/a@a1?; node/n@n1#2; pod/ns/a@a1#3")
}

func TestSick(t *testing.T) {
	s := newState(t, "node/n@n1#2; pod/ns/a@a1#3")
	if err := s.Sicken("pod", "no disk"); err != nil {
		t.Fatal(err)
	}
	pod := key(t, "pod/ns/a")
	_, getErr := s.Get(pod)
	_, patchErr := s.Patch(pod, graph.Precondition{}, graph.Change{})
	_, deleteErr := s.Delete(pod, graph.DeleteOptions{})
	refused(t, "Get", getErr, "get pod/ns/a: no disk", "out of reach, and transient", ErrSick)
	refused(t, "Patch", patchErr, "patch pod/ns/a: no disk", "out of reach, and transient", ErrSick)
	refused(t, "Delete", deleteErr, "delete pod/ns/a: no disk", "out of reach, and transient", ErrSick)
	if _, err := s.Get(key(t, "node/n")); err != nil {
		t.Errorf("Get of a kind in service: %v", err)
	}
	if _, err := s.Create(fresh(t, "pod/ns/b")); err != nil {
		t.Errorf("Create: %v, want it done: other clients go on writing", err)
	}
	if _, err := s.Update(fresh(t, "pod/ns/a*")); err != nil {
		t.Errorf("Update: %v, want it done: other clients go on writing", err)
	}
	equals(t, s, "node/n@n1#2; pod/ns/a@a1#5*; pod/ns/b@u1#4%1/0")
	if err := s.Recover("pod"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(pod); err != nil {
		t.Errorf("Get after the recovery: %v", err)
	}
}

func TestRestore(t *testing.T) {
	s := newState(t, "node/n@n1#2; pod/ns/a@a1#3")
	before := s.Snapshot()
	if _, err := s.Delete(key(t, "pod/ns/a"), graph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, o, err := apart(s.Create(fresh(t, "pod/ns/a"))); err != nil || o.UID != "u1" {
		t.Fatal(o, err)
	}
	if err := s.RemoveKind("node"); err != nil {
		t.Fatal(err)
	}
	if err := s.Sicken("pod", "no disk"); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(before); err != nil {
		t.Fatal(err)
	}
	equals(t, s, "node/n@n1#7; pod/ns/a@a1#8")
	_, err := s.Get(key(t, "pod/ns/a"))
	refused(t, "Get", err, "get pod/ns/a: no disk", "health is no part of history", ErrSick)
	if _, o, err := apart(s.Create(fresh(t, "pod/ns/b"))); err != nil || o.UID != "u2" || o.Version != "9" {
		t.Errorf("Create: %v, %v, want u2 and version 9: no UID and no version comes twice", o, err)
	}
	refused(t, "Restore", newState(t, "").Restore(before), "restore: snapshot: of another store", "its UIDs may mean others", graph.ErrRefused)
	refused(t, "Restore", s.Restore(Snapshot{}), "restore: snapshot: of another store", "the zero snapshot is of no store", graph.ErrRefused)
}
