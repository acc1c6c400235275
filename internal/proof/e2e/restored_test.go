package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

var (
	mutation = builtin("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy", "mutatingadmissionpolicies", false, nil)
	mutates  = builtin("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", false, nil)
)

// restoreOwners makes the server put the owner references of the world's secrets back.
// It does so with every update that removes them, and notes the version. So each update
// makes a new version. The function returned ends that.
func (w *world) restoreOwners() (end func()) {
	w.t.Helper()
	lost := "oldObject.metadata.?ownerReferences.hasValue() && !object.metadata.?ownerReferences.hasValue()"
	restored := `[
		JSONPatch{op: "add", path: "/metadata/ownerReferences", value: oldObject.metadata.ownerReferences},
		JSONPatch{op: "add", path: "/metadata/annotations", value: {"example.org/restored": oldObject.metadata.resourceVersion}}]`
	policy := w.create(mutation, w.ns, field(map[string]any{
		"failurePolicy": "Fail", "reinvocationPolicy": "Never",
		"matchConstraints": map[string]any{
			"namespaceSelector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": w.ns}},
			"resourceRules": []any{map[string]any{
				"apiGroups": []any{""}, "apiVersions": []any{"v1"}, "operations": []any{"UPDATE"}, "resources": []any{"secrets"},
			}},
		},
		"matchConditions": []any{map[string]any{"name": "lost", "expression": lost}},
		"mutations":       []any{map[string]any{"patchType": "JSONPatch", "jsonPatch": map[string]any{"expression": restored}}},
	}, "spec"))
	w.create(mutates, w.ns, field(map[string]any{"policyName": policy.name}, "spec"))
	probe := w.create(secret, "probe", owned(object{kind: configMap, name: "none", uid: "none"}))
	w.until("wait for the policy to restore owners", func() error {
		w.patch(probe, map[string]any{"ownerReferences": nil})
		if len(w.read(probe).GetOwnerReferences()) == 0 {
			w.patch(probe, map[string]any{"ownerReferences": refsTo(nil, []object{{kind: configMap, name: "none", uid: "none"}})})
			return errNotYet
		}
		return nil
	})
	w.delete(probe, background)
	return func() {
		w.patchRules(policy)
		w.until("wait for the policy to end", func() error {
			o := w.create(secret, fmt.Sprint("probe-", time.Now().UnixNano()), owned(object{kind: configMap, name: "none", uid: "none"}))
			defer w.delete(o, background)
			w.patch(o, map[string]any{"ownerReferences": nil})
			if len(w.read(o).GetOwnerReferences()) != 0 {
				return errNotYet
			}
			return nil
		})
	}
}

// patchRules makes a policy match no object from then on.
func (w *world) patchRules(policy object) {
	w.t.Helper()
	w.patchSpec(policy, map[string]any{"matchConditions": []any{map[string]any{"name": "lost", "expression": "false"}}})
}

// TestOwnersRestoredByPolicy: a policy restores the owner references that an orphaning
// removes. Each write succeeds, and the next version asks for the same write. The
// engine does not repeat it without end. It backs off, and reports each dependent as
// held. Once the policy is gone, the orphaning ends.
func TestOwnersRestoredByPolicy(t *testing.T) {
	const dependents, window, most = 20, 3 * time.Second, 15
	w := begin(t)
	owner := w.create(configMap, "owner")
	children := w.several(dependents, secret, "child", blocking(owner))
	end := w.restoreOwners()
	c := w.collect(settings{})
	c.quiet()
	w.delete(owner, orphan)
	w.until("wait for the first patch", func() error {
		if len(c.patches()) == 0 {
			return errNotYet
		}
		return nil
	})
	// The only length of time that a test waits for, since the counted writes have no
	// end.
	<-time.After(window)
	patches := c.patches()
	t.Logf("%d patches of %d dependents in %v", len(patches), dependents, window)
	if len(patches) > most*dependents {
		t.Fatalf("%d patches of %d dependents in %v, want %d of each at most", len(patches), dependents, window, most)
	}
	w.until("wait for each dependent to be held", func() error {
		held := map[string]bool{}
		for _, h := range c.Held(1000) {
			held[h.Key.Name] = true
		}
		if i := slices.IndexFunc(children, func(o object) bool { return !held[o.name] }); i >= 0 {
			return fmt.Errorf("%s is not held", children[i])
		}
		return nil
	})
	end()
	w.goes(owner)
	c.quiet()
	w.ownedBy(nil, children...)
}

// patches returns the patches of secrets that succeeded.
func (c *collecting) patches() []graph.Key {
	var out []graph.Key
	for _, call := range c.book.succeeded() {
		if call.Type == engine.CallPatch && call.Key.Kind == secret.name() {
			out = append(out, call.Key)
		}
	}
	return out
}
