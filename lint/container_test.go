package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// TestAbsentContainer: an object has a finding if the list of all containers of scopes lacks its
// own. The declaration of a kind makes it a container, and its name does not.
func TestAbsentContainer(t *testing.T) {
	house := func(k graph.Kind, listed bool, members graph.Membership) lint.Kind {
		return lint.Kind{KindInfo: graph.KindInfo{Kind: k, Container: graph.Container{Members: members, Actor: "the keeper"}}, Listed: listed, Reason: "forbidden"}
	}
	whole := house("house", true, graph.ScopeMembers)
	for _, c := range []struct {
		objects string
		kinds   []lint.Kind
		want    string
		reason  string
	}{
		{"house/s; pod/s/a", []lint.Kind{whole}, "", "the scope has its container"},
		{"house/s; pod/t/a", []lint.Kind{whole}, "OG031 pod/t/a scope: kept for ever", "no container has the name of the scope"},
		{"pod/t/a", []lint.Kind{whole}, "OG031 pod/t/a scope: kept for ever", "a complete list without an object shows the same"},
		{"house/s; pod/t/a -> node/n; node/n", []lint.Kind{whole}, "OG031 pod/t/a scope: kept while an owner lives", "the fate is that by the owners"},
		{"house/s; pod/t/a~[known]", []lint.Kind{whole}, "OG021 pod/t/a deleting: is being deleted|OG031 pod/t/a scope: is being deleted", "a mark does not create the container"},
		{"house/s; node/n", []lint.Kind{whole}, "", "a global object needs no container"},
		{"house/s; pod/t/a", []lint.Kind{house("house", false, graph.ScopeMembers)}, "", "a part of the containers proves no absence"},
		{"pod/t/a", nil, "", "the store declares no container"},
		{"namespace/s; pod/t/a", []lint.Kind{{KindInfo: graph.KindInfo{Kind: "namespace"}, Listed: true}}, "", "the name of a kind declares nothing"},
		{"house/s; pod/t/a", []lint.Kind{house("house", true, graph.KindMembers)}, "", "the container of kinds is none of scopes"},
		{"house/s; tent/t; pod/t/a; pod/u/a", []lint.Kind{whole, house("tent", true, graph.ScopeMembers)}, "OG031 pod/u/a scope: kept for ever", "each of two kinds has containers"},
		{"house/s; pod/u/a", []lint.Kind{whole, house("tent", false, graph.ScopeMembers)}, "", "the other kind may have the container"},
	} {
		in := input(t, c.objects)
		in.Kinds = append(in.Kinds, c.kinds...)
		r, err := lint.Check(in, lint.Config{Handlers: []string{"known"}})
		if got := strings.Join(brief(r), "|"); err != nil || got != c.want {
			t.Errorf("%s: %s: error %v\ngot  %s\nwant %s", c.objects, c.reason, err, got, c.want)
		}
	}
	in := input(t, "pod/t/a")
	in.Kinds = append(in.Kinds, whole, house("tent", true, graph.ScopeMembers))
	r, err := lint.Check(in, lint.Config{})
	if want := `No house or tent has the name of the object's scope, "t".`; err != nil || len(r.Findings) != 1 || r.Findings[0].Message != want {
		t.Errorf("error %v, report %s, want the message %s", err, r, want)
	}
	slices.Reverse(in.Kinds)
	if again, err := lint.Check(in, lint.Config{}); err != nil || again.String() != r.String() {
		t.Errorf("in another order of kinds: error %v, %s", err, again)
	}
}

// TestMembersLeft: an old mark of a container has its members and their actor as its cause.
func TestMembersLeft(t *testing.T) {
	house := lint.Kind{KindInfo: graph.KindInfo{Kind: "house", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the keeper", Finalizer: "keeper"}}, Listed: true}
	const age = "The age of the deletion mark is not known."
	for _, c := range []struct{ objects, want, reason string }{
		{"house/s~[keeper]; pod/s/a; rs/s/b; pod/s/c -> pod/s/a", age + ` It keeps the finalizer "keeper". Its members remain (3), and the keeper deletes them.`, "three members"},
		{"house/s~[keeper]; house/t; pod/t/a", age + ` It keeps the finalizer "keeper".`, "the members are gone"},
	} {
		in := input(t, c.objects)
		in.Kinds = append(in.Kinds, house)
		r, err := lint.Check(in, lint.Config{})
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Message != c.want {
			t.Errorf("%s: %s: error %v\n%s, want\n%s", c.objects, c.reason, err, r, c.want)
		}
	}
}
