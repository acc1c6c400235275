package dump

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// TestReadManifests: objects need no UID, and a wrong field is a finding with its place.
func TestReadManifests(t *testing.T) {
	const owners = `"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"cart","blockOwnerDeletion":true}]`
	const cart = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"cart","namespace":"shop"}}`
	const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.x.io"},"spec":{"group":"x.io","scope":"Cluster","names":{"kind":"Widget"}}}`
	pod := func(namespace, more string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"` + namespace + `"` + more + `}}`
	}
	for _, c := range []struct{ input, want, reason string }{
		{pod("shop", ","+owners) + cart, "", "the owner is beside the object"},
		{`{"apiVersion":"v1","kind":"List","items":[` + pod("shop", ","+owners) + "," + cart + "]}", "", "a list"},
		{pod("shop", ","+owners), "OG002 warning Pod/shop/a: owners[0].name: The files do not have the owner Deployment.apps/cart, and it may exist.\n", "the owner may exist"},
		{pod("other", ","+owners) + cart, "OG006 error Pod/other/a: owners[0].scope: The owner Deployment.apps/cart is in the scope \"shop\", and the object's scope is \"other\".\n" +
			"OG019 warning Pod/other/a: owners[0].block: The reference does not lead to an owner, so no deletion waits for the object.\n", "another namespace"},
		{`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n",` + owners + `}}` + cart, "OG011 error Node/n: owners[0].scope: A global object cannot have an owner of the scoped kind \"Deployment.apps\".\n" +
			"OG019 warning Node/n: owners[0].block: The reference does not lead to an owner, so no deletion waits for the object.\n", "a global object"},
		{definition + `{"apiVersion":"x.io/v1","kind":"Widget","metadata":{"name":"w",` + owners + `}}` + cart, "OG011 error Widget.x.io/w: owners[0].scope: A global object cannot have an owner of the scoped kind \"Deployment.apps\".\n" +
			"OG019 warning Widget.x.io/w: owners[0].block: The reference does not lead to an owner, so no deletion waits for the object.\n", "the files define the scope of the kind"},
		{`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"r","namespace":"shop"}}` +
			`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"r","ownerReferences":[{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","name":"r"}]}}`,
			"", "a server drops the namespace of a global object"},
		{`{"apiVersion":"x.io/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"}}` + definition + pod("shop", `,"ownerReferences":[{"apiVersion":"x.io/v1","kind":"Widget","name":"w"}]`),
			"", "the definition counts, also behind an object with a namespace"},
		{`{"kind":"Pod","metadata":{"name":"a"}}`, "OG016 error \"\"/a: apiVersion: files, document 1: apiVersion: missing.\n", "no apiVersion"},
		{`{"apiVersion":"v1","metadata":{"name":"a"}}`, "OG016 error \"\"/a: kind: files, document 1: kind: missing.\n", "no kind"},
		{cart + `{"apiVersion":"v1","kind":"Pod"}`, "OG016 error Pod/\"\": name: files, document 2: name: missing.\n", "no name"},
		{`{"apiVersion":"v1","kind":"List","items":[` + cart + `,{"apiVersion":"v1","kind":"Pod"}]}`, "OG016 error Pod/\"\": name: files, document 1, items[1]: name: missing.\n", "the item of a list"},
		{`{"apiVersion":"batch/v1","kind":"Job","metadata":{"generateName":"run-"}}`, "", "the server completes the name"},
		{pod("shop", `,"ownerReferences":[{"kind":"Deployment","name":"a b"}]`), "OG016 error Pod/shop/a: owners[0].apiVersion: files, document 1: owners[0].apiVersion: missing.\n" +
			"OG016 error Pod/shop/a: owners[0].name: files, document 1: owners[0].name: \"a b\": a character that no name has.\n", "a malformed reference"},
		{pod("shop", `,"finalizers":["x.io/y","a b"]`), "OG016 error Pod/shop/a: finalizers[1]: files, document 1: The finalizer \"a b\" has a character that no finalizer has.\n", "a malformed finalizer"},
	} {
		m, err := ReadManifests(strings.NewReader(c.input), "files")
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		r, err := lint.CheckManifests(m, lint.Config{})
		if err != nil || r.String() != c.want {
			t.Errorf("%s: error %v, report\n%s, want\n%s", c.reason, err, r, c.want)
		}
	}
	for _, c := range []struct{ input, want string }{
		{"{", "read files: document 1, byte 1: truncated: unexpected EOF"},
		{"", "read files: no object in 0 documents"},
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"name":1}}`, "read files: document 1 (Pod.v1), byte 51: metadata.name: want text, have number"},
		{`{"kind":"Pod","kind":"Pod"}`, `read files: document 1 (Pod), byte 19: kind: given twice`},
	} {
		if _, err := ReadManifests(strings.NewReader(c.input), "files"); err == nil || !strings.Contains(err.Error(), strings.SplitN(c.want, " (", 2)[0]) {
			t.Errorf("%s: %v, want %s", c.input, err, c.want)
		}
	}
	if _, err := ReadManifests(io.MultiReader(strings.NewReader(cart), failing{}), "files"); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader that fails: %v", err)
	}
	m, err := ReadManifests(strings.NewReader(definition+cart), "files")
	want := []graph.Kind{"apiextensions.k8s.io/CustomResourceDefinition", "apps/Deployment", "x.io/Widget"}
	var got []graph.Kind
	for _, k := range m.Kinds {
		got = append(got, k.Kind)
	}
	if err != nil || !slices.Equal(got, want) || m.Kinds[2].Definition != "widgets.x.io" {
		t.Errorf("kinds %v, error %v", m.Kinds, err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

// FuzzManifests: no input stops a check of files, with a store beside them or without. A finding
// is one line.
func FuzzManifests(f *testing.F) {
	f.Add(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"s","finalizers":["x"],"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"b","controller":true}]}}`, true)
	f.Add(`{"kind":"List","items":[{"metadata":{"generateName":"a","ownerReferences":[{},{"apiVersion":"/","kind":"*","name":"b","uid":"u"}]}}]}`, false)
	f.Fuzz(func(t *testing.T, text string, beside bool) {
		m, err := ReadManifests(strings.NewReader(text), "files")
		if err != nil {
			return
		}
		if beside {
			m.Store = &lint.Input{Kubernetes: true, Kinds: []lint.Kind{{KindInfo: graph.KindInfo{Kind: "apps/Deployment", Scoped: true}, Listed: true}}}
		}
		if _, err := m.MissingPlaces(); err != nil && !errors.Is(err, graph.ErrInvalid) {
			t.Fatal(err)
		}
		r, err := lint.CheckManifests(m, lint.Config{})
		if err != nil && !errors.Is(err, graph.ErrInvalid) {
			t.Fatal(err)
		}
		if n := strings.Count(r.String(), "\n"); n != len(r.Findings) {
			t.Fatalf("%d findings in %d lines:\n%s", len(r.Findings), n, r)
		}
	})
}
