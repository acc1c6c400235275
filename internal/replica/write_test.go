package replica

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestWrites(t *testing.T) {
	orphan := graph.DeleteOptions{Propagation: graph.Orphan}
	patch := func(c graph.Change) func(*State) (Commit, error) {
		return func(s *State) (Commit, error) {
			return s.Patch(key(t, "pod/ns/a"), graph.Precondition{UID: "a1"}, c)
		}
	}
	update := func(text string) func(*State) (Commit, error) {
		return func(s *State) (Commit, error) { return s.Update(parse(t, text)[0]) }
	}
	remove := func(o graph.DeleteOptions) func(*State) (Commit, error) {
		return func(s *State) (Commit, error) { return s.Delete(key(t, "pod/ns/a"), o) }
	}
	for _, tc := range []struct {
		name   string
		live   string
		write  func(*State) (Commit, error)
		event  graph.EventType
		object string
		reason string
	}{
		{"update", "pod/ns/a@a1#3", update("pod/ns/a@a1#3*"), graph.Put, "pod/ns/a@a1#4*", "a new version"},
		{"update nothing", "pod/ns/a@a1#3*", update("pod/ns/a@a1#3*"), graph.EventUnset, "pod/ns/a@a1#3*", "no new version"},
		{"patch", "pod/ns/a@a1#3", patch(graph.Change{AddFinalizer: "x"}), graph.Put, "pod/ns/a@a1#4[x]", "a new version"},
		{"patch nothing", "pod/ns/a@a1#3[x]", patch(graph.Change{AddFinalizer: "x"}), graph.EventUnset, "pod/ns/a@a1#3[x]", "no new version"},
		{"mark", "pod/ns/a@a1#3*%1/1", remove(orphan), graph.Put, "pod/ns/a@a1#4~*[orphan]%2/1", "finalizers hold it"},
		{"mark again", "pod/ns/a@a1#3~[orphan]", remove(orphan), graph.EventUnset, "pod/ns/a@a1#3~[orphan]", "nothing new"},
		{"delete", "pod/ns/a@a1#3", remove(graph.DeleteOptions{}), graph.Gone, "pod/ns/a@a1#3~", "nothing holds it"},
		{"last finalizer", "pod/ns/a@a1#3~[x]", patch(graph.Change{DropFinalizer: "x"}), graph.Gone, "pod/ns/a@a1#3~", "nothing holds it"},
		{"flawed", "pod/ns/a@a1#3[x] -> pod/ns/a@a1, rs/ns/r@r1, rs/ns/q@r1", patch(graph.Change{DropFinalizer: "x"}), graph.Put,
			"pod/ns/a@a1#4 -> pod/ns/a@a1, rs/ns/r@r1, rs/ns/q@r1", "a change that only removes is always valid"},
		{"flawed and done", "pod/ns/a@a1#3~[x] -> pod/ns/a@a1", update("pod/ns/a@a1 -> pod/ns/a@a1"), graph.Gone,
			"pod/ns/a@a1#3~ -> pod/ns/a@a1", "a removed object needs no check"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newState(t, tc.live)
			e, o, err := apart(tc.write(s))
			if err != nil || e.Type != tc.event || o.String() != tc.object {
				t.Fatalf("%v %v, %v; want %v %s: %s", e.Type, o, err, tc.event, tc.object, tc.reason)
			}
			switch e.Type {
			case graph.Gone:
				equals(t, s, "")
				if e.Key != o.Key || s.Version() != "4" {
					t.Errorf("gone %v at %s, want %v at 4: a removal takes a version", e.Key, s.Version(), o.Key)
				}
			case graph.Put:
				equals(t, s, tc.object)
			default:
				equals(t, s, tc.live)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	here, gone, job := key(t, "pod/ns/a"), key(t, "pod/ns/z"), key(t, "job/ns/a")
	stale := graph.Precondition{UID: "a1", Version: "2"}
	invalid := []error{graph.ErrRefused, graph.ErrInvalid}
	for _, tc := range []struct {
		name   string
		call   func(*State) error
		want   string
		is     []error
		reason string
	}{
		{"get", func(s *State) error { _, err := s.Get(gone); return err }, "get pod/ns/z", []error{graph.ErrNotFound}, "proof of absence"},
		{"get kind", func(s *State) error { _, err := s.Get(job); return err }, "get job/ns/a", []error{graph.ErrKindUnknown}, "proof of nothing"},
		{"get scope", func(s *State) error { _, err := s.Get(key(t, "pod/a")); return err }, "get pod/a", []error{graph.ErrNotFound}, "nothing is there"},
		{"get nothing", func(s *State) error { _, err := s.Get(graph.Key{}); return err }, `get ""`, []error{graph.ErrKindUnknown}, "no kind at all"},
		{"update", func(s *State) error { _, err := s.Update(graph.Object{Key: gone}); return err }, "update pod/ns/z",
			[]error{graph.ErrNotFound}, "an update creates nothing"},
		{"update kind", func(s *State) error { _, err := s.Update(graph.Object{Key: job}); return err }, "update job/ns/a",
			[]error{graph.ErrKindUnknown}, "proof of nothing"},
		{"update version", func(s *State) error { _, err := s.Update(graph.Object{Key: here, Version: "2"}); return err },
			`update pod/ns/a@a1: version: want "2", is "3"`, []error{graph.ErrConflict}, "optimistic"},
		{"update uid", func(s *State) error {
			k := here
			k.UID = "a0"
			_, err := s.Update(graph.Object{Key: k})
			return err
		}, `update pod/ns/a@a1: uid: want "a0", is "a1"`, []error{graph.ErrConflict}, "another incarnation"},
		{"update invalid", func(s *State) error {
			_, err := s.Update(graph.Object{Key: here, Finalizers: []string{""}})
			return err
		},
			"update: refused: validate pod/ns/a@a1: finalizers[0]: empty", invalid, "the check is the same"},
		{"update mark", func(s *State) error { _, err := s.Update(graph.Object{Key: here, Deleting: true}); return err },
			"update pod/ns/a@a1: deleting: only a deletion sets the mark", []error{graph.ErrRefused}, "finalizer's rules apply"},
		{"patch", func(s *State) error { _, err := s.Patch(gone, graph.Precondition{}, graph.Change{}); return err }, "patch pod/ns/z",
			[]error{graph.ErrNotFound}, "a patch creates nothing"},
		{"patch version", func(s *State) error { _, err := s.Patch(here, stale, graph.Change{}); return err },
			`patch pod/ns/a@a1: version: want "2", is "3"`, []error{graph.ErrConflict}, "an empty change has its precondition, too"},
		{"patch invalid", func(s *State) error {
			_, err := s.Patch(here, graph.Precondition{}, graph.Change{AddOwner: &graph.Owner{Key: graph.Key{Kind: "rs", Name: "r"}}})
			return err
		}, "patch: refused: validate pod/ns/a@a1: owners[0].uid: empty", invalid, "the additions of a change are checked"},
		{"patch both", func(s *State) error {
			_, err := s.Patch(here, graph.Precondition{}, graph.Change{AddFinalizer: graph.FinalizerForeground})
			return err
		}, "patch: refused: validate pod/ns/a@a1: finalizers: both orphan and foregroundDeletion", invalid, "they contradict each other"},
		{"delete", func(s *State) error { _, err := s.Delete(gone, graph.DeleteOptions{}); return err }, "delete pod/ns/z",
			[]error{graph.ErrNotFound}, "proof of absence"},
		{"delete version", func(s *State) error {
			_, err := s.Delete(here, graph.DeleteOptions{Precondition: stale})
			return err
		},
			`delete pod/ns/a@a1: version: want "2", is "3"`, []error{graph.ErrConflict}, "another state"},
		{"delete how", func(s *State) error { _, err := s.Delete(here, graph.DeleteOptions{Propagation: 7}); return err },
			"delete pod/ns/a@a1: propagation: propagation(7) means nothing", []error{graph.ErrRefused}, "no guess"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newState(t, "pod/ns/a@a1#3[orphan]")
			refused(t, tc.name, tc.call(s), tc.want, tc.reason, tc.is...)
			equals(t, s, "pod/ns/a@a1#3[orphan]")
		})
	}
}

func TestDefaultPropagation(t *testing.T) {
	s, err := New(Config{
		Kinds: testKinds, Objects: parse(t, "pod/ns/a@a1; rs/ns/r@r1; node/n@n1"),
		Propagation: map[graph.Kind]graph.Propagation{"rs": graph.Orphan, "node": graph.Foreground},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"pod/ns/a", "rs/ns/r", "node/n"} {
		if _, err := s.Delete(key(t, text), graph.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
	equals(t, s, "node/n@n1#6~[foreground]; rs/ns/r@r1#5~[orphan]")
}
