package archive

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// TestEnded: an explicit entry goes at its time, and takes along the entries that hang from it alone. The object m is marked.
func TestEnded(t *testing.T) {
	now := time.Unix(1000, 0)
	past, later := now, now.Add(1)
	key := func(name string) graph.Key { return graph.Key{Kind: "k", Name: name, UID: graph.UID(name)} }
	entry := func(name string, owners ...string) Entry {
		e := Entry{Object: graph.Object{Key: key(name)}}
		for _, o := range owners {
			e.Object.Owners = append(e.Object.Owners, graph.Owner{Key: key(o)})
		}
		return e
	}
	user := func(e Entry, until time.Time) Entry { e.Explicit, e.Until = true, until; return e }
	held := func(e Entry, until time.Time) Entry { e.Holds = []Hold{{By: "law", Until: until}}; return e }
	back := func(e Entry) Entry { e.Restored = key("new"); return e }
	release := func(e Entry) Entry { e.Object.Owners[0].OnDelete = graph.OnDeleteRelease; return e }
	member := func(e Entry, holder string) Entry { e.Cause.Holder = key(holder); return e }
	for _, c := range []struct {
		entries []Entry
		want    []graph.UID
		reason  string
	}{
		{[]Entry{user(entry("a"), past), user(entry("b"), later), user(entry("c"), time.Time{})}, []graph.UID{"a"}, "each has its own time, or none"},
		{[]Entry{user(entry("a"), past), entry("b", "a"), entry("c", "b")}, []graph.UID{"a", "b", "c"}, "what hangs from it goes along"},
		{[]Entry{user(entry("a"), later), entry("b", "a"), entry("c", "b")}, nil, "and stays with it"},
		{[]Entry{user(entry("a"), past), user(entry("b"), later), entry("c", "a", "b")}, []graph.UID{"a"}, "another explicit entry keeps it"},
		{[]Entry{user(entry("a"), later), release(entry("b", "a"))}, []graph.UID{"b"}, "a release reference leads nowhere"},
		{[]Entry{user(entry("a"), later), member(entry("b"), "a")}, nil, "the holder of a sweep counts as an owner"},
		{[]Entry{held(user(entry("a"), past), later), entry("b", "a")}, nil, "a hold keeps the entry, and what hangs from it"},
		{[]Entry{held(user(entry("a"), past), past)}, []graph.UID{"a"}, "a hold ends at its time"},
		{[]Entry{user(entry("a"), past), held(entry("b", "a"), time.Time{}), entry("c", "b")}, []graph.UID{"a", "c"}, "a hold on a member keeps that alone"},
		{[]Entry{back(user(entry("a"), past)), user(entry("b"), later), entry("c", "a", "b")}, nil, "an entry that was not restored names it"},
		{[]Entry{back(user(entry("a"), past)), user(entry("b"), later), back(entry("c", "a", "b"))}, []graph.UID{"a"}, "one that was restored needs it no longer"},
		{[]Entry{user(entry("a", "b"), past), entry("b", "a")}, []graph.UID{"a", "b"}, "a ring does not keep itself"},
		{[]Entry{entry("b", "m"), entry("c", "b")}, nil, "the cascade of a marked owner still runs, so its entry comes later"},
		{[]Entry{member(entry("b"), "m")}, nil, "a sweep still runs"},
		{[]Entry{release(entry("b", "m")), user(entry("a", "m"), past)}, []graph.UID{"a", "b"}, "the marked owner keeps neither a release reference nor an explicit entry"},
		{[]Entry{user(entry("a"), later), user(entry("b", "a"), past)}, []graph.UID{"b"}, "an explicit entry has its own time below another one, too"},
	} {
		if got := Ended(c.entries, now, func(uid graph.UID) bool { return uid == "m" }); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

// TestEndedAsSpecified: the entries that may go are those of the oracle.
func TestEndedAsSpecified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, now := drawWorld(t), time.Unix(1000, 0)
		until := func(label string) time.Time {
			return []time.Time{{}, now, now.Add(1)}[rapid.IntRange(0, 2).Draw(t, label)]
		}
		for i := range w.entries {
			if e := &w.entries[i]; e.Explicit {
				e.Until = until("until")
			}
			if rapid.IntRange(0, 3).Draw(t, "held") == 0 {
				w.entries[i].Holds = []Hold{{By: "law", Until: until("hold")}}
			}
		}
		spec := specified(w.entries, nil, now)
		spec.Ends = func(u graph.UID) bool { return w.lives[u] } // a marked owner, where the sets have a living one
		if got, want := Ended(w.entries, now, spec.Ends), spec.Purgeable(); !slices.Equal(got, want) {
			t.Fatalf("%q, want %q: %s", got, want, w)
		}
	})
}

// TestPurgeOrder: an entry comes after each one that it hangs from, unless that one hangs from it, too.
func TestPurgeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type edge struct{ below, above int }
		const most = 8
		var p Purge
		var edges []edge
		reaches := [most][most]bool{}
		n := rapid.IntRange(1, most).Draw(t, "entries")
		uid := func(i int) graph.UID { return graph.UID(rune('a' + i)) }
		for range rapid.IntRange(0, 16).Draw(t, "references") {
			e := edge{rapid.IntRange(0, n-1).Draw(t, "below"), rapid.IntRange(0, n-1).Draw(t, "above")}
			edges = append(edges, e)
			reaches[e.above][e.below] = true
			p.Refer(uid(e.below), uid(e.above), true)
		}
		for i := range n {
			p.Add(Term{UID: uid(i)})
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reaches[i][j] = reaches[i][j] || reaches[i][k] && reaches[k][j]
				}
			}
		}
		place := map[graph.UID]int{}
		for i, e := range p.Ended() {
			place[e.UID] = i
		}
		if len(place) != n {
			t.Fatalf("%v, want %d entries", place, n)
		}
		for _, e := range edges {
			if !reaches[e.below][e.above] && place[uid(e.below)] < place[uid(e.above)] {
				t.Fatalf("%s comes before %s, from which it hangs: %v", uid(e.below), uid(e.above), edges)
			}
		}
	})
}
