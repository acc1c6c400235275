package dump

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// TestAnnotation: an object has the references of its annotation behind its owner references. A value
// that cannot be read is a fault of its object alone. A manifest shows it as a finding.
func TestAnnotation(t *testing.T) {
	const reference = `{"apiVersion":"apps/v1","kind":"Deployment","name":"cart","uid":"d","onDelete":"cascade","blockOwnerDeletion":true}`
	value := func(name, list string) string {
		return fmt.Sprintf("%q", `{"dependent":{"kind":"Pod","namespace":"shop","name":"`+name+`"},"references":[`+list+`]}`)
	}
	for _, c := range []struct{ annotation, owners, flaw, finding, reason string }{
		{value("a", reference), "Node/n@n Deployment.apps/shop/cart@d:cascade", "", "", "a reference with a policy"},
		{value("b", reference), "Node/n@n", "", "", "a copy of another object's value"},
		{`7`, "Node/n@n flaw", "owners[1]: read annotation ownergraph.github.io/owner-references: no text", "no text", "a server has only texts there"},
		{`"{"`, "Node/n@n flaw", "owners[1]: read annotation ownergraph.github.io/owner-references: text: ", "text: ", "no JSON"},
		{value("a", strings.Replace(reference, "cart", "a b", 1)), "Node/n@n flaw", "references[0].name: \"a b\": a character that no name has", "references[0].name", "a name that no object has"},
		{value("a", strings.Replace(reference, "apps/v1", "a/b/c", 1)), "Node/n@n flaw", "references[0].apiVersion: ", "references[0].apiVersion", "a version that is none"},
	} {
		input := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop","uid":"p","annotations":{"x.io/y":"z","Ownergraph.github.io/owner-references":"no","ownergraph.github.io/owner-references":` + c.annotation + `},
			"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"n"}]}}`
		content, err := Read(strings.NewReader(input), "dump")
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		o := content.Objects[0]
		var owners []string
		for _, r := range o.Owners {
			if r.Flawed() {
				owners = append(owners, "flaw")
				continue
			}
			owners = append(owners, strings.TrimSuffix(fmt.Sprintf("%s@%s:%s", r.Text(), r.UID, r.OnDelete), ":unset"))
		}
		flaw := graph.Flaw(o, graph.Limits{})
		if strings.Join(owners, " ") != c.owners || (flaw == nil) != (c.flaw == "") || flaw != nil && !strings.Contains(flaw.Error(), c.flaw) {
			t.Errorf("%s: owners %q, flaw %v, want %s and %q", c.reason, owners, flaw, c.owners, c.flaw)
		}
		for _, k := range content.Unlisted {
			if k.Kind == graph.KindFlawed {
				t.Errorf("%s: the flaw is a kind", c.reason)
			}
		}
		report, err := lint.Check(content.Lint(content.MarkedAt[o.Key], nil), lint.Config{})
		if err != nil || strings.Contains(report.String(), "OG016") != (c.flaw != "") {
			t.Errorf("%s: the report is %s, %v", c.reason, report, err)
		}
		files, err := ReadManifests(strings.NewReader(input), "files")
		if err != nil {
			t.Fatal(err)
		}
		found, err := lint.CheckManifests(files, lint.Config{})
		if err != nil || c.finding != "" && !strings.Contains(found.String(), c.finding) {
			t.Errorf("%s: the findings in files are %s, %v", c.reason, found, err)
		}
	}
}
