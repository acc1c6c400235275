package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// pluginDir has the plugin of kubectl, built once for all tests.
var pluginDir = sync.OnceValues(func() (string, error) {
	dir, err := filepath.Abs(filepath.Join(shared.Dir(), "plugin"))
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "kubectl-ownergraph"), ".")
	cmd.Dir = filepath.Join("..", "..", "..", "cmd", "kubectl-ownergraph")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the plugin: %w\n%s", err, out)
	}
	return dir, nil
})

// output is the output of a program that has ended.
type output struct {
	code           int
	stdout, stderr string
}

// kubectl runs kubectl in the namespace of the test, with the plugin in its path.
func (w *world) kubectl(args ...string) (out output) {
	w.t.Helper()
	path, err := server.Kubectl(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	config, err := w.server.Kubeconfig()
	if err != nil {
		w.t.Fatal(err)
	}
	plugins, err := pluginDir()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(w.ctx, path, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+config, "KUBECACHEDIR="+filepath.Join(w.server.Dir(), "kubectl-cache"), "PATH="+plugins+string(os.PathListSeparator)+os.Getenv("PATH"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return output{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// plugin runs the plugin through kubectl, and demands an exit code.
func (w *world) plugin(code int, args ...string) string {
	w.t.Helper()
	out := w.kubectl(append([]string{"ownergraph"}, args...)...)
	if out.code != code {
		w.t.Fatalf("kubectl ownergraph %s: exit %d, want %d\n%s%s", strings.Join(args, " "), out.code, code, out.stdout, out.stderr)
	}
	return out.stdout
}

// TestPluginPlan: kubectl delete --cascade removes, beside upstream's collector, exactly the
// objects that the plan of the plugin removes. It keeps, holds and orphans the others.
func TestPluginPlan(t *testing.T) {
	for _, cascade := range []string{"background", "foreground", "orphan"} {
		t.Run(cascade, func(t *testing.T) {
			w := begin(t)
			root, other := w.create(configMap, "root"), w.create(configMap, "other")
			a := w.create(secret, "a", blocking(root))
			all := []object{root, other, a, w.create(pod, "b", owned(a)), w.create(secret, "shared", owned(root, other)),
				w.create(configMap, "held", blocking(a), finalizers(hold)), w.create(secret, "loose", owned(root))}
			all = append(all, w.create(pod, "below-held", owned(all[5])))
			theirs := w.upstream()
			theirs.sees(all)
			code := 3 // an object is held
			if cascade == "orphan" {
				code = 0
			}
			var answer struct{ Plan plan.Plan }
			text := w.plugin(code, "plan", "configmap/root", "-n", w.ns, "--cascade", cascade, "-o", "json")
			if err := json.Unmarshal([]byte(text), &answer); err != nil {
				t.Fatal(err)
			}
			if out := w.kubectl("delete", "configmap/root", "-n", w.ns, "--cascade="+cascade, "--wait=false"); out.code != 0 {
				t.Fatal(out.stderr)
			}
			w.ends(all, &answer.Plan)
		})
	}
}

// ends waits until each object has the end of a plan. The first one is the root. A held object
// carries a mark, and an orphan does not name the root.
func (w *world) ends(all []object, p *plan.Plan) {
	w.t.Helper()
	outcome := func(o object) plan.Outcome {
		i := slices.IndexFunc(p.Objects, func(x plan.Object) bool { return x.Key.UID == graph.UID(o.uid) })
		if i < 0 {
			return plan.Kept
		}
		return p.Objects[i].Outcome
	}
	removed := 0
	for _, o := range all {
		if outcome(o) == plan.Removed {
			removed++
			w.goes(o)
		}
	}
	for _, o := range all {
		switch outcome(o) {
		case plan.Held:
			w.until("wait for the mark", func() error {
				if w.read(o).GetDeletionTimestamp() == nil {
					return fmt.Errorf("%s has no mark", o)
				}
				return nil
			})
		case plan.Orphaned:
			w.until("wait for the orphan", func() error {
				if refs := w.read(o).GetOwnerReferences(); slices.ContainsFunc(refs, func(r metav1.OwnerReference) bool { return r.UID == all[0].uid }) {
					return fmt.Errorf("%s has the owners %v", o, names(refs))
				}
				return nil
			})
		case plan.Kept, plan.Trimmed:
			w.stays(o)
		}
	}
	if removed == 0 || removed == len(all) {
		w.t.Errorf("%d of %d are removed: the test shows nothing", removed, len(all))
	}
}

// TestPluginExplainsNamespace: the explanation of a namespace that does not terminate names
// its blocker, and a wait ends with the namespace.
func TestPluginExplainsNamespace(t *testing.T) {
	w := begin(t)
	space := w.create(namespace, w.ns+"-old")
	blocker := w.create(configMap, "blocker", under(space.name), finalizers(hold))
	free := w.create(secret, "free", under(space.name))
	w.namespaceController()
	if out := w.kubectl("delete", "namespace", space.name, "--wait=false"); out.code != 0 {
		t.Fatal(out.stderr)
	}
	w.goes(free)
	w.until("wait for the conditions", func() error {
		text := w.plugin(3, "explain", "ns/"+space.name)
		for _, want := range []string{
			"NamespaceFinalizersRemaining", "NamespaceContentRemaining",
			"the controller of the finalizer " + hold + " has to take it off 1 object: ConfigMap/" + space.name + "/blocker",
			"finalizers: " + hold,
		} {
			if !strings.Contains(text, want) {
				return fmt.Errorf("%q is missing:\n%s", want, text)
			}
		}
		return nil
	})
	text := w.plugin(0, "top", "-A")
	if !strings.Contains(text, "Namespace/"+space.name+" ") || !strings.Contains(text, hold) {
		t.Errorf("top:\n%s", text)
	}
	w.free(blocker)
	if text := w.plugin(0, "wait", "ns/"+space.name, "--timeout", "1m"); !strings.Contains(text, "gone") {
		t.Errorf("wait:\n%s", text)
	}
	w.gone(space)
}

// TestPluginKnowsContainers: the tree and the plan of a namespace have its content, and the
// namespace controller removes exactly that.
func TestPluginKnowsContainers(t *testing.T) {
	w := begin(t)
	space := w.create(namespace, w.ns+"-full")
	a := w.create(configMap, "a", under(space.name))
	b := w.create(secret, "b", under(space.name), owned(a))
	outside := w.create(configMap, "outside")
	tree := w.plugin(0, "tree", "namespace/"+space.name)
	forecast := w.plugin(0, "plan", "namespace/"+space.name)
	t.Logf("\n%s\n%s", tree, forecast)
	for _, want := range []string{"members end with it, by the namespace controller", "ConfigMap/" + space.name + "/a  (member)\n", "└── Secret/" + space.name + "/b\n"} {
		if !strings.Contains(tree, want) {
			t.Errorf("the tree has no %q:\n%s", want, tree)
		}
	}
	for _, want := range []string{"- Namespace/" + space.name + "\n  - ConfigMap/" + space.name + "/a\n  - Secret/" + space.name + "/b\n", "assumed: the namespace controller deletes 2 members of containers that go\n"} {
		if !strings.Contains(forecast, want) {
			t.Errorf("the plan has no %q:\n%s", want, forecast)
		}
	}
	w.namespaceController()
	if out := w.kubectl("delete", "namespace", space.name, "--wait=false"); out.code != 0 {
		t.Fatal(out.stderr)
	}
	for _, o := range []object{a, b, space} {
		w.goes(o)
	}
	w.stays(outside)
}

// TestPluginRights: a tree and an explanation take the right to list alone, and name the kind
// without that right.
func TestPluginRights(t *testing.T) {
	w := begin(t)
	w.create(role, w.ns, field(w.rulesBut("secrets", "list"), "rules"))
	w.bind(w.ns)
	owner := w.create(configMap, "owner")
	of := w.create(configMap, "of-secret", owned(w.create(secret, "token")))
	w.create(pod, "child", owned(owner))
	for _, c := range []struct {
		args   []string
		want   string
		reason string
	}{
		{[]string{"tree", "cm/owner"}, "Pod/" + w.ns + "/child", "a dependent"},
		{[]string{"explain", "po/child"}, "Pod/" + w.ns + "/child is kept by its owner ConfigMap/" + w.ns + "/owner.\nOwner ConfigMap/" + w.ns + "/owner exists; ", "an owner that is listed"},
		{[]string{"explain", "cm/" + of.name}, "whether Secret/" + w.ns + "/token exists", "an owner that is not listed"},
	} {
		out := w.kubectl(slices.Concat([]string{"ownergraph"}, c.args, []string{"-n", w.ns, "--as", limited})...)
		if out.code == 1 || out.code == 2 || !strings.Contains(out.stdout, c.want) || !strings.Contains(out.stdout, "cannot list secrets: forbidden") {
			t.Errorf("%v: exit %d, want %q: %s\n%s%s", c.args, out.code, c.want, c.reason, out.stdout, out.stderr)
		}
		if strings.Count(out.stdout, "cannot list") != strings.Count(out.stdout, "cannot list secrets") || strings.Contains(out.stdout, "dangling") {
			t.Errorf("%v: another right is missing, or an owner counts as gone:\n%s", c.args, out.stdout)
		}
	}
}

// TestPluginActs: approve lets a guarded root go, pause stops a collector through its record,
// and a collector after the resumption goes on.
func TestPluginActs(t *testing.T) {
	w := begin(t)
	root := w.create(configMap, "root")
	child := w.create(secret, "child", owned(root))
	c := w.collect(settings{engine: guardAlways("root")})
	w.carries(root, graph.FinalizerHold, graph.FinalizerNew)
	w.delete(root, background)
	w.carries(root, graph.FinalizerHold)
	c.stop()
	record := "kube-system/ownergraph-" + w.ns
	t.Cleanup(func() { w.kubectl("delete", "configmap", "-n", "kube-system", "ownergraph-"+w.ns) })
	w.plugin(0, "pause", "--record", record, "-n", w.ns, "--unchecked") // no collector has announced itself yet
	w.plugin(0, "approve", "configmap/root", "-n", w.ns, "--at-most", "1")
	w.goes(root) // by the write of the approval
	c = w.collect(settings{engine: ownergraph.Config{Record: w.ns}})
	c.holds(child, policy.Paused)
	w.stays(child)
	c.stop()
	w.plugin(0, "pause", "--record", record, "-n", w.ns, "--resume")
	c = w.collect(settings{engine: ownergraph.Config{Record: w.ns}})
	w.goes(child)
	c.quiet()
}
