package upstream

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	modulePath = "k8s.io/kubernetes"
	source     = "pkg/controller/garbagecollector"
	// linked is the path of the built module. It begins with our path, since it imports
	// internal packages.
	linked  = "github.com/ownergraph/ownergraph/internal/linked"
	product = "github.com/ownergraph/ownergraph"
	bench   = "github.com/ownergraph/ownergraph/internal/proof/bench"
)

//go:embed bridge.go.txt main.go.txt metrics.go.txt
var texts embed.FS

// Program is the result of a build. Its two programs differ in the metrics of the work
// queues. In kube-controller-manager every key pays for them.
type Program struct {
	Path    string // without these metrics
	Product string // with them
	Version string // of upstream
}

// Build makes the program. It has to run in a folder of the benchmark's module. It
// leaves its files in the user's cache folder, where a later call finds them.
func Build(ctx context.Context) (Program, error) {
	home, err := moduleFolder(ctx)
	if err != nil {
		return Program{}, err
	}
	from, version, err := find(ctx, home)
	if err != nil {
		return Program{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Program{}, fmt.Errorf("build upstream: cache folder: %w", err)
	}
	to := filepath.Join(cache, "ownergraph", "bench", version)
	if err := link(from, to); err != nil {
		return Program{}, fmt.Errorf("build upstream: %w", err)
	}
	if err := writeModule(ctx, home, to); err != nil {
		return Program{}, fmt.Errorf("build upstream: %w", err)
	}
	p := Program{filepath.Join(to, "bin", "linked"), filepath.Join(to, "bin", "product"), version}
	_, err = run(ctx, to, "build", "-mod=mod", "-o", filepath.Join(to, "bin")+string(filepath.Separator), "./...")
	return p, err
}

// moduleFolder returns the folder of the benchmark's module.
func moduleFolder(ctx context.Context) (string, error) {
	out, err := run(ctx, ".", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}")
	if err != nil {
		return "", err
	}
	path, dir, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
	if path != bench {
		return "", fmt.Errorf("build upstream: started in module %s: start it in %s", path, bench)
	}
	return dir, nil
}

// find returns the folder of the upstream package, and its version.
func find(ctx context.Context, home string) (dir, version string, err error) {
	out, err := run(ctx, home, "mod", "download", "-json", modulePath)
	if err != nil {
		return "", "", err
	}
	var m struct{ Dir, Version string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", "", fmt.Errorf("build upstream: go mod download: %w", err)
	}
	return filepath.Join(m.Dir, filepath.FromSlash(source)), m.Version, nil
}

// link fills the folder to with upstream's files and ours. Equal files stay, so that a
// second build has nothing to do.
func link(from, to string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return err
	}
	inner := filepath.Base(source)
	wanted := map[string]string{} // target path: source path
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") {
			wanted[filepath.Join(inner, filepath.Base(f))] = f
		}
	}
	if len(wanted) == 0 {
		return fmt.Errorf("%s has no Go files", from)
	}
	for _, dir := range []string{inner, "product", "bin"} {
		if err := os.MkdirAll(filepath.Join(to, dir), 0o755); err != nil {
			return err
		}
	}
	for at, f := range wanted {
		if err := copyFile(f, filepath.Join(to, at)); err != nil {
			return err
		}
	}
	return unpack(to, map[string]string{
		filepath.Join(inner, "ownergraph_bridge.go"): "bridge.go.txt",
		"main.go":                              "main.go.txt",
		filepath.Join("product", "main.go"):    "main.go.txt",
		filepath.Join("product", "metrics.go"): "metrics.go.txt",
	})
}

// unpack writes our own files into the folder to, by their target paths.
func unpack(to string, names map[string]string) error {
	for at, name := range names {
		text, err := texts.ReadFile(name)
		if err == nil {
			err = write(filepath.Join(to, at), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return write(to, text)
}

// write leaves a file alone that has the same text.
func write(name string, text []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return os.WriteFile(name, text, 0o644)
}

// writeModule writes a go.mod that requires the modules of the benchmark, and the
// benchmark.
func writeModule(ctx context.Context, home, to string) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := copyFile(filepath.Join(home, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	root, err := run(ctx, home, "list", "-m", "-f", "{{.Dir}}", product)
	if err != nil {
		return err
	}
	_, err = run(ctx, to, "mod", "edit", "-module="+linked, "-require="+bench+"@v0.0.0", "-replace="+bench+"="+home,
		"-replace="+product+"="+strings.TrimSpace(string(root)))
	return err
}

// run runs the go command outside of any workspace.
func run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
