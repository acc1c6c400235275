package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// archiveStore returns a store with an archive and the objects of the notation.
func archiveStore(t *testing.T, objects string) *Store {
	t.Helper()
	s, err := New(Config{Kinds: modelKinds, Objects: parse(t, objects), UIDPrefix: "u", Archive: &archive.Config{}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestArchive: each write of the archive is one step, and the watch reports its changes in order.
func TestArchive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := archiveStore(t, "node/a@a#1; node/b@b#2 -> node/a@a")
		do(t, s.Delete(t.Context(), key(t, "node/a"), graph.DeleteOptions{}))
		do(t, s.Delete(t.Context(), key(t, "node/b"), graph.DeleteOptions{Cause: &graph.Cause{}}))
		r := record(t, s)
		synctest.Wait()
		ring := []archive.Item{
			{UID: "a", Name: "a", Owners: []graph.Owner{{Key: graph.Key{Kind: "node", Name: "b", UID: "b"}}}},
			{UID: "b", Name: "b", Owners: []graph.Owner{{Key: graph.Key{Kind: "node", Name: "a", UID: "a"}}}},
		}
		keys, err := s.RestoreEntries(t.Context(), ring)
		do(t, err)
		do(t, s.HoldEntry(t.Context(), keys[1], archive.Hold{By: "law"}))
		do(t, s.HoldEntry(t.Context(), keys[1], archive.Hold{By: "audit"}))
		do(t, s.EndHold(t.Context(), keys[1], "law"))
		do(t, s.EndHold(t.Context(), keys[1], "audit"))
		synctest.Wait()
		r.wants(t, "kinds node pod rs", "list node", "ended node 4", "list pod", "ended pod 4", "list rs", "ended rs 4",
			"put node/a@u1#5%1/0 -> node/b@u2", "put node/b@u2#6%1/0 -> node/a@u1",
			"put node/b@u2#7["+graph.FinalizerProtect+"]%1/0 -> node/a@u1", "put node/b@u2#8%1/0 -> node/a@u1")
		if x, err := s.Extent(t.Context()); err != nil || x.Entries != 2 || x.Restored != 2 {
			t.Errorf("the archive has the extent %+v, %v", x, err)
		}
	})
}

// TestArchivePower: a store has the power with Config.Archive, also behind wrappers.
func TestArchivePower(t *testing.T) {
	with, without := archiveStore(t, ""), newStore(t, "", 0)
	for _, tc := range []struct {
		s      ownergraph.Store
		want   bool
		reason string
	}{
		{with, true, "Config.Archive is set"},
		{embedding{with}, true, "a type that embeds the store has its power"},
		{unwrapped{with}, true, "so has a wrapper"},
		{without, false, "Config.Archive is nil"},
	} {
		if a, is := ownergraph.As[archive.Store](tc.s); !is || a.HasArchive() != tc.want {
			t.Errorf("%s: %t, want %t", tc.reason, !tc.want, tc.want)
		}
	}
	if _, err := New(Config{Archive: &archive.Config{Keep: -1}}); err == nil {
		t.Error("a negative time is accepted")
	}
}

// TestArchiveEndedContext: no call of the archive has an effect once its context has ended.
func TestArchiveEndedContext(t *testing.T) {
	s := archiveStore(t, "node/a@a#1")
	do(t, s.Delete(t.Context(), key(t, "node/a"), graph.DeleteOptions{}))
	ended, stop := context.WithCancel(t.Context())
	stop()
	a := graph.Key{Kind: "node", Name: "a", UID: "a"}
	for name, call := range map[string]func() error{
		"entries": func() error { _, err := s.Entries(ended, archive.Query{}); return err },
		"restore": func() error { _, err := s.RestoreEntries(ended, []archive.Item{{UID: "a", Name: "a"}}); return err },
		"hold":    func() error { return s.HoldEntry(ended, a, archive.Hold{By: "law"}) },
		"end":     func() error { return s.EndHold(ended, a, "law") },
		"purge":   func() error { _, err := s.PurgeEntries(ended, []graph.UID{"a"}); return err },
		"extent":  func() error { _, err := s.Extent(ended); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want %v", name, err, context.Canceled)
		}
	}
	page, err := s.Entries(t.Context(), archive.Query{})
	if err != nil || len(page.Entries) != 1 || len(page.Entries[0].Holds) != 0 || len(s.Objects()) != 0 {
		t.Errorf("the archive has %+v, %v, want the entry as it was", page.Entries, err)
	}
}

// TestArchiveAtOnce: several restores of one set at once answer alike, and create one of each object.
func TestArchiveAtOnce(t *testing.T) {
	const callers = 8
	s := archiveStore(t, "node/a@a#1; node/b@b#2 -> node/a@a")
	for _, name := range []string{"node/a", "node/b"} {
		do(t, s.Delete(t.Context(), key(t, name), graph.DeleteOptions{}))
	}
	items := []archive.Item{{UID: "a", Name: "a"}, {UID: "b", Name: "b", Owners: []graph.Owner{{Key: graph.Key{Kind: "node", Name: "a", UID: "a"}}}}}
	answers := make([]string, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			keys, err := s.RestoreEntries(t.Context(), items)
			if answers[i] = fmt.Sprint(keys); err != nil {
				answers[i] = err.Error()
			}
		})
	}
	all.Wait()
	for _, x := range answers {
		if x != answers[0] {
			t.Errorf("two restores at once answer %s and %s", answers[0], x)
		}
	}
	equals(t, s, "node/a@u1#5%1/0; node/b@u2#6%1/0 -> node/a@u1")
}
