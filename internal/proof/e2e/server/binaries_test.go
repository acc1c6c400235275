package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBuild: the executables have the versions of go.mod. If the environment names a
// folder, they are in it.
func TestBuild(t *testing.T) {
	t.Setenv(BinariesVariable, "")
	b, err := Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{b.Etcd, b.APIServer} {
		if i, err := os.Stat(path); err != nil || i.Mode()&0o100 == 0 {
			t.Errorf("%s is no executable: %v, %v", path, i, err)
		}
	}
	if !strings.Contains(filepath.Base(b.Etcd), "etcd-v3.") || !strings.Contains(filepath.Base(b.APIServer), "kube-apiserver-v1.") {
		t.Errorf("%+v does not say the versions", b)
	}
	dir := t.TempDir()
	t.Setenv(BinariesVariable, dir)
	if b, err := Build(t.Context()); err == nil {
		t.Errorf("an empty folder has %+v", b)
	}
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	want := Binaries{filepath.Join(dir, "etcd"), filepath.Join(dir, "kube-apiserver")}
	if b, err := Build(t.Context()); err != nil || b != want {
		t.Errorf("%+v, %v, want %+v", b, err, want)
	}
}

// TestBuildKubectl: kubectl has the version of the server. If the environment names a folder,
// it is there.
func TestBuildKubectl(t *testing.T) {
	t.Setenv(BinariesVariable, "")
	path, err := Kubectl(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(filepath.Base(b.APIServer), "kube-apiserver-")
	if got := filepath.Base(path); got != "kubectl-"+version {
		t.Errorf("%s is not of the version of %s", got, b.APIServer)
	}
	if out, err := exec.CommandContext(t.Context(), path, "kustomize", "--help").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	dir := t.TempDir()
	t.Setenv(BinariesVariable, dir)
	if path, err := Kubectl(t.Context()); err == nil {
		t.Errorf("an empty folder has %s", path)
	}
	if err := os.WriteFile(filepath.Join(dir, "kubectl"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if path, err := Kubectl(t.Context()); err != nil || path != filepath.Join(dir, "kubectl") {
		t.Errorf("%s, %v", path, err)
	}
}
