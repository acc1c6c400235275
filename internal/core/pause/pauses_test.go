package pause

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/policy"
)

var (
	start = time.Unix(1000, 0).UTC()
	all   = Extent{All: true}
	pods  = Extent{Kind: "pod"}
	east  = Extent{InScope: true, Scope: "east"}
	world = Extent{InScope: true} // the global objects
)

// graphOf returns a graph with these objects, each in the notation, and their nodes.
func graphOf(t *testing.T, lines ...string) (*graph.Graph, []graph.NodeID) {
	t.Helper()
	g := graph.New(graph.Config{})
	kinds := graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "pod", Scoped: true}}}
	if _, err := g.Apply(kinds); err != nil {
		t.Fatal(err)
	}
	var ids []graph.NodeID
	for _, line := range lines {
		o, err := graph.ParseObject(line)
		if err != nil {
			t.Fatal(err)
		}
		d, err := g.Apply(graph.Event{Type: graph.Put, Object: o})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.Node)
	}
	return g, ids
}

// names returns the extents of the pauses, in words.
func names(p *Pauses) string {
	var out []string
	for _, x := range p.All() {
		out = append(out, x.What.String())
	}
	return strings.Join(out, ", ")
}

// types returns the types of the effects, and forgets them.
func types(out *effect.List) (all []effect.Type) {
	for _, x := range out.Items() {
		all = append(all, x.Type)
	}
	out.Reset()
	return all
}

// TestExtents: an extent is exactly one of everything, a kind and a scope, and covers the
// objects of that.
func TestExtents(t *testing.T) {
	for _, c := range []struct {
		reason  string
		what    Extent
		text    string
		covered string // of the objects a/x, a/"" and b/x
		invalid bool
	}{
		{"nothing is no extent", Extent{}, "nothing", "", true},
		{"everything", all, "everything", "ax a bx", false},
		{"a kind", Extent{Kind: "a"}, "kind a", "ax a", false},
		{"a scope", Extent{InScope: true, Scope: "x"}, "scope x", "ax bx", false},
		{"the scope of the global objects", world, "the global objects", "a", false},
		{"a name with a blank is quoted", Extent{Kind: "a b"}, `kind "a b"`, "", false},
		{"two of them", Extent{All: true, Kind: "a"}, "everything", "ax a bx", true},
		{"a scope without its flag", Extent{Kind: "a", Scope: "x"}, "kind a", "ax a", true},
		{"a record could not name it", Extent{Kind: "\xff"}, `kind "\xff"`, "", true},
	} {
		var covered []string
		for _, o := range []struct{ kind, scope string }{{"a", "x"}, {"a", ""}, {"b", "x"}} {
			if c.what.Covers(graph.Kind(o.kind), o.scope) {
				covered = append(covered, o.kind+o.scope)
			}
		}
		if got := strings.Join(covered, " "); got != c.covered || c.what.String() != c.text || (c.what.Check() != nil) != c.invalid {
			t.Errorf("%s: %s covers %q, error %v", c.reason, c.what, got, c.what.Check())
		}
	}
}

// TestPauses: a pause begins and ends once, also if the caller asks twice. Each beginning takes
// back the calls that no caller has begun.
func TestPauses(t *testing.T) {
	g, ids := graphOf(t, "pod/east/x#1")
	var p Pauses
	var out effect.List
	if p.Any() || p.Covers("pod", "") {
		t.Error("something is paused at the beginning")
	}
	for _, what := range []Extent{east, all, world, pods, pods} {
		if err := p.Begin(what, start, &out); err != nil {
			t.Fatal(err)
		}
	}
	begun := []effect.Type{effect.Revoke, effect.Report}
	if got := types(&out); !slices.Equal(got, slices.Repeat(begun, 4)) {
		t.Errorf("effects %v, want a revocation and a report for each of the four pauses", got)
	}
	if got := names(&p); got != "everything, kind pod, the global objects, scope east" {
		t.Errorf("the pauses are %s", got)
	}
	p.End(all, &out)
	p.End(all, &out)
	if got := out.Items(); len(got) != 1 || got[0].Decision.Action.Writes() || got[0].Decision.Reason != policy.Paused || !p.Walks() {
		t.Errorf("effects %v, want one report of the end", got)
	}
	if p.Covers("job", "west") || !p.Covers("pod", "west") || !p.Covers("job", "east") || !p.Covers("job", "") {
		t.Error("the other pauses cover other objects")
	}
	if got, since := p.Of(g.Node(ids[0])); strings.Join(got, ", ") != "kind pod, scope east" || !since.Equal(start) {
		t.Errorf("the pauses of the pod are %q since %v", got, since)
	}
	if err := p.Check(g); err != nil {
		t.Error(err)
	}
	for i := 0; len(p.list) < Max; i++ {
		if err := p.Begin(Extent{InScope: true, Scope: strings.Repeat("s", i+1)}, start, &out); err != nil {
			t.Fatal(err)
		}
	}
	if p.Begin(Extent{Kind: "one more"}, start, &out) == nil || p.Begin(pods, start, &out) != nil {
		t.Error("a pause beyond the bound, or an error for one that is there")
	}
}

// TestRecord: the record's pauses begin and end with it, the engine's own stay, and an
// unknown record covers everything.
func TestRecord(t *testing.T) {
	var p Pauses
	var out effect.List
	p.AwaitRecord(start)
	if why, since, is := p.Unread(); !is || why != "" || !since.Equal(start) || !p.Covers("pod", "") || len(types(&out)) > 0 {
		t.Error("an awaited record does not cover everything in silence")
	}
	p.FailRecord("no route", start.Add(1), &out)
	p.FailRecord("no answer", start.Add(2), &out)
	if why, since, _ := p.Unread(); why != "no answer" || !since.Equal(start) || len(types(&out)) != 2 {
		t.Errorf("unread since %v with %q, want one report, the first time and the last cause", since, why)
	}
	if err := p.Begin(pods, start, &out); err != nil {
		t.Fatal(err)
	}
	p.SetRecord([]Pause{{What: east}, {What: all, Since: start}}, start.Add(3), &out)
	if x, ok := p.Get(east); !ok || !x.Recorded || !x.Since.Equal(start.Add(3)) || names(&p) != "everything, kind pod, scope east" || !p.Walks() {
		t.Errorf("the pauses are %s, want those of the record and the own one", names(&p))
	}
	p.SetRecord([]Pause{{What: pods}}, start, &out)
	if names(&p) != "kind pod" || p.Covers("job", "") {
		t.Errorf("the pauses are %s, want the own one", names(&p))
	}
	if p.SetRecord(nil, start, &out); p.Any() {
		t.Errorf("%s is paused after the record has lost it", names(&p))
	}
	types(&out)
	p.FailRecord("malformed", start, &out)
	if got := types(&out); !slices.Contains(got, effect.Revoke) || !p.Covers("job", "") {
		t.Errorf("effects %v, want a revocation, since the record is malformed", got)
	}
}

// TestWalk: the walk visits each observed object. After another end it goes on, and another walk follows,
// so that ends without end keep no object from its visit.
func TestWalk(t *testing.T) {
	g, ids := graphOf(t, "a/1@u1#1", "b/1@u2#1")
	var p Pauses
	var out effect.List
	visit := func() (got []graph.NodeID) {
		for p.Walks() {
			if id := p.Next(g); id != 0 {
				got = append(got, id)
			}
		}
		return got
	}
	for range 2 {
		if err := p.Begin(all, start, &out); err != nil {
			t.Fatal(err)
		}
		p.End(all, &out)
		if got := visit(); !slices.Equal(got, ids) {
			t.Errorf("the walk visits %v, want %v", got, ids)
		}
	}
	p.WalkAgain()
	var got []graph.NodeID
	for len(got) < 3*len(ids) {
		if id := p.Next(g); id != 0 {
			got = append(got, id)
		}
		p.WalkAgain()
	}
	if got = append(got, visit()...); !slices.Equal(got[:2*len(ids)], slices.Concat(ids, ids)) || len(got) != 4*len(ids) {
		t.Errorf("the walks visit %v, want %v four times", got, ids)
	}
	empty := graph.New(graph.Config{})
	p.WalkAgain()
	if id := p.Next(empty); id != 0 || p.Walks() {
		t.Error("a walk over an empty graph goes on")
	}
}

// TestUnknown: a write of unknown outcome stays until the watch shows another version, or
// the object has gone.
func TestUnknown(t *testing.T) {
	g, ids := graphOf(t, "a/1@u1#1", "b/1@u2#1")
	var p Pauses
	p.NoteUnknown(ids[0], Write{Version: "1", Since: start})
	p.NoteUnknown(ids[1], Write{Delete: true, Version: "1"})
	p.Show(g.Node(ids[0]))
	if !p.AnyUnknown() || len(p.Unknown()) != 2 {
		t.Error("the same version tells the outcome")
	}
	o, _ := graph.ParseObject("a/1@u1#2")
	if _, err := g.Apply(graph.Event{Type: graph.Put, Object: o}); err != nil {
		t.Fatal(err)
	}
	p.Show(g.Node(ids[0]))
	c := p.Clone()
	p.Drop(ids[1])
	p.Drop(ids[0])
	if p.AnyUnknown() || len(c.Unknown()) != 1 {
		t.Errorf("%d writes are unknown, and %d in the copy, want 0 and 1", len(p.Unknown()), len(c.Unknown()))
	}
	c.NoteUnknown(99, Write{})
	if c.Check(g) == nil {
		t.Error("no error for a write to a node that is not in the graph")
	}
}

// TestCheck: an invalid list is found.
func TestCheck(t *testing.T) {
	g, _ := graphOf(t)
	for _, c := range []struct {
		reason string
		list   []Pause
	}{
		{"nothing is paused", []Pause{{}}},
		{"they are not sorted", []Pause{{What: pods}, {What: all}}},
		{"one is there twice", []Pause{{What: pods}, {What: pods}}},
	} {
		p := Pauses{list: c.list}
		if p.Check(g) == nil {
			t.Errorf("no error if %s", c.reason)
		}
	}
}
