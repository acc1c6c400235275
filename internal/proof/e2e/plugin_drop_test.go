package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
)

// TestPluginDropsLeftOvers: a real server takes exactly the wrong references off, by the printed
// commands in a shell and by --apply. An older command has no effect on a changed object.
func TestPluginDropsLeftOvers(t *testing.T) {
	w := begin(t)
	space := w.create(namespace, w.ns+"-operators")
	operator := w.create(configMap, "operator", under(space.name))
	group := w.create(configMap, "group")
	former := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "group", UID: "00000000-0000-4000-8000-000000000000"}
	misplaced := w.create(secret, "misplaced", owned(group, operator))
	anew := w.create(secret, "anew", references(former), owned(group))
	global := w.create(namespace, w.ns+"-global", owned(operator))
	right := w.create(secret, "right", owned(group))
	owners := func(o object, want ...object) {
		t.Helper()
		var list, wanted []string
		for _, r := range w.read(o).GetOwnerReferences() {
			list = append(list, string(r.UID))
		}
		for _, o := range want {
			wanted = append(wanted, string(o.uid))
		}
		if !slices.Equal(list, wanted) {
			t.Errorf("%s has the owners %v, want %v", o, list, wanted)
		}
	}
	text := w.plugin(3, "lint", "-n", w.ns, "--patch")
	var commands []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "kubectl patch ") {
			commands = append(commands, line)
		}
	}
	if len(commands) != 2 {
		t.Fatalf("%d commands, want 2:\n%s", len(commands), text)
	}
	w.inShell(t, true, commands[0]) // of the secret "anew"
	owners(anew, group)
	w.inShell(t, false, commands[0])
	owners(anew, group)
	text = w.plugin(0, "lint", "-n", w.ns, "--apply")
	if !strings.Contains(text, "patched: Secret/"+w.ns+"/misplaced\n") {
		t.Errorf("apply:\n%s", text)
	}
	owners(misplaced, group)
	text = w.plugin(0, "lint", "-n", global.name, "--apply")
	if !strings.Contains(text, "patched: Namespace/"+global.name+"\n") {
		t.Errorf("apply:\n%s", text)
	}
	owners(global)
	owners(right, group)
	if text := w.plugin(0, "lint", "-n", w.ns); !strings.HasPrefix(text, "no findings in ") {
		t.Errorf("findings remain:\n%s", text)
	}
}

// inShell runs a printed command, and demands that it works or fails.
func (w *world) inShell(t *testing.T, works bool, line string) {
	t.Helper()
	path, err := server.Kubectl(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	config, err := w.server.Kubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(w.ctx, "sh", "-c", line)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+config, "KUBECACHEDIR="+filepath.Join(w.server.Dir(), "kubectl-cache"), "PATH="+filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); (err == nil) != works {
		t.Fatalf("%s\n%s%v", line, out, err)
	}
}
