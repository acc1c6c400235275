package clientgo

import (
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
)

// wholeObject is a definition or an API service with its spec and status.
type wholeObject struct {
	meta
	Spec   map[string]any `json:"spec"`
	Status map[string]any `json:"status"`
}

// wantsWhole reports whether a request is for more than metadata.
func wantsWhole(r *http.Request) bool {
	return !strings.Contains(r.Header.Get("Accept"), "PartialObject")
}

// serveWholeList answers with whole objects, the one such list that the store reads.
func (f *fake) serveWholeList(w http.ResponseWriter, k *fakeKind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := struct {
		metav1.TypeMeta
		metav1.ListMeta `json:"metadata"`
		Items           []wholeObject `json:"items"`
	}{TypeMeta: metav1.TypeMeta{APIVersion: k.group + "/v1", Kind: k.kind + "List"}}
	for _, o := range k.sorted() {
		out.Items = append(out.Items, f.whole(k, o))
	}
	fakenet.WriteJSON(w, http.StatusOK, out)
}

// whole returns an object with its spec. The spec follows from the object's name and
// the kinds of the fake.
func (f *fake) whole(k *fakeKind, o *meta) wholeObject {
	out := wholeObject{meta: *o.DeepCopy()}
	out.TypeMeta = metav1.TypeMeta{APIVersion: k.group + "/v1", Kind: k.kind}
	if k.plural == "pods" {
		out.APIVersion, out.Spec = "v1", map[string]any{"containers": []any{}}
		if seconds, is := f.podGrace[o.Name]; is {
			out.Spec["terminationGracePeriodSeconds"] = seconds
		}
		return out
	}
	name, group, _ := strings.Cut(o.Name, ".")
	if k.plural == servicesAt().Resource {
		out.Spec = map[string]any{"group": group, "version": name}
		if f.remote[group] {
			out.Spec["service"] = map[string]any{"name": "there", "namespace": "n"}
		}
		if why, is := f.down[o.Name]; is {
			out.Status = map[string]any{"conditions": []any{map[string]any{"type": "Available", "status": "False", "reason": why}}}
		}
		return out
	}
	out.Spec, out.Status = f.definition(schema.GroupResource{Group: group, Resource: name})
	return out
}

// definition returns the spec and status of the definition of one of the fake's kinds.
// The names of any other definition are not accepted.
func (f *fake) definition(at schema.GroupResource) (spec, status map[string]any) {
	i := slices.IndexFunc(f.kinds, func(k *fakeKind) bool { return k.group == at.Group && k.plural == at.Resource })
	if i < 0 {
		return map[string]any{"group": at.Group, "names": map[string]any{"plural": at.Resource, "kind": "Other"}},
			map[string]any{"conditions": []any{map[string]any{"type": "NamesAccepted", "status": "False"}}}
	}
	k := f.kinds[i]
	scope, versions := "Cluster", []any{}
	if k.scoped {
		scope = "Namespaced"
	}
	for _, v := range k.versions {
		versions = append(versions, map[string]any{"name": v, "served": !k.hidden})
	}
	return map[string]any{"group": k.group, "scope": scope, "names": map[string]any{"plural": k.plural, "kind": k.kind}, "versions": versions},
		map[string]any{"conditions": []any{map[string]any{"type": "NamesAccepted", "status": "True"}, map[string]any{"type": "Established", "status": "True"}}}
}
