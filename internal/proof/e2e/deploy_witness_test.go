package e2e

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	authentication "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

// witness sees the requests of a user as the server's authorizer does.
type witness struct {
	mu        sync.Mutex
	seen      map[ask]bool // that the server allowed
	forbidden []string
	cut       bool // no request reaches the server
}

// ask is what a request asks of the authorizer. Without a resource it asks for the path.
type ask struct{ verb, group, resource, part, namespace, name, path string }

func (a ask) attributes() authorizer.Attributes {
	return authorizer.AttributesRecord{
		Verb: a.verb, APIGroup: a.group, Resource: a.resource, Subresource: a.part,
		Namespace: a.namespace, Name: a.name, ResourceRequest: a.resource != "", Path: a.path,
	}
}

// witnessed is a transport whose requests a witness sees.
type witnessed struct {
	*witness
	next http.RoundTripper
}

// WrappedRoundTripper returns the transport below.
func (w witnessed) WrappedRoundTripper() http.RoundTripper { return w.next }

// RoundTrip sends a request on.
func (w witnessed) RoundTrip(r *http.Request) (*http.Response, error) {
	factory := request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	info, err := factory.NewRequestInfo(r)
	if err != nil {
		return nil, err
	}
	if w.isCut() {
		return nil, errCut
	}
	response, err := w.next.RoundTrip(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
	case response.StatusCode == http.StatusForbidden || response.StatusCode == http.StatusUnauthorized:
		w.forbidden = append(w.forbidden, fmt.Sprintf("%d %s %s", response.StatusCode, r.Method, r.URL))
	default:
		a := ask{info.Verb, info.APIGroup, info.Resource, info.Subresource, info.Namespace, info.Name, info.Path}
		if !info.IsResourceRequest {
			a.resource = ""
		}
		w.seen[a] = true
	}
	return response, err
}

var errCut = errors.New("the program is killed")

func (w *witness) isCut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut
}

// requests returns the allowed requests, and faults the forbidden ones.
func (w *witness) requests(t *testing.T) map[ask]bool {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.forbidden) > 0 {
		t.Errorf("forbidden: %q", w.forbidden)
	}
	return maps.Clone(w.seen)
}

// writes returns the verbs and resources of the requests that write.
func (w *witness) writes(t *testing.T) []string {
	out := map[string]bool{}
	for r := range w.requests(t) {
		if !slices.Contains([]string{"get", "list", "watch"}, r.verb) {
			out[r.verb+" "+r.resource] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// serviceAccount returns the config of the ServiceAccount of the manifests, with a token of the
// server. Its requests are seen by the witness.
func (w *world) serviceAccount() (*rest.Config, *witness) { return w.accountIn(home) }

// accountIn is serviceAccount for manifests in another namespace.
func (w *world) accountIn(ns string) (*rest.Config, *witness) {
	w.t.Helper()
	accounts := kubernetes.NewForConfigOrDie(w.server.Admin()).CoreV1().ServiceAccounts(ns)
	answer, err := accounts.CreateToken(w.ctx, home, &authentication.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	c, seen := w.server.Admin(), &witness{seen: map[ask]bool{}}
	c.BearerToken = answer.Status.Token
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return witnessed{seen, next} })
	return c, seen
}

// part is a role with the namespace of its binding, "" for all.
type part struct {
	name, namespace string
	rules           []rbacv1.PolicyRule
}

// parts returns the roles of a rendering.
func (r rendered) parts(t *testing.T) (out []part) {
	t.Helper()
	for _, u := range r {
		if kind := u.GetKind(); kind == "ClusterRole" || kind == "Role" {
			var o rbacv1.ClusterRole
			r.one(t, kind, u.GetName(), &o)
			out = append(out, part{u.GetName(), u.GetNamespace(), o.Rules})
		}
	}
	return out
}

// allows reports whether a role grants a request.
func (p part) allows(a ask) bool {
	return (p.namespace == "" || p.namespace == a.namespace) && rbac.RulesAllow(a.attributes(), p.rules...)
}

// without returns the role without one verb of one rule.
func (p part) without(rule int, verb string) part {
	p.rules = slices.Clone(p.rules)
	p.rules[rule].Verbs = slices.DeleteFunc(slices.Clone(p.rules[rule].Verbs), func(v string) bool { return v == verb })
	return p
}

func allowed(parts []part, a ask) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.allows(a) })
}

// unneeded returns the verbs that no request needs: without the verb the roles grant the same
// requests. A role for one namespace is judged alone, since the rights to observe may be
// narrowed to some resources.
func unneeded(parts []part, used map[ask]bool) (out []string) {
	for i, p := range parts {
		for j, rule := range p.rules {
			for _, verb := range rule.Verbs {
				all, less := []part{p}, []part{p.without(j, verb)}
				if p.namespace == "" {
					all, less = parts, slices.Concat(parts[:i], less, parts[i+1:])
				}
				needs := func(a ask) bool { return allowed(all, a) && !allowed(less, a) }
				if !slices.ContainsFunc(slices.Collect(maps.Keys(used)), needs) {
					out = append(out, fmt.Sprintf("%s: %s %s", p.name, verb, strings.Join(append(rule.Resources, rule.NonResourceURLs...), " ")))
				}
			}
		}
	}
	return out
}

// exact demands that the roles grant each request, and that some request needs each verb of each
// role. Every user may ask for the own rights.
func (r rendered) exact(t *testing.T, used map[ask]bool) {
	t.Helper()
	parts := r.parts(t)
	maps.DeleteFunc(used, func(a ask, _ bool) bool { return a.resource == "selfsubjectaccessreviews" })
	for a := range used {
		if !allowed(parts, a) {
			t.Errorf("no role grants %+v", a)
		}
	}
	if list := unneeded(parts, used); len(list) > 0 {
		t.Errorf("no request needs %q", list)
	}
}

// TestUnneeded: the check of the manifests finds a verb that no request needs.
func TestUnneeded(t *testing.T) {
	on := func(resource string, verbs ...string) []rbacv1.PolicyRule {
		return []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{resource}, Verbs: verbs}}
	}
	used := map[ask]bool{
		{verb: "get", resource: "pods", namespace: "x"}: true, {verb: "get", resource: "pods", namespace: "z"}: true,
		{verb: "create", resource: "events", namespace: "x"}: true,
	}
	for _, c := range []struct {
		parts  []part
		want   string
		reason string
	}{
		{[]part{{"a", "", on("*", "get")}, {"b", "", on("events", "create")}}, "", "each verb is needed"},
		{[]part{{"a", "", on("*", "get", "list")}, {"b", "", on("events", "create")}}, "a: list *", "no request lists"},
		{[]part{{"a", "", on("*", "get", "create")}, {"b", "", on("events", "create")}}, "a: create * b: create events", "either of two roles suffices"},
		{[]part{{"a", "", on("*", "get", "create")}, {"b", "x", on("pods", "get")}}, "", "a role of one namespace stands alone"},
		{[]part{{"a", "", on("*", "get", "create")}, {"b", "y", on("pods", "get")}}, "b: get pods", "a role of another namespace grants nothing here"},
	} {
		if got := strings.Join(unneeded(c.parts, used), " "); got != c.want {
			t.Errorf("unneeded %q, want %q: %s", got, c.want, c.reason)
		}
	}
}
