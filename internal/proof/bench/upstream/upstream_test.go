package upstream

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	// The program that is built at run time needs the modules of upstream's package. So
	// go.mod and go.sum name them.
	_ "k8s.io/component-base/metrics/prometheus/workqueue"
	_ "k8s.io/kubernetes/pkg/controller/garbagecollector"
)

func TestLink(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "v1")
	for name, text := range map[string]string{"a.go": "package a", "a_test.go": "package a", "OWNERS": ""} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time over the files of the first
		if err := link(from, to); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	files, err := filepath.Glob(filepath.Join(to, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got = append(got, filepath.Base(f))
	}
	if want := []string{"a.go", "ownergraph_bridge.go", "main.go", "metrics.go"}; !slices.Equal(got, want) {
		t.Errorf("linked %q, want %q", got, want)
	}
	if err := link(t.TempDir(), to); err == nil {
		t.Error("a folder without Go files is linked")
	}
}

func TestTextsAreGo(t *testing.T) {
	for name, pkg := range map[string]string{"bridge.go.txt": "garbagecollector", "main.go.txt": "main", "metrics.go.txt": "main"} {
		text, err := texts.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil || f.Name.Name != pkg {
			t.Errorf("%s: %v, want package %s", name, err, pkg)
		}
	}
}

func TestModuleFolder(t *testing.T) {
	dir, err := moduleFolder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(filepath.ToSlash(dir), "internal/proof/bench") {
		t.Errorf("folder %s", dir)
	}
	if _, version, err := find(t.Context(), dir); err != nil || version != "v1.36.3" {
		t.Errorf("version %q, %v: README and baseline are about v1.36.3", version, err)
	}
}
