package clientgo

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// TestIgnore: a resource may stand for its kind, as in the settings of the collector of
// kube-controller-manager.
func TestIgnore(t *testing.T) {
	for _, c := range []struct {
		ignore []graph.Kind
		want   string
		reason string
	}{
		{nil, "[Pod apps/Deployment apps/Pod x.example/pods]", "nothing"},
		{[]graph.Kind{"pods"}, "[apps/Deployment apps/Pod x.example/pods]", "a resource of the core group alone"},
		{[]graph.Kind{"deployments.apps"}, "[Pod apps/Pod x.example/pods]", "a resource of another group"},
		{[]graph.Kind{graph.Kind(schema.GroupResource{Group: "x.example", Resource: "pods"}.String())}, "[Pod apps/Deployment apps/Pod]", "as client-go writes it"},
		{[]graph.Kind{"apps/Pod", "Pod"}, "[apps/Deployment x.example/pods]", "kinds"},
		{[]graph.Kind{"deployments", "Deployment", "pods.core"}, "[Pod apps/Deployment apps/Pod x.example/pods]", "the group has to be right"},
		{[]graph.Kind{"apps/*"}, "[Pod x.example/pods]", "a group"},
	} {
		kinds := []*fakeKind{
			{kind: "Pod", plural: "pods", versions: []string{"v1"}},
			{group: "apps", kind: "Deployment", plural: "deployments", versions: []string{"v1"}},
			{group: "apps", kind: "Pod", plural: "pods", versions: []string{"v1"}},
			{group: "x.example", kind: "pods", plural: "pods", versions: []string{"v1"}},
		}
		bubble(t, newFake(kinds...), Config{Ignore: append([]graph.Kind{}, c.ignore...)}, func(r *rig) {
			found, err := r.store.discover(r.t.Context(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			var got []graph.Kind
			for _, i := range found.infos {
				got = append(got, i.Kind)
			}
			slices.Sort(got)
			if fmt.Sprint(got) != c.want {
				t.Errorf("%s: %v, want %s", c.reason, got, c.want)
			}
		})
	}
}
