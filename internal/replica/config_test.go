package replica

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestConfig(t *testing.T) {
	one := graph.Object{Key: graph.Key{Kind: "pod", Scope: "ns", Name: "a", UID: "a1"}}
	with := func(edit func(*graph.Object)) []graph.Object {
		o := one
		edit(&o)
		return []graph.Object{one, o}
	}
	for _, tc := range []struct {
		config Config
		want   string
		reason string
	}{
		{Config{}, "", "the zero value works"},
		{Config{Kinds: testKinds, Objects: []graph.Object{one}}, "", "a served kind"},
		{Config{Objects: []graph.Object{one}}, "", "the object adds its kind"},
		{Config{Limits: graph.Limits{Text: -1}}, "new store: Limits: negative", "no object could be written"},
		{Config{Propagation: map[graph.Kind]graph.Propagation{"pod": 9}}, `new store: Propagation["pod"]: propagation(9) means nothing`, "no guess"},
		{Config{Kinds: []graph.KindInfo{{}}}, `new store: Kinds[0]: "" is empty or there twice`, "a kind has a name"},
		{Config{Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "a", Scoped: true}}}, `new store: Kinds[1]: "a" is empty or there twice`, "the two contradict each other"},
		{Config{Kinds: []graph.KindInfo{{Kind: "a", Container: graph.Container{Members: graph.ScopeMembers}}}}, `new store: Kinds[0]: a: container.actor: empty`, "a report names the actor"},
		{Config{Objects: with(func(o *graph.Object) { o.Kind = "" })}, `new store: Objects[1]: ""/ns/a@a1: kind: empty: invalid`, "no caller could find the object"},
		{Config{Objects: with(func(o *graph.Object) { o.Name = "" })}, `new store: Objects[1]: pod/ns/""@a1: name: empty: invalid`, "no caller could find the object"},
		{Config{Objects: with(func(o *graph.Object) { o.UID = "" })}, `new store: Objects[1]: pod/ns/a: uid: empty: invalid`, "a UID names the incarnation"},
		{Config{Objects: with(func(o *graph.Object) { o.Name = "b" })}, `new store: Objects[1]: pod/ns/b@a1: uid: used twice: invalid`, "one UID, one object"},
		{Config{Objects: with(func(o *graph.Object) { o.UID = "a2" })}, `new store: Objects[1]: pod/ns/a@a2: name: taken twice: invalid`, "one place, one object"},
		{Config{Objects: with(func(o *graph.Object) { o.Scope, o.UID = "", "a2" })},
			`new store: Objects[1]: pod/a@a2: scope: empty, and the kind is scoped: invalid`, "a kind is scoped or not"},
		{Config{Kinds: []graph.KindInfo{{Kind: "pod"}}, Objects: []graph.Object{one}},
			`new store: Objects[0]: pod/ns/a@a1: scope: given, and the kind is global: invalid`, "a kind is scoped or not"},
		{Config{Objects: with(func(o *graph.Object) { o.Name, o.UID, o.Version = "b", "a2", "v7" })},
			`new store: Objects[1]: pod/ns/b@a2: version: not a decimal number that a store makes: invalid`, "versions compare"},
		{Config{Objects: with(func(o *graph.Object) { o.Name, o.UID, o.Version = "b", "a2", "07" })},
			`new store: Objects[1]: pod/ns/b@a2: version: not a decimal number that a store makes: invalid`, "two spellings of one version"},
		{Config{Objects: with(func(o *graph.Object) { o.Name, o.UID, o.Version = "b", "a2", "18446744073709551615" })},
			`new store: Objects[1]: pod/ns/b@a2: version: not a decimal number that a store makes: invalid`, "the counter has to go on"},
	} {
		state, err := New(tc.config)
		switch {
		case tc.want == "" && (err != nil || state == nil):
			t.Errorf("New: %v: %s", err, tc.reason)
		case tc.want != "" && (err == nil || err.Error() != tc.want || state != nil):
			t.Errorf("New: %v, want %q: %s", err, tc.want, tc.reason)
		case strings.Contains(tc.want, "invalid") && !errors.Is(err, graph.ErrInvalid):
			t.Errorf("New: %v is not ErrInvalid: %s", err, tc.reason)
		}
	}
}

// TestRecorded: a state keeps recorded objects unchanged, with wrong references,
// deletion marks and versions. Its counters go on behind them.
func TestRecorded(t *testing.T) {
	const flawed = "node/n@n1#12~[foreground,orphan] -> node/n@n1, job/ns/j@j1!?; pod/ns/a@u2#7~; pod/ns/b@u1#3%9/4"
	s := newState(t, flawed)
	equals(t, s, flawed)
	_, o, err := apart(s.Create(fresh(t, "pod/ns/c")))
	if err != nil || o.UID != "u3" || o.Version != "13" {
		t.Errorf("Create: %v, %v, want UID u3 and version 13: past all that are recorded", o, err)
	}
	s = newState(t, "node/a@u1; node/b@u2#5; node/c@u3")
	equals(t, s, "node/a@u1#6; node/b@u2#5; node/c@u3#7")
}

// TestConfigIsCopied: a state keeps no part of its Config.
func TestConfigIsCopied(t *testing.T) {
	c := Config{
		Kinds:       []graph.KindInfo{{Kind: "node"}},
		Objects:     parse(t, "node/n@n1#3[x] -> node/m@m1"),
		Propagation: map[graph.Kind]graph.Propagation{},
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	c.Kinds[0].Kind, c.Objects[0].Finalizers[0], c.Objects[0].Owners[0].Name = "changed", "changed", "changed"
	c.Propagation["node"] = graph.Orphan
	equals(t, s, "node/n@n1#3[x] -> node/m@m1")
	if _, o, err := apart(s.Delete(key(t, "node/n"), graph.DeleteOptions{})); err != nil || o.Propagation() != graph.Unset {
		t.Errorf("Delete: %v, %v, want the defaults as they were", o, err)
	}
}

// TestUIDs: UIDs are random and independent, except with a UIDPrefix. A user who knows
// one UID cannot predict another UID, not even of a clone.
func TestUIDs(t *testing.T) {
	for _, tc := range []struct {
		prefix string
		same   bool
		reason string
	}{
		{"", false, "a user who can name the next UID can cause the end of the victim's dependents"},
		{"u", true, "a test that steps two clones compares what they have"},
	} {
		s, err := New(Config{Kinds: testKinds, UIDPrefix: tc.prefix})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[graph.UID]bool{}
		for i := range 200 {
			_, other, err := apart(s.Clone().Create(fresh(t, fmt.Sprint("node/n", i))))
			_, o, err2 := apart(s.Create(fresh(t, fmt.Sprint("node/n", i))))
			if err != nil || err2 != nil || seen[o.UID] || (o.UID == other.UID) != tc.same {
				t.Fatalf("Create: %v and of a clone %v, %v, %v: %s", o, other, err, err2, tc.reason)
			}
			seen[o.UID] = true
		}
		if tc.same {
			continue
		}
		for at := range 20 { // 32 letters of 5 bits, and every letter occurs at every place
			letters := map[byte]bool{}
			for u := range seen {
				letters[u[at]] = true
			}
			if len(letters) < 20 {
				t.Errorf("place %d of the UIDs has %d letters in 200: %s", at, len(letters), tc.reason)
			}
		}
	}
}
