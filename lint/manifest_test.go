package lint_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// files returns the manifests of a text in the notation of graph.Parse. The UID "-" stands for
// none, also in a reference.
func files(t *testing.T, text string, store *lint.Input) lint.Manifests {
	t.Helper()
	m := lint.Manifests{Store: store}
	for i, o := range parsed(t, text) {
		o.UID = bare(o.UID)
		for j := range o.Owners {
			o.Owners[j].UID = bare(o.Owners[j].UID)
		}
		m.Objects = append(m.Objects, lint.Manifest{Object: lint.Object{Object: o}, At: fmt.Sprint("file, document ", i+1)})
	}
	for _, k := range standard() {
		if store == nil && !strings.HasSuffix(string(k.Kind), "/*") {
			m.Kinds = append(m.Kinds, k.KindInfo)
		}
	}
	return m
}

func bare(u graph.UID) graph.UID {
	if u == "-" {
		return ""
	}
	return u
}

func parsed(t *testing.T, text string) []graph.Object {
	t.Helper()
	list, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// stored returns a store with a container kind.
func stored(t *testing.T, text string) *lint.Input {
	in := input(t, text)
	in.Kinds = append(in.Kinds, lint.Kind{KindInfo: graph.KindInfo{Kind: "house", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the keeper"}}, Listed: true})
	return &in
}

func check(t *testing.T, m lint.Manifests, cfg lint.Config) string {
	t.Helper()
	r, err := lint.CheckManifests(m, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(brief(r), "|")
}

// TestManifests: each row has files, and the store beside them. The findings need no UID.
func TestManifests(t *testing.T) {
	const none = "no store"
	for _, c := range []struct{ objects, store, want, reason string }{
		{"pod/s/a@- -> pod/s/b@-!^; pod/s/b@-", none, "", "the owner is in the files"},
		{"pod/s/a@- -> pod/s/b@-", "house/s; pod/s/b@u", "", "the owner is in the store"},
		{"pod/s/a@- -> pod/s/b@u", "house/s; pod/s/b@u", "", "the reference has the UID of the store"},
		{"pod/s/a@- -> node/n@-", "house/s; node/n@u", "", "a global owner"},
		{"pod/s/a@- -> pod/s/b@-", none, "OG002 pod/s/a owners[0].name", "the owner may exist"},
		{"pod/s/a@- -> pod/s/b@-", "house/s", "OG001 pod/s/a owners[0].name", "neither the files nor the store have it"},
		{"pod/s/a@- -> secret/s/b@-", "house/s", "OG002 pod/s/a owners[0].name", "the store does not list the kind"},
		{"pod/s/a@- -> pod/s/b@v", "house/s; pod/s/b@u", "OG001 pod/s/a owners[0].uid", "the owner was made anew"},
		{"pod/s/a@- -> pod/s/b@v; pod/s/b@u", none, "OG001 pod/s/a owners[0].uid", "the files contradict each other"},
		{"pod/s/a@- -> pod/t/b@-; pod/t/b@-", none, "OG006 pod/s/a owners[0].scope", "the owner is in another scope"},
		{"pod/s/a@- -> pod/s/b@-!", "house/s; pod/t/b@u", "OG006 pod/s/a owners[0].scope|OG019 pod/s/a owners[0].block", "so no deletion waits"},
		{"pod/s/a@- -> pod/s/c@u", "house/s; pod/s/b@u", "OG007 pod/s/a owners[0].name", "the UID is that of another name"},
		{"pod/s/a@- -> pod/s/b@u", "house/s; rs/s/b@u", "OG005 pod/s/a owners[0].kind", "the UID is that of another kind"},
		{"pod/s/a@- -> pod/s/b@u", "house/s; house/t; pod/t/b@u", "OG006 pod/s/a owners[0].scope", "the UID is in another scope"},
		{"node/n@- -> pod/s/a@-; pod/s/a@-", none, "OG011 node/n owners[0].scope", "a global dependent of a scoped owner"},
		{"pod/s/a@- -> pod/s/b@-^, node/n@-^; pod/s/b@-; node/n@-", none, "OG015 pod/s/a owners[1].controller", "two controllers"},
		{"pod/s/a@- -> pod/s/a@-", none, "OG012 pod/s/a owners[0].uid", "a self-reference"},
		{"pod/s/a@- -> node/n@-, node/n@-; node/n@-", none, "OG013 pod/s/a owners[1].uid", "the same reference twice"},
		{"pod/s/a@- -> node/n@u, node/m@u; node/n@u", none, "OG014 pod/s/a owners[1].uid", "one UID at two places"},
		{"pod/s/a@- -> event/s/e@-; event/s/e@-", none, "OG008 pod/s/a owners[0].kind", "an event may not own"},
		{"pod/s/a@- -> x/s/b@-", "house/s", "OG009 pod/s/a owners[0].kind", "the store does not serve the kind"},
		{"pod/s/a@- -> x/s/b@-", none, "OG002 pod/s/a owners[0].kind", "the scope of the kind is not known"},
		{"pod/s/a@- -> x/s/b@-; x/s/b@-", none, "", "a kind of unknown scope with its object beside"},
		{"pod/s/a@- -> x/s/b@-; x/b@-", none, "OG002 pod/s/a owners[0].kind", "the scope of the kind is not known, and its object has none"},
		{"node/m@- -> node/n@-; node/s/n@-", none, "", "a server drops the scope of a global object"},
		{"pod/s/a@- -> node/n@-; node/t/n@-", "house/s", "", "so its scope needs no container"},
		{`pod/s/a@- -> "lost/P"/s/b@-`, "house/s", "OG002 pod/s/a owners[0].kind", "the store may serve the group"},
		{`pod/s/a@- -> "apps/dep"/s/b@-; "apps/Dep"/s/b@-`, "house/s", "OG010 pod/s/a owners[0].kind", "Kubernetes takes small letters"},
		{"pod/t/a@-", "house/s", "OG031 pod/t/a scope", "neither has the container of the scope"},
		{"pod/t/a@-; house/t@-", "house/s", "", "the files have the container"},
		{"pod/s/a@-[foreground,orphan]", none, "OG023 pod/s/a finalizers", "both propagations"},
		{"pod/s/a@-[example.org/f,cleanup]", none, "OG032 pod/s/a finalizers[1]", "a finalizer without a domain"},
		{`pod/s/a@-["a/b/c"]`, none, "OG016 pod/s/a finalizers[0]", "no server takes the form"},
	} {
		var store *lint.Input
		if c.store != none {
			store = stored(t, c.store)
		}
		got := strings.ReplaceAll(check(t, files(t, c.objects, store), lint.Config{}), ": unset", "")
		got = strings.ReplaceAll(got, `@""`, "")
		if got != c.want {
			t.Errorf("%s beside %s: %s\ngot  %s\nwant %s", c.objects, c.store, c.reason, got, c.want)
		}
	}
}

// TestManifestFlaws: a missing field is a finding that names its place, and the rest is judged.
func TestManifestFlaws(t *testing.T) {
	m := files(t, "pod/s/a@- -> pod/s/b@-^, node/n@-^", nil)
	o := &m.Objects[0]
	o.Kind, o.Flaws = "", []lint.FieldFlaw{{Field: "kind", Cause: "kind: missing"}}
	m.Objects = append(m.Objects, lint.Manifest{Object: lint.Object{Object: graph.Object{Key: graph.Key{Kind: "node", Scope: "s", Name: "n"}}}, At: "file, document 2"})
	r, err := lint.CheckManifests(m, lint.Config{})
	want := "OG015 error \"\"/s/a: owners[1].controller: owners[0] is the controller already.\n" +
		"OG016 error \"\"/s/a: kind: file, document 1: kind: missing.\n"
	if err != nil || r.String() != want {
		t.Errorf("error %v, report\n%s, want\n%s", err, r, want)
	}
}

// TestManifestScope: an object of a scoped kind without a scope is in the scope of the caller. If
// that is not known, an owner in a scope may be the right one.
func TestManifestScope(t *testing.T) {
	for _, c := range []struct{ scope, want, reason string }{
		{"s", "", "both are in one scope"},
		{"t", "OG006 error pod/t/a: owners[0].scope: The owner rs/b is in the scope \"s\", and the object's scope is \"t\".\n", "the scopes differ"},
		{"", "OG006 warning pod/a: owners[0].scope: The object names no scope, and the owner rs/b is in the scope \"s\".\n", "the scope is not known"},
	} {
		m := files(t, "pod/s/a@- -> rs/s/b@-; rs/s/b@-", nil)
		m.Objects[0].Scope, m.Scope = "", c.scope
		r, err := lint.CheckManifests(m, lint.Config{})
		if err != nil || r.String() != c.want {
			t.Errorf("%q: error %v, report %s, want %s: %s", c.scope, err, r, c.want, c.reason)
		}
	}
}

// TestManifestsMissing: the places to read again are those of absent owners and containers.
func TestManifestsMissing(t *testing.T) {
	m := files(t, "pod/t/a@- -> pod/t/b@-, node/n@-, secret/t/c@-, x/t/d@-, pod/t/e@-; pod/t/e@-; pod/t/f@- -> pod/t/b@-", stored(t, "house/s; node/n"))
	got, err := m.MissingPlaces()
	want := []graph.Key{{Kind: "house", Name: "t"}, {Kind: "pod", Scope: "t", Name: "b"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("error %v, missing %v, want %v", err, got, want)
	}
	if n := m.WithoutUID(); n != 6 {
		t.Errorf("%d references without a UID, want 6", n)
	}
}

// TestManifestBounds: a list and a bound leave findings out, and the report counts them.
func TestManifestBounds(t *testing.T) {
	ignore, err := lint.ParseIgnore("OG001 pod/s/b\n")
	if err != nil {
		t.Fatal(err)
	}
	m := files(t, "pod/s/a@- -> pod/s/x@-; pod/s/b@- -> pod/s/x@-; pod/s/c@- -> pod/s/x@-", stored(t, "house/s"))
	many := lint.Manifest{Object: lint.Object{Object: graph.Object{Key: graph.Key{Kind: "node", Name: "n"}, Owners: slices.Repeat([]graph.Owner{{}}, 5000)}}}
	m.Objects = append(m.Objects, many)
	r, err := lint.CheckManifests(m, lint.Config{PerCode: 1, Ignore: ignore})
	want := []lint.Count{{Code: lint.MissingOwner, Found: 3, Ignored: 1, LeftOut: 1}, {Code: lint.Malformed, Found: 1}}
	if err != nil || !slices.Equal(r.Counts, want) {
		t.Errorf("error %v, counts %v, want %v", err, r.Counts, want)
	}
}

func TestManifestErrors(t *testing.T) {
	for _, c := range []struct {
		edit   func(*lint.Manifests)
		want   string
		reason string
	}{
		{func(m *lint.Manifests) { m.Objects[1].Name = "a" }, "check file, document 2: name: a second object at the place of file, document 1", "a place has one object"},
		{func(m *lint.Manifests) { m.Kinds[0].Kind = "" }, "check kinds of the files: kind: empty", "a kind has a name"},
		{func(m *lint.Manifests) { m.Store = &lint.Input{Kinds: make([]lint.Kind, 1)} }, "check kinds[0]: kind: empty", "the store has a fault"},
	} {
		m := files(t, "pod/s/a@-; pod/s/b@-", nil)
		c.edit(&m)
		if _, err := lint.CheckManifests(m, lint.Config{}); !errors.Is(err, graph.ErrInvalid) || err.Error() != c.want+": invalid" {
			t.Errorf("error %v, want %s: %s", err, c.want, c.reason)
		}
		if _, err := m.MissingPlaces(); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("missing: %v: %s", err, c.reason)
		}
	}
	m := files(t, "pod/s/a@-; pod/s/b@-", nil)
	m.Objects[0].Generated, m.Objects[1].Generated, m.Objects[1].Name = true, true, "a"
	if _, err := lint.CheckManifests(m, lint.Config{}); err != nil {
		t.Errorf("two objects whose names the store completes: %v", err)
	}
}

// TestFinalizerForms: a finalizer is a name, or a domain and a name.
func TestFinalizerForms(t *testing.T) {
	for _, c := range []struct{ finalizer, want, reason string }{
		{"example.org/Back_up.1", "", "a domain and a name"},
		{graph.FinalizerForeground, "", "a finalizer of a propagation"},
		{"kubernetes", "OG032", "only the spec of a namespace has it"},
		{"", "OG016", "no text"},
		{"/a", "OG016", "no domain"}, {"a.io/", "OG016", "no name"}, {"a.io/b/c", "OG016", "two slashes"},
		{"A.io/b", "OG016", "a domain has small letters"}, {"a.io/-b", "OG016", "a dash at the begin"}, {"a.io/b c", "OG016", "a blank"},
		{"a.io/" + strings.Repeat("b", 64), "OG016", "a long name"}, {strings.Repeat("a", 254) + "/b", "OG016", "a long domain"},
	} {
		m := files(t, "pod/s/a@-", nil)
		m.Objects[0].Finalizers = []string{c.finalizer}
		got := check(t, m, lint.Config{Handlers: []string{"example.org/Back_up.1"}})
		if code, _, _ := strings.Cut(got, " "); code != c.want {
			t.Errorf("%q: %s, want %s: %s", c.finalizer, got, c.want, c.reason)
		}
	}
}

// TestManifestDefinitions: the definition of a kind counts before the guess of another file, in any
// order of the files. The definition may serve a version that the store does not serve yet.
func TestManifestDefinitions(t *testing.T) {
	guess, defined := graph.KindInfo{Kind: "w", Scoped: true}, graph.KindInfo{Kind: "w", Definition: "ws"}
	for _, kinds := range [][]graph.KindInfo{{guess, defined}, {defined, guess}} {
		m := files(t, "node/n@- -> w/v@-; w/s/v@-", nil)
		m.Kinds = append(m.Kinds, kinds...)
		if got := check(t, m, lint.Config{}); got != "" {
			t.Errorf("%v: %s", kinds, got)
		}
	}
	store := stored(t, "house/s; w/v@u")
	store.Kinds = append(store.Kinds, lint.Kind{KindInfo: graph.KindInfo{Kind: "w"}, Versions: []string{"v1"}, Listed: true})
	m := files(t, "pod/s/a@- -> w/v@-", store)
	m.Objects[0].OwnerVersions = []string{"v2"}
	if got := check(t, m, lint.Config{}); !strings.HasPrefix(got, "OG003") {
		t.Errorf("a version that is not served: %q", got)
	}
	m.Kinds = append(m.Kinds, defined)
	if got := check(t, m, lint.Config{}); got != "" {
		t.Errorf("the files define the kind: %s", got)
	}
	if got := store.Kinds[len(store.Kinds)-1].Versions; len(got) != 1 {
		t.Errorf("the input has changed: %v", got)
	}
}
