package replica

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// clock is the clock of a store. It goes on by a second with each look, so that no two entries end at one time.
type clock struct{ now time.Time }

func (c *clock) tick() time.Time {
	c.now = c.now.Add(time.Second)
	return c.now
}

// newArchive returns a state with an archive and the objects of the notation.
func newArchive(t testing.TB, objects string, conf archive.Config) (*State, *clock) {
	t.Helper()
	c := &clock{time.Unix(1000, 0)}
	s, err := New(Config{Kinds: testKinds, Objects: parse(t, objects), UIDPrefix: "u", Archive: &conf, Now: c.tick})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func ok(t testing.TB, _ Commit, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// entryOf returns the only entry of an object.
func entryOf(t testing.TB, s *State, uid graph.UID) archive.Entry {
	t.Helper()
	page, err := s.Entries(archive.Query{UIDs: []graph.UID{uid}})
	if err != nil || len(page.Entries) != 1 {
		t.Fatalf("%s has %d entries, %v, want one", uid, len(page.Entries), err)
	}
	return page.Entries[0]
}

// words prints an entry with its words.
func words(e archive.Entry) string {
	text := e.Object.String()
	if e.Explicit {
		text += " explicit"
	}
	if e.Orphaning {
		text += " orphaning"
	}
	if e.Cause.Holder.UID != "" {
		text += " swept by " + e.Cause.Holder.Name
	}
	if e.Cause.Root.UID != "" {
		text += " because of " + e.Cause.Root.Name
	}
	return text
}

// TestArchiveWords: the entry has the last state of its object, and its words, with each write that removes the object.
func TestArchiveWords(t *testing.T) {
	cause := &graph.Cause{Root: graph.Key{Kind: "node", Name: "r", UID: "r1"}}
	sweep := &graph.Cause{Holder: graph.Key{Kind: "node", Name: "h", UID: "h1"}}
	type write = func(*State) (Commit, error)
	p := key(t, "pod/ns/p")
	del := func(c *graph.Cause, by graph.Propagation) write {
		return func(s *State) (Commit, error) {
			return s.Delete(p, graph.DeleteOptions{Propagation: by, Cause: c})
		}
	}
	grace := func(c *graph.Cause, seconds int64) write {
		return func(s *State) (Commit, error) {
			return s.Delete(p, graph.DeleteOptions{GraceSeconds: &seconds, Cause: c})
		}
	}
	drop := func(f string) write {
		return func(s *State) (Commit, error) {
			return s.Patch(p, graph.Precondition{}, graph.Change{DropFinalizer: f})
		}
	}
	update := func(text string) write {
		return func(s *State) (Commit, error) { return s.Update(parse(t, text)[0]) }
	}
	const plain, held, owned = "pod/ns/p@p1#3", "pod/ns/p@p1#3[x]", "pod/ns/p@p1#3 -> node/r@r1"
	const orphan = graph.FinalizerOrphan
	for _, tc := range []struct {
		object string
		writes []write
		want   string
		reason string
	}{
		{plain, []write{del(nil, 0)}, "pod/ns/p@p1#3~ explicit", "a user deletes it"},
		{owned, []write{del(cause, 0)}, "pod/ns/p@p1#3~ -> node/r@r1 because of r", "an engine deletes it"},
		{plain, []write{del(sweep, 0)}, "pod/ns/p@p1#3~ swept by h", "a sweep deletes it"},
		{held, []write{del(cause, 0), drop("x")}, "pod/ns/p@p1#4~[x] because of r", "a patch takes the last finalizer of an engine's deletion"},
		{held, []write{del(nil, 0), drop("x")}, "pod/ns/p@p1#4~[x] explicit", "a patch takes the last finalizer of a user's deletion"},
		{held, []write{del(cause, 0), update("pod/ns/p@p1")}, "pod/ns/p@p1#4~[x] because of r", "an update takes the last finalizer"},
		{held, []write{del(cause, 0), del(nil, 0), drop("x")}, "pod/ns/p@p1#4~[x] explicit because of r", "a user's deletion changes nothing after an engine's"},
		{held, []write{del(nil, 0), del(cause, 0), drop("x")}, "pod/ns/p@p1#4~[x] explicit because of r", "an engine's deletion takes the user's not back"},
		{held, []write{del(cause, 0), del(sweep, 0), drop("x")}, "pod/ns/p@p1#4~[x] swept by h", "the last engine says the cause"},
		{plain, []write{grace(nil, 9), grace(cause, 0)}, "pod/ns/p@p1#4~ explicit because of r", "an engine ends the grace period of a user"},
		{plain, []write{grace(cause, 9), grace(nil, 20), grace(cause, 0)}, "pod/ns/p@p1#4~ explicit because of r", "a user's deletion in a grace period changes nothing"},
		{plain, []write{del(nil, graph.Orphan), drop(orphan)}, "pod/ns/p@p1#4~ explicit orphaning", "an engine completes the orphan deletion"},
		{held, []write{del(nil, graph.Orphan), drop(orphan), drop("x")}, "pod/ns/p@p1#5~[x] explicit orphaning", "another finalizer stays longer"},
		{held, []write{del(nil, graph.Orphan), drop("x"), drop(orphan)}, "pod/ns/p@p1#5~[x] explicit orphaning", "the orphan finalizer stays longer"},
		{plain, []write{del(nil, graph.Orphan), del(nil, graph.Background)}, "pod/ns/p@p1#4~ explicit", "a background deletion takes the orphaning back"},
		{plain, []write{del(nil, graph.Orphan), del(nil, graph.Foreground), drop(graph.FinalizerForeground)}, "pod/ns/p@p1#5~ explicit", "a foreground one, too"},
		{held, []write{update("pod/ns/p@p1[y] -> node/n@n1"), del(nil, 0), drop("y")}, "pod/ns/p@p1#5~[y] -> node/n@n1 explicit", "the finalizers are those at the mark, and the owners those at the end"},
		{held, []write{del(nil, 0), update("pod/ns/p@p1[x] -> node/n@n1"), drop("x")}, "pod/ns/p@p1#5~[x] -> node/n@n1 explicit", "a reference that comes after the mark counts"},
	} {
		s, _ := newArchive(t, tc.object, archive.Config{})
		for _, w := range tc.writes {
			c, err := w(s)
			ok(t, c, err)
		}
		e := entryOf(t, s, "p1")
		e.Object.Generation, e.Object.ObservedGeneration = 0, 0
		if got := words(e); got != tc.want || len(s.Objects()) != 0 {
			t.Errorf("%s: the entry is %q, want %q", tc.reason, got, tc.want)
		}
		if n := trails(s); n != 0 {
			t.Errorf("%s: %d trails are left", tc.reason, n)
		}
	}
}

func trails(s *State) (n int) {
	for range s.archived.trails.all() {
		n++
	}
	return n
}

// TestArchiveRefusedDeletion: a refused deletion says nothing about the object.
func TestArchiveRefusedDeletion(t *testing.T) {
	s, _ := newArchive(t, "pod/ns/p@p1#3", archive.Config{})
	cause := &graph.Cause{Root: graph.Key{Kind: "node", Name: "r", UID: "r1"}}
	if _, err := s.Delete(key(t, "pod/ns/p"), graph.DeleteOptions{Precondition: graph.Precondition{Version: "2"}}); !errors.Is(err, graph.ErrConflict) {
		t.Fatalf("a deletion under another version: %v", err)
	}
	c, err := s.Delete(key(t, "pod/ns/p"), graph.DeleteOptions{Cause: cause})
	ok(t, c, err)
	if e := entryOf(t, s, "p1"); e.Explicit {
		t.Error("the entry is explicit by a deletion that was refused")
	}
}

// TestArchiveBounds: without the entry the object is not removed, by no call, and nothing has changed.
func TestArchiveBounds(t *testing.T) {
	for _, tc := range []struct {
		most, bytes int
		want        bool
		reason      string
	}{
		{20, 10, true, "it fits: 8 bytes are around the value"},
		{20, 12, true, "it fits exactly"},
		{20, 13, false, "it is one byte too large"},
		{0, 60, true, "the default bound is large"},
	} {
		for _, object := range []string{"pod/ns/p@p1#3", "pod/ns/p@p1#3~[x]", "pod/ns/p@p1#3 -> node/gone@g1"} {
			s, _ := newArchive(t, object, archive.Config{MaxBytes: tc.most})
			label(t, s, map[string]string{"k": strings.Repeat("v", tc.bytes)})
			before := s.Version()
			var cause *graph.Cause
			if strings.Contains(object, "gone") { // an engine deletes that one
				cause = &graph.Cause{}
			}
			_, err := s.Delete(key(t, "pod/ns/p"), graph.DeleteOptions{Cause: cause})
			if strings.Contains(object, "~") {
				_, err = s.Patch(key(t, "pod/ns/p"), graph.Precondition{}, graph.Change{DropFinalizer: "x"})
			}
			gone := len(s.Objects()) == 0
			if gone != tc.want || (err == nil) != tc.want || err != nil && !errors.Is(err, graph.ErrRefused) {
				t.Errorf("%s: %s: removed %t, %v, want %t", object, tc.reason, gone, err, tc.want)
			}
			if x := s.Extent(); x.Entries == 0 == tc.want || !tc.want && s.Version() != before {
				t.Errorf("%s: %s: %d entries, version %s, was %s", object, tc.reason, x.Entries, s.Version(), before)
			}
		}
	}
}

// label labels the object of a test.
func label(t testing.TB, s *State, labels map[string]string) {
	t.Helper()
	c, err := s.Label(key(t, "pod/ns/p"), graph.Precondition{}, labels)
	ok(t, c, err)
}

// TestArchiveOff: a kind that is left out gets no entry, and its end is that of a store without an archive.
func TestArchiveOff(t *testing.T) {
	const objects = "node/n@n1; pod/ns/p@p1[x]"
	s, _ := newArchive(t, objects, archive.Config{Kinds: map[graph.Kind]archive.KindConfig{"pod": {Off: true}}, MaxBytes: 1})
	label(t, s, map[string]string{"secret": "value"})
	c, err := s.Delete(key(t, "pod/ns/p"), graph.DeleteOptions{})
	ok(t, c, err)
	c, err = s.Patch(key(t, "pod/ns/p"), graph.Precondition{}, graph.Change{DropFinalizer: "x"})
	ok(t, c, err)
	c, err = s.Delete(key(t, "node/n"), graph.DeleteOptions{})
	ok(t, c, err)
	page, err := s.Entries(archive.Query{})
	if err != nil || len(page.Entries) != 1 || page.Entries[0].Object.UID != "n1" || trails(s) != 0 {
		t.Errorf("the entries are %+v, %v, with %d trails, want that of the node alone", page.Entries, err, trails(s))
	}
}

// TestArchiveSnapshots: a clone and a snapshot share no later entry, and a restored snapshot has the archive of then.
func TestArchiveSnapshots(t *testing.T) {
	s, _ := newArchive(t, "node/a@a1; node/b@b1; node/c@c1", archive.Config{})
	remove := func(s *State, name string) {
		t.Helper()
		c, err := s.Delete(key(t, "node/"+name), graph.DeleteOptions{})
		ok(t, c, err)
	}
	remove(s, "a")
	clone, was := s.Clone(), s.Snapshot()
	remove(s, "b")
	remove(clone, "c")
	for _, tc := range []struct {
		s      *State
		want   string
		reason string
	}{
		{s, "b1 a1", "the state has its own entries"},
		{clone, "c1 a1", "and the clone has those of before and its own"},
	} {
		if got := uidsOf(t, tc.s, archive.Query{}); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.reason, got, tc.want)
		}
	}
	e := entryOf(t, s, "a1")
	e.Object.Owners, e.Holds = append(e.Object.Owners, graph.Owner{}), append(e.Holds, archive.Hold{})
	if again := entryOf(t, s, "a1"); len(again.Object.Owners) != 0 || len(again.Holds) != 0 {
		t.Error("an entry shares its lists with the state")
	}
	if err := s.Restore(was); err != nil {
		t.Fatal(err)
	}
	if got := uidsOf(t, s, archive.Query{}); got != "a1" {
		t.Errorf("the restored state has the entries %s, want a1: the archive belongs to the snapshot", got)
	}
}

func uidsOf(t testing.TB, s *State, q archive.Query) string {
	t.Helper()
	page, err := s.Entries(q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range page.Entries {
		out = append(out, string(e.Object.UID))
	}
	return strings.Join(out, " ")
}

// TestEntries: a query selects by each of its fields, the newest end first.
func TestEntries(t *testing.T) {
	s, c := newArchive(t, "node/a@a1; pod/ns/b@b1 -> node/a@a1; pod/ns/c@c1 -> node/a@a1; pod/other/b@d1 -> rs/other/x@x1:release", archive.Config{})
	cause := &graph.Cause{Holder: graph.Key{Kind: "node", Name: "h", UID: "h1"}}
	ends := map[string]time.Time{}
	for _, w := range []struct {
		key   string
		cause *graph.Cause
	}{{"node/a", nil}, {"pod/ns/b", cause}, {"pod/ns/c", &graph.Cause{}}, {"pod/other/b", nil}} {
		done, err := s.Delete(key(t, w.key), graph.DeleteOptions{Cause: w.cause})
		ok(t, done, err)
		ends[w.key] = c.now
	}
	for _, tc := range []struct {
		q      archive.Query
		want   string
		reason string
	}{
		{archive.Query{}, "d1 c1 b1 a1", "all, the newest first"},
		{archive.Query{UIDs: []graph.UID{"a1", "c1", "none", "a1"}}, "a1 c1", "by UIDs, each once"},
		{archive.Query{Owners: []graph.UID{"a1"}}, "b1 c1", "by an owner"},
		{archive.Query{Owners: []graph.UID{"a1", "h1", "x1"}}, "b1 c1 d1", "by several owners, and the holder of a sweep, each once"},
		{archive.Query{Owners: []graph.UID{"a1"}, UIDs: []graph.UID{"b1", "d1"}}, "b1", "each field narrows"},
		{archive.Query{Owners: []graph.UID{"a"}}, "", "an owner is a whole UID"},
		{archive.Query{Explicit: true}, "d1 a1", "those of users"},
		{archive.Query{Kind: "pod", Scope: "ns"}, "c1 b1", "by kind and scope"},
		{archive.Query{Name: "b"}, "d1 b1", "by name"},
		{archive.Query{Before: ends["pod/ns/c"]}, "b1 a1", "the time itself is not before it"},
	} {
		if got := uidsOf(t, s, tc.q); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.reason, got, tc.want)
		}
	}
	if x := s.Extent(); x.Entries != 4 || x.Restored != 0 || x.Bytes != 0 || !x.Oldest.Equal(ends["node/a"]) {
		t.Errorf("the archive has the extent %+v", x)
	}
}

// TestEntriesPages: pages bring each entry once, also entries of one time, and entries that come or go between them.
func TestEntriesPages(t *testing.T) {
	now := time.Unix(1000, 0)
	var objects []graph.Object
	for i := range 7 {
		objects = append(objects, graph.Object{Key: graph.Key{Kind: "node", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint("n/", i))}})
	}
	s, err := New(Config{Kinds: testKinds, Objects: objects, Archive: &archive.Config{}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range objects {
		if i == 4 {
			now = now.Add(time.Second)
		}
		c, err := s.Delete(o.Key, graph.DeleteOptions{})
		ok(t, c, err)
	}
	for limit := 1; limit <= 8; limit++ {
		var got []string
		q := archive.Query{Limit: limit}
		for {
			page, err := s.Entries(q)
			if err != nil || len(page.Entries) > limit {
				t.Fatalf("a page of %d has %d entries, %v", limit, len(page.Entries), err)
			}
			for _, e := range page.Entries {
				got = append(got, e.Object.Name)
			}
			if q.After = page.More; page.More == "" {
				break
			}
		}
		if want := []string{"4", "5", "6", "0", "1", "2", "3"}; !slices.Equal(got, want) {
			t.Errorf("pages of %d bring %v, want %v", limit, got, want)
		}
	}
	for _, q := range []archive.Query{{After: "x"}, {After: "12"}, {After: "/u"}, {Limit: -1}, {Limit: archive.MaxPage + 1}, {UIDs: make([]graph.UID, archive.MaxPage+1)}, {Owners: make([]graph.UID, archive.MaxPage+1)}} {
		if _, err := s.Entries(q); !errors.Is(err, graph.ErrRefused) || !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("the query with After %q, Limit %d: %v, want an error that is refused and invalid", q.After, q.Limit, err)
		}
	}
}

// TestEntriesPagesOfNamed: pages of owners and UIDs bring each selected entry once, by UID. Entries that the query leaves out end no
// page.
func TestEntriesPagesOfNamed(t *testing.T) {
	s, _ := newArchive(t, "node/a@a1; node/b@b1; pod/ns/1@p1 -> node/a@a1; pod/ns/2@p2 -> node/a@a1, node/b@b1; pod/ns/3@p3 -> node/b@b1; pod/ns/4@p4 -> node/a@a1; pod/ns/5@p5 -> node/a@a1", archive.Config{})
	for name, cause := range map[string]*graph.Cause{"1": {}, "2": {}, "3": {}, "4": nil, "5": nil} {
		c, err := s.Delete(key(t, "pod/ns/"+name), graph.DeleteOptions{Cause: cause})
		ok(t, c, err)
	}
	owners, uids := []graph.UID{"a1", "b1"}, []graph.UID{"p5", "p4", "p3", "p1"}
	for _, tc := range []struct {
		q            archive.Query
		want, reason string
	}{
		{archive.Query{Owners: owners}, "p1 p2 p3 p4 p5", "all below both owners"},
		{archive.Query{Owners: owners, Explicit: true}, "p4 p5", "those of users, which are the last ones"},
		{archive.Query{Owners: owners, Name: "5"}, "p5", "the last one"},
		{archive.Query{Owners: owners[1:]}, "p2 p3", "one owner"},
		{archive.Query{UIDs: uids}, "p1 p3 p4 p5", "by UIDs"},
		{archive.Query{UIDs: uids, Owners: owners[:1]}, "p1 p4 p5", "by both"},
	} {
		for limit := 1; limit <= 6; limit++ {
			tc.q.Limit, tc.q.After = limit, ""
			var got []string
			for more := true; more && len(got) < 10; more = tc.q.After != "" {
				page, err := s.Entries(tc.q)
				if err != nil || len(page.Entries) > limit || page.More != "" && len(page.Entries) < limit {
					t.Fatalf("%s: a page of %d has %d entries, and more %q: %v", tc.reason, limit, len(page.Entries), page.More, err)
				}
				for _, e := range page.Entries {
					got = append(got, string(e.Object.UID))
				}
				tc.q.After = page.More
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("%s: pages of %d bring %v, want %s", tc.reason, limit, got, tc.want)
			}
		}
	}
}

// TestPurgeEntries: a purge drops the named entries, or those whose time is over, and none with a hold.
func TestPurgeEntries(t *testing.T) {
	conf := archive.Config{Keep: time.Hour, Kinds: map[graph.Kind]archive.KindConfig{"node": {Keep: time.Minute}}}
	s, c := newArchive(t, "node/a@a1; node/b@b1; pod/ns/p@p1 -> node/a@a1; pod/ns/q@q1", conf)
	for _, w := range []struct {
		key   string
		cause *graph.Cause
	}{{"node/a", nil}, {"node/b", nil}, {"pod/ns/p", &graph.Cause{}}, {"pod/ns/q", nil}} {
		done, err := s.Delete(key(t, w.key), graph.DeleteOptions{Cause: w.cause})
		ok(t, done, err)
	}
	hold, err := s.HoldEntry(graph.Key{Kind: "node", Name: "b", UID: "b1"}, archive.Hold{By: "law", Until: c.now.Add(30 * time.Minute)})
	ok(t, hold, err)
	purge := func(uids []graph.UID, want int, left, reason string) {
		t.Helper()
		n, done, err := s.PurgeEntries(uids)
		if got := uidsOf(t, s, archive.Query{}); n != want || err != nil || len(done) != 0 || got != left {
			t.Errorf("%s: %d are purged, %v, %d commits, and %s are left; want %d and %s", reason, n, err, len(done), got, want, left)
		}
	}
	for uid, want := range map[graph.UID]time.Duration{"a1": time.Minute, "p1": 0, "q1": time.Hour} {
		if e := entryOf(t, s, uid); want == 0 != e.Until.IsZero() || want > 0 && e.Until.Sub(e.At) != want {
			t.Errorf("the entry of %s ends at %s, and its time at %s, want %s later, or none", uid, e.At, e.Until, want)
		}
	}
	purge(nil, 0, "q1 p1 b1 a1", "no time is over")
	if n, _, err := s.PurgeEntries([]graph.UID{"a1", "b1"}); n != 0 || !errors.Is(err, graph.ErrRefused) || uidsOf(t, s, archive.Query{}) != "q1 p1 b1 a1" {
		t.Errorf("a purge of an entry with a hold drops %d, %v, and leaves %s; want nothing done", n, err, uidsOf(t, s, archive.Query{}))
	}
	cascade := graph.Key{Kind: "pod", Scope: "ns", Name: "p", UID: "p1"}
	hold, err = s.HoldEntry(cascade, archive.Hold{By: "law"})
	ok(t, hold, err)
	if n, _, err := s.PurgeEntries([]graph.UID{"p1"}); n != 0 || !errors.Is(err, graph.ErrRefused) {
		t.Errorf("a purge of a cascade entry with a hold drops %d, %v", n, err)
	}
	hold, err = s.EndHold(cascade, "law")
	ok(t, hold, err)
	c.now = c.now.Add(2 * time.Minute)
	purge([]graph.UID{}, 2, "q1 b1", "the node, and the cascade entry that hangs from it; a hold keeps the other one")
	purge([]graph.UID{"q1", "none"}, 1, "b1", "a named entry goes before its time")
	c.now = c.now.Add(time.Hour)
	purge(nil, 1, "", "the hold is over")
	if x := s.Extent(); x != (archive.Extent{}) || uidsOf(t, s, archive.Query{Owners: []graph.UID{"a1"}}) != "" {
		t.Errorf("the empty archive has the extent %+v", x)
	}
}

// TestPurgeUnderWay: a purge keeps what the cascade of a marked owner has taken so far, also without a strict store.
func TestPurgeUnderWay(t *testing.T) {
	s, _ := newArchive(t, "node/r@r1[x]; node/a@a1 -> node/r@r1; node/b@b1 -> node/a@a1", archive.Config{})
	for _, w := range []struct {
		key   string
		cause *graph.Cause
	}{{"node/r", nil}, {"node/b", &graph.Cause{}}, {"node/a", &graph.Cause{}}} {
		del, err := s.Delete(key(t, w.key), graph.DeleteOptions{Cause: w.cause})
		ok(t, del, err)
	}
	for _, want := range []string{"a1 b1", "r1 a1 b1"} {
		if n, _, err := s.PurgeEntries(nil); n != 0 || err != nil || uidsOf(t, s, archive.Query{}) != want {
			t.Errorf("%d entries are purged, %v, and %s are left, want %s", n, err, uidsOf(t, s, archive.Query{}), want)
		}
		end, err := s.Patch(key(t, "node/r"), graph.Precondition{}, graph.Change{DropFinalizer: "x"})
		if want == "a1 b1" {
			ok(t, end, err)
		}
	}
}

// TestMarkedBefore: an object that was marked before the archive has an explicit entry, also if an engine's deletion comes
// later. A user may have deleted it.
func TestMarkedBefore(t *testing.T) {
	for _, again := range []bool{false, true} {
		s, _ := newArchive(t, "node/r@r1; node/a@a1~[x] -> node/r@r1:cascade", archive.Config{})
		a := key(t, "node/a")
		if again {
			del, err := s.Delete(a, graph.DeleteOptions{Cause: &graph.Cause{}})
			ok(t, del, err)
		}
		end, err := s.Patch(a, graph.Precondition{}, graph.Change{DropFinalizer: "x"})
		ok(t, end, err)
		if e := entryOf(t, s, "a1"); !e.Explicit {
			t.Errorf("a deletion by an engine %t: the entry is %+v, want it explicit", again, e)
		}
		if n, _, err := s.PurgeEntries(nil); n != 0 || err != nil {
			t.Errorf("a deletion by an engine %t: %d entries are purged, %v", again, n, err)
		}
	}
}

// TestNoArchive: a state without an archive keeps nothing, and its calls say so.
func TestNoArchive(t *testing.T) {
	s := newState(t, "node/a@a1")
	c, err := s.Delete(key(t, "node/a"), graph.DeleteOptions{})
	ok(t, c, err)
	if got := uidsOf(t, s, archive.Query{}); got != "" || s.Extent() != (archive.Extent{}) {
		t.Errorf("it has the entries %s", got)
	}
	if n, done, err := s.PurgeEntries(nil); n != 0 || len(done) != 0 || err != nil {
		t.Errorf("a purge: %d, %v, want nothing", n, err)
	}
	if _, _, err := s.RestoreEntries([]archive.Item{{UID: "a1", Name: "a"}}); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("a restore: %v, want it refused", err)
	}
	if _, err := s.HoldEntry(graph.Key{Kind: "node", Name: "a", UID: "a1"}, archive.Hold{By: "law"}); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("a hold: %v, want it refused", err)
	}
}
