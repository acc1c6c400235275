package replica

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestRestoreRefusesOldWrites: an engine observes the removal of an owner and sends the
// delete of its dependent. A restore brings the owner back before that delete arrives.
func TestRestoreRefusesOldWrites(t *testing.T) {
	const before = "node/o@o1#1; pod/ns/d@d1#2[x] -> node/o@o1"
	dependent := key(t, "pod/ns/d")
	for _, tc := range []struct {
		name   string
		write  func(*State, graph.Precondition) error
		reason string
	}{
		{"delete", func(s *State, pre graph.Precondition) error {
			_, err := s.Delete(dependent, graph.DeleteOptions{Precondition: pre})
			return err
		}, "the owner lives again"},
		{"patch", func(s *State, pre graph.Precondition) error {
			_, err := s.Patch(dependent, pre, graph.Change{DropFinalizer: "x"})
			return err
		}, "the decision is void"},
		{"label", func(s *State, pre graph.Precondition) error {
			_, err := s.Label(dependent, pre, map[string]string{"a": "b"})
			return err
		}, "every conditional write is void"},
		{"update", func(s *State, pre graph.Precondition) error {
			o := parse(t, before)[1]
			o.UID, o.Version, o.Finalizers = pre.UID, pre.Version, nil
			_, err := s.Update(o)
			return err
		}, "a user's write, too"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newState(t, before)
			before := s.Snapshot()
			if _, err := s.Delete(key(t, "node/o"), graph.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := s.Restore(before); err != nil {
				t.Fatal(err)
			}
			const back = "node/o@o1#5; pod/ns/d@d1#6[x] -> node/o@o1"
			equals(t, s, back)
			if err := tc.write(s, graph.Precondition{UID: "d1", Version: "2"}); !errors.Is(err, graph.ErrConflict) {
				t.Errorf("%s of the version before the restore: %v, want a conflict: %s", tc.name, err, tc.reason)
			}
			equals(t, s, back)
			if err := tc.write(s, graph.Precondition{UID: "d1", Version: "6"}); err != nil {
				t.Errorf("%s of the restored version: %v", tc.name, err)
			}
		})
	}
}

// TestRestoreRaisesEveryVersion: after a restore, a version of before names no object.
// This is also true for a second restore of the same snapshot, for a removed kind, and
// for an empty state.
func TestRestoreRaisesEveryVersion(t *testing.T) {
	s := newState(t, "node/a@a1#1; node/b@b1#2; pod/ns/c@c1#3")
	if err := s.RemoveKind("pod"); err != nil {
		t.Fatal(err)
	}
	hidden := s.Snapshot()
	if err := s.AddKind(graph.KindInfo{Kind: "pod", Scoped: true}); err != nil {
		t.Fatal(err)
	}
	clone := s.Clone()
	for _, want := range []string{"node/a@a1#5; node/b@b1#6; pod/ns/c@c1#7", "node/a@a1#9; node/b@b1#10; pod/ns/c@c1#11"} {
		if err := s.Restore(hidden); err != nil {
			t.Fatal(err)
		}
		if err := s.AddKind(graph.KindInfo{Kind: "pod", Scoped: true}); err != nil {
			t.Fatal(err)
		}
		equals(t, s, want)
	}
	equals(t, clone, "node/a@a1#1; node/b@b1#2; pod/ns/c@c1#3")
	empty := newState(t, "")
	if err := empty.Restore(empty.Snapshot()); err != nil || empty.Version() != "1" {
		t.Errorf("Restore of nothing: %v, version %s, want 1: the next listing must be newer than the last one", err, empty.Version())
	}
}
