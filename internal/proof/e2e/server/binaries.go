package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// BinariesVariable names the environment variable that, if set, is a folder with
// executables "etcd" and "kube-apiserver". Nothing is built then.
const BinariesVariable = "OWNERGRAPH_SERVER_BINARIES"

const (
	thisModule = "github.com/ownergraph/ownergraph/internal/proof/e2e"

	etcdModule  = "go.etcd.io/etcd/server/v3"
	etcdPackage = "go.etcd.io/etcd/server/v3"
	kubeModule  = "k8s.io/kubernetes"
	kubePackage = "k8s.io/kubernetes/cmd/kube-apiserver"
)

// Binaries are the paths of the two executables. It is a value.
type Binaries struct{ Etcd, APIServer string }

// Build returns the two executables, of the versions in this module's go.mod, from the
// cache of the user. It builds a missing one from the module proxy, which takes
// minutes, once. It uses the go command in the current folder, which has to be in this
// module or in one that requires it. Two builds at the same time are both right.
//
// Held by TestBuild.
func Build(ctx context.Context) (Binaries, error) {
	if dir := os.Getenv(BinariesVariable); dir != "" {
		return given(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil { // a user without a home, as in some CI runs
		cache = os.TempDir()
	}
	m, err := findModules(ctx)
	if err != nil {
		return Binaries{}, fmt.Errorf("build servers: %w", err)
	}
	var out Binaries
	dir := filepath.Join(cache, "ownergraph", "servers")
	if out.Etcd, err = build(ctx, m.dir, dir, "etcd-"+m.etcd, etcdPackage); err != nil {
		return Binaries{}, fmt.Errorf("build etcd: %w", err)
	}
	if out.APIServer, err = build(ctx, m.dir, dir, "kube-apiserver-"+m.kube, kubePackage); err != nil {
		return Binaries{}, fmt.Errorf("build kube-apiserver: %w", err)
	}
	return out, nil
}

func given(dir string) (Binaries, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Binaries{}, fmt.Errorf("find servers: %s: %w", BinariesVariable, err)
	}
	out := Binaries{filepath.Join(dir, "etcd"), filepath.Join(dir, "kube-apiserver")}
	for _, path := range []string{out.Etcd, out.APIServer} {
		if _, err := os.Stat(path); err != nil {
			return Binaries{}, fmt.Errorf("find servers: %s: %w", BinariesVariable, err)
		}
	}
	return out, nil
}

// modules has the folder of this module, and the versions of the executables.
type modules struct{ dir, etcd, kube string }

func findModules(ctx context.Context) (modules, error) {
	list, err := command(ctx, "", "list", "-m", "-json=Path,Version,Dir", thisModule)
	if err != nil {
		return modules{}, err
	}
	var m struct{ Dir string }
	if err := json.Unmarshal([]byte(list), &m); err != nil {
		return modules{}, fmt.Errorf("find module %s: %w", thisModule, err)
	}
	versions, err := command(ctx, m.Dir, "list", "-m", "-f", "{{.Version}}", etcdModule, kubeModule)
	if err != nil {
		return modules{}, err
	}
	v := strings.Fields(versions)
	if len(v) != 2 {
		return modules{}, fmt.Errorf("find versions: got %q", versions)
	}
	return modules{m.Dir, v[0], v[1]}, nil
}

// build returns the executable of that name and of this system from the cache. It
// appears there whole or not at all.
//
// Held by TestBuildMisses.
func build(ctx context.Context, module, cache, name, pkg string) (string, error) {
	path := filepath.Join(cache, strings.Join([]string{name, runtime.GOOS, runtime.GOARCH}, "-"))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	half, err := os.MkdirTemp(cache, ".building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(half)
	made := filepath.Join(half, name)
	if _, err := command(ctx, module, "build", "-trimpath", "-ldflags=-s -w", "-o", made, pkg); err != nil {
		return "", err
	}
	return path, os.Rename(made, path)
}

// command runs the go command outside of any workspace and returns its output.
func command(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		said := ""
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			said = ": " + strings.TrimSpace(string(exit.Stderr))
		}
		return "", fmt.Errorf("go %s: %w%s", strings.Join(args, " "), err, said)
	}
	return string(out), nil
}
