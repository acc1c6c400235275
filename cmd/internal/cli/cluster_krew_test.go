package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"text/template"

	"sigs.k8s.io/yaml"
)

// TestKrew: the template of krew's entry, filled in as a release does it, is an entry with an
// archive and a checksum for each platform.
func TestKrew(t *testing.T) {
	fill := func(address, tag string) (string, error) {
		var out bytes.Buffer
		in, err := template.New("address").Parse(address)
		if err == nil {
			err = in.Execute(&out, map[string]string{"TagName": tag})
		}
		return fmt.Sprintf("uri: %s\n    sha256: %s", &out, strings.Repeat("ab", 32)), err
	}
	entry, err := template.New(".krew.yaml").Funcs(template.FuncMap{"addURIAndSha": fill}).ParseFiles("../../kubectl-ownergraph/.krew.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := entry.Execute(&text, map[string]string{"TagName": "v1.2.3"}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			Version, ShortDescription, Description, Homepage string
			Platforms                                        []struct {
				Selector         struct{ MatchLabels map[string]string }
				URI, SHA256, Bin string
			}
		}
	}
	if err := yaml.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	s := got.Spec
	if got.Kind != "Plugin" || got.Metadata.Name != "ownergraph" || s.Version != "v1.2.3" || s.Homepage == "" || s.Description == "" || s.ShortDescription == "" || len(s.Platforms) < 4 {
		t.Errorf("the entry is %+v", got)
	}
	for _, p := range s.Platforms {
		system, machine := p.Selector.MatchLabels["os"], p.Selector.MatchLabels["arch"]
		if !strings.HasSuffix(p.URI, "/v1.2.3/kubectl-ownergraph-"+system+"-"+machine+".tar.gz") || len(p.SHA256) != 64 || !strings.HasPrefix(p.Bin, "kubectl-ownergraph") {
			t.Errorf("the platform is %+v", p)
		}
	}
}
