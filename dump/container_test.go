package dump

import (
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// TestContainers: namespaces and definitions are containers, and a kind names its definition.
func TestContainers(t *testing.T) {
	const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.x.io","uid":"d"},
		"spec":{"group":"x.io","names":{"kind":"Widget","plural":"widgets"}}}`
	const widget = `{"apiVersion":"x.io/v1","kind":"Widget","metadata":{"name":"w","namespace":"n","uid":"w"}}`
	const namespace = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","uid":"n"}}`
	infos := map[graph.Kind]graph.KindInfo{}
	for _, k := range mustRead(t, definition+widget+namespace).Kinds {
		infos[k.Kind] = k
	}
	for _, c := range []struct {
		kind       graph.Kind
		members    graph.Membership
		definition string
		reason     string
	}{
		{"Namespace", graph.ScopeMembers, "", "it takes its content along"},
		{"apiextensions.k8s.io/CustomResourceDefinition", graph.KindMembers, "", "it takes its instances along"},
		{"x.io/Widget", graph.MembershipUnset, "widgets.x.io", "the dump has its definition"},
	} {
		if k := infos[c.kind]; k.Container.Members != c.members || k.Definition != c.definition {
			t.Errorf("%s: %+v: %s", c.kind, k, c.reason)
		}
	}
	if k := mustRead(t, widget).Kinds[0]; k.Definition != "" {
		t.Errorf("%+v: the dump lacks the definition", k)
	}
	if _, err := Read(strings.NewReader(strings.Replace(definition, `"x.io"`, "1", 1)), "input"); err == nil || !strings.Contains(err.Error(), "spec.group: want text, have number") {
		t.Errorf("a group that is no text: %v", err)
	}
}

// TestAbsentNamespace: lint finds an object of a namespace that the dump shows as absent. A dump
// with a part of the namespaces, or with none of them, shows the absence of none.
func TestAbsentNamespace(t *testing.T) {
	const namespace = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other","uid":"n"}}`
	all := []graph.KindInfo{{Kind: "Namespace"}}
	for _, c := range []struct {
		input   string
		listed  []graph.KindInfo
		partial []graph.Kind
		want    string
		reason  string
	}{
		{pod("a") + namespace, nil, nil, `OG031: No Namespace has the name of the object's scope, "n". kept for ever`, "the dump lists the namespaces"},
		{pod("a") + namespace, nil, []graph.Kind{"Namespace"}, "", "the dump may lack namespaces"},
		{pod("a"), nil, nil, "", "the dump has no namespace"},
		{pod("a"), all, nil, `OG031: No Namespace has the name of the object's scope, "n". kept for ever`, "the caller knows that there is none"},
	} {
		content, err := mustRead(t, c.input).WithListed(c.listed)
		if err != nil {
			t.Fatal(err)
		}
		r, err := lint.Check(content.Lint(time.Time{}, c.partial), lint.Config{})
		got := ""
		for _, f := range r.Findings {
			got += f.Code.String() + ": " + f.Message + " " + f.Fate.String()
		}
		if err != nil || got != c.want {
			t.Errorf("%s: error %v, %s, want %s", c.reason, err, got, c.want)
		}
	}
}
