package replica

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// endedState has the entries of the objects of the notation, which a user deleted at one time each.
func endedState(t testing.TB, objects, living string, conf archive.Config, strict bool) (*State, *clock) {
	t.Helper()
	c := &clock{time.Unix(1000, 0)}
	gone := parse(t, objects)
	s, err := New(Config{Kinds: testKinds, Objects: append(parse(t, living), gone...), UIDPrefix: "u", Strict: strict, Archive: &conf, Now: c.tick})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range gone {
		done, err := s.Delete(o.Key, graph.DeleteOptions{})
		ok(t, done, err)
	}
	return s, c
}

// item is that of an object of the notation, which comes back under its name.
func item(t testing.TB, text string) archive.Item {
	t.Helper()
	o := parse(t, text)[0]
	return archive.Item{UID: o.UID, Scope: o.Scope, Name: o.Name, Owners: o.Owners}
}

// TestRestoreEntries: the objects of a call come back with new UIDs, and with references to each other. The entries name
// them from then on.
func TestRestoreEntries(t *testing.T) {
	const living = "node/n@n1#90"
	for _, tc := range []struct {
		ended, want string
		items       []string
		reason      string
	}{
		{"node/a@a1", "node/a@u1%1/0; node/n@n1", []string{"node/a@a1"}, "one object"},
		{"node/a@a1; pod/ns/p@p1 -> node/a@a1!:cascade, node/n@n1^", "node/a@u2%1/0; node/n@n1; pod/ns/p@u1%1/0 -> node/a@u2!:cascade, node/n@n1^",
			[]string{"pod/ns/p@p1 -> node/a@a1!:cascade, node/n@n1^", "node/a@a1"}, "references of the call, in any order, with their flags"},
		{"pod/ns/p@p1 -> rs/ns/r@r1; rs/ns/r@r1 -> pod/ns/p@p1", "node/n@n1; pod/ns/p@u1%1/0 -> rs/ns/r@u2; rs/ns/r@u2%1/0 -> pod/ns/p@u1",
			[]string{"pod/ns/p@p1 -> rs/ns/r@r1", "rs/ns/r@r1 -> pod/ns/p@p1"}, "a ring"},
		{"pod/ns/p@p1; rs/ns/r@r1 -> pod/ns/p@p1", "node/n@n1; pod/two/q@u1%1/0; rs/two/s@u2%1/0 -> pod/two/q@u1",
			[]string{"p1 pod/two/q", "r1 rs/two/s -> pod/ns/p@p1"}, "references follow another name"},
		{"node/a@a1", "node/a@u1%1/0; node/n@n1", []string{"node/a@a1", "node/a@a1"}, "an item that is there twice is one"},
	} {
		for _, strict := range []bool{false, true} {
			s, _ := endedState(t, tc.ended, living, archive.Config{}, strict)
			items := itemsOf(t, tc.items)
			keys, done, err := s.RestoreEntries(items)
			if err != nil || len(keys) != len(items) {
				t.Errorf("%s: %v, %v", tc.reason, keys, err)
				continue
			}
			checkRestored(t, s, items, keys, tc.reason)
			plainEquals(t, s, tc.want, tc.reason)
			again, none, err := s.RestoreEntries(items)
			if fmt.Sprint(again) != fmt.Sprint(keys) || len(none) != 0 || err != nil {
				t.Errorf("%s: a second restore gives %v, %d commits, %v, want the keys of the first: %v", tc.reason, again, len(none), err, keys)
			}
			if s.Extent().Restored != len(done) {
				t.Errorf("%s: %d entries count as restored, want %d", tc.reason, s.Extent().Restored, len(done))
			}
		}
	}
}

// TestRestoreEntriesMisnamed: a reference with another name than its owner had gets the new UID alone. It named no object before.
func TestRestoreEntriesMisnamed(t *testing.T) {
	s, _ := endedState(t, "pod/ns/p@p1; rs/ns/r@r1 -> pod/ns/x@p1", "", archive.Config{}, false)
	if _, _, err := s.RestoreEntries(itemsOf(t, []string{"p1 pod/two/q", "r1 rs/two/s -> pod/ns/x@p1"})); err != nil {
		t.Fatal(err)
	}
	plainEquals(t, s, "pod/two/q@u1%1/0; rs/two/s@u2%1/0 -> pod/ns/x@u1", "the reference keeps its name")
}

// itemsOf reads items. A UID in front is that of the entry of an object with another name.
func itemsOf(t testing.TB, texts []string) (out []archive.Item) {
	t.Helper()
	for _, text := range texts {
		var uid string
		if _, err := fmt.Sscanf(text, "%2s ", &uid); err == nil && len(text) > 2 && text[2] == ' ' {
			text = text[3:]
		} else {
			uid = ""
		}
		x := item(t, text)
		if uid != "" {
			x.UID = graph.UID(uid)
		}
		out = append(out, x)
	}
	return out
}

// checkRestored compares the keys with the entries and the objects.
func checkRestored(t testing.TB, s *State, items []archive.Item, keys []graph.Key, reason string) {
	t.Helper()
	for i, k := range keys {
		if e := entryOf(t, s, items[i].UID); e.Restored != k {
			t.Errorf("%s: the entry of %s names %s, want %s", reason, items[i].UID, e.Restored, k)
		}
		if o, err := s.Get(k); err != nil || o.Key != k {
			t.Errorf("%s: %s is %s, %v", reason, k, o, err)
		}
	}
}

// plainEquals compares the objects without their versions.
func plainEquals(t testing.TB, s *State, want, reason string) {
	t.Helper()
	objects := s.Objects()
	for i := range objects {
		objects[i].Version = ""
	}
	if got := graph.Format(objects); got != want {
		t.Errorf("%s: the objects are\n%s\nwant\n%s", reason, got, want)
	}
}

// TestRestoreEntriesRefuses: a call that fails creates nothing, notes nothing, and has an error with its cause.
func TestRestoreEntriesRefuses(t *testing.T) {
	const ended, living = "node/a@a1; node/b@b1; pod/ns/p@p1 -> node/a@a1", "event/ns/e@e1; node/m@m1~[x,foreground]; node/n@n1"
	renamed := func(text, name string) archive.Item {
		x := item(t, text)
		x.Name = name
		return x
	}
	for _, tc := range []struct {
		items  []archive.Item
		strict bool
		is     error
		reason string
	}{
		{[]archive.Item{item(t, "node/a@a1"), {UID: "none", Name: "c"}}, false, graph.ErrNotFound, "the second one has no entry"},
		{[]archive.Item{item(t, "node/a@a1"), renamed("node/b@b1", "n")}, false, graph.ErrConflict, "a living object has the name"},
		{[]archive.Item{item(t, "node/a@a1"), renamed("node/b@b1", "a")}, false, graph.ErrConflict, "another item has the name"},
		{[]archive.Item{item(t, "node/a@a1"), renamed("node/b@b1", "")}, false, graph.ErrInvalid, "the name is empty"},
		{[]archive.Item{item(t, "node/a@a1"), {UID: "p1", Name: "p"}}, false, graph.ErrInvalid, "the scope is empty"},
		{[]archive.Item{item(t, "node/a@a1"), item(t, "pod/ns/p@p1 -> event/ns/e@e1")}, false, graph.ErrInvalid, "the kind may not own"},
		{[]archive.Item{item(t, "node/a@a1"), item(t, "pod/ns/p@p1 -> node/x@x1")}, true, graph.ErrRefused, "level 3: the owner is absent"},
		{[]archive.Item{item(t, "node/a@a1"), item(t, "pod/ns/p@p1 -> node/m@m1")}, true, graph.ErrRefused, "level 3: the owner goes in the foreground"},
	} {
		s, _ := endedState(t, ended, living, archive.Config{}, tc.strict)
		before := graph.Format(s.Objects())
		keys, done, err := s.RestoreEntries(tc.items)
		if !errors.Is(err, tc.is) || len(keys)+len(done) != 0 {
			t.Errorf("%s: %v, %d commits, %v, want %v", tc.reason, keys, len(done), err, tc.is)
		}
		if equals(t, s, before); entryOf(t, s, "a1").Restored.UID != "" || s.Extent().Restored != 0 {
			t.Errorf("%s: an entry is noted as restored", tc.reason)
		}
	}
}

// TestRestoreEntriesTaken: the error has each name that is taken, by the UID of its entry.
func TestRestoreEntriesTaken(t *testing.T) {
	s, _ := endedState(t, "node/a@a1; node/b@b1; node/c@c1", "", archive.Config{}, false)
	for _, name := range []string{"node/a", "node/b"} {
		c, err := s.Create(fresh(t, name))
		ok(t, c, err)
	}
	same := item(t, "node/b@b1")
	same.Name = "c"
	_, _, err := s.RestoreEntries([]archive.Item{item(t, "node/a@a1"), item(t, "node/c@c1"), same})
	var taken *archive.TakenError
	if !errors.As(err, &taken) || len(taken.Taken) != 2 || taken.Taken["a1"].UID != "u1" || taken.Taken["b1"].UID != "c1" {
		t.Errorf("the error is %v, want a1 taken by the living u1, and b1 by the entry of c1, which is in the call", err)
	}
}

// TestRestoreEntriesKeeps: the payload comes back, the time of an explicit entry begins anew, and the new object ends in an
// entry of its own.
func TestRestoreEntriesKeeps(t *testing.T) {
	s, c := newArchive(t, "pod/ns/p@p1", archive.Config{Keep: time.Hour})
	label(t, s, map[string]string{"k": "v"})
	done, err := s.Delete(key(t, "pod/ns/p"), graph.DeleteOptions{})
	ok(t, done, err)
	first := entryOf(t, s, "p1")
	c.now = c.now.Add(30 * time.Minute)
	if _, _, err := s.RestoreEntries([]archive.Item{item(t, "pod/ns/p@p1")}); err != nil {
		t.Fatal(err)
	}
	e := entryOf(t, s, "p1")
	if !e.Until.Equal(c.now.Add(time.Hour)) || !e.At.Equal(first.At) || e.Size != len(`{"k":"v"}`) {
		t.Errorf("the entry is %+v, want an hour from the restore on, and the end of then", e)
	}
	matches, err := s.Select("pod", "k=v", "")
	if err != nil {
		t.Fatal(err)
	}
	var labelled []graph.UID
	for m := range matches {
		labelled = append(labelled, m.Key.UID)
	}
	if !slices.Equal(labelled, []graph.UID{"u1"}) {
		t.Errorf("%v have the label, want the new object", labelled)
	}
	done, err = s.Delete(key(t, "pod/ns/p"), graph.DeleteOptions{})
	ok(t, done, err)
	if got := uidsOf(t, s, archive.Query{}); got != "u1 p1" {
		t.Errorf("the entries are %s, want one of each object", got)
	}
}
