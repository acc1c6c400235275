package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// drawArchive draws up to five entries. An owner is an entry, a living object, or one without a trace.
func drawArchive(t *rapid.T) Archive {
	n := rapid.IntRange(1, 5).Draw(t, "entries")
	lives := map[graph.UID]bool{"live": true}
	key := func(u string) graph.Key { return graph.Key{Kind: "k", Name: u, UID: graph.UID(u)} }
	uids := []string{"live", "lost", "new-a", "new-b"}
	for i := range n {
		uids = append(uids, string(rune('a'+i)))
	}
	var a Archive
	for i := range n {
		e := Ended{Object: graph.Object{Key: key(string(rune('a' + i)))}}
		for range rapid.IntRange(0, 3).Draw(t, "owners") {
			r := graph.Owner{Key: key(rapid.SampledFrom(uids).Draw(t, "owner")), OnDelete: graph.OnDelete(rapid.IntRange(0, int(graph.OnDeleteCascade)+1).Draw(t, "policy"))}
			if !slices.ContainsFunc(e.Object.Owners, r.Same) { // two policies for one owner are a flaw
				e.Object.Owners = append(e.Object.Owners, r)
			}
		}
		e.Explicit = rapid.IntRange(0, 3).Draw(t, "explicit") == 0
		e.Orphaning = rapid.IntRange(0, 3).Draw(t, "orphaning") == 0
		e.Unreadable = rapid.IntRange(0, 9).Draw(t, "unreadable") == 0
		e.Over, e.Held = rapid.Bool().Draw(t, "over"), rapid.IntRange(0, 5).Draw(t, "held") == 0
		if rapid.IntRange(0, 5).Draw(t, "swept") == 0 {
			e.Holder = key("a")
		}
		switch rapid.IntRange(0, 7).Draw(t, "restored") {
		case 0:
			e.Restored = key("new-" + string(rune('a'+i)))
			lives[e.Restored.UID] = rapid.Bool().Draw(t, "back")
		case 1:
			if i+1 < n { // it ended again, as the next entry
				e.Restored = key(string(rune('a' + i + 1)))
			}
		}
		a.Entries = append(a.Entries, e)
	}
	a.Lives = func(u graph.UID) bool { return lives[u] }
	return a
}

// permits reports whether a set of entries has properties 1 to 4 of RULES, A2. The roots are outside of 3 and 4.
func (a Archive) permits(set uint, roots []graph.UID) bool {
	x := newRestoring(a, roots)
	for i := range a.Entries {
		in := set>>i&1 != 0
		if in && !x.in[i] || !in && x.in[i] && x.root[i] {
			return false
		}
	}
	for i := range a.Entries {
		x.in[i] = set>>i&1 != 0
	}
	for i, led := range x.led() {
		if x.in[i] && !x.root[i] && !(led && x.keeps(i)) {
			return false
		}
	}
	return true
}

// TestSetIsTheLargest: the restore set is permitted, and each other permitted set is a part of it. That tries every
// set of entries.
func TestSetIsTheLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawArchive(t)
		roots := []graph.UID{a.Entries[0].Object.UID, a.Entries[len(a.Entries)-1].Object.UID}[:rapid.IntRange(1, 2).Draw(t, "roots")]
		set, union := uint(0), uint(0)
		for i, e := range a.Entries {
			if slices.Contains(a.Set(roots), e.Object.UID) {
				set |= 1 << i
			}
		}
		for s := range uint(1) << len(a.Entries) {
			if a.permits(s, roots) {
				union |= s
			}
		}
		if !a.permits(set, roots) || set != union {
			t.Fatalf("the set of %v is %b, the union of all is %b: %v", roots, set, union, a.Entries)
		}
	})
}

// archived runs "objects | actions", each action in a quiet state, and returns the archive of the only end.
func archived(t *testing.T, text string) State {
	t.Helper()
	start, actions := scenario(t, text)
	cfg := Config{Archives: true, Policies: true}
	_, quiet := explore([]State{newState(start, cfg)}, cfg)
	for _, a := range actions {
		_, quiet = explore(apply(a, quiet, cfg), cfg)
	}
	if len(quiet) != 1 {
		t.Fatalf("%s has %d ends, want 1", text, len(quiet))
	}
	return quiet[0]
}

// TestEntries: each object that ends has an entry, with its words (RULES, A1).
func TestEntries(t *testing.T) {
	for _, c := range []struct{ scenario, want, reason string }{
		{"R; b -> R:cascade | bg R", "R explicit; b", "a user deletes the root alone"},
		{"R; b[x] -> R:cascade | bg R; bg b; finish b", "R explicit; b explicit", "a user deletes it after an engine's mark, without an effect"},
		{"R; b -> R | orphan R", "R explicit orphaning", "the dependents stay behind"},
		{"R[x]; b -> R | orphan R; finish R", "R explicit orphaning", "another finalizer goes off later"},
		{"R[x]; b[y] -> R! | fg R; orphan R; fg R; finish R; finish b", "R explicit orphaning; b", "the orphaning ended before the deletion with another propagation"},
		{"R | bg R; restore R; bg R'", "R explicit R'; R' explicit", "the new object ends, too"},
		{"R | grace0 R; bg R", "R explicit", "a grace period of an unmarked object does not end"},
	} {
		var words []string
		for _, e := range archived(t, c.scenario).entries {
			text := e.Object.Name + string(e.Object.UID[len(e.Object.Name):])
			for _, w := range []struct {
				has  bool
				word string
			}{{e.Explicit, "explicit"}, {e.Orphaning, "orphaning"}, {e.restored(), string(e.Restored.UID)}} {
				if w.has {
					text += " " + w.word
				}
			}
			words = append(words, text)
		}
		if got := strings.Join(words, "; "); got != c.want {
			t.Errorf("%s: %s, want %s: %s", c.scenario, got, c.want, c.reason)
		}
	}
}

// TestRestoreObjects has the cases of RULES, A2 and A4: the objects after a restore, which is done in a quiet state.
func TestRestoreObjects(t *testing.T) {
	for _, c := range []struct{ scenario, want, reason string }{
		{"R; b -> R:cascade | bg R; restore R", "R'; b' -> R':cascade", "the root, and what went along"},
		{"R; b -> R! | bg R; restore b", "", "a dependent misses its owner"},
		{"R; b -> R:cascade | bg b; bg R; restore R", "R'", "a user's deletion is not undone"},
		{"R; b; c -> R, b | bg R; bg b; restore R", "R'", "c lost the reference to R before its end, so nothing leads from c to R"},
		{"R; b; c -> R, b | bg R; bg b; restore b", "b'; c' -> b'", "and c comes back with the other owner"},
		{"R; b -> R:cascade, a:cascade; a | bg R; bg a; restore R", "R'", "another cascade owner is missing"},
		{"R; b -> R:cascade, a:cascade; a | bg R; bg a; restore R; restore a", "R'; a'; b' -> R':cascade, a':cascade", "it comes with the last of its owners"},
		{"R; b -> R:cascade, c; c -> b | bg R; restore R", "R'; b' -> R':cascade, c'; c' -> b'", "members that own each other"},
		{"R; b -> R:cascade; c -> b:release | bg R; restore R", "R'; b' -> R':cascade; c", "a release reference is forgotten"},
		{"R; b -> R:cascade; c -> b | bg R; restore R; bg R'; restore R", "", "a root that ended again is refused"},
		{"R; b -> R:cascade; c -> b | bg R; restore R; bg R'; restore R'", "R''; b'' -> R'':cascade; c'' -> b''", "and comes back by its last entry"},
		{"R | bg R; recreate R; restore R", "R'", "a taken name"},
		{"R | bg R; restore R; restore R", "R'", "a second restore makes nothing"},
	} {
		if got := archived(t, c.scenario).String(); got != c.want {
			t.Errorf("%s: %q, want %q: %s", c.scenario, got, c.want, c.reason)
		}
	}
}

// TestRestoreRefused has the roots that cannot come back (RULES, A3).
func TestRestoreRefused(t *testing.T) {
	key := func(u string) graph.Key { return graph.Key{Kind: "k", Name: u, UID: graph.UID(u)} }
	a := Archive{
		Entries: []Ended{
			{Object: graph.Object{Key: key("plain")}},
			{Object: graph.Object{Key: key("lost")}, Unreadable: true},
			{Object: graph.Object{Key: key("child"), Owners: []graph.Owner{{Key: key("gone"), OnDelete: graph.OnDeleteCascade}}}},
			{Object: graph.Object{Key: key("again")}, Restored: key("again2")},
			{Object: graph.Object{Key: key("back")}, Restored: key("back2")},
		},
		Lives: func(u graph.UID) bool { return u == "back2" },
	}
	for _, c := range []struct {
		root            graph.UID
		refused, detach bool
		reason          string
	}{
		{"plain", false, false, "nothing is in the way"},
		{"lost", true, true, "its payload cannot be read"},
		{"child", true, false, "it misses an owner, and Detach leaves that out"},
		{"again", true, true, "it came back and is ending"},
		{"back", false, false, "it is back"},
		{"purged", true, true, "it has no entry"},
	} {
		if got := len(a.Refused([]graph.UID{c.root}, false)) > 0; got != c.refused {
			t.Errorf("%s is refused: %t: %s", c.root, got, c.reason)
		}
		if got := len(a.Refused([]graph.UID{c.root}, true)) > 0; got != c.detach {
			t.Errorf("%s is refused with detach: %t: %s", c.root, got, c.reason)
		}
	}
}

// TestPurgeable: an entry goes with those that it hangs from (RULES, A6).
func TestPurgeable(t *testing.T) {
	key := func(u string) graph.Key { return graph.Key{Kind: "k", Name: u, UID: graph.UID(u)} }
	entry := func(name string, owners ...string) Ended {
		e := Ended{Object: graph.Object{Key: key(name)}}
		for _, o := range owners {
			e.Object.Owners = append(e.Object.Owners, graph.Owner{Key: key(o)})
		}
		return e
	}
	user := func(e Ended, over bool) Ended { e.Explicit, e.Over = true, over; return e }
	held := func(e Ended) Ended { e.Held = true; return e }
	back := func(e Ended) Ended { e.Restored = key("new"); return e }
	for _, c := range []struct {
		entries []Ended
		want    string
		reason  string
	}{
		{[]Ended{user(entry("a"), true), entry("b", "a")}, "[a b]", "what hangs from it goes along"},
		{[]Ended{user(entry("a"), false), entry("b", "a")}, "[]", "and stays with it"},
		{[]Ended{held(user(entry("a"), true)), entry("b", "a")}, "[]", "a hold keeps what hangs from the entry"},
		{[]Ended{user(entry("a"), true), held(entry("b", "a")), entry("c", "b")}, "[a c]", "a hold on a member keeps that alone"},
		{[]Ended{back(user(entry("a"), true)), user(entry("b"), false), entry("c", "a", "b")}, "[]", "an entry that was not restored names it"},
		{[]Ended{user(entry("a", "b"), true), entry("b", "a")}, "[a b]", "a ring does not keep itself"},
	} {
		if got := fmt.Sprint(Archive{Entries: c.entries}.Purgeable()); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}
