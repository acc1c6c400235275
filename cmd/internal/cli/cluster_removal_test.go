package cli

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// newGuarded returns a server with webhooks and a policy. Their kinds take no part in ownership here.
func newGuarded(t *testing.T) *api {
	t.Helper()
	a := newCluster()
	for _, r := range []*resource{
		{group: admissionGroup, version: "v1", kind: "ValidatingWebhookConfiguration", plural: "validatingwebhookconfigurations"},
		{group: admissionGroup, version: "v1", kind: "MutatingWebhookConfiguration", plural: "mutatingwebhookconfigurations"},
		{group: admissionGroup, version: "v1", kind: "ValidatingAdmissionPolicy", plural: "validatingadmissionpolicies"},
		{group: admissionGroup, version: "v1", kind: "ValidatingAdmissionPolicyBinding", plural: "validatingadmissionpolicybindings"},
	} {
		r.objects = map[string]map[string]any{}
		a.resources = append(a.resources, r)
	}
	for _, o := range []struct{ plural, name, fields string }{
		{"validatingwebhookconfigurations", "guard", `"webhooks":[{"name":"other.example.org"},{"name":"v.example.org","failurePolicy":"Fail","sideEffects":"None","clientConfig":{"service":{"namespace":"hooks","name":"net","path":"/v"}}}]`},
		{"mutatingwebhookconfigurations", "changer", `"webhooks":[{"name":"m.example.org","failurePolicy":"Ignore","sideEffects":"Some","clientConfig":{"url":"https://hooks.example.org/m"}}]`},
		{"validatingadmissionpolicies", "policy", `"spec":{"failurePolicy":"Fail","paramKind":{"apiVersion":"vap.example.org/v1","kind":"Limit"}}`},
		{"validatingadmissionpolicybindings", "binding", `"spec":{"paramRef":{"name":"default","parameterNotFoundAction":"Deny"}}`},
	} {
		a.put(o.plural, o.name, "")
		a.whole(o.plural, "/"+o.name, o.fields)
	}
	return a
}

// patched answers each patch and each deletion with an error of the server, or with a Status of success.
func patched(err *apierrors.StatusError, seen func(*http.Request)) func(string, string, *http.Request) http.HandlerFunc {
	return func(verb, _ string, _ *http.Request) http.HandlerFunc {
		if verb != "patch" && verb != "delete" {
			return nil
		}
		return func(w http.ResponseWriter, q *http.Request) {
			if seen != nil {
				seen(q)
			}
			if err == nil {
				writeJSON(w, http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess})
				return
			}
			writeError(w, err)
		}
	}
}

// said is an error of the server with a code and a text.
func said(code int32, reason metav1.StatusReason, text string) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: text}}
}

// TestTryRemoval: the answer to the dry run of a removal names the webhook or the policy that
// refuses the write, with its service.
func TestTryRemoval(t *testing.T) {
	backups := schema.GroupResource{Group: "example.org", Resource: "backups"}
	for _, c := range []struct {
		answer *apierrors.StatusError
		want   []string
		reason string
	}{
		{nil, []string{"example.org/backup: accepted: the server would carry it out\n"}, "nothing refuses it"},
		{said(500, metav1.StatusReasonInternalError, `Internal error occurred: failed calling webhook "v.example.org": failed to call webhook: Post "https://net.hooks.svc:443/v?timeout=10s": service "net" not found`), []string{
			"example.org/backup: refused\n    by the validating webhook v.example.org (configuration guard, service hooks/net:443, failure policy Fail, side effects None)\n",
			`the server: Internal error occurred: failed calling webhook "v.example.org"`,
		}, "the webhook is down"},
		{said(400, metav1.StatusReasonBadRequest, `admission webhook "v.example.org" denied the request: keep it`), []string{"refused\n    by the validating webhook v.example.org", "denied the request: keep it"}, "the webhook says no"},
		{said(400, metav1.StatusReasonBadRequest, `admission webhook "m.example.org" does not support dry run`), []string{
			"not known: a webhook has side effects, so the server sends no dry run to it\n    by the mutating webhook m.example.org (configuration changer, URL https://hooks.example.org/m, failure policy Ignore, side effects Some)\n",
		}, "the webhook has side effects"},
		{said(500, metav1.StatusReasonInternalError, `Internal error occurred: failed calling webhook "gone.example.org": EOF`), []string{"refused\n    by the webhook gone.example.org\n"}, "the configuration is gone"},
		{said(422, metav1.StatusReasonInvalid, `backups.example.org "a" is forbidden: ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request: failed to configure binding: no params found`), []string{
			"refused\n    by the validating admission policy policy (binding binding, parameter vap.example.org/v1 Limit default, if it is missing: Deny, failure policy Fail)\n",
		}, "the parameter of a policy is missing"},
		{said(422, metav1.StatusReasonInvalid, `ValidatingAdmissionPolicy 'gone' with binding 'b' denied request: no`), []string{"by the validating admission policy gone (binding b, its configuration is not known: cannot get validatingadmissionpolicies"}, "the policy is gone meanwhile"},
		{said(403, metav1.StatusReasonForbidden, `policy 'm' with binding 'b' denied request: no`), []string{"by the mutating admission policy m (binding b, its configuration is not known: cannot get mutatingadmissionpolicies"}, "a mutating policy"},
		{said(400, metav1.StatusReasonBadRequest, `admission webhook "v.example.org" denied the request: policy 'policy' with binding 'binding' denied request: no`), []string{"by the validating webhook v.example.org"}, "a webhook repeats the words of a policy"},
		{said(422, metav1.StatusReasonInvalid, `ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request: admission webhook "v.example.org" denied the request`), []string{"by the validating admission policy policy"}, "a policy repeats the words of a webhook"},
		{said(400, metav1.StatusReasonBadRequest, `admission webhook "v.example.org" denied the request: it does not support dry run`), []string{"refused\n    by the validating webhook v.example.org"}, "a webhook repeats the words about a dry run"},
		{said(422, metav1.StatusReasonInvalid, `backups.example.org "a" is forbidden: ValidatingAdmissionPolicy 'policy' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'vap.example.org/v1, Kind=Limit'`), []string{
			"refused\n    by the validating admission policy policy (parameter vap.example.org/v1 Limit, failure policy Fail)\n",
		}, "the definition of a policy's parameters is gone"},
		{said(403, metav1.StatusReasonForbidden, `policy "m" denied request: failed to configure policy`), []string{"by the mutating admission policy m (its configuration is not known: cannot get mutatingadmissionpolicies"}, "a fault of a mutating policy itself"},
		{apierrors.NewForbidden(backups, "ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request", fmt.Errorf(`User "u" cannot patch resource "backups"`)), []string{"not known: the account lacks a right\n"}, "the name of an object repeats the words of a policy"},
		{apierrors.NewForbidden(backups, `a cannot patch resource "b`, fmt.Errorf("the quota refuses it")), []string{"refused\n    the server: "}, "the name of an object repeats the words about a right"},
		{said(422, metav1.StatusReasonInvalid, `Backup.example.org "a" is invalid: spec: Invalid value: "object": ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request`), []string{"refused\n    the server: "}, "a rule of a definition repeats the words of a policy"},
		{said(400, metav1.StatusReasonBadRequest, `admission webhook "`+strings.Repeat("x", 300)+`" denied the request`), []string{"refused\n    the server: "}, "no name of a webhook is that long"},
		{apierrors.NewForbidden(backups, "a", fmt.Errorf(`User "u" cannot patch resource "backups" in API group "example.org"`)), []string{"not known: the account lacks a right\n"}, "no right"},
		{apierrors.NewForbidden(backups, "a", fmt.Errorf("the plugin Quota refuses it")), []string{"refused\n    the server: ", "the plugin Quota refuses it"}, "an admission plugin of the server"},
		{apierrors.NewConflict(backups, "a", fmt.Errorf("it has changed")), []string{"not known: the object changes all the time, or it has ended\n"}, "the object changes with each try"},
		{apierrors.NewServiceUnavailable("down"), []string{"not known: the dry run failed\n    the server: down\n"}, "the server is down"},
		{said(400, metav1.StatusReasonBadRequest, "a\x1b[31m\nb"), []string{"refused\n    the server: a�[31m�b\n"}, "a text that controls a terminal"},
	} {
		a := newGuarded(t)
		a.fault = patched(c.answer, nil)
		checkText(t, c.reason, a.serve(t), []string{"explain", "backup/a", "-n", "old", "--try-removal"}, 3, append(c.want, "dry run of the removal, as this account:\n"), "")
	}
}

// TestTryRemovalRequest: a removal is a dry run under the UID and the version of the object, and
// keeps the other finalizers. An object that is not marked gets none, and no explanation sends one
// without the flag.
func TestTryRemovalRequest(t *testing.T) {
	a := newGuarded(t)
	a.put("backups", "old/two", marked+`,"finalizers":["example.org/backup","example.org/other"]`)
	var seen []string
	a.fault = patched(nil, func(q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		seen = append(seen, q.URL.Query().Get("dryRun")+" "+q.URL.Path+" "+string(body))
	})
	flags := a.serve(t)
	version := a.of("backups").objects["old/two"]["metadata"].(map[string]any)["resourceVersion"].(string)
	const path = "All /apis/example.org/v1/namespaces/old/backups/two "
	state := `[{"op":"replace","path":"/metadata/uid","value":"uid-two"},{"op":"replace","path":"/metadata/resourceVersion","value":"` + version + `"},`
	checkText(t, "two finalizers", flags, []string{"explain", "backup/two", "-n", "old", "--try-removal"}, 3, []string{"example.org/backup: accepted", "example.org/other: accepted"}, "")
	want := []string{
		path + state + `{"op":"replace","path":"/metadata/finalizers","value":["example.org/other"]}]`,
		path + state + `{"op":"replace","path":"/metadata/finalizers","value":["example.org/backup"]}]`,
	}
	if !slices.Equal(seen, want) {
		t.Errorf("the requests:\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	seen = nil
	checkText(t, "the namespace alone has a mark", flags, []string{"explain", "cm/of-a", "-n", "old", "--try-removal"}, 3, []string{"the deletion of the object: accepted"}, "")
	options := `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"uid-of-a","resourceVersion":"` + a.of("configmaps").objects["old/of-a"]["metadata"].(map[string]any)["resourceVersion"].(string) + `"},"propagationPolicy":"Background","dryRun":["All"]}`
	if want := "All /api/v1/namespaces/old/configmaps/of-a " + options; len(seen) != 1 || seen[0] != want {
		t.Errorf("the request is %q, want %q", seen, want)
	}
	seen = nil
	checkText(t, "no mark", flags, []string{"explain", "po/cart-1-y", "--try-removal"}, 0, []string{"dry run of the removal: not sent: neither the object nor its namespace has a deletion mark\n"}, "")
	checkText(t, "a namespace", flags, []string{"explain", "ns/old", "--try-removal"}, 3, []string{"not sent: the object has no finalizer in its metadata\n"}, "")
	checkText(t, "without the flag", flags, []string{"explain", "backup/two", "-n", "old"}, 3, nil, "dry run")
	a.put("apiservices", "v1.example.org", "")
	a.whole("apiservices", "/v1.example.org", `"spec":{"service":{"namespace":"n","name":"s"}}`)
	checkText(t, "a server that may not know dry runs", flags, []string{"explain", "backup/two", "-n", "old", "--try-removal"}, 3, []string{"not sent: the service n/s:443 serves v1.example.org, and may carry out a dry run\n"}, "")
	a = newGuarded(t)
	a.resources = append(a.resources, &resource{group: "policy", version: "v1alpha1", kind: "Quota", plural: "quotas", scoped: true, objects: map[string]map[string]any{}})
	a.put("quotas", "old/q", marked+`,"finalizers":["example.org/q"]`)
	a.put("apiservices", "v1alpha1.policy", "")
	a.whole("apiservices", "/v1alpha1.policy", `"spec":{"service":{"namespace":"n","name":"s"}}`)
	a.fault = patched(nil, func(q *http.Request) { seen = append(seen, q.URL.Path) })
	checkText(t, "a version of a built-in group that not every server has", a.serve(t), []string{"explain", "quota/q", "-n", "old", "--try-removal"}, 3, []string{"not sent: the service n/s:443 serves v1alpha1.policy, and may carry out a dry run\n"}, "")
	if len(seen) > 0 {
		t.Errorf("requests without a reason: %q", seen)
	}
}

// TestTryRemovalPutBack: a mutating webhook puts the finalizer back that a removal takes off. The server
// accepts the write, and it has no effect.
func TestTryRemovalPutBack(t *testing.T) {
	a := newGuarded(t)
	a.fault = func(verb, _ string, _ *http.Request) http.HandlerFunc {
		if verb != "patch" {
			return nil
		}
		return func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{"name": "a", "finalizers": []string{"example.org/backup"}}})
		}
	}
	checkText(t, "a webhook that mutates", a.serve(t), []string{"explain", "backup/a", "-n", "old", "--try-removal"}, 3, []string{
		"  example.org/backup: accepted without an effect: a mutating webhook or policy puts the finalizer back\n",
	}, "would carry it out")
}

// TestTryRemovalBounds: an object with many finalizers gets some dry runs. The rights to read the
// configurations and the API services are named if they are missing.
func TestTryRemovalBounds(t *testing.T) {
	a := newGuarded(t)
	var list []string
	for i := range 2 * maxRemovals {
		list = append(list, fmt.Sprintf(`"example.org/f%d"`, i))
	}
	a.put("backups", "old/many", marked+`,"finalizers":[`+strings.Join(list, ",")+`]`)
	n := 0
	a.fault = patched(nil, func(*http.Request) { n++ })
	flags := a.serve(t)
	checkText(t, "many finalizers", flags, []string{"explain", "backup/many", "-n", "old", "--try-removal"}, 3, []string{"... and 8 finalizers without a dry run\n"}, "")
	if n != maxRemovals {
		t.Errorf("%d dry runs, want %d", n, maxRemovals)
	}
	broken := patched(said(500, metav1.StatusReasonInternalError, `failed calling webhook "v.example.org": EOF`), nil)
	a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
		if strings.HasSuffix(plural, "webhookconfigurations") {
			return failing(verb, plural, forbidden(admissionGroup, plural))(verb, plural, q)
		}
		return broken(verb, plural, q)
	}
	checkText(t, "no right to the configurations", flags, []string{"explain", "backup/a", "-n", "old", "--try-removal"}, 3, []string{
		"by the webhook v.example.org (its configuration is not known: cannot list mutatingwebhookconfigurations: forbidden, cannot list validatingwebhookconfigurations: forbidden)\n",
	}, "")
	a.fault = failing("get", "apiservices", said(404, metav1.StatusReasonNotFound, "404 page not found"))
	checkText(t, "a 404 of a proxy", flags, []string{"explain", "backup/a", "-n", "old", "--try-removal"}, 3, []string{"not sent: whether the server of v1.example.org knows dry runs is not known: cannot get apiservices"}, "")
	a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
		if plural == "backups" && (verb == "get" || q.URL.Query().Has("fieldSelector")) {
			return failing(verb, plural, apierrors.NewForbidden(schema.GroupResource{Group: "example.org", Resource: "backups"}, "", fmt.Errorf(`User "u" cannot list resource "backups"`)))(verb, plural, q)
		}
		return nil
	}
	checkText(t, "no right to read the object again", flags, []string{"explain", "backup/a", "-n", "old", "--try-removal"}, 3, []string{"not known: the account lacks a right\n    the server: backups.example.org is forbidden: "}, "refused")
	a.fault = failing("get", "apiservices", forbidden("apiregistration.k8s.io", "apiservices"))
	checkText(t, "no right to the API services", flags, []string{"explain", "backup/a", "-n", "old", "--try-removal"}, 3, []string{
		"not sent: whether the server of v1.example.org knows dry runs is not known: cannot get apiservices.apiregistration.k8s.io: forbidden\n",
	}, "")
}
