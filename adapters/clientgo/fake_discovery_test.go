package clientgo

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
)

// serveDiscovery answers discovery. The answer is aggregated if the fake supports it
// and the client accepts it.
func (f *fake) serveDiscovery(w http.ResponseWriter, r *http.Request, parts []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	core := parts[0] == "api"
	if len(parts) > 1 {
		f.serveVersion(w, parts)
		return
	}
	if strings.Contains(r.Header.Get("Accept"), "apidiscovery.k8s.io") && !f.legacy {
		w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		out := apidiscovery.APIGroupDiscoveryList{}
		for _, g := range f.groups(core) {
			out.Items = append(out.Items, f.aggregated(g))
		}
		body, err := json.Marshal(out)
		if err != nil {
			panic(err)
		}
		_, _ = w.Write(body)
		return
	}
	if core {
		fakenet.WriteJSON(w, http.StatusOK, metav1.APIVersions{Versions: []string{"v1"}})
		return
	}
	out := metav1.APIGroupList{}
	for _, g := range f.groups(false) {
		group := metav1.APIGroup{Name: g}
		for _, v := range f.versionsOf(g) {
			group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: g + "/" + v, Version: v})
		}
		group.PreferredVersion = group.Versions[0]
		out.Groups = append(out.Groups, group)
	}
	fakenet.WriteJSON(w, http.StatusOK, out)
}

// groups returns the served groups: the core group, or all others.
func (f *fake) groups(core bool) []string {
	var out []string
	for _, k := range f.kinds {
		if (k.group == "") == core && k.discovered() && !slices.Contains(out, k.group) {
			out = append(out, k.group)
		}
	}
	return out
}

func (f *fake) versionsOf(group string) []string {
	var out []string
	for _, k := range f.kinds {
		for _, v := range k.versions {
			if k.group == group && k.discovered() && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

func (f *fake) aggregated(group string) apidiscovery.APIGroupDiscovery {
	out := apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: group}}
	for _, v := range f.versionsOf(group) {
		item := apidiscovery.APIVersionDiscovery{Version: v, Freshness: apidiscovery.DiscoveryFreshnessCurrent}
		for _, r := range f.resourcesOf(group, v) {
			scope := apidiscovery.ScopeCluster
			if r.Namespaced {
				scope = apidiscovery.ScopeNamespace
			}
			item.Resources = append(item.Resources, apidiscovery.APIResourceDiscovery{
				Resource: r.Name, Verbs: r.Verbs, Scope: scope,
				ResponseKind: &metav1.GroupVersionKind{Group: group, Version: v, Kind: r.Kind},
			})
		}
		if f.discover != nil && f.discover(group) != nil {
			item.Freshness, item.Resources = apidiscovery.DiscoveryFreshnessStale, nil
		}
		out.Versions = append(out.Versions, item)
	}
	return out
}

func (f *fake) resourcesOf(group, version string) []metav1.APIResource {
	var out []metav1.APIResource
	for _, k := range f.kinds {
		if k.group != group || !k.discovered() || !slices.Contains(k.versions, version) {
			continue
		}
		verbs := k.verbs
		if verbs == nil {
			verbs = []string{"create", "delete", "get", "list", "patch", "update", "watch"}
		}
		out = append(out, metav1.APIResource{Name: k.plural, Kind: k.kind, Namespaced: k.scoped, Verbs: verbs})
	}
	return out
}

func (f *fake) serveVersion(w http.ResponseWriter, parts []string) {
	group, version := "", parts[1]
	if parts[0] == "apis" {
		group, version = parts[1], parts[2]
	}
	if f.discover != nil && f.discover(group) != nil {
		fakenet.WriteError(w, apierrors.NewServiceUnavailable("the group is down"))
		return
	}
	gv := version
	if group != "" {
		gv = group + "/" + version
	}
	fakenet.WriteJSON(w, http.StatusOK, metav1.APIResourceList{GroupVersion: gv, APIResources: f.resourcesOf(group, version)})
}
