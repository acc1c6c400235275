package replica

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

const nodeA = "node/a@a1"

func keyA(t testing.TB) graph.Key { return parse(t, nodeA)[0].Key }

// isProtected reports whether the object of the tests has the finalizer of protection.
func isProtected(t testing.TB, s *State) bool {
	t.Helper()
	o, err := s.Get(keyA(t))
	if err != nil {
		t.Fatal(err)
	}
	return o.HasFinalizer(graph.FinalizerProtect)
}

// TestHolds: a hold protects a living object as long as it is there, and its entry inherits it.
func TestHolds(t *testing.T) {
	s, c := newArchive(t, nodeA, archive.Config{Keep: time.Minute})
	put, err := s.HoldEntry(keyA(t), archive.Hold{By: "law", Reason: "case 1"})
	if err != nil || !put.Changed() || !isProtected(t, s) {
		t.Fatalf("the hold: %v, protected %t", err, isProtected(t, s))
	}
	second, err := s.HoldEntry(keyA(t), archive.Hold{By: "audit", Until: c.now.Add(time.Hour)})
	if err != nil || second.Changed() {
		t.Errorf("a second hold: %v, changed %t, want the object as it is", err, second.Changed())
	}
	if off, err := s.EndHold(keyA(t), "law"); err != nil || off.Changed() || !isProtected(t, s) {
		t.Errorf("the end of one hold: %v, want the other one to protect", err)
	}
	if _, err := s.EndHold(keyA(t), "law"); !errors.Is(err, graph.ErrNotFound) {
		t.Errorf("another end of it: %v, want %v", err, graph.ErrNotFound)
	}
	del, err := s.Delete(keyA(t), graph.DeleteOptions{})
	ok(t, del, err)
	c.now = c.now.Add(2 * time.Hour)
	n, done, err := s.PurgeEntries(nil)
	if n != 0 || len(done) != 1 || done[0].Event().Type != graph.Gone || err != nil {
		t.Errorf("a purge after the time of the hold: %d, %v, %v, want the object gone with its protection", n, done, err)
	}
	if e := entryOf(t, s, "a1"); len(e.Holds) != 0 || !e.Explicit {
		t.Errorf("the entry is %+v, want it explicit and without a hold", e)
	}
}

// TestHoldOfEntry: a hold of an entry is inherited, replaced by one of the same holder, and hinders no restore.
func TestHoldOfEntry(t *testing.T) {
	s, c := newArchive(t, "node/a@a1~[x]", archive.Config{Keep: time.Minute})
	put, err := s.HoldEntry(keyA(t), archive.Hold{By: "law", Reason: "case 1"})
	if err != nil || put.Changed() || isProtected(t, s) {
		t.Fatalf("the hold on a marked object: %v, want the object as it is", err)
	}
	end, err := s.Patch(keyA(t), graph.Precondition{}, graph.Change{DropFinalizer: "x"})
	ok(t, end, err)
	again, err := s.HoldEntry(graph.Key{UID: "a1"}, archive.Hold{By: "law", Reason: "case 2"})
	ok(t, again, err)
	if e := entryOf(t, s, "a1"); len(e.Holds) != 1 || e.Holds[0].Reason != "case 2" {
		t.Errorf("the holds are %+v, want the second one alone", e.Holds)
	}
	c.now = c.now.Add(time.Hour)
	if n, _, err := s.PurgeEntries(nil); n != 0 || err != nil {
		t.Errorf("%d entries are purged, %v, want none because of the hold", n, err)
	}
	if _, _, err := s.RestoreEntries([]archive.Item{item(t, nodeA)}); err != nil {
		t.Errorf("a restore: %v, want it done in spite of the hold", err)
	}
	if isProtected(t, s) {
		t.Error("the new object has the hold of the former one")
	}
}

// TestHoldRefuses: a wrong hold is refused, and leaves the former ones.
func TestHoldRefuses(t *testing.T) {
	s, _ := newArchive(t, nodeA, archive.Config{})
	for i := range archive.MaxHolds {
		c, err := s.HoldEntry(keyA(t), archive.Hold{By: fmt.Sprint(i)})
		ok(t, c, err)
	}
	for _, tc := range []struct {
		key    graph.Key
		h      archive.Hold
		is     error
		reason string
	}{
		{keyA(t), archive.Hold{}, graph.ErrInvalid, "no holder"},
		{keyA(t), archive.Hold{By: strings.Repeat("x", archive.MaxHolder+1)}, graph.ErrInvalid, "the holder is too long"},
		{keyA(t), archive.Hold{By: "1", Reason: strings.Repeat("x", archive.MaxReason+1)}, graph.ErrInvalid, "the reason is too long"},
		{keyA(t), archive.Hold{By: "one more"}, graph.ErrInvalid, "there are too many"},
		{graph.Key{Kind: "node", Name: "a", UID: "a2"}, archive.Hold{By: "law"}, graph.ErrNotFound, "another object has the name"},
		{graph.Key{Kind: "node", Name: "a"}, archive.Hold{By: "law"}, graph.ErrNotFound, "no UID"},
	} {
		if _, err := s.HoldEntry(tc.key, tc.h); !errors.Is(err, tc.is) {
			t.Errorf("%s: %v, want %v", tc.reason, err, tc.is)
		}
	}
	if h, _ := s.archived.holds.get("a1"); len(h.list) != archive.MaxHolds {
		t.Errorf("there are %d holds, want those of before", len(h.list))
	}
}

// TestHoldKeepsForeignProtection: the end of the holds leaves a protection that they have not put on.
func TestHoldKeepsForeignProtection(t *testing.T) {
	s, _ := newArchive(t, nodeA, archive.Config{})
	own, err := s.Patch(keyA(t), graph.Precondition{}, graph.Change{AddFinalizer: graph.FinalizerProtect})
	ok(t, own, err)
	put, err := s.HoldEntry(keyA(t), archive.Hold{By: "law"})
	ok(t, put, err)
	off, err := s.EndHold(keyA(t), "law")
	ok(t, off, err)
	if off.Changed() || !isProtected(t, s) {
		t.Error("the user's protection is gone")
	}
}

// TestHoldOfLargeObject: an object whose entry cannot be written keeps its hold, and stops no other expiry.
func TestHoldOfLargeObject(t *testing.T) {
	s, c := newArchive(t, "node/b@b1; node/z@z1; pod/ns/p@p1", archive.Config{MaxBytes: 20, Keep: time.Minute})
	p := parse(t, "pod/ns/p@p1")[0].Key
	label(t, s, map[string]string{"k": strings.Repeat("v", 40)})
	put, err := s.HoldEntry(p, archive.Hold{By: "law", Until: c.now.Add(time.Minute)})
	ok(t, put, err)
	last := parse(t, "node/z@z1")[0].Key // the expiry comes to it after p
	put, err = s.HoldEntry(last, archive.Hold{By: "law", Until: c.now.Add(time.Minute)})
	ok(t, put, err)
	for _, k := range []graph.Key{p, key(t, "node/b")} {
		del, err := s.Delete(k, graph.DeleteOptions{})
		ok(t, del, err)
	}
	c.now = c.now.Add(time.Hour)
	if n, done, err := s.PurgeEntries(nil); n != 1 || len(done) != 1 || done[0].Key() != last || !errors.Is(err, graph.ErrRefused) {
		t.Errorf("a purge: %d, %v, %v, want the other entry and the other hold gone, and the reason for this one", n, done, err)
	}
	if _, err := s.EndHold(p, "law"); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("the end of the hold: %v, want it refused", err)
	}
	label(t, s, nil)
	if n, done, err := s.PurgeEntries(nil); n != 0 || len(done) != 1 || err != nil || len(s.Objects()) != 1 {
		t.Errorf("a purge once the payload fits: %d, %d commits, %v, want the object gone", n, len(done), err)
	}
}
