package archive

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// world is a small world: entries 0 to n-1, and living objects after them.
type world struct {
	entries []Entry
	lives   map[graph.UID]bool
}

func (w world) World() World {
	return World{Entries: w.entries, Lives: func(u graph.UID) bool { return w.lives[u] }}
}

// String prints it in the notation of package graph, with the words of the entries.
func (w world) String() string {
	var b strings.Builder
	for _, e := range w.entries {
		fmt.Fprintf(&b, "%s explicit %t orphaning %t holder %s restored %q\n", e.Object, e.Explicit, e.Orphaning, e.Cause.Holder.UID, e.Restored.UID)
	}
	fmt.Fprintf(&b, "lives %v", w.lives)
	return b.String()
}

// drawWorld draws up to five entries. An owner is an entry, a living object, or one without a trace.
func drawWorld(t *rapid.T) world {
	n := rapid.IntRange(1, 5).Draw(t, "entries")
	w := world{lives: map[graph.UID]bool{"live": true}}
	uids := []graph.UID{"live", "lost", "new-a", "new-b"}
	for i := range n {
		uids = append(uids, graph.UID(rune('a'+i)))
	}
	for i := range n {
		e := Entry{Object: graph.Object{Key: graph.Key{Kind: "k", Name: string(rune('a' + i)), UID: graph.UID(rune('a' + i))}}}
		for range rapid.IntRange(0, 3).Draw(t, "owners") {
			u := rapid.SampledFrom(uids).Draw(t, "owner")
			if slices.ContainsFunc(e.Object.Owners, func(r graph.Owner) bool { return r.UID == u }) {
				continue // two policies for one owner are a flaw
			}
			policy := rapid.SampledFrom([]graph.OnDelete{0, 0, graph.OnDeleteCascade, graph.OnDeleteRelease, graph.OnDeleteRestrict, 255}).Draw(t, "policy")
			e.Object.Owners = append(e.Object.Owners, graph.Owner{Key: graph.Key{Kind: "k", Name: string(u), UID: u}, OnDelete: policy})
		}
		e.Explicit = rapid.IntRange(0, 3).Draw(t, "explicit") == 0
		e.Orphaning = rapid.IntRange(0, 3).Draw(t, "orphaning") == 0
		if rapid.IntRange(0, 5).Draw(t, "swept") == 0 {
			e.Cause.Holder = graph.Key{Kind: "k", Name: "a", UID: "a"}
		}
		if rapid.IntRange(0, 9).Draw(t, "unreadable") == 0 {
			e.Unreadable = "the column is gone"
		}
		switch rapid.IntRange(0, 7).Draw(t, "restored") {
		case 0:
			e.Restored = graph.Key{Kind: "k", Name: string(rune('a' + i)), UID: graph.UID("new-" + string(rune('a'+i)))}
			w.lives[e.Restored.UID] = rapid.Bool().Draw(t, "back")
		case 1:
			if i+1 < n { // it ended again, as the next entry
				e.Restored = graph.Key{Kind: "k", Name: string(rune('a' + i)), UID: graph.UID(rune('a' + i + 1))}
			}
		}
		w.entries = append(w.entries, e)
	}
	return w
}

// specified returns the entries in the words of the oracle, which shares no code with this package.
func specified(entries []Entry, lives func(graph.UID) bool, now time.Time) oracle.Archive {
	a := oracle.Archive{Entries: make([]oracle.Ended, len(entries)), Lives: lives}
	for i, e := range entries {
		a.Entries[i] = oracle.Ended{
			Object: e.Object, Explicit: e.Explicit, Orphaning: e.Orphaning, Holder: e.Cause.Holder, Restored: e.Restored,
			Unreadable: e.Unreadable != "", Over: !e.Until.IsZero() && !now.Before(e.Until), Held: e.IsHeld(now),
		}
	}
	return a
}

// TestSetAsSpecified: the restore set, and the refused roots, are those of the oracle, which has the properties of RULES, A2
// and A3. That is checked for each root alone, for each one with the next, for all, and for all beside roots
// without an entry, also with Detach.
func TestSetAsSpecified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		all := uidsOf(w)
		lists := [][]graph.UID{all, append(slices.Clone(all), "live", "lost", "lost")}
		for i := range all {
			lists = append(lists, all[i:i+1], all[i:min(i+2, len(all))])
		}
		for _, roots := range lists {
			for _, detach := range []bool{false, true} {
				checkSet(t, w, Request{Roots: roots, Detach: detach})
			}
		}
	})
}

// checkSet compares the set of some roots with the specification.
func checkSet(t *rapid.T, w world, r Request) {
	spec, got := specified(w.entries, w.World().Lives, time.Time{}), SetOf(w.World(), r)
	var set, refused []graph.UID
	for _, m := range got.Members {
		set = append(set, m.Entry.Object.UID)
	}
	without := map[graph.UID]Why{}
	for _, x := range got.Refused {
		refused = append(refused, x.Entry.Object.UID)
		without[x.Entry.Object.UID] = x.Why
	}
	slices.Sort(set)
	slices.Sort(refused)
	if want := spec.Set(r.Roots); !slices.Equal(set, want) {
		t.Fatalf("the set of %v is %q, want %q: %s", r.Roots, set, want, w)
	}
	if want := spec.Refused(r.Roots, r.Detach); !slices.Equal(refused, want) {
		t.Fatalf("%v with detach %t refuses %q, want %q: %s", r.Roots, r.Detach, refused, want, w)
	}
	for _, u := range r.Roots {
		if why := map[bool]Why{true: NotEnded, false: Purged}[w.lives[u]]; !slices.Contains(uidsOf(w), u) && without[u] != why {
			t.Fatalf("the root %s is refused with %s, want %s: %s", u, without[u], why, w)
		}
	}
	checkOrder(t, got.Members, w)
}

func uidsOf(w world) (uids []graph.UID) {
	for i := range w.entries {
		uids = append(uids, w.entries[i].Object.UID)
	}
	return uids
}

// checkOrder checks that each member comes after all its owners in the set, and that a ring is in one place.
func checkOrder(t *rapid.T, members []Member, w world) {
	at := map[graph.UID]int{}
	for i, m := range members {
		at[m.Entry.Object.UID] = i
	}
	for i, m := range members {
		for _, r := range m.Owners {
			if j, in := at[r.UID]; in && j >= i && (m.Ring == 0 || members[j].Ring != m.Ring) {
				t.Fatalf("%s comes before its owner %s: %s", m.Entry.Object, r.UID, w)
			}
		}
	}
}

// TestEnding: a restored object that is marked again is named, because it may become a member once it has ended.
func TestEnding(t *testing.T) {
	key := func(name string) graph.Key { return graph.Key{Kind: "k", Name: name, UID: graph.UID(name)} }
	entry := func(name, owner, restored string) Entry {
		e := Entry{Object: graph.Object{Key: key(name)}}
		if owner != "" {
			e.Object.Owners = []graph.Owner{{Key: key(owner)}}
		}
		if restored != "" {
			e.Restored = key(restored)
		}
		return e
	}
	root := entry("r", "", "r2")
	root.Explicit = true
	w := World{
		Entries: []Entry{root, entry("a", "r", "a2"), entry("b", "a", ""), entry("c", "x", "c2")},
		Lives:   func(u graph.UID) bool { return u == "r2" },
		Ends:    func(u graph.UID) bool { return u == "a2" || u == "c2" },
	}
	set := SetOf(w, Request{Roots: []graph.UID{"r"}})
	if len(set.Members) != 0 || !slices.Equal(set.Ending, []graph.Key{key("a2")}) {
		t.Errorf("members %v, ending %v", set.Members, set.Ending)
	}
}

// TestRootWithoutEntry: a root that lives or is marked has not ended. Any other one without an entry is purged, also in a
// world that tells of no ends.
func TestRootWithoutEntry(t *testing.T) {
	is := func(uids ...graph.UID) func(graph.UID) bool {
		return func(u graph.UID) bool { return slices.Contains(uids, u) }
	}
	for _, tc := range []struct {
		reason      string
		lives, ends func(graph.UID) bool
		want        Why
	}{
		{"it lives", is("r"), is(), NotEnded},
		{"it is marked", is(), is("r"), NotEnded},
		{"another object is marked", is("x"), is("y"), Purged},
		{"it is marked, and the world tells of no ends", is(), nil, Purged},
	} {
		set := SetOf(World{Lives: tc.lives, Ends: tc.ends}, Request{Roots: []graph.UID{"r", "r"}})
		if len(set.Refused) != 1 || set.Refused[0].Why != tc.want || set.Refused[0].Entry.Object.UID != "r" || len(set.Members) != 0 {
			t.Errorf("%s: refused %+v, want %s", tc.reason, set.Refused, tc.want)
		}
	}
}

// TestWhy: each reason has a text of its own, and a number beyond them has none.
func TestWhy(t *testing.T) {
	seen := map[string]Why{}
	for w := range numWhys {
		if other, twice := seen[w.String()]; twice || w.String() == "" {
			t.Errorf("the reasons %d and %d are %q", other, w, w)
		}
		seen[w.String()] = w
	}
	if Why(0).String() != "unset" || numWhys.String() != "unknown" {
		t.Errorf("the zero value is %q, and a number beyond is %q", Why(0), numWhys)
	}
}
