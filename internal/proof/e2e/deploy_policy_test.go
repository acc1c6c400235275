package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/graph"
)

// policies writes the kustomization of the README with the overlay that acts, and with its
// admission policies. Pairs of texts are replaced in it.
func policies(t *testing.T, pairs ...string) (dir string) {
	t.Helper()
	dir = readmeExample(t, "deploy/base", "deploy/act", "components: [ownergraph/adapters/clientgo/run/deploy/monitor]", "")
	file := filepath.Join(dir, "kustomization.yaml")
	manual, err := os.ReadFile(filepath.Join(manifests, "README.md"))
	base, again := os.ReadFile(file)
	parts := strings.Split(string(manual), "```yaml\n")
	if err := errors.Join(err, again); err != nil || len(parts) != 3 {
		t.Fatalf("%d parts of the README: %v", len(parts), err)
	}
	more, _, _ := strings.Cut(parts[2], "```")
	if err := os.WriteFile(file, []byte(string(base)+strings.NewReplacer(pairs...).Replace(more)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// as returns the client of a user, who has all rights of the role cluster-admin.
func (w *world) as(user string, groups ...string) dynamic.Interface {
	w.t.Helper()
	c := w.server.Admin()
	c.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: append(groups, "system:masters")}
	return dynamic.NewForConfigOrDie(c)
}

// denied returns the message of a refusal by an admission policy, or "" for another answer.
func denied(err error) string {
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
		return ""
	}
	return err.Error()
}

// guardNames are the finalizers that the policy is about.
var guardNames = []string{graph.FinalizerHold, graph.FinalizerNew, graph.FinalizerProtect}

// guarded makes an object with the finalizers of this module and further ones.
func (w *world) guarded(k kind, name string, with ...string) object {
	return w.create(k, name, finalizers(slices.Concat(guardNames, with)...))
}

// finalizerPatch is a merge patch that leaves these finalizers.
func finalizerPatch(names ...string) []byte {
	text, _ := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": names}})
	return text
}

// patchAs patches an object as a user, as a trial without an effect if dry is set.
func (w *world) patchAs(user dynamic.Interface, o object, body []byte, dry bool, parts ...string) error {
	opts := metav1.PatchOptions{}
	if dry {
		opts.DryRun = []string{metav1.DryRunAll}
	}
	var all dynamic.ResourceInterface = user.Resource(o.kind.at())
	if o.kind.scoped {
		all = user.Resource(o.kind.at()).Namespace(o.ns)
	}
	_, err := all.Patch(w.ctx, o.name, types.MergePatchType, body, opts, parts...)
	return err
}

// inForce waits until the policy of the finalizers refuses a stranger's patch of an object, and the
// collector's account has its rights.
func (w *world) inForce(o object, stranger, collector dynamic.Interface) {
	w.t.Helper()
	w.until("wait for the policy", func() error {
		if denied(w.patchAs(stranger, o, finalizerPatch(), true)) == "" {
			return errNotYet
		}
		return w.patchAs(collector, o, finalizerPatch(), true)
	})
}

// TestManifestsFinalizers: with the component finalizers the collector's account and the named
// approvers alone take the finalizers of this module off. Every other change of every user passes.
func TestManifestsFinalizers(t *testing.T) {
	w := begin(t)
	w.apply(policies(t, "'prod'", "'"+w.ns+"-prod'", "'tenants.shop.example'", "'x."+w.ns+".example.org'"))
	account, _ := w.serviceAccount()
	collector := dynamic.NewForConfigOrDie(account)
	namesake := w.server.Admin()
	namesake.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + w.ns + ":ownergraph"}
	w.create(binding, w.ns+"-namesake",
		field(map[string]any{"apiGroup": role.gvk.Group, "kind": role.gvk.Kind, "name": "ownergraph-act"}, "roleRef"),
		field([]any{map[string]any{"kind": "ServiceAccount", "name": "ownergraph", "namespace": w.ns}}, "subjects"))
	stranger, jane, manager := w.as("stranger"), w.as("jane@example.org"), w.as("someone", "release-managers")
	theirs := w.as("system:serviceaccount:kube-system:generic-garbage-collector")
	first := w.guarded(configMap, "first")
	w.inForce(first, stranger, collector)
	w.until("wait for the rights of the namesake", func() error {
		return w.patchAs(dynamic.NewForConfigOrDie(namesake), first, []byte(`{"data":{"a":"b"}}`), true)
	})
	custom, _ := w.define("Thing")
	all, many := slices.Clone(guardNames), slices.Clone(guardNames)
	for i := range 5000 {
		many = append(many, fmt.Sprint("example.org/f", i))
	}
	for _, c := range []struct {
		user    dynamic.Interface
		kind    kind
		with    []string
		body    []byte
		refused string // the first finalizer that the message names
		reason  string
	}{
		{stranger, configMap, nil, finalizerPatch(), graph.FinalizerHold, "an administrator who is no approver"},
		{stranger, configMap, nil, []byte(`{"metadata":{"finalizers":null}}`), graph.FinalizerHold, "with null"},
		{stranger, custom, nil, finalizerPatch(), graph.FinalizerHold, "a custom resource"},
		{stranger, volume, nil, finalizerPatch(all[1:]...), graph.FinalizerHold, "one alone, of an object without a namespace"},
		{stranger, configMap, nil, finalizerPatch(all[:2]...), graph.FinalizerProtect, "the end of a protection"},
		{dynamic.NewForConfigOrDie(namesake), configMap, nil, finalizerPatch(), graph.FinalizerHold, "an account of the same name elsewhere"},
		{theirs, configMap, nil, finalizerPatch(), graph.FinalizerHold, "the collector of Kubernetes never does that"},
		{stranger, configMap, many[3:], finalizerPatch(many[1:]...), graph.FinalizerHold, "an object with thousands of finalizers"},

		{collector, configMap, nil, finalizerPatch(all[1:]...), "", "the collector's account"},
		{jane, configMap, nil, finalizerPatch(), "", "a named user"},
		{manager, custom, nil, finalizerPatch(), "", "a member of a named group"},
		{jane, configMap, many[3:], finalizerPatch(many[3:]...), "", "an approver of an object with thousands of finalizers"},
		{stranger, configMap, nil, []byte(`{"data":{"a":"b"}}`), "", "another change"},
		{stranger, configMap, many[3:], []byte(`{"data":{"a":"b"}}`), "", "another change of an object with thousands of finalizers"},
		{stranger, configMap, []string{hold}, finalizerPatch(all...), "", "a finalizer of another program"},
		{stranger, configMap, nil, finalizerPatch(append(all, hold)...), "", "a new finalizer"},
		{stranger, configMap, nil, finalizerPatch(all[2], all[1], all[0]), "", "another order"},
		{theirs, configMap, []string{metav1.FinalizerOrphanDependents}, finalizerPatch(all...), "", "the end of an orphaning by Kubernetes"},
	} {
		o := w.guarded(c.kind, fmt.Sprintf("%s-%d", w.ns, worlds.Add(1)), c.with...)
		err := w.patchAs(c.user, o, c.body, false)
		text := denied(err)
		if (err != nil) != (c.refused != "") || c.refused != "" && !strings.Contains(text, "only the collector and its approvers take the finalizer "+c.refused+" off: the variables of the policy ownergraph-finalizers name the approvers") {
			t.Errorf("%v, want a refusal of %q: %s", err, c.refused, c.reason)
		}
		if err := w.patchAs(jane, o, finalizerPatch(), false); err != nil {
			t.Errorf("%v: %s", err, c.reason)
		}
	}
	w.subresources(stranger)
	w.dropPolicies(func() error { return w.patchAs(stranger, first, finalizerPatch(), true) }, policyNames...)
}

// TestManifestsApprovers: the collector of the manifests puts the finalizers of a guard on, and takes
// them off after its verdict, while the policy is in force. Only an approver approves by kubectl.
func TestManifestsApprovers(t *testing.T) {
	w := begin(t)
	all := w.apply(policies(t))
	w.granted(all)
	probe := w.guarded(configMap, "probe")
	account, _ := w.serviceAccount()
	w.inForce(probe, w.as("stranger"), dynamic.NewForConfigOrDie(account))
	w.t.Cleanup(func() {
		w.kubectlRun("delete", "--ignore-not-found", "-n", home, "configmap/ownergraph-collector")
	})
	passes, refused := w.create(configMap, "passes"), w.create(configMap, "refused")
	below := append(w.several(3, secret, "below", owned(passes)), w.several(3, secret, "kept", owned(refused))...)
	_, end := w.runAs(account, append(all.args(t), "-guard=kind=ConfigMap,namespace="+w.ns+",name=passes,above=5", "-guard=kind=ConfigMap,namespace="+w.ns+",name=refused,always")...)
	for _, root := range []object{passes, refused} {
		w.carries(root, graph.FinalizerHold, graph.FinalizerNew)
		w.delete(root, background)
	}
	w.goes(append(below[:3:3], passes)...)
	w.eventAbout(refused, "DeletionRefused")
	release := func(user string) error {
		_, err := w.as(user).Resource(configMap.at()).Namespace(w.ns).Patch(w.ctx, refused.name, types.StrategicMergePatchType, []byte(releaseHold), metav1.PatchOptions{})
		return err
	}
	if err := release("stranger"); denied(err) == "" {
		t.Errorf("a stranger approves: %v", err)
	}
	w.marked(refused, graph.FinalizerHold)
	w.stays(below[3:]...)
	if err := release("jane@example.org"); err != nil {
		t.Error(err)
	}
	w.goes(append(below[3:], refused)...)
	end()
	w.dropPolicies(func() error { return w.patchAs(w.as("stranger"), probe, finalizerPatch(), true) }, policyNames...)
}

// subresources tries to go around the policy by subresources, as a user. A namespace ends as
// before.
func (w *world) subresources(stranger dynamic.Interface) {
	w.t.Helper()
	o := w.guarded(controller, "controller")
	err := w.patchAs(stranger, o, finalizerPatch(), false, "status")
	if got := w.read(o).GetFinalizers(); !slices.Equal(got, guardNames) {
		w.t.Errorf("after a patch of the status: %q, %v", got, err)
	}
	if err := w.patchAs(stranger, o, []byte(`{"status":{"replicas":0}}`), false, "status"); err != nil {
		w.t.Errorf("a change of the status: %v", err)
	}
	if err := w.patchAs(stranger, o, []byte(`{"spec":{"replicas":0}}`), false, "scale"); err != nil {
		w.t.Errorf("a change of the scale: %v", err)
	}
	jane := w.as("jane@example.org")
	if err := w.patchAs(jane, o, finalizerPatch(), false); err != nil {
		w.t.Error(err)
	}
	home := w.guarded(namespace, w.ns+"-guarded")
	w.delete(home, background)
	u := w.read(home)
	if err := unstructured.SetNestedSlice(u.Object, nil, "spec", "finalizers"); err != nil {
		w.t.Fatal(err)
	}
	controllers := w.as("system:serviceaccount:kube-system:namespace-controller").Resource(namespace.at())
	u, err = controllers.Update(w.ctx, u, metav1.UpdateOptions{}, "finalize")
	if err != nil {
		w.t.Fatalf("the namespace controller ends a namespace: %v", err)
	}
	u.SetFinalizers(nil)
	if _, err := stranger.Resource(namespace.at()).Update(w.ctx, u, metav1.UpdateOptions{}, "finalize"); denied(err) == "" && !slices.Equal(w.read(home).GetFinalizers(), guardNames) {
		w.t.Errorf("by the subresource finalize: %v, left are %q", err, w.read(home).GetFinalizers())
	}
	if err := w.patchAs(jane, home, finalizerPatch(), false); err != nil {
		w.t.Error(err)
	}
	w.goes(home)
}

// policyNames are the names of both policies and of their bindings.
var policyNames = []string{"ownergraph-finalizers", "ownergraph-protect"}

// dropPolicies deletes the bindings of policies, and waits until a write passes. Other tests, and
// the removal of this one's objects, meet no policy.
func (w *world) dropPolicies(write func() error, names ...string) {
	w.t.Helper()
	w.kubectlRun(append([]string{"delete", "validatingadmissionpolicybindings"}, names...)...)
	w.until("wait for the end of the policies", write)
}

// TestManifestsProtect: with the component protect no user deletes a named namespace or definition,
// alone or with a collection. Every other deletion and every change passes. The server refuses the
// policy without names.
func TestManifestsProtect(t *testing.T) {
	w := begin(t)
	named, other := w.create(namespace, w.ns+"-prod"), w.create(namespace, w.ns+"-prod-2")
	_, crd := w.define("Thing")
	_, free := w.define("Other")
	_, last := w.define("Last")
	dir := policies(t, "'prod'", "'"+named.name+"'", "'tenants.shop.example'", "'"+crd.name+"'")
	w.apply(dir)
	dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
	admin := w.as("stranger")
	tryDelete := func(user dynamic.Interface, o object, opts metav1.DeleteOptions) error {
		return user.Resource(o.kind.at()).Delete(w.ctx, o.name, opts)
	}
	w.until("wait for the policy", func() error {
		if denied(tryDelete(admin, named, dry)) == "" {
			return errNotYet
		}
		return nil
	})
	for _, o := range []object{named, crd} {
		for _, user := range []string{"jane@example.org", "system:serviceaccount:kube-system:generic-garbage-collector", "system:serviceaccount:ownergraph:ownergraph"} {
			if text := denied(tryDelete(w.as(user), o, metav1.DeleteOptions{})); !strings.Contains(text, "nobody deletes "+o.name+": the variables of the policy ownergraph-protect name it") {
				t.Errorf("%s deletes %s: %q", user, o, text)
			}
		}
		if err := w.tryPatch(o, map[string]any{"labels": map[string]any{"set": w.ns}}); err != nil {
			t.Errorf("a change of %s: %v", o, err)
		}
	}
	if err := tryDelete(admin, other, dry); err != nil {
		t.Errorf("another namespace: %v", err)
	}
	w.delete(last, background)
	w.goes(last)
	w.patch(free, map[string]any{"labels": map[string]any{"set": w.ns, "free": w.ns}})
	both := metav1.ListOptions{LabelSelector: "set=" + w.ns}
	if err := admin.Resource(definition.at()).DeleteCollection(w.ctx, metav1.DeleteOptions{}, both); denied(err) == "" {
		t.Errorf("a collection with a named definition: %v", err)
	}
	if err := admin.Resource(definition.at()).DeleteCollection(w.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "free=" + w.ns}); err != nil {
		t.Errorf("a collection without it: %v", err)
	}
	w.goes(free)
	w.stays(named, crd)
	w.dropPolicies(func() error { return tryDelete(admin, crd, dry) }, policyNames...)
	for _, u := range w.render(policies(t, `value: "['prod']"`, "value: NAMES_OF_NAMESPACES")) {
		if u.GetKind() == "ValidatingAdmissionPolicy" && u.GetName() == "ownergraph-protect" {
			u.SetName(w.ns)
			_, err := w.client.Resource(u.GroupVersionKind().GroupVersion().WithResource("validatingadmissionpolicies")).Create(w.ctx, u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "NAMES_OF_NAMESPACES") {
				t.Errorf("a policy without names: %v", err)
			}
		}
	}
}
