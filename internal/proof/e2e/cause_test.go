package e2e

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	validatingWebhook = builtin("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", false, nil)
	validatingPolicy  = builtin("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies", false, nil)
	policyBinding     = builtin("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", false, nil)
)

// explains waits until the explanation of an object has texts.
func (w *world) explains(code int, args []string, want ...string) (text string) {
	w.t.Helper()
	w.until("wait for an explanation", func() error {
		out := w.kubectl(append([]string{"ownergraph", "explain"}, args...)...)
		if out.code != code {
			return fmt.Errorf("exit %d, want %d\n%s%s", out.code, code, out.stdout, out.stderr)
		}
		for _, part := range want {
			if !strings.Contains(out.stdout, part) {
				return fmt.Errorf("%q is missing:\n%s", part, out.stdout)
			}
		}
		text = out.stdout
		return nil
	})
	return text
}

// typed returns TYPE/NAME with the group. kubectl caches the kinds of other tests.
func typed(k kind, name string) string { return k.plural + "." + k.gvk.Group + "/" + name }

// end marks a namespace as a user does.
func (w *world) end(space object) {
	w.t.Helper()
	if out := w.kubectl("delete", "namespace", space.name, "--wait=false"); out.code != 0 {
		w.t.Fatal(out.stderr)
	}
}

// TestPluginTriesDeadWebhook: no service stands behind a webhook. It keeps the finalizer of an object,
// and the end of a namespace. A dry run names the webhook and its service, and removes nothing. The
// managed fields name the last writer of the finalizer.
func TestPluginTriesDeadWebhook(t *testing.T) {
	w := begin(t)
	peer, _ := w.define("Peer")
	space := w.create(namespace, w.ns+"-s3c")
	finalizer := peer.gvk.Group + "/peer"
	plain := w.create(peer, "p1", under(space.name))
	held := w.create(peer, "p2", under(space.name), finalizers(finalizer))
	w.delete(held, background)
	hook := "vpeer." + peer.gvk.Group
	w.create(validatingWebhook, w.ns+"-peer-guard", field([]any{map[string]any{
		"name": hook, "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": []any{"v1"},
		"clientConfig": map[string]any{"service": map[string]any{"name": "net-webhook", "namespace": space.name, "path": "/validate"}},
		"rules": []any{map[string]any{
			"apiGroups": []any{peer.gvk.Group}, "apiVersions": []any{"v1"}, "resources": []any{peer.plural}, "operations": []any{"UPDATE", "DELETE"},
		}},
	}}, "webhooks"))
	by := fmt.Sprintf("refused\n    by the validating webhook %s (configuration %s-peer-guard, service %s/net-webhook:443, failure policy Fail, side effects None)\n", hook, w.ns, space.name)
	w.explains(3, []string{typed(peer, "p2"), "-n", space.name, "--try-removal"},
		"last writer of the finalizer "+finalizer+": e2e.test (Update), ", "  "+finalizer+": "+by, "service \"net-webhook\" not found")
	if w.marked(held, finalizer); t.Failed() {
		t.Fatal("the dry run has written")
	}

	w.end(space)
	w.namespaceController()
	w.explains(3, []string{typed(peer, "p1"), "-n", space.name, "--try-removal"},
		"the namespace controller", "its namespace "+space.name+": marked for deletion", "NamespaceDeletionContentFailure", "  the deletion of the object: "+by)
	w.stays(plain)
}

// TestPluginTriesPolicy: the parameter of an admission policy is gone. The policy keeps a finalizer in
// a namespace that ends. A dry run names the policy, its binding and the parameter. An account
// without the right to the write is told so.
func TestPluginTriesPolicy(t *testing.T) {
	w := begin(t)
	limit, _ := w.define("Limit")
	space := w.create(namespace, w.ns+"-c13")
	parameter := w.create(limit, "default", under(space.name))
	slow := w.create(configMap, "slow", under(space.name), finalizers(hold))
	policy := w.create(validatingPolicy, w.ns+"-policy", field(map[string]any{
		"failurePolicy": "Fail", "paramKind": map[string]any{"apiVersion": limit.gvk.GroupVersion().String(), "kind": limit.gvk.Kind},
		"matchConstraints": map[string]any{"resourceRules": []any{map[string]any{
			"apiGroups": []any{""}, "apiVersions": []any{"v1"}, "resources": []any{"configmaps"}, "operations": []any{"CREATE", "UPDATE"},
		}}},
		"validations": []any{map[string]any{"expression": "true"}},
	}, "spec"))
	w.create(policyBinding, w.ns+"-binding", field(map[string]any{
		"policyName": policy.name, "validationActions": []any{"Deny"},
		"paramRef":       map[string]any{"name": "default", "parameterNotFoundAction": "Deny"},
		"matchResources": map[string]any{"namespaceSelector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": space.name}}},
	}, "spec"))
	w.namespaceController()
	w.end(space)
	w.goes(parameter)
	w.explains(3, []string{"cm/slow", "-n", space.name, "--try-removal"},
		"  "+hold+": refused\n    by the validating admission policy "+policy.name+" (binding "+w.ns+"-binding, parameter "+limit.gvk.GroupVersion().String()+" Limit default, if it is missing: Deny, failure policy Fail)\n",
		"no params found", "last writer of the finalizer "+hold+": e2e.test (Update), ",
		"its namespace "+space.name+": marked for deletion", "NamespaceFinalizersRemaining")
	w.marked(slow, hold)

	w.create(role, w.ns, field([]any{map[string]any{"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"list"}}}, "rules"))
	w.bind(w.ns)
	w.explains(3, []string{"cm/slow", "-n", space.name, "--try-removal", "--as", limited}, "  "+hold+": not known: the account lacks a right\n")
}

// TestPluginNamesDeadServices: a namespace does not end while an API service is not available. The
// explanation of the namespace, and of an object in it, names the service with its reason. So does it
// for metrics, whose kinds take no part in ownership.
func TestPluginNamesDeadServices(t *testing.T) {
	w := begin(t)
	space := w.create(namespace, w.ns+"-old")
	w.create(configMap, "free", under(space.name), finalizers(hold))
	group := w.deadService()
	w.deadMetrics()
	w.namespaceController()
	w.end(space)
	want := []string{
		"NamespaceDeletionDiscoveryFailure",
		"  v1alpha1." + group + " (ServiceNotFound): service/stats in \"kube-system\" is not present; its service: kube-system/stats:443\n",
		"  v1beta1.metrics.k8s.io (ServiceNotFound): service/metrics-server in \"kube-system\" is not present; its service: kube-system/metrics-server:8443\n",
	}
	w.explains(3, []string{"ns/" + space.name}, append(want, "the operators of 2 API services have to make them available, or to delete them: v1alpha1."+group+" (service kube-system/stats:443), v1beta1.metrics.k8s.io")...)
	w.explains(3, []string{"cm/free", "-n", space.name}, want...)
	for _, o := range w.made {
		if o.kind.gvk == apiService.gvk {
			if err := w.of(o).Delete(w.ctx, o.name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.explains(3, []string{"ns/" + space.name}, "NamespaceFinalizersRemaining")
}

// TestPluginExplainsRefusedContent: an object that the end of its namespace cannot remove is not kept
// by a user. Its explanation has the mark of the namespace, and the condition with the reason.
func TestPluginExplainsRefusedContent(t *testing.T) {
	w := begin(t)
	peer, _ := w.define("Peer")
	space := w.create(namespace, w.ns+"-s3c")
	plain := w.create(peer, "p1", under(space.name))
	w.create(validatingWebhook, w.ns+"-peer-guard", field([]any{map[string]any{
		"name": "vpeer." + peer.gvk.Group, "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": []any{"v1"},
		"clientConfig": map[string]any{"service": map[string]any{"name": "net-webhook", "namespace": space.name}},
		"rules": []any{map[string]any{
			"apiGroups": []any{peer.gvk.Group}, "apiVersions": []any{"v1"}, "resources": []any{peer.plural}, "operations": []any{"DELETE"},
		}},
	}}, "webhooks"))
	w.until("wait for the webhook", func() error {
		err := w.of(plain).Delete(w.ctx, plain.name, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			return errNotYet
		}
		return nil
	})
	w.namespaceController()
	w.end(space)
	text := w.explains(3, []string{typed(peer, "p1"), "-n", space.name},
		"/p1 goes with its container Namespace/"+space.name+", which is being deleted.\nWho has to act: the namespace controller.\nno deletion mark; finalizers: none\n",
		"its namespace "+space.name+": marked for deletion", "NamespaceDeletionContentFailure (ContentDeletionFailed): ", "vpeer."+peer.gvk.Group)
	if strings.Contains(text, "a user") {
		t.Errorf("the explanation guesses:\n%s", text)
	}
	w.stays(plain)
}
