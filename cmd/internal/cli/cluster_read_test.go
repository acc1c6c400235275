package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestReads: tree, plan, explain, lint and top list each kind once, and send no other request
// for objects.
func TestReads(t *testing.T) {
	a := newCluster()
	flags := a.serve(t)
	a.remove("configmaps", "shop/left-behind")
	a.remove("configmaps", "shop/of-secret")
	for _, args := range [][]string{{"tree", "deploy/cart"}, {"plan", "deploy/cart"}, {"explain", "deploy/cart"}, {"lint", "-A"}, {"top", "-A"}} {
		a.mu.Lock()
		a.calls = nil
		a.mu.Unlock()
		callPlugin(t, append(args, flags...)...)
		a.mu.Lock()
		got := slices.Clone(a.calls)
		a.mu.Unlock()
		slices.Sort(got)
		var want []string
		for _, r := range a.resources {
			want = append(want, "list "+r.plural)
			if r.plural == "apiservices" || r.plural == "customresourcedefinitions" { // they complete discovery, too
				want = append(want, "list "+r.plural)
			}
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%v: requests %v, want %v", args, got, want)
		}
	}
}

// TestMissingRights: a kind that the user may not list is named, with the facts that stay
// unknown. Its owners are unknown in every answer, and never gone.
func TestMissingRights(t *testing.T) {
	a := newCluster()
	a.fault = failing("list", "secrets", forbidden("", "secrets"))
	flags := a.serve(t)
	const kind = "cannot list secrets: forbidden"
	for _, c := range []struct {
		args   []string
		code   int
		want   []string
		never  string
		reason string
	}{
		{[]string{"explain", "cm/of-secret"}, 3, []string{kind, "whether Secret/shop/token exists, the owner of ConfigMap/shop/of-secret", "Owner Secret/shop/token is not known: the owner's kind is not listed yet.\n"}, "gone", "the owner is unknown"},
		{[]string{"explain", "cm/of-secret", "-o", "json"}, 3, []string{kind, `"class": "unknown"`}, `"dangling"`, "in JSON too"},
		{[]string{"tree", "cm/of-secret"}, 0, []string{kind, "whether Secret/shop/token exists"}, "absent", "the tree names the kind"},
		{[]string{"plan", "cm/of-secret"}, 0, []string{kind}, "gone", "the plan names the kind"},
		{[]string{"lint"}, 3, []string{kind, "OG002 warning ConfigMap/shop/of-secret: "}, "OG001 error ConfigMap/shop/of-secret", "the finding is a doubt"},
		{[]string{"top"}, 0, []string{kind}, "Secret/shop/token  gone", "the owner is no cascade"},
	} {
		got := callPlugin(t, append(c.args, flags...)...)
		text := reported(got.stdout) + got.stdout
		if got.code != c.code || got.stderr != "" || strings.Contains(text, c.never) {
			t.Errorf("%v: exit %d, want %d without %q: %s\n%s%s", c.args, got.code, c.code, c.never, c.reason, got.stdout, got.stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%v: %q is missing: %s\n%s", c.args, want, c.reason, got.stdout)
			}
		}
	}
	got := callPlugin(t, append([]string{"tree", "cm/of-secret", "-o", "dot"}, flags...)...)
	if got.code != 0 || !strings.HasPrefix(got.stdout, "digraph") || !strings.Contains(got.stderr, kind) {
		t.Errorf("a picture: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestOneNamespace: a user with the right to list in one namespace alone gets an explanation
// of its objects, and of the namespace itself.
func TestOneNamespace(t *testing.T) {
	a := newCluster()
	a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
		if verb == "list" && !strings.Contains(q.URL.Path, "/namespaces/old/") {
			return func(w http.ResponseWriter, _ *http.Request) { writeError(w, forbidden("", plural)) }
		}
		return nil
	}
	flags := append(a.serve(t), "-n", "old")
	got := callPlugin(t, append([]string{"explain", "ns/old"}, flags...)...)
	for _, want := range []string{"finalizer example.org/backup has to take it off 2 objects", "and 1 more kind outside of the namespace old: forbidden", "cannot list namespaces: forbidden"} {
		if got.code != 3 || !strings.Contains(got.stdout, want) {
			t.Errorf("exit %d, want %q\n%s%s", got.code, want, got.stdout, got.stderr)
		}
	}
	got = callPlugin(t, append([]string{"tree", "backup/a"}, flags...)...)
	if got.code != 0 || !strings.Contains(got.stdout, "ConfigMap/old/of-a") {
		t.Errorf("tree: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestNoRights: lint and top fail without the right to list any kind of the question, and name the
// kinds. Otherwise they count the unread kinds.
func TestNoRights(t *testing.T) {
	denied := func(allowed ...string) func(verb, plural string, q *http.Request) http.HandlerFunc {
		return func(verb, plural string, q *http.Request) http.HandlerFunc {
			if verb != "list" || slices.Contains(allowed, plural) || slices.Contains(allowed, "in old") && strings.Contains(q.URL.Path, "/namespaces/old/") {
				return nil
			}
			return func(w http.ResponseWriter, _ *http.Request) { writeError(w, forbidden("", plural)) }
		}
	}
	for _, c := range []struct {
		allowed []string
		args    []string
		code    int
		want    string
		reason  string
	}{
		{nil, []string{"lint"}, printing.ExitFailed, "nothing was read: cannot list ", "no right at all"},
		{nil, []string{"lint", "-A", "-o", "json"}, printing.ExitFailed, "nothing was read: cannot list ", "in JSON too"},
		{nil, []string{"top"}, printing.ExitFailed, "nothing was read: cannot list ", "no cascade is known"},
		{nil, []string{"top", "-A", "-o", "json"}, printing.ExitFailed, "nothing was read: cannot list ", "in JSON too"},
		{[]string{"namespaces"}, []string{"lint", "-n", "shop"}, printing.ExitFailed, "nothing was read: cannot list ", "no object in the namespace"},
		{[]string{"namespaces"}, []string{"top", "-A"}, printing.ExitDone, "Namespace/old", "the namespaces are known"},
		{[]string{"replicasets"}, []string{"top", "-n", "shop"}, printing.ExitDone, "no deletion is under way (", "a part was read"},
		{[]string{"replicasets"}, []string{"lint", "-n", "old"}, printing.ExitDone, "no findings\n5 of 6 kinds were not read\n", "a part was read"},
		{[]string{"in old"}, []string{"lint", "-n", "old"}, printing.ExitFound, "\n3 warnings in 3 objects\nnot known:\n", "everything in the namespace was read"},
	} {
		a := newCluster()
		a.fault = denied(c.allowed...)
		got := callPlugin(t, append(c.args, a.serve(t)...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) || c.code == printing.ExitFailed && got.stdout != "" {
			t.Errorf("%v with %v: exit %d, want %d and %q: %s\n%s%s", c.args, c.allowed, got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
}

// TestBrokenServer: a server that fails in a part answers for the rest.
func TestBrokenServer(t *testing.T) {
	status := func(err *apierrors.StatusError) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { writeError(w, err) }
	}
	for _, c := range []struct {
		reason string
		fault  func(verb, plural string, q *http.Request) http.HandlerFunc
		want   string
		code   int
	}{
		{"the discovery of a group is a 404", func(verb, at string, _ *http.Request) http.HandlerFunc {
			if verb == "discover" && at == "example.org/v1" {
				return http.NotFound
			}
			return nil
		}, "discovery of example.org/v1: ", 0},
		{"a kind is not available", func(verb, plural string, _ *http.Request) http.HandlerFunc {
			if verb == "list" && plural == "backups" {
				return status(apierrors.NewServiceUnavailable("the webhook is down"))
			}
			return nil
		}, "cannot list backups.example.org: the webhook is down", 0},
		{"a page breaks off", func(verb, plural string, _ *http.Request) http.HandlerFunc {
			if verb == "list" && plural == "backups" {
				return func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprint(w, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{"meta`)
				}
			}
			return nil
		}, "cannot list backups.example.org: ", 0},
		{"the kind of the object is not available", func(verb, plural string, _ *http.Request) http.HandlerFunc {
			if (verb == "list" || verb == "get") && plural == "deployments" {
				return status(apierrors.NewServiceUnavailable("down"))
			}
			return nil
		}, "deployments.apps/cart in the namespace shop: cannot list deployments.apps: down", 1},
		{"the discovery fails as a whole", func(verb, _ string, _ *http.Request) http.HandlerFunc {
			if verb == "discover" {
				return status(apierrors.NewServiceUnavailable("down"))
			}
			return nil
		}, "unable to handle the request", 1},
	} {
		a := newCluster()
		a.fault = c.fault
		got := callPlugin(t, append([]string{"tree", "deployment.apps/cart"}, a.serve(t)...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", c.reason, got.code, c.code, c.want, got.stdout, got.stderr)
		}
	}
}

// TestOwnerNewerThanItsListing: an owner that came after the listing of its kind is not gone.
func TestOwnerNewerThanItsListing(t *testing.T) {
	a := newCluster()
	flags := a.serve(t)
	hidden := true
	a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
		if verb != "list" || plural != "secrets" || !hidden {
			return nil
		}
		return func(w http.ResponseWriter, q *http.Request) {
			a.list(w, q, a.of("secrets"), "")
			a.put("secrets", "shop/token", "")
			a.mu.Lock()
			hidden = false
			a.mu.Unlock()
		}
	}
	got := callPlugin(t, append([]string{"explain", "cm/of-secret"}, flags...)...)
	if got.code != 0 || !strings.Contains(got.stdout, "ConfigMap/shop/of-secret is kept by its owner Secret/shop/token.\n") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestNamespaceNewerThanItsListing: an object of a namespace that does not exist has a finding. A
// namespace that came after the listing of namespaces exists.
func TestNamespaceNewerThanItsListing(t *testing.T) {
	for _, c := range []struct {
		args   []string
		late   bool
		want   bool
		reason string
	}{
		{[]string{"lint", "-A"}, false, true, "no namespace of this name exists"},
		{[]string{"lint", "-n", "lost"}, false, true, "the question is about this namespace"},
		{[]string{"lint", "-n", "shop"}, false, false, "the question is about another namespace"},
		{[]string{"lint", "-A"}, true, false, "the namespace is newer than the listing"},
	} {
		a := newCluster()
		a.put("configmaps", "lost/a", "")
		flags := a.serve(t)
		hidden := c.late
		a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
			if verb != "list" || plural != "namespaces" || !hidden {
				return nil
			}
			return func(w http.ResponseWriter, q *http.Request) {
				a.list(w, q, a.of("namespaces"), "")
				a.put("namespaces", "lost", "")
				a.mu.Lock()
				hidden = false
				a.mu.Unlock()
			}
		}
		got := callPlugin(t, append(c.args, flags...)...)
		if is := strings.Contains(reported(got.stdout), "OG031 error ConfigMap/lost/a: scope: No Namespace has"); got.code != printing.ExitFound || is != c.want {
			t.Errorf("%v: finding %t, want %t: %s\nexit %d\n%s%s", c.args, is, c.want, c.reason, got.code, got.stdout, got.stderr)
		}
	}
}

// TestManyMissingOwners: beyond the bound of single reads, an owner is unknown.
func TestManyMissingOwners(t *testing.T) {
	a := newAPI()
	for i := range maxReads + 5 {
		a.put("configmaps", fmt.Sprintf("shop/c%05d", i), owned("v1", "Secret", fmt.Sprintf("s%05d", i)))
	}
	got := callPlugin(t, append([]string{"lint", "-A", "-o", "json"}, a.serve(t)...)...)
	if got.code != 3 || !strings.Contains(got.stdout, unread) || strings.Contains(got.stdout, `"OG001"`) {
		t.Errorf("exit %d\n%.2000s%s", got.code, got.stdout, got.stderr)
	}
}

// TestResolve: a type is a resource, a short name or a kind, with or without version and group.
func TestResolve(t *testing.T) {
	flags := newCluster().serve(t)
	for _, c := range []struct {
		args []string
		kind graph.Kind
		code int
		want string
	}{
		{[]string{"deploy/cart"}, "apps/Deployment", 0, ""}, {[]string{"deployment/cart"}, "apps/Deployment", 0, ""},
		{[]string{"deployments", "cart"}, "apps/Deployment", 0, ""}, {[]string{"Deployment.apps/cart"}, "apps/Deployment", 0, ""},
		{[]string{"deployments.v1.apps/cart"}, "apps/Deployment", 0, ""}, {[]string{"Deployment.v1.apps", "cart"}, "apps/Deployment", 0, ""},
		{[]string{"ns/shop"}, "Namespace", 0, ""},
		{[]string{"widgets/a"}, "", 1, `the server has no resource type "widgets"`},
		{[]string{"deploy/none"}, "", 1, "deployments.apps/none in the namespace shop: not found"},
		{[]string{"ns/none"}, "", 1, "namespaces/none: not found"},
		{[]string{"deploy"}, "", 2, "or TYPE NAME"}, {[]string{}, "", 2, "want an object: TYPE/NAME"}, {[]string{"deploy/"}, "", 2, "or TYPE NAME"},
		{[]string{"deploy/a", "deploy/b"}, "", 2, "want one object"}, {[]string{"deploy/old/cart"}, "", 1, "deployments.apps/cart in the namespace old: not found"},
		{[]string{"Deployment.apps/shop/cart"}, "apps/Deployment", 0, ""}, {[]string{"ns/old/shop"}, "", 2, "objects of this type have no namespace"},
		{[]string{"a/b/c/d"}, "", 2, "want KIND"}, {[]string{`"apps/Deployment"/shop/cart`}, "", 2, "a cluster has no name in quotes"},
	} {
		got := callPlugin(t, slices.Concat([]string{"tree", "-o", "json"}, c.args, flags)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || c.kind != "" && !strings.Contains(got.stdout, `"kind": "`+string(c.kind)+`"`) {
			t.Errorf("%v: exit %d, want %d, %q\n%.300s%s", c.args, got.code, c.code, c.want, got.stdout, got.stderr)
		}
	}
}

// TestGrouped: many kinds with one cause have one line.
func TestGrouped(t *testing.T) {
	var kinds []unlistedKind
	for i := range 7 {
		kinds = append(kinds, unlistedKind{graph.Kind(fmt.Sprint("K", i)), fmt.Sprintf("cannot list k%d: forbidden", i)})
	}
	kinds = append(kinds, unlistedKind{"p", "cannot list pods outside of the namespace a: forbidden"}, unlistedKind{"g/*", "discovery of g/v1: \x1b down"}, unlistedKind{"s", "cannot list secrets: down: again"})
	got := strings.Join(grouped(kinds), "\n")
	want := "*.g: discovery of g/v1: \uFFFD down\ncannot list secrets: down: again\ncannot list k0, k1, k2, k3, k4 and 2 more kinds: forbidden\ncannot list pods outside of the namespace a: forbidden"
	if got != want {
		t.Errorf("grouped:\n%s\nwant\n%s", got, want)
	}
}

// TestOutsideOfOwnership: an object that takes no part does not count as missing.
func TestOutsideOfOwnership(t *testing.T) {
	a := newCluster()
	a.resources = append(a.resources, &resource{version: "v1", kind: "Event", plural: "events", short: "ev", scoped: true, objects: map[string]map[string]any{}})
	a.put("events", "shop/e", "")
	got := callPlugin(t, append([]string{"explain", "ev/e"}, a.serve(t)...)...)
	if got.code != printing.ExitFailed || !strings.Contains(got.stderr, "take no part in ownership") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestLintOfOneNamespace: the findings of other namespaces neither count nor displace those of
// the namespace. With -A the text names the number of findings that are left out.
func TestLintOfOneNamespace(t *testing.T) {
	a := newCluster()
	for i := range 1001 {
		a.put("configmaps", fmt.Sprintf("aaa/c%d", i), owned("apps/v1", "Deployment", "former"))
	}
	flags := a.serve(t)
	got := callPlugin(t, append([]string{"lint", "-n", "shop", "-o", "json"}, flags...)...)
	var out struct {
		Report struct {
			Findings []struct{ Object struct{ Scope, Name string } }
			Counts   []struct{ Found, LeftOut int }
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil {
		t.Fatalf("exit %d: %v\n%s%s", got.code, err, got.stdout, got.stderr)
	}
	count, found := 0, false
	for _, f := range out.Report.Findings {
		found = found || f.Object.Name == "left-behind"
	}
	for _, c := range out.Report.Counts {
		count += c.Found
		if c.LeftOut != 0 {
			t.Errorf("left out: %d", c.LeftOut)
		}
	}
	if got.code != printing.ExitFound || !found || count != len(out.Report.Findings) {
		t.Errorf("exit %d, %d findings and a count of %d\n%s", got.code, len(out.Report.Findings), count, got.stderr)
	}
	got = callPlugin(t, append([]string{"lint", "-A"}, flags...)...)
	var own strings.Builder // the lines of OG001
	for line := range strings.Lines(got.stdout) {
		if strings.HasPrefix(line, "OG001 ") || own.Len() > 0 {
			own.WriteString(line)
		}
		if own.Len() > 0 && strings.HasPrefix(line, "  Remedy: ") {
			break
		}
	}
	if text := own.String(); !strings.HasPrefix(text, "OG001 error: owner missing (1003)\n") || !strings.Contains(text, "\n  ... and 3 more\n  Remedy: ") || strings.Contains(text, "ignored") {
		t.Errorf("-A: exit %d\n%s", got.code, text[max(0, len(text)-300):])
	}
}

// TestOneNamespaceAlone: for an object in a namespace, kinds outside of it make neither an
// assumption nor an unknown fact. They are counted in one line. The kind of a named owner stays.
func TestOneNamespaceAlone(t *testing.T) {
	a := newCluster()
	a.put("configmaps", "old/of-global", owned("apiregistration.k8s.io/v1", "APIService", "any"))
	a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
		if verb == "list" && !strings.Contains(q.URL.Path, "/namespaces/old/") {
			return func(w http.ResponseWriter, _ *http.Request) { writeError(w, forbidden("", plural)) }
		}
		return nil
	}
	flags := append(a.serve(t), "-n", "old")
	for _, args := range [][]string{{"plan", "backup/a"}, {"explain", "backup/a"}, {"tree", "backup/a"}} {
		got := callPlugin(t, append(args, flags...)...)
		if strings.Contains(got.stdout, "cannot list") || strings.Contains(got.stdout, "assumed: the kind") || !strings.Contains(got.stdout, "\nnot listed, and without an object around this one: ") {
			t.Errorf("%v: exit %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	got := callPlugin(t, append([]string{"plan", "cm/of-global"}, flags...)...)
	if !strings.Contains(got.stdout, "assumed: the kind APIService.apiregistration.k8s.io is not listed yet\n") || !strings.Contains(got.stdout, "whether APIService.apiregistration.k8s.io/any exists") || strings.Contains(got.stdout, "cannot list pods") {
		t.Errorf("the kind of an owner: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = callPlugin(t, append([]string{"plan", "ns/old"}, flags...)...)
	if !strings.Contains(got.stdout, "cannot list") || strings.Contains(got.stdout, "without an object around") {
		t.Errorf("a namespace may own in each namespace: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = callPlugin(t, append([]string{"plan", "backup/a", "-o", "json"}, flags...)...)
	if !strings.Contains(got.stdout, `"others": `) || strings.Contains(got.stdout, `"kindSick"`) {
		t.Errorf("JSON: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestUnreadable: an object that the user may neither list nor get has its refusal once in the line,
// and no empty UID. A second cause is named.
func TestUnreadable(t *testing.T) {
	for _, c := range []struct {
		list, get    *apierrors.StatusError
		want, reason string
	}{
		{forbidden("", "configmaps"), forbidden("", "configmaps"), `configmaps/of-secret in the namespace shop: neither listed nor read: get ConfigMap/shop/of-secret: refused: configmaps is forbidden: User "u" cannot list them`, "one refusal"},
		{apierrors.NewServiceUnavailable("down"), apierrors.NewServiceUnavailable("down"), "configmaps/of-secret in the namespace shop: cannot list configmaps: down", "one fault"},
		{apierrors.NewServiceUnavailable("down"), apierrors.NewServiceUnavailable("late"), "configmaps/of-secret in the namespace shop: cannot list configmaps: down: get ConfigMap/shop/of-secret: late", "two faults"},
	} {
		a := newCluster()
		a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
			switch {
			case plural == "configmaps" && verb == "list":
				return func(w http.ResponseWriter, _ *http.Request) { writeError(w, c.list) }
			case plural == "configmaps" && verb == "get":
				return func(w http.ResponseWriter, _ *http.Request) { writeError(w, c.get) }
			}
			return nil
		}
		got := callPlugin(t, append([]string{"explain", "cm/of-secret"}, a.serve(t)...)...)
		if got.code != printing.ExitFailed || got.stderr != "kubectl ownergraph: "+c.want+"\n" {
			t.Errorf("%s: exit %d\n%s%s", c.reason, got.code, got.stdout, got.stderr)
		}
	}
}

// TestNoControlOfTerminal: neither an object nor a message of the server controls the terminal.
func TestNoControlOfTerminal(t *testing.T) {
	a := newCluster()
	a.put("configmaps", "shop/odd", marked+`,"finalizers":["x/y\u001b[2J"]`)
	a.fault = failing("get", "pods", apierrors.NewServiceUnavailable("down\x1b[2J"))
	flags := a.serve(t)
	for _, args := range [][]string{{"explain", "cm/odd"}, {"tree", "cm/odd"}, {"plan", "cm/odd"}, {"lint"}, {"top"},
		{"wait", "cm/odd", "--timeout", "300ms"}, {"wait", "pod/web-x", "--timeout", "300ms"}} {
		if got := callPlugin(t, append(args, flags...)...); strings.Contains(got.stdout+got.stderr, "\x1b") {
			t.Errorf("%v: %q%q", args, got.stdout, got.stderr)
		}
	}
}

// TestTypeOfUnknownGroup: a type that is not found may be in a group whose discovery fails.
func TestTypeOfUnknownGroup(t *testing.T) {
	a := newCluster()
	a.fault = func(verb, at string, _ *http.Request) http.HandlerFunc {
		if verb != "discover" || at != "apps/v1" {
			return nil
		}
		return func(w http.ResponseWriter, _ *http.Request) { writeError(w, apierrors.NewServiceUnavailable("down")) }
	}
	got := callPlugin(t, append([]string{"explain", "deploy/cart"}, a.serve(t)...)...)
	if got.code != printing.ExitFailed || !strings.Contains(got.stderr, "not all types are known") || !strings.Contains(got.stderr, "apps/v1: down") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestNoRightToGetNamespaces: the reason for which the conditions are not known is that of the
// server.
func TestNoRightToGetNamespaces(t *testing.T) {
	a := newCluster()
	a.fault = failing("get", "namespaces", forbidden("", "namespaces"))
	got := callPlugin(t, append([]string{"explain", "ns/old"}, a.serve(t)...)...)
	if got.code != printing.ExitFound || !strings.Contains(got.stdout, "conditions: not known: namespaces is forbidden: User \"u\" cannot list them\n") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}
