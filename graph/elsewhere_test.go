package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// serve returns a graph over the kinds a, b and the scoped kind p.
func serve(t testing.TB, cfg Config) *Graph {
	t.Helper()
	g := New(cfg)
	apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "p", Scoped: true}}})
	return g
}

// orphans returns the names of the dependents that the orphaning of a node sets free.
func orphans(g *Graph, id NodeID) string {
	var out []string
	for d := range g.Node(id).inner().Orphans() {
		out = append(out, d.Key().Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestElsewhere: a reference with the UID of an object and other coordinates counts for the
// end of an orphaning. Each setting reads one coordinate as absent.
func TestElsewhere(t *testing.T) {
	hold := Config{}
	scope, name := Config{Scope: ScopeAbsent}, Config{OwnerName: NameAbsent}
	both := Config{Scope: ScopeAbsent, OwnerName: NameAbsent}
	for _, c := range []struct {
		objects            string
		in                 []Config
		elsewhere, orphans string
		reason             string
	}{
		{"p/s/o@o#1~[orphan]; p/s/d#1 -> p/s/o@o", []Config{hold, scope, name, both}, "0", "d", "the coordinates are right"},
		{"p/s/o@o#1~[orphan]; p/s/d#1 -> p/s/x@o", []Config{hold, scope}, "1", "d", "another name"},
		{"p/s/o@o#1~[orphan]; p/s/d#1 -> p/s/x@o", []Config{name, both}, "0", "", "another name is absent"},
		{"p/s/o@o#1~[orphan]; p/z/d#1 -> p/z/o@o", []Config{hold, name}, "1", "d", "another scope"},
		{"p/s/o@o#1~[orphan]; p/z/d#1 -> p/z/o@o", []Config{scope, both}, "0", "", "another scope is absent"},
		{"p/s/o@o#1~[orphan]; p/z/d#1 -> p/z/x@o", []Config{hold}, "1", "d", "another scope and name"},
		{"p/s/o@o#1~[orphan]; p/z/d#1 -> p/z/x@o", []Config{scope, name, both}, "0", "", "one of the two is absent"},
		{"a/o@o#1~[orphan]; a/d#1 -> b/o@o", []Config{hold, scope, name}, "1", "d", "another kind"},
		{"a/o@o#1~[orphan]; a/d#1 -> b/o@o", []Config{both}, "0", "", "another kind is absent, as in Kubernetes"},
		{"a/o@o#1~[orphan]; a/d#1 -> b/x@o, a/y@o, a/o@o, a/o@o?", []Config{hold}, "2", "d d d d", "each reference counts, in its way"},
		{"a/o@o#1~[orphan] -> a/x@o; a/d#1 -> a/x@o", []Config{hold}, "1", "d", "a self-reference never counts"},
		{"a/d#1 -> a/x@o; a/e#1 -> a/x@o; a/o@o#1~[orphan]", []Config{hold}, "2", "d e", "the references come first"},
		{"a/d#1 -> a/x@o; a/e#1 -> a/y@o; a/o@o#1~[orphan]; gone a/d", []Config{hold}, "1", "e", "one goes"},
		{"a/o@o#1; a/d#1 -> a/x@o", []Config{hold}, "1", "d", "the mark does not matter for the count"},
	} {
		for _, cfg := range c.in {
			g := serve(t, cfg)
			objects, end, _ := strings.Cut(c.objects, "; gone ")
			if put(t, g, objects); end != "" {
				apply(t, g, Event{Type: Gone, Key: g.Node(at(t, g, end)).Key()})
			}
			live, _ := g.Alive("o")
			o := live.ID()
			if got := fmt.Sprint(g.Node(o).inner().Elsewhere()); got != c.elsewhere || orphans(g, o) != c.orphans {
				t.Errorf("%s: %s elsewhere, orphans %q, want %s and %q: %s", c.objects, got, orphans(g, o), c.elsewhere, c.orphans, c.reason)
			}
			for d := range live.inner().Orphans() {
				for i, owner := range d.OwnerNodes() {
					by, ok := owner.inner().OrphanedBy()
					if want := owner.ID() != o && live.Orphaning(); ok != want || ok && by.ID() != o {
						t.Errorf("%s: reference %d of %s is orphaned elsewhere: %t, want %t: %s", c.objects, i, d.Key(), ok, want, c.reason)
					}
				}
			}
			if err := g.Check(); err != nil {
				t.Errorf("%s: %v: %s", c.objects, err, c.reason)
			}
		}
	}
}

// TestOrphanedByOne: two objects with one UID orphan no dependent by the UID, and neither does
// an object without an orphan mark.
func TestOrphanedByOne(t *testing.T) {
	for _, c := range []struct{ objects, reason string }{
		{"a/d#1 -> a/x@o; a/o@o#1~[orphan]; b/o@o#1~[orphan]", "two objects have the UID"},
		{"a/d#1 -> a/x@o; a/o@o#1~[foreground]", "it is no orphaning"},
		{"a/d#1 -> a/x@o; a/o@o#1[orphan]", "it is not marked"},
		{"a/d#1 -> a/x@o", "no object has the UID"},
	} {
		g := serve(t, Config{})
		put(t, g, c.objects)
		if by, ok := g.Node(at(t, g, "a/x@o")).inner().OrphanedBy(); ok {
			t.Errorf("%s: orphaned by %s: %s", c.objects, by.Key(), c.reason)
		}
	}
}

// TestFanMembers: the fan-out of an object comes to each other node with its UID, while such
// nodes come and go. It takes one step for each.
func TestFanMembers(t *testing.T) {
	const many = 1000
	g := serve(t, Config{})
	put(t, g, "a/o@o#1~[orphan]")
	for i := range many {
		put(t, g, fmt.Sprintf("a/d%d#1 -> a/x%d@o", i, i))
	}
	o := at(t, g, "a/o@o")
	if !g.inner().Fan(o) || g.Node(o).inner().Elsewhere() != many {
		t.Fatalf("%d elsewhere, and no fan-out", g.Node(o).inner().Elsewhere())
	}
	left := slices.Collect(g.inner().Unfanned(o))
	seen := map[NodeID]bool{}
	for n := 0; ; n++ {
		id, ok := g.inner().FanMember(o)
		if !ok {
			break
		}
		if id == o || seen[id] {
			t.Fatalf("step %d comes to %s again, or to the object", n, g.Node(id).Key())
		}
		seen[id] = true
		if n == 10 {
			put(t, g, "a/d400#2; a/new#1 -> a/late@o") // one goes, and one comes
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(seen); n < many-1 || n > many+1 || len(left) < many {
		t.Errorf("a fan-out came to %d nodes of %d, and had %d before it", n, many, len(left))
	}
	if g.inner().Fan(at(t, g, "a/d1")) {
		t.Error("an object without a dependent fans out")
	}
}

// TestElsewhereNotices: a change of a dependent elsewhere is news for the object that orphans,
// and for no other one.
func TestElsewhereNotices(t *testing.T) {
	for _, c := range []struct {
		objects, change string
		want            int
		reason          string
	}{
		{"a/o@o#1~[orphan]; a/d#1 -> a/x@o", "a/d#2", 1, "the last reference goes"},
		{"a/o@o#1~[orphan]; a/d#1", "a/d#2 -> a/x@o", 1, "a reference comes"},
		{"a/o@o#1~[foreground]; a/d#1 -> a/x@o!", "a/d#2", 0, "a foreground deletion does not count it"},
		{"a/o@o#1; a/d#1 -> a/x@o", "a/d#2", 0, "the object stays"},
	} {
		g := serve(t, Config{})
		put(t, g, c.objects)
		o, err := ParseObject(c.change)
		if err != nil {
			t.Fatal(err)
		}
		if d := apply(t, g, Event{Type: Put, Object: o}); len(d.Owners) != c.want {
			t.Errorf("%s; %s: news for %d owners, want %d: %s", c.objects, c.change, len(d.Owners), c.want, c.reason)
		}
	}
}

// TestKept: a setting that keeps a dependent with a living owner is the one under which the graph
// has the reference as misplaced or renamed.
func TestKept(t *testing.T) {
	for _, c := range []struct{ objects, reason string }{
		{"p/s/o@o#1; p/s/d@d#1 -> p/s/x@o", "another name"},
		{"p/s/o@o#1; p/z/d@d#1 -> p/z/o@o", "another scope"},
		{"p/s/o@o#1; p/z/d@d#1 -> p/z/x@o", "another scope and name"},
		{"a/o@o#1; a/d@d#1 -> b/o@o", "another kind"},
		{"a/o@o#1; a/d@d#1 -> a/x@o", "another name of a global kind"},
	} {
		for _, cfg := range []Config{{}, {Scope: ScopeAbsent}, {OwnerName: NameAbsent}, {Scope: ScopeAbsent, OwnerName: NameAbsent}} {
			g := serve(t, cfg)
			put(t, g, c.objects)
			o, _ := g.Alive("o")
			d, _ := g.Alive("d")
			_, doubt := d.inner().OwnerClass(0)
			want := doubt == Misplaced || doubt == Renamed
			if got := cfg.isKeptBy(d.Scope(), d.OwnerAt(0).Key, o.Key()); got != want {
				t.Errorf("%s, %s, %s: kept %t, want %t with doubt %s: %s", c.objects, cfg.Scope, cfg.OwnerName, got, want, doubt, c.reason)
			}
		}
	}
}

// TestSelfByUID: a reference to the own UID of an object leads back to it, where it would count as
// absent. A doubt that holds the object stays.
func TestSelfByUID(t *testing.T) {
	hold, both := Config{}, Config{Scope: ScopeAbsent, OwnerName: NameAbsent}
	for _, c := range []struct {
		objects string
		in      []Config
		want    bool
		reason  string
	}{
		{"a/o@o#1 -> a/o@o", []Config{hold, both}, true, "its own coordinates"},
		{"a/o@o#1 -> b/o@o", []Config{hold, both}, true, "another kind"},
		{"a/o@o#1 -> b/x@o?", []Config{hold, both}, true, "unresolved"},
		{"a/o@o#1 -> a/x@o", []Config{both}, true, "another name is absent"},
		{"a/o@o#1 -> a/x@o", []Config{hold}, false, "another name holds the object"},
		{"p/s/o@o#1 -> p/z/x@o", []Config{both}, true, "another scope is absent"},
		{"p/s/o@o#1 -> p/z/o@o", []Config{hold}, false, "another scope holds the object"},
		{"a/o@o#1 -> q/o@o", []Config{hold, both}, false, "the store does not serve the kind"},
		{"a/x#1; a/o@o#1 -> a/x", []Config{hold, both}, false, "another object"},
		{"b/o@o#1; a/o@o#1 -> b/o@o", []Config{hold, both}, false, "another object with the UID lives there"},
		{"a/o@o#1 -> a/o@q", []Config{hold, both}, false, "another UID"},
	} {
		for _, cfg := range c.in {
			g := serve(t, cfg)
			for _, k := range []Kind{"a", "b", "p"} {
				apply(t, g, Event{Type: ListBegun, Kind: k})
			}
			put(t, g, c.objects)
			for _, k := range []Kind{"a", "b", "p"} {
				apply(t, g, Event{Type: ListEnded, Kind: k})
			}
			for n := range g.Nodes() {
				if n.State() == Observed && n.Owners() == 1 && (n.inner().SelfOwner(0) != c.want || n.Reference(0).Self != c.want) {
					t.Errorf("%s, %s: self %t, %t, want %t: %s", c.objects, cfg.Scope, n.inner().SelfOwner(0), n.Reference(0).Self, c.want, c.reason)
				}
			}
		}
	}
}

// TestOwnersElsewhere: a reference whose UID lives at other coordinates comes with that object. A
// reference that is right, that names a UID alone or that leads back has no such object.
func TestOwnersElsewhere(t *testing.T) {
	absent := Config{Scope: ScopeAbsent}
	for _, c := range []struct {
		objects string
		cfg     Config
		want    string
		reason  string
	}{
		{"p/s/o@o#1; p/s/d#1 -> p/s/o@o", Config{}, "", "the coordinates are right"},
		{"p/s/o@o#1; p/s/d#1 -> p/s/x@o", Config{}, "p/s/x@o lives at p/s/o@o", "another name"},
		{"p/s/o@o#1; p/z/d#1 -> p/z/o@o", Config{}, "p/z/o@o lives at p/s/o@o", "another scope"},
		{"p/s/o@o#1; p/z/d#1 -> p/s/o@o", absent, "p/s/o@o lives at p/s/o@o", "the setting reads the reference in the scope of d"},
		{"b/o@o#1; p/s/d#1 -> a/x@o, a/y@y, b/o@o, a/z@o", Config{}, "a/x@o lives at b/o@o, a/z@o lives at b/o@o", "another kind, in the order of the references"},
		{"p/s/d#1 -> p/s/x@o; p/s/o@o#1", Config{}, "p/s/x@o lives at p/s/o@o", "the reference comes first"},
		{"p/s/o@o#1; p/s/d#1 -> p/s/x@o?", Config{}, "", "the reference names the UID alone"},
		{"p/s/d@o#1 -> a/x@o", Config{}, "", "the UID is its own"},
		{"a/o@o#1; b/o@o#1; p/s/d#1 -> b/x@o", Config{}, "b/x@o lives at a/o@o", "of two objects with the UID it is the first by key"},
	} {
		g := serve(t, c.cfg)
		put(t, g, c.objects)
		var got []string
		for id := range NodeID(g.inner().Cap()) {
			if n := (Node{g, id}); g.inner().InUse(id) && n.State() == Observed {
				for _, x := range n.inner().OwnersElsewhere() {
					got = append(got, x.Owner.Key.String()+" lives at "+x.Lives.String())
				}
			}
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q, want %q: %s", c.objects, text, c.want, c.reason)
		}
	}
}
