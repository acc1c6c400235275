package fakegc

import (
	"bufio"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	builtin "k8s.io/client-go/kubernetes/scheme"
)

// TestGlobal: client-go marks each kind without namespaces, in a comment for its
// generators.
func TestGlobal(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, marked, seen := strings.TrimSpace(string(out)), map[schema.GroupKind]bool{}, 0
	err = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "types.go" {
			return err
		}
		group := groupOf(t, filepath.Dir(path))
		return marks(path, func(kind string) { marked[schema.GroupKind{Group: group, Kind: kind}] = true })
	})
	if err != nil {
		t.Fatal(err)
	}
	for gvk := range builtin.Scheme.AllKnownTypes() {
		if !builtin.Scheme.Recognizes(gvk.GroupVersion().WithKind(gvk.Kind + "List")) {
			continue
		}
		seen++
		if got := global(gvk.GroupKind()); got != marked[gvk.GroupKind()] {
			t.Errorf("global(%s) = %v", gvk.GroupKind(), got)
		}
	}
	if seen < 50 || len(marked) < 20 {
		t.Errorf("%d kinds, %d of them marked: not all was seen", seen, len(marked))
	}
}

func groupOf(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "register.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "GroupName")
	_, rest, _ = strings.Cut(rest, `"`)
	group, _, _ := strings.Cut(rest, `"`)
	return group
}

// marks yields the types of a file that are marked as having no namespace.
func marks(path string, yield func(kind string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	next := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if strings.Contains(line, "+genclient:nonNamespaced") {
			next = true
		}
		if kind, ok := strings.CutPrefix(line, "type "); ok {
			if next {
				yield(strings.Fields(kind)[0])
			}
			next = false
		}
	}
	return nil
}
