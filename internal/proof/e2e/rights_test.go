package e2e

import (
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/discovery"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
)

// TestRightsLackOneKind: the collector has its rights, except for one kind. That kind
// is sick, and names the missing rights. Background deletions go on beside it, and
// exact ones are held. Once the rights are granted, all of them end.
func TestRightsLackOneKind(t *testing.T) {
	w := begin(t)
	w.create(role, w.ns, field(w.rulesBut("secrets", "get", "list", "watch", "patch", "delete"), "rules"))
	w.bind(w.ns)
	owner, other := w.create(controller, "owner"), w.create(configMap, "other")
	child, grandchild := w.create(pod, "child", blocking(owner)), w.create(configMap, "grandchild", owned(other))
	unseen := w.create(secret, "unseen", owned(other))
	c := w.collect(settings{user: limited})
	w.until("wait for the kind to be sick", func() error {
		if len(c.sick()) == 0 {
			return errNotYet
		}
		return nil
	})
	w.delete(other, background)
	w.delete(owner, foreground)
	w.goes(grandchild)
	held := c.idle()
	if sick := c.sick(); len(sick) != 1 || !strings.Contains(sick["Secret"], "it takes the rights to get, list") {
		t.Errorf("sick: %v", sick)
	}
	for _, h := range held {
		if h.Reason == policy.FenceHeld && strings.Contains(strings.Join(h.Detail, " "), "Secret") {
			held = nil
			break
		}
	}
	if held != nil {
		t.Errorf("held: %v, want one that waits for the fence that secrets block", held)
	}
	w.marked(owner, "foregroundDeletion")
	w.stays(unseen)
	w.grant("secrets")
	w.goes(owner, child, unseen)
	c.quiet()
	if sick := c.sick(); len(sick) != 0 {
		t.Errorf("sick: %v", sick)
	}
}

// TestRightsLackWrites: a kind may be read and not be written to. Its objects are held
// with the reason, and all other work goes on.
func TestRightsLackWrites(t *testing.T) {
	w := begin(t)
	w.create(role, w.ns, field(w.rulesBut("secrets", "get", "list", "watch", "patch", "delete"), "rules"))
	w.create(role, w.ns+"-see", field([]any{rule("", "secrets", "get", "list", "watch")}, "rules"))
	w.bind(w.ns)
	w.bind(w.ns + "-see")
	owner := w.create(configMap, "owner")
	child, other := w.create(secret, "child", owned(owner)), w.create(pod, "other", owned(owner))
	c := w.collect(settings{user: limited, engine: probe.Tuned(ownergraph.Config{}, inside.Tuning{RefusedRetry: time.Second})})
	c.quiet()
	w.delete(owner, background)
	held := c.idle()
	if len(held) != 1 || held[0].Key.Name != child.name || held[0].Reason != policy.StoreRefused {
		t.Errorf("held: %v", held)
	}
	w.gone(owner, other)
	w.stays(child)
	w.grant("secrets")
	w.goes(child)
	c.quiet()
}

// rulesBut returns rules that grant verbs on every resource but one, and to discover
// them.
func (w *world) rulesBut(plural string, verbs ...string) []any {
	w.t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(w.server.Admin())
	if err != nil {
		w.t.Fatal(err)
	}
	_, lists, err := d.ServerGroupsAndResources()
	if err != nil {
		w.t.Fatal(err)
	}
	var rules []any
	for _, l := range lists {
		group, _, found := strings.Cut(l.GroupVersion, "/")
		if !found {
			group = ""
		}
		for _, r := range l.APIResources {
			if r.Name != plural {
				rules = append(rules, rule(group, r.Name, verbs...))
			}
		}
	}
	return rules
}

func rule(group, resource string, verbs ...string) any {
	return map[string]any{"apiGroups": []any{group}, "resources": []any{resource}, "verbs": texts(verbs)}
}

func texts(list []string) []any {
	var out []any
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// grant gives the limited user the rights of a collector to a kind.
func (w *world) grant(plural string) {
	w.t.Helper()
	name := w.ns + "-grant-" + plural
	w.create(role, name, field([]any{rule("", plural, "get", "list", "watch", "patch", "delete")}, "rules"))
	w.bind(name)
}

// bind gives a role to the limited user.
func (w *world) bind(name string) {
	w.t.Helper()
	w.create(binding, name,
		field(map[string]any{"apiGroup": role.gvk.Group, "kind": role.gvk.Kind, "name": name}, "roleRef"),
		field([]any{map[string]any{"apiGroup": role.gvk.Group, "kind": "User", "name": limited}}, "subjects"))
}
