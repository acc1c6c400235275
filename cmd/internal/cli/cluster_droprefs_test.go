package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/droppatch"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/lint"
)

// newLeftOver returns a server with references that an operator left: to another namespace, to an
// owner that was made anew, and of a global object to a namespaced owner. The objects have right
// and doubtful references, too.
func newLeftOver() *api {
	a := newAPI()
	for _, n := range []string{"shop", "olm"} {
		a.put("namespaces", n, "")
	}
	a.put("deployments", "shop/cart", "")
	a.put("deployments", "olm/operator", "")
	a.put("configmaps", "shop/misplaced", both("Deployment", "operator", "uid-operator", "Deployment", "cart", "uid-cart"))
	a.put("configmaps", "shop/anew", both("Deployment", "cart", "uid-cart", "Deployment", "cart", "uid-former"))
	a.put("apiservices", "global", both("Deployment", "operator", "uid-operator", "", "", ""))
	a.put("configmaps", "shop/kept", both("Deployment", "cart", "uid-cart", "", "", ""))
	return a
}

// both is metadata with one or two owners.
func both(kind, name, uid, kind2, name2, uid2 string) string {
	one := func(kind, name, uid string) string {
		return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":%q,"name":%q,"uid":%q}`, kind, name, uid)
	}
	list := one(kind, name, uid)
	if kind2 != "" {
		list += "," + one(kind2, name2, uid2)
	}
	return `"ownerReferences":[` + list + `]`
}

// owners returns the UIDs of the owners of an object.
func (a *api) owners(plural, at string) (list []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	refs, _ := a.of(plural).objects[at]["metadata"].(map[string]any)["ownerReferences"].([]any)
	for _, r := range refs {
		list = append(list, r.(map[string]any)["uid"].(string))
	}
	return list
}

// counted counts the writes: those that the server tried, and the others.
func counted(a *api, fault func(verb, plural string, q *http.Request) http.HandlerFunc) (tried, written *int) {
	tried, written = new(int), new(int)
	a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
		if verb == "patch" {
			a.mu.Lock()
			if q.URL.Query().Get("dryRun") == "All" {
				*tried++
			} else {
				*written++
			}
			a.mu.Unlock()
		}
		if fault != nil {
			return fault(verb, plural, q)
		}
		return nil
	}
	return tried, written
}

// TestPluginLintPatch: the patches are printed as commands, and nothing is written.
func TestPluginLintPatch(t *testing.T) {
	a := newLeftOver()
	tried, written := counted(a, nil)
	flags := a.serve(t)
	got := callPlugin(t, append([]string{"lint", "-A", "--patch"}, flags...)...)
	want := regexp.MustCompile(`patches: 3\nkubectl patch --kubeconfig=\S+ --namespace=shop ConfigMap/anew --type=json '--patch=\[{"op":"test","path":"/metadata/uid","value":"uid-anew"},{"op":"test","path":"/metadata/resourceVersion","value":"[0-9]+"},` +
		`{"op":"test","path":"/metadata/ownerReferences/1/uid","value":"uid-former"},{"op":"remove","path":"/metadata/ownerReferences/1"}\]'\n` +
		`kubectl patch --kubeconfig=\S+ --namespace=shop ConfigMap/misplaced .*"/metadata/ownerReferences/0"}\]'\nkubectl patch --kubeconfig=\S+ APIService.apiregistration.k8s.io/global .*\n$`)
	if got.code != printing.ExitFound || !want.MatchString(got.stdout) || *tried+*written != 0 {
		t.Errorf("exit %d, %d writes\n%s%s", got.code, *tried+*written, got.stdout, got.stderr)
	}
	got = callPlugin(t, append([]string{"lint", "-A", "--patch", "-o", "json"}, flags...)...)
	var out struct {
		Patches []struct{ Object, Command string }
		Left    []json.RawMessage
	}
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil || len(out.Patches) != 3 || out.Left == nil {
		t.Errorf("error %v, exit %d\n%s%s", err, got.code, got.stdout, got.stderr)
	}
	for _, args := range [][]string{{"--at-most", "3"}, {"--apply", "--at-most", "0"}, {"--apply", "-f", "x.yaml"}} {
		if got := callPlugin(t, slices.Concat([]string{"lint", "-A"}, args, flags)...); got.code != printing.ExitUsage {
			t.Errorf("%v: exit %d, %s", args, got.code, got.stderr)
		}
	}
}

// TestApply: exactly the wrong references go, after the server has tried each patch. The bound and
// the namespace leave the others as they are.
func TestApply(t *testing.T) {
	type refs map[string][]string
	all := refs{"misplaced": {"uid-operator", "uid-cart"}, "anew": {"uid-cart", "uid-former"}, "global": {"uid-operator"}, "kept": {"uid-cart"}}
	for _, c := range []struct {
		args           []string
		want           refs // that differ
		tried, written int
		code           int
		text           string
		reason         string
	}{
		{[]string{"-A"}, refs{"misplaced": {"uid-cart"}, "anew": {"uid-cart"}, "global": nil}, 3, 3, 0, "patches: 3\npatched: ConfigMap/shop/anew\npatched: ConfigMap/shop/misplaced\npatched: APIService.apiregistration.k8s.io/global\n", "all"},
		{[]string{"-A", "--at-most", "1"}, refs{"anew": {"uid-cart"}}, 1, 1, 3, "not tried: ConfigMap/shop/misplaced: beyond the 1 patches of --at-most\n", "the bound"},
		{[]string{"-n", "shop"}, refs{"misplaced": {"uid-cart"}, "anew": {"uid-cart"}}, 2, 2, 0, "patches: 2\n", "one namespace"},
		{[]string{"-n", "olm"}, refs{}, 0, 0, 0, "patches: 0\n", "a namespace without a finding"},
	} {
		a := newLeftOver()
		tried, written := counted(a, nil)
		got := callPlugin(t, slices.Concat([]string{"lint", "--apply"}, c.args, a.serve(t))...)
		if got.code != c.code || *tried != c.tried || *written != c.written || !strings.Contains(got.stdout, c.text) {
			t.Errorf("%v: exit %d, want %d; %d tried and %d written: %s\n%s%s", c.args, got.code, c.code, *tried, *written, c.reason, got.stdout, got.stderr)
		}
		for name, before := range all {
			plural, at := "configmaps", "shop/"+name
			if name == "global" {
				plural, at = "apiservices", "/global"
			}
			want, changed := c.want[name]
			if !changed {
				want = before
			}
			if owners := a.owners(plural, at); !slices.Equal(owners, want) {
				t.Errorf("%v: %s has the owners %v, want %v", c.args, name, owners, want)
			}
		}
	}
}

// TestApplyRefused: a refusal in the dry run stops all patches. A changed object stops its own.
func TestApplyRefused(t *testing.T) {
	refuse := func(err *apierrors.StatusError) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { writeError(w, err) }
	}
	for _, c := range []struct {
		fault   func(a *api, verb, plural string, q *http.Request) http.HandlerFunc
		written int
		text    string
		failed  string
		reason  string
	}{
		{func(_ *api, verb, plural string, _ *http.Request) http.HandlerFunc {
			if verb == "patch" && plural == "apiservices" {
				return refuse(forbidden("", plural))
			}
			return nil
		}, 0, "not tried: ConfigMap/shop/anew: the server refuses another patch\n", "3 patches: not applied", "a right is missing"},
		{func(a *api, verb, plural string, q *http.Request) http.HandlerFunc {
			if verb == "patch" && strings.HasSuffix(q.URL.Path, "/anew") && q.URL.Query().Get("dryRun") != "" {
				return func(w http.ResponseWriter, q *http.Request) {
					a.put("configmaps", "shop/anew", both("Deployment", "cart", "uid-cart", "Deployment", "cart", "uid-former"))
					a.patch(w, q, a.of("configmaps"), "shop/anew", "anew")
				}
			}
			return nil
		}, 2, "conflict: ConfigMap/shop/anew: the object has changed since it was listed\n", "1 patch: not applied", "a client wrote before the dry run"},
		{func(a *api, verb, plural string, q *http.Request) http.HandlerFunc {
			if verb == "patch" && strings.HasSuffix(q.URL.Path, "/anew") && q.URL.Query().Get("dryRun") == "" {
				return func(w http.ResponseWriter, q *http.Request) {
					a.remove("configmaps", "shop/anew")
					a.patch(w, q, a.of("configmaps"), "shop/anew", "anew")
				}
			}
			return nil
		}, 3, "conflict: ConfigMap/shop/anew: the object has changed", "1 patch: not applied", "the object goes after the dry run"},
		{func(_ *api, verb, plural string, q *http.Request) http.HandlerFunc {
			if verb == "patch" && strings.HasSuffix(q.URL.Path, "/anew") && q.URL.Query().Get("dryRun") == "" {
				return refuse(apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", "a webhook says no", 0, false))
			}
			return nil
		}, 3, "refused: ConfigMap/shop/anew: ", "1 patch: not applied", "a webhook without a dry run"},
		{func(_ *api, verb, plural string, q *http.Request) http.HandlerFunc {
			if verb == "patch" && strings.HasSuffix(q.URL.Path, "/anew") {
				return refuse(apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "anew", fmt.Errorf("a webhook says no")))
			}
			return nil
		}, 0, "refused: ConfigMap/shop/anew: ", "3 patches: not applied", "a webhook refuses with the code of a conflict"},
		{func(_ *api, verb, plural string, q *http.Request) http.HandlerFunc {
			if verb == "patch" && strings.HasSuffix(q.URL.Path, "/anew") {
				return refuse(apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "shop"))
			}
			return nil
		}, 0, "refused: ConfigMap/shop/anew: namespaces \"shop\" not found\n", "3 patches: not applied", "the object is in no namespace"},
		{func(a *api, verb, plural string, q *http.Request) http.HandlerFunc {
			if verb == "patch" && strings.HasSuffix(q.URL.Path, "/anew") {
				return func(w http.ResponseWriter, q *http.Request) { a.get(w, q, a.of(plural), "shop/anew", "anew") }
			}
			return nil
		}, 0, "refused: ConfigMap/shop/anew: accepted without an effect: a mutating webhook or policy puts the reference back\n", "3 patches: not applied", "a webhook puts the reference back"},
	} {
		a := newLeftOver()
		_, written := counted(a, func(verb, plural string, q *http.Request) http.HandlerFunc { return c.fault(a, verb, plural, q) })
		got := callPlugin(t, append([]string{"lint", "-A", "--apply"}, a.serve(t)...)...)
		if got.code != printing.ExitFailed || *written != c.written || !strings.Contains(got.stdout, c.text) || !strings.Contains(got.stderr, c.failed) {
			t.Errorf("%s: exit %d, %d written, want %d and %q\n%s%s", c.reason, got.code, *written, c.written, c.text, got.stdout, got.stderr)
		}
	}
}

// TestApplyForeign: a server behind an API service may take a dry run for a write, so it gets no
// request. The patches for other servers go on.
func TestApplyForeign(t *testing.T) {
	for _, c := range []struct {
		arrange         func(a *api)
		text            string
		tried           int
		written, failed int
		reason          string
	}{
		{func(a *api) {
			a.put("apiservices", "v1.example.org", "")
			a.whole("apiservices", "/v1.example.org", `"spec":{"service":{"namespace":"n","name":"s"}}`)
		}, "not tried: Backup.example.org/shop/left: no dry run is safe: the service n/s:443 serves v1.example.org, and may carry out a dry run\n", 3, 3, 1, "an aggregated server"},
		{func(a *api) {
			a.fault = failing("get", "apiservices", forbidden("apiregistration.k8s.io", "apiservices"))
		}, "not tried: Backup.example.org/shop/left: no dry run is safe: whether the server of v1.example.org knows dry runs is not known", 2, 2, 2, "the right to read API services is missing"},
		{func(*api) {}, "patched: Backup.example.org/shop/left\n", 4, 4, 0, "the server itself"},
	} {
		a := newLeftOver()
		a.put("backups", "shop/left", both("Deployment", "operator", "uid-operator", "", "", ""))
		c.arrange(a)
		fault := a.fault
		tried, written := counted(a, fault)
		got := callPlugin(t, append([]string{"lint", "-A", "--apply"}, a.serve(t)...)...)
		failed := strings.Count(got.stdout, "not tried: ")
		if !strings.Contains(got.stdout, c.text) || *tried != c.tried || *written != c.written || failed != c.failed || (got.code == printing.ExitFailed) != (c.failed > 0) {
			t.Errorf("%s: exit %d, %d tried, %d written, %d failed, want %d, %d, %d and %q\n%s%s", c.reason, got.code, *tried, *written, failed, c.tried, c.written, c.failed, c.text, got.stdout, got.stderr)
		}
	}
}

// TestApplyReadsAgain: the place of each owner is read again before a patch. An owner that came, or
// that cannot be read, keeps its reference.
func TestApplyReadsAgain(t *testing.T) {
	for _, c := range []struct {
		answer func(a *api, w http.ResponseWriter, q *http.Request)
		left   []string
		reason string
	}{
		{func(a *api, w http.ResponseWriter, q *http.Request) {
			a.put("deployments", "shop/operator", `"uid":"uid-operator"`)
			a.remove("deployments", "olm/operator")
			a.list(w, q, a.of("deployments"), "shop")
		}, []string{"uid-operator", "uid-cart"}, "the owner came to the namespace"},
		{func(_ *api, w http.ResponseWriter, _ *http.Request) { writeError(w, forbidden("", "deployments")) }, []string{"uid-operator", "uid-cart"}, "the place cannot be read"},
	} {
		a := newLeftOver()
		_, written := counted(a, func(verb, plural string, q *http.Request) http.HandlerFunc {
			if verb == "list" && plural == "deployments" && q.URL.Query().Get("fieldSelector") == "metadata.name=operator" {
				return func(w http.ResponseWriter, q *http.Request) { c.answer(a, w, q) }
			}
			return nil
		})
		got := callPlugin(t, append([]string{"lint", "-n", "shop", "--apply"}, a.serve(t)...)...)
		if owners := a.owners("configmaps", "shop/misplaced"); !slices.Equal(owners, c.left) {
			t.Errorf("%s: owners %v, want %v; exit %d, %d written\n%s%s", c.reason, owners, c.left, got.code, *written, got.stdout, got.stderr)
		}
	}
}

// TestApplyReadsNewReference: a read proves the absence of those UIDs alone that were known before it.
// Between two reads for a proof an owner comes, and an object gets a reference to it. The reference is
// right, and stays.
func TestApplyReadsNewReference(t *testing.T) {
	a := newLeftOver()
	a.put("configmaps", "shop/d", both("Deployment", "k", "uid-1", "", "", ""))
	a.put("configmaps", "shop/e", `"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"d","uid":"uid-former"}]`)
	reads := map[string]int{}
	first := make(chan struct{}) // closed when the owner's place was read without it
	counted(a, func(verb, plural string, q *http.Request) http.HandlerFunc {
		selector := q.URL.Query().Get("fieldSelector")
		if verb != "list" || selector == "" {
			return nil
		}
		a.mu.Lock()
		reads[plural+" "+selector]++
		k, d := reads["deployments metadata.name=k"], reads["configmaps metadata.name=d"]
		a.mu.Unlock()
		switch {
		case selector == "metadata.name=k" && k == 2:
			return func(w http.ResponseWriter, q *http.Request) {
				a.list(w, q, a.of(plural), "shop")
				close(first)
			}
		case selector == "metadata.name=d" && d == 2:
			return func(w http.ResponseWriter, q *http.Request) {
				<-first
				a.put("deployments", "shop/k", `"uid":"uid-2"`)
				a.put("configmaps", "shop/d", both("Deployment", "k", "uid-2", "", "", ""))
				a.list(w, q, a.of(plural), "shop")
			}
		}
		return nil
	})
	got := callPlugin(t, append([]string{"lint", "-n", "shop", "--apply"}, a.serve(t)...)...)
	if owners := a.owners("configmaps", "shop/d"); !slices.Equal(owners, []string{"uid-2"}) || reads["configmaps metadata.name=d"] < 2 {
		t.Errorf("owners %v, want uid-2; %v; exit %d\n%s%s", owners, reads, got.code, got.stdout, got.stderr)
	}
}

// TestRemaining: a finding counts unless it is about a reference that a patch has dropped. The
// findings beyond the bound of a report count, too.
func TestRemaining(t *testing.T) {
	a := graph.Key{Kind: "Pod", Scope: "s", Name: "a", UID: "a"}
	b := graph.Key{Kind: "Pod", Scope: "s", Name: "b", UID: "b"}
	drops := []lint.Drop{{Object: a, Indexes: []int{1}}, {Object: b, Indexes: []int{0}}}
	answer := droppatch.Answer{Patches: []droppatch.Patch{{Result: wasPatched}, {Result: conflict}}}
	for _, c := range []struct {
		report lint.Report
		want   int
		reason string
	}{
		{lint.Report{Findings: []lint.Finding{{Object: a, Field: "owners[1].scope"}, {Object: a, Field: "owners[1].block"}}}, 0, "the reference is gone"},
		{lint.Report{Findings: []lint.Finding{{Object: a, Field: "owners[11].scope"}, {Object: a, Field: "owners"}}}, 2, "other fields of the object"},
		{lint.Report{Findings: []lint.Finding{{Object: b, Field: "owners[0].uid"}}}, 1, "a patch without effect"},
		{lint.Report{Counts: []lint.Count{{Found: 5, LeftOut: 3}}}, 3, "findings that the report does not have"},
	} {
		if got := remaining(c.report, drops, &answer); got != c.want {
			t.Errorf("%d, want %d: %s", got, c.want, c.reason)
		}
	}
}
