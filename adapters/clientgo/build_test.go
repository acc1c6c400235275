package clientgo

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
)

func TestBuildCatalog(t *testing.T) {
	all := []string{"delete", "list", "watch"}
	res := func(name, kind string, scoped bool, verbs ...string) metav1.APIResource {
		return metav1.APIResource{Name: name, Kind: kind, Namespaced: scoped, Verbs: verbs}
	}
	for _, c := range []struct {
		reason string
		found  discovered
		ignore []graph.Kind
		want   string
	}{
		{"the preferred version, though it is not the first", discovered{"g": {
			{version: "v1beta1", resources: []metav1.APIResource{res("as", "A", true, all...)}},
			{version: "v1", preferred: true, resources: []metav1.APIResource{res("as", "A", true, all...)}},
		}}, nil, "g/A=g/v1/as scoped"},
		{"a version that has all it takes, if the preferred one has not", discovered{"g": {
			{version: "v1", preferred: true, resources: []metav1.APIResource{res("as", "A", false, "get", "list")}},
			{version: "v0", resources: []metav1.APIResource{res("as", "A", false, all...)}},
		}}, nil, "g/A=g/v0/as"},
		{"no parts of resources, and none that lack a verb", discovered{"": {{version: "v1", preferred: true, resources: []metav1.APIResource{
			res("pods", "Pod", true, all...), res("pods/status", "Pod", true, all...), res("bindings", "Binding", true, "create"),
		}}}}, nil, "Pod=/v1/pods scoped"},
		{"kinds and groups that are ignored", discovered{
			"":  {{version: "v1", preferred: true, resources: []metav1.APIResource{res("pods", "Pod", true, all...), res("events", "Event", true, all...)}}},
			"m": {{version: "v1", preferred: true, resources: []metav1.APIResource{res("as", "A", true, all...)}}},
		}, []graph.Kind{"Event", "m/*"}, "Pod=/v1/pods scoped"},
		{"events that are not ignored may not own", discovered{
			"": {{version: "v1", preferred: true, resources: []metav1.APIResource{res("events", "Event", true, all...)}}},
		}, []graph.Kind{}, "Event=/v1/events scoped no-owner"},
		{"of two resources of one kind, the first", discovered{"g": {{version: "v1", preferred: true, resources: []metav1.APIResource{
			res("as", "A", true, all...), res("bs", "A", true, all...),
		}}}}, nil, "g/A=g/v1/as scoped"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			got := buildCatalog(c.found, undiscovered{}, nil, newIgnored(c.ignore))
			var lines []string
			for _, i := range got.infos {
				at := got.kinds[i.Kind].at
				line := string(i.Kind) + "=" + at.Group + "/" + at.Version + "/" + at.Resource
				if i.Scoped {
					line += " scoped"
				}
				if i.NoOwner {
					line += " no-owner"
				}
				lines = append(lines, line)
			}
			if s := strings.Join(lines, ", "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}
