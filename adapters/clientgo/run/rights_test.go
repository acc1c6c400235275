package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// manifest returns the rules of the roles in deploy, by the roles' names.
func manifest(t *testing.T) map[string][]rbac.PolicyRule {
	t.Helper()
	rules, bound := map[string][]rbac.PolicyRule{}, map[string]bool{}
	for _, o := range roles(t) {
		switch o.Kind {
		case "ClusterRole", "Role":
			rules[o.Name] = o.Rules
		case "ClusterRoleBinding", "RoleBinding":
			if o.RoleRef.Name != o.Name || o.RoleRef.Kind+"Binding" != o.Kind || len(o.Subjects) != 1 || o.Subjects[0].Name != "ownergraph" {
				t.Errorf("binding %s: %+v to %+v", o.Name, o.RoleRef, o.Subjects)
			}
			bound[o.Name] = true
		}
	}
	for name := range rules {
		if !bound[name] {
			t.Errorf("role %s is not bound", name)
		}
	}
	return rules
}

// granting is a role or a binding.
type granting struct {
	rbac.ClusterRole
	RoleRef  rbac.RoleRef
	Subjects []rbac.Subject
}

// roles returns the objects of the files rbac.yaml in deploy.
func roles(t *testing.T) (out []granting) {
	t.Helper()
	files, err := filepath.Glob("deploy/*/rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
			var o granting
			if err := d.Decode(&o); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			out = append(out, o)
		}
	}
	return out
}

// grant gives the program the rights of some roles, except one verb.
func (r *rig) grant(without string, roles ...string) {
	all := manifest(r.t)
	all["ownergraph-some"] = []rbac.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"delete"}}}
	var rules []rbac.PolicyRule
	for _, name := range roles {
		for _, p := range all["ownergraph-"+name] {
			p.Verbs = slices.DeleteFunc(slices.Clone(p.Verbs), func(v string) bool { return v == without })
			rules = append(rules, p)
		}
	}
	r.set(func() { r.rules = rules })
}

// TestRights: the manifest grants the rights of each setting, and each of its rules is
// needed.
func TestRights(t *testing.T) {
	lease := Lease{Namespace: "kube-system", Name: "ownergraph"}
	record := ownergraph.Config{Record: "collector"}
	ends := ownergraph.Config{Sweeps: []guard.Sweep{guard.ScopeSweep("Namespace", clientgo.NamespaceFinalizer)}}
	handles := ownergraph.Config{Handlers: map[string]finalizer.Handler{
		clientgo.NamespaceFinalizer: func(context.Context, graph.Object) error { return nil },
	}}
	other := ownergraph.Config{Sweeps: []guard.Sweep{guard.ScopeSweep("Namespace", "example.org/sweep")}}
	for _, c := range []struct {
		config  Config
		without string
		roles   []string
		want    string
		reason  string
	}{
		{Config{}, "", []string{"observe"}, "", "to observe takes one role"},
		{Config{Act: true}, "", []string{"observe", "act"}, "", "to act another"},
		{Config{Act: true, Engine: ends}, "", []string{"observe", "act", "namespaces"}, "", "to end namespaces another"},
		{Config{Act: true, Engine: ends}, "", []string{"observe", "act"}, "update namespaces/finalize", "patch of everything does not do"},
		{Config{Act: true, Engine: handles}, "", []string{"observe", "act"}, "update namespaces/finalize", "a handler takes the finalizer off, too"},
		{Config{Act: true, Engine: other}, "", []string{"observe", "act"}, "", "another finalizer of a namespace is patched"},
		{Config{Engine: ends}, "", []string{"observe"}, "", "a program that observes ends no namespace"},
		{Config{Events: true}, "", []string{"observe", "events"}, "", "Events another"},
		{Config{Lease: lease}, "", []string{"observe", "lease"}, "", "and so does the lease"},
		{sharing("a"), "", []string{"observe", "act", "share"}, "", "a member has the Leases of all members"},
		{sharing("a"), "list", []string{"observe", "act", "share"}, "list *.*, list leases.coordination.k8s.io tools", "each verb of them"},
		{Config{Share: Share{Auto: true}}, "", []string{"observe"}, "", "a program that observes is no member"},
		{Config{Engine: record}, "", []string{"observe", "records"}, "", "and the record"},
		{Config{Act: true, Engine: record}, "", []string{"observe", "act"}, "create configmaps kube-system", "to act does not include it"},
		{Config{Engine: record}, "", []string{"observe"}, "create configmaps kube-system, patch configmaps kube-system/ownergraph-collector", "to get is granted by the other role"},
		{Config{Engine: record}, "patch", []string{"observe", "records"}, "patch configmaps kube-system/ownergraph-collector", "the pause is written"},
		{Config{Engine: ownergraph.Config{Record: "other"}}, "", []string{"observe", "records"}, "patch configmaps kube-system/ownergraph-other", "the role names one record"},
		{Config{Engine: record, Command: Command{Verb: Pause}}, "", []string{"records"}, "", "a user of a command needs no other role"},
		{Config{Command: Command{Verb: Retire, Finalizer: "example.org/x"}}, "", []string{"observe"}, "patch *.*", "to retire takes patch, and no delete"},
		{Config{Act: true}, "", []string{"observe"}, "delete *.*, patch *.*", "a verb that is granted nowhere is one right"},
		{Config{}, "list", []string{"observe"}, "list *.*", "one verb"},
		{Config{Events: true}, "", []string{"observe"}, "create events", "the program creates Events and does not collect them"},
		{Config{Lease: lease}, "", []string{"observe"}, "create leases.coordination.k8s.io kube-system, update leases.coordination.k8s.io kube-system/ownergraph", "to get is granted by the other role"},
		{Config{Lease: Lease{Namespace: "kube-system", Name: "other"}}, "", []string{"observe", "lease"}, "update leases.coordination.k8s.io kube-system/other", "the role names one lease"},
		{Config{Act: true}, "", []string{"observe", "some"}, "patch *.*, delete deployments.apps", "verbs by resource"},
		{Config{Act: true, Store: clientgo.Config{Ignore: []graph.Kind{"apps/*"}}}, "", []string{"observe", "some"}, "delete events, patch *.*", "an ignored kind needs no right"},
		{Config{Act: true, Store: clientgo.Config{Ignore: []graph.Kind{"apps/Deployment", "Event"}}}, "", []string{"observe", "some"}, "patch *.*", "nor does a kind"},
		{Config{Store: clientgo.Config{Ignore: []graph.Kind{"apiextensions.k8s.io/*"}}}, "", []string{"observe"}, "", "definitions that are ignored may be listed"},
		{Config{Store: clientgo.Config{Ignore: []graph.Kind{"apiregistration.k8s.io/APIService"}}}, "list", []string{"observe"},
			"list *.*, list apiservices.apiregistration.k8s.io", "API services that are ignored are listed all the same"},
	} {
		bubble(t, c.config, func(r *rig) {
			r.grant(c.without, c.roles...)
			got, err := r.program.Missing(r.t.Context())
			if err != nil || listed(got) != c.want {
				t.Errorf("missing %q, %v, want %q: %s", listed(got), err, c.want, c.reason)
			}
			r.program.conns.close()
		})
	}
}

// TestRightMissing: the log and the sick kind name a missing right.
func TestRightMissing(t *testing.T) {
	bubble(t, Config{Act: true}, func(r *rig) {
		r.owned()
		r.grant("delete", "observe", "act")
		r.start(r.program)
		pass(time.Second)
		if lines := r.with("rights are missing", "rbac.yaml of package run's deploy", "count=1", `rights="delete *.*"`); len(lines) != 1 {
			t.Errorf("logged %q", r.with(""))
		}
		r.remove("deployments", "ns", "owner")
		pass(time.Second)
		if lines := r.with("write refused", "cannot delete resource"); len(lines) != 3 {
			t.Errorf("logged %q", lines)
		}
		r.grant("list", "observe", "act")
		other := r.add(Config{})
		r.start(other)
		pass(time.Second)
		if w := get(other, "/readyz"); !strings.Contains(w.Body.String(), "apps/Deployment: list deployments.apps: it takes the rights to get, list") ||
			!strings.Contains(w.Body.String(), `cannot list resource "deployments"`) {
			t.Errorf("readyz %s", w.Body)
		}
	})
}

// TestRightsUnknown: a program runs on a server that cannot answer about rights.
func TestRightsUnknown(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		r.set(func() { r.broken = func(_, plural string) bool { return plural == "selfsubjectaccessreviews" } })
		if _, err := r.program.Missing(r.t.Context()); err == nil || !strings.HasPrefix(err.Error(), "ask for rights: ") {
			t.Errorf("error %v", err)
		}
		r.grant("list", "observe")
		r.set(func() { r.broken = func(verb, _ string) bool { return verb == "discover" } })
		if _, err := r.program.Missing(r.t.Context()); err == nil || !strings.HasPrefix(err.Error(), "ask for rights: ") {
			t.Errorf("with failing discovery: error %v", err)
		}
		r.set(func() { r.rules = nil })
		r.set(func() { r.broken = func(_, plural string) bool { return plural == "selfsubjectaccessreviews" } })
		r.start(r.program)
		pass(time.Second)
		if lines := r.with("the rights could not be checked", "level=INFO"); len(lines) != 1 {
			t.Errorf("logged %q", lines)
		}
		if w := get(r.program, "/readyz"); w.Code != 200 {
			t.Errorf("readyz %s", w.Body)
		}
	})
}

func TestListed(t *testing.T) {
	many := make([]Right, maxListed+3)
	for i := range many {
		many[i] = Right{Verb: "get", Resource: fmt.Sprint("r", i)}
	}
	if got := listed(many); !strings.HasPrefix(got, "get r0, get r1, ") || !strings.HasSuffix(got, "get r19, and 3 more") {
		t.Errorf("listed %s", got)
	}
}
