package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"

	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
)

const (
	manifests = "../../../adapters/clientgo/run/deploy"
	home      = "ownergraph" // the namespace of the manifests
)

// kubectlRun runs kubectl as the administrator and returns its output.
func (w *world) kubectlRun(args ...string) string {
	w.t.Helper()
	path, err := server.Kubectl(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	config, err := w.server.Kubeconfig()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(w.ctx, path, append([]string{"--kubeconfig", config, "--cache-dir", filepath.Join(w.server.Dir(), "kubectl")}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, &out, &errs)
	}
	return out.String()
}

// rendered are the objects of a kustomization.
type rendered []*unstructured.Unstructured

// render returns the objects of a kustomization, as kubectl kustomize makes them.
func (w *world) render(dir string) (out rendered) {
	w.t.Helper()
	text := w.kubectlRun("kustomize", dir)
	for d := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096); ; {
		u := &unstructured.Unstructured{}
		if err := d.Decode(&u.Object); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, u)
	}
}

// apply applies a kustomization, and a warning of the server fails the test. All of its objects
// but the namespace go when the test ends: the namespace controller is not there.
func (w *world) apply(dir string) rendered {
	w.t.Helper()
	all := w.render(dir)
	left := unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List"}}
	for _, u := range all {
		if u.GetKind() != namespace.gvk.Kind {
			left.Items = append(left.Items, *u)
		}
	}
	text, err := left.MarshalJSON()
	file := filepath.Join(w.t.TempDir(), "list.json")
	if err := errors.Join(err, os.WriteFile(file, text, 0o600)); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.kubectlRun("delete", "--ignore-not-found", "-f", file) })
	w.kubectlRun("apply", "-k", dir, "--warnings-as-errors")
	return all
}

// one reads the only object of a kind and a name.
func (r rendered) one(t *testing.T, kind, name string, into any) {
	t.Helper()
	n := 0
	for _, u := range r {
		if u.GetKind() == kind && u.GetName() == name {
			n++
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n != 1 {
		t.Fatalf("%d objects are %s %s", n, kind, name)
	}
}

// container returns the container of the program.
func (r rendered) container(t *testing.T) corev1.Container {
	t.Helper()
	var d appsv1.Deployment
	r.one(t, "Deployment", home, &d)
	return d.Spec.Template.Spec.Containers[0]
}

// args returns the arguments of the program as the kubelet gives them. The program does not
// listen, since the port may be taken on this machine. A pod has a file with its namespace.
func (r rendered) args(t *testing.T) (out []string) {
	t.Helper()
	env := map[string]string{}
	c := r.container(t)
	for _, v := range c.Env {
		env[v.Name] = v.Value
		if v.ValueFrom != nil && v.ValueFrom.FieldRef.FieldPath == "metadata.namespace" {
			env[v.Name] = home
		}
	}
	for _, a := range c.Args {
		out = append(out, expansion.Expand(a, expansion.MappingFuncFor(env)))
	}
	if slices.Contains(out, "-share=auto") {
		out = append(out, "-share-group="+home+"/ownergraph")
	}
	return append(out, "-listen=")
}

// monitors is the module with the definition of a ServiceMonitor, and its checksum.
const (
	monitors    = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
	monitorsSum = "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s="
	monitorFile = "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"
)

// defineMonitors defines ServiceMonitor by the file of prometheus-operator.
func (w *world) defineMonitors() {
	w.t.Helper()
	cmd := exec.CommandContext(w.ctx, "go", "mod", "download", "-json", monitors)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	text, err := cmd.Output()
	var found struct{ Dir, Sum, Error string }
	if err := errors.Join(err, json.Unmarshal(text, &found)); err != nil || found.Sum != monitorsSum {
		w.t.Fatalf("download %s: %v, %+v", monitors, err, found)
	}
	file := filepath.Join(found.Dir, monitorFile)
	w.kubectlRun("apply", "--server-side", "-f", file)
	w.t.Cleanup(func() { w.kubectlRun("delete", "-f", file) })
	w.kubectlRun("wait", "--for=condition=Established", "-f", file)
}

// readmeExample writes the kustomization of the README into a folder, beside a link to the
// repository. Pairs of texts are replaced in it.
func readmeExample(t *testing.T, pairs ...string) (dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(manifests, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	root, err := filepath.Abs("../../..")
	if err != nil || !found {
		t.Fatalf("the README has no example: %v", err)
	}
	dir = t.TempDir()
	example = strings.NewReplacer(pairs...).Replace(example)
	err = errors.Join(os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(example), 0o600), os.Symlink(root, filepath.Join(dir, "ownergraph")))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestManifestsApply: the API server takes all manifests without a warning, and its admission
// of pods takes the pods of the Deployment. It refuses them without the seccomp profile.
func TestManifestsApply(t *testing.T) {
	w := begin(t)
	w.defineMonitors()
	all := w.apply(readmeExample(t))
	var d appsv1.Deployment
	all.one(t, "Deployment", home, &d)
	pods := kubernetes.NewForConfigOrDie(w.server.Admin()).CoreV1().Pods(home)
	p := &corev1.Pod{ObjectMeta: d.Spec.Template.ObjectMeta, Spec: d.Spec.Template.Spec}
	p.Name = "template"
	if _, err := pods.Create(w.ctx, p, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: "Strict"}); err != nil {
		t.Error(err)
	}
	p.Spec.SecurityContext.SeccompProfile = nil
	_, err := pods.Create(w.ctx, p, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "violates PodSecurity") {
		t.Errorf("without a seccomp profile: %v", err)
	}
}

// TestManifestsElsewhere: the API server takes the overlay and its components in another namespace.
// Every object, every binding and the flags of the program name that namespace. The policy of the
// finalizers knows the account of that namespace. The component protect takes names of its own:
// see TestManifestsProtect.
func TestManifestsElsewhere(t *testing.T) {
	w := begin(t)
	w.defineMonitors()
	const components = "components: [ownergraph/adapters/clientgo/run/deploy/"
	all := w.apply(readmeExample(t, "deploy/base", "deploy/act", components, "namespace: elsewhere\n"+components+"namespaces, ownergraph/adapters/clientgo/run/deploy/finalizers, ownergraph/adapters/clientgo/run/deploy/"))
	bindings := 0
	for _, u := range all {
		subjects, _, err := unstructured.NestedSlice(u.Object, "subjects")
		for _, s := range subjects {
			bindings++
			if s := s.(map[string]any); s["namespace"] != "elsewhere" {
				t.Errorf("%s %s binds %v", u.GetKind(), u.GetName(), s)
			}
		}
		if ns := u.GetNamespace(); err != nil || ns != "" && ns != "elsewhere" || u.GetKind() == "Namespace" && u.GetName() != "elsewhere" {
			t.Errorf("%s %s is in %q, %v", u.GetKind(), u.GetName(), ns, err)
		}
	}
	if bindings != 7 {
		t.Errorf("%d bindings", bindings)
	}
	for _, a := range all.container(t).Args {
		if strings.Contains(a, "=ownergraph") {
			t.Errorf("the argument %s has a fixed namespace", a)
		}
	}
	account, _ := w.accountIn("elsewhere")
	o, free, collector, stranger := w.guarded(configMap, "guarded"), w.guarded(configMap, "free"), dynamic.NewForConfigOrDie(account), w.as("stranger")
	w.inForce(o, stranger, collector)
	if err := w.patchAs(collector, o, finalizerPatch(), false); err != nil {
		t.Error(err)
	}
	w.dropPolicies(func() error { return w.patchAs(stranger, free, finalizerPatch(), true) }, "ownergraph-finalizers")
}

// TestManifestsFit: the selectors select the pods, and the ports have the names and the number
// of the program's. The overlay adds the flag -act and the roles to act, and nothing more. Each
// image has a tag.
func TestManifestsFit(t *testing.T) {
	w := begin(t)
	base, act, all := w.render(filepath.Join(manifests, "base")), w.render(filepath.Join(manifests, "act")), w.render(readmeExample(t))
	var d appsv1.Deployment
	all.one(t, "Deployment", home, &d)
	pods, c := labels.Set(d.Spec.Template.Labels), d.Spec.Template.Spec.Containers[0]
	for _, u := range all {
		for _, path := range [][]string{{"spec", "selector"}, {"spec", "selector", "matchLabels"}, {"spec", "podSelector", "matchLabels"}} {
			selector, _, err := unstructured.NestedStringMap(u.Object, path...)
			if err == nil && len(selector) > 0 && !labels.SelectorFromSet(selector).Matches(pods) {
				t.Errorf("%s %s selects %v, and the pods have %v", u.GetKind(), u.GetName(), selector, pods)
			}
		}
	}
	flags := all.args(t)
	i := slices.IndexFunc(flags, func(a string) bool { return strings.HasPrefix(a, "-listen=") })
	if _, port, err := net.SplitHostPort(strings.TrimPrefix(flags[i], "-listen=")); err != nil || len(c.Ports) != 1 || port != "8080" || c.Ports[0].ContainerPort != 8080 {
		t.Errorf("the program listens at %s, and its ports are %v: %v", flags[i], c.Ports, err)
	}
	var s corev1.Service
	all.one(t, "Service", home, &s)
	if name := c.Ports[0].Name; s.Spec.Ports[0].TargetPort.String() != name || c.LivenessProbe.HTTPGet.Port.String() != name || c.ReadinessProbe.HTTPGet.Port.String() != name {
		t.Errorf("the port is %s, of the Service %v", name, s.Spec.Ports)
	}
	if !strings.Contains(c.Image, ":") || strings.HasSuffix(c.Image, ":latest") {
		t.Errorf("the image is %s", c.Image)
	}
	if got := base.difference(act); !slices.Equal(got, []string{
		"ClusterRole ownergraph-act", "ClusterRoleBinding ownergraph-act", "Deployment ownergraph", "Role ownergraph-share", "RoleBinding ownergraph-share"}) {
		t.Errorf("the overlay changes %q", got)
	}
	if got, want := act.container(t), base.container(t); !slices.Equal(got.Args, append(want.Args, "-act")) {
		t.Errorf("the overlay has the arguments %q", got.Args)
	}
}

// difference returns the objects that another rendering has or changes.
func (r rendered) difference(other rendered) (out []string) {
	known := map[string]bool{}
	text := func(u *unstructured.Unstructured) string {
		b, _ := json.Marshal(u.Object)
		return string(b)
	}
	for _, u := range r {
		known[text(u)] = true
	}
	for _, u := range other {
		if !known[text(u)] {
			out = append(out, u.GetKind()+" "+u.GetName())
		}
	}
	slices.Sort(out)
	return out
}
