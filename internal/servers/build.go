package servers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Source is an executable that Build builds from source.
type Source struct {
	// Name begins the name of the file in the cache.
	Name string
	// Pins is the folder of the module whose go.mod has the versions, in the root module.
	Pins string
	// Module and Package are the paths of the module and of the command.
	Module, Package string
	// Cgo says that the build needs a C compiler.
	Cgo bool
}

const rootModule = "github.com/ownergraph/ownergraph"

// Build returns the executable from the cache of the user. It builds a missing one from the
// module proxy, which takes minutes, once. The current folder has to be in the root module,
// or in one that requires it. Two builds at the same time are both right.
//
//test:by TestBuild
func Build(ctx context.Context, s Source) (path string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil { // a user without a home, as in some CI runs
		cache = os.TempDir()
	}
	return s.build(ctx, filepath.Join(cache, "ownergraph", "servers"))
}

func (s Source) build(ctx context.Context, cache string) (path string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("build %s: %w", s.Name, err)
		}
	}()
	root, err := command(ctx, "", false, "list", "-m", "-f", "{{.Dir}}", rootModule)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(strings.TrimSpace(root), filepath.FromSlash(s.Pins))
	version, err := command(ctx, dir, false, "list", "-m", "-f", "{{.Version}}", s.Module)
	if err != nil {
		return "", err
	}
	name := s.Name + "-" + strings.TrimSpace(version)
	path = filepath.Join(cache, strings.Join([]string{name, runtime.GOOS, runtime.GOARCH}, "-"))
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
	if _, err := command(ctx, dir, s.Cgo, "build", "-trimpath", "-ldflags=-s -w", "-o", made, s.Package); err != nil {
		return "", err
	}
	return path, os.Rename(made, path)
}

// command runs the go command outside of any workspace and returns its output.
func command(ctx context.Context, dir string, cgo bool, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
	if cgo {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	}
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
