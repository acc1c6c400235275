package released

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
)

const root = "github.com/ownergraph/ownergraph"

// TestRelease makes a release of the present commit into a proxy in a folder, and takes it as users do.
// A released version never changes, so each run has a version of its own.
func TestRelease(t *testing.T) {
	r := makeRelease(t)
	t.Run("each module", r.testModules)
	t.Run("the lines of README", r.testReadme)
	t.Run("programs", r.testPrograms)
	t.Run("commands", r.testCommands)
}

// user is a user of a release: a clone of the repository, a proxy, and the environment of the Go command.
type user struct {
	clone, proxy, version string
	bin                   string // of installed commands
	env                   []string
}

func makeRelease(t *testing.T) *user {
	t.Helper()
	r := &user{clone: filepath.Join(t.TempDir(), "clone"), proxy: t.TempDir(), bin: t.TempDir()}
	r.version = fmt.Sprintf("v0.0.1-test.%d", time.Now().UnixNano())
	top := strings.TrimSpace(r.run(t, ".", "git", "rev-parse", "--show-toplevel"))
	r.run(t, ".", "git", "clone", "--quiet", "--no-local", top, r.clone)
	file := filepath.Join(r.clone, "CHANGELOG.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dated := fmt.Sprintf("## [Unreleased]\n\n## [%s] - 2026-11-29", r.version[1:])
	if err := os.WriteFile(file, bytes.Replace(text, []byte("## [Unreleased]"), []byte(dated), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GIT_AUTHOR", "GIT_COMMITTER"} {
		r.env = append(r.env, name+"_NAME=a", name+"_EMAIL=a@example.org")
	}
	r.run(t, r.clone, "git", "commit", "--quiet", "--all", "--message", "CHANGELOG")
	r.env = append(r.env, "GOWORK=")
	t.Log(r.run(t, r.clone, "go", "run", "./internal/release", "-proxy", r.proxy, r.version))
	before := strings.TrimSpace(r.run(t, ".", "go", "env", "GOPROXY"))
	r.env = append(r.env, "GOPROXY=file://"+r.proxy+","+before, "GONOSUMDB="+root+","+root+"/*", "GOFLAGS=", "GOWORK=off", "GOBIN="+r.bin)
	t.Cleanup(func() { r.forget(t) })
	return r
}

// run runs a command in a directory, and returns its output.
func (r *user) run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	// A cleanup runs commands, too, when the context of the test is over.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 15*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), r.env...)
	var errors bytes.Buffer
	c.Stderr = &errors
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &errors)
	}
	return string(out)
}

// forget takes the version out of the module cache, which would keep it for ever.
func (r *user) forget(t *testing.T) {
	cache := strings.TrimSpace(r.run(t, ".", "go", "env", "GOMODCACHE"))
	for _, m := range r.modules(t) {
		_ = filepath.WalkDir(filepath.Join(cache, m+"@"+r.version), func(p string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(p, 0o755)
			}
			return err
		})
		err := os.RemoveAll(filepath.Join(cache, m+"@"+r.version))
		old, _ := filepath.Glob(filepath.Join(cache, "cache/download", m, "@v", r.version+".*"))
		for _, f := range old {
			if err == nil {
				err = os.Remove(f)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// modules returns the paths of the released modules.
func (r *user) modules(t *testing.T) (list []string) {
	t.Helper()
	err := filepath.WalkDir(r.proxy, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "@v" {
			m, err := filepath.Rel(r.proxy, filepath.Dir(p))
			list = append(list, filepath.ToSlash(m))
			return err
		}
		return err
	})
	if err != nil || len(list) < 10 {
		t.Fatalf("the proxy has the modules %q, %v", list, err)
	}
	return list
}

// testModules checks that each module has a license, and that its go.mod and go.sum are complete
// without the repository.
func (r *user) testModules(t *testing.T) {
	for _, m := range r.modules(t) {
		dir := t.TempDir()
		z, err := zip.OpenReader(filepath.Join(r.proxy, m, "@v", r.version+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, z); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, m+"@"+r.version)
		if _, err := os.Stat(filepath.Join(at, "LICENSE")); err != nil {
			t.Errorf("module %s: %v", m, err)
		}
		if diff := r.run(t, at, "go", "mod", "tidy", "-diff"); diff != "" {
			t.Errorf("module %s is not tidy:\n%s", m, diff)
		}
	}
}

var (
	program = regexp.MustCompile("(?s)```go\n(package main\n.*?)```")
	install = regexp.MustCompile(`(?m)^    (go (?:get|install) .*)$`)
)

// testReadme runs the lines of README's section Install as they stand, and its program.
func (r *user) testReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(r.clone, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := r.newModule(t, "readme")
	lines := install.FindAllSubmatch(text, -1)
	for _, m := range lines {
		r.run(t, dir, "sh", "-c", string(m[1]))
	}
	code := program.FindSubmatch(text)
	if len(lines) < 3 || code == nil {
		t.Fatalf("README.md has %d lines of go get and go install, and a program: %t", len(lines), code != nil)
	}
	r.write(t, dir, "main.go", code[1])
	r.run(t, dir, "go", "mod", "tidy")
	if out := r.run(t, dir, "go", "run", "."); !strings.HasPrefix(out, "[]") {
		t.Errorf("the program of README.md printed %q, want []", out)
	}
}

func (r *user) newModule(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	r.run(t, dir, "go", "mod", "init", "example.org/"+name)
	return dir
}

func (r *user) write(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// testPrograms builds and runs a program of a user for each adapter, each in a module of its own. The
// program is the Example of the adapter, if that needs no server.
func (r *user) testPrograms(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	s, err := server.Start(ctx, server.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	kubeconfig, err := s.Kubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	r.env = append(r.env, "KUBECONFIG="+kubeconfig, "ETCD=unix://"+filepath.Join(s.Dir(), "etcd.sock:1"))
	all := []string{""}
	for _, m := range r.modules(t) {
		if sub := strings.TrimPrefix(m, root+"/"); strings.HasPrefix(sub, "adapters/") {
			all = append(all, sub)
		}
	}
	taken := map[string]bool{"": true}
	for _, c := range []struct {
		name  string
		takes []string // modules, "" for the root
		want  string   // of the output
	}{
		{"sql", []string{"adapters/sql"}, "ok"},
		{"etcd", []string{"adapters/etcd"}, "gone: true\n"},
		{"clientgo", []string{"adapters/clientgo"}, "gone: true\n"},
		{"together", []string{"", "adapters/sql", "adapters/clientgo"}, "fences: true\nfences: true\n"},
		{"prometheus", []string{"adapters/prometheus"}, "ok"},
		{"age", []string{"adapters/age"}, "ok"},
		{"otel", []string{"adapters/otel"}, "ok"},
		{"web", []string{"adapters/web"}, "ok"},
		{"fakegc", []string{"adapters/clientgo/fakegc"}, "ok"},
		{"storetest", []string{"", "adapters/storetest/linear"}, "ok"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := r.newModule(t, c.name)
			r.writeProgram(t, dir, c.name)
			args := []string{"get"}
			for _, m := range c.takes {
				args = append(args, strings.TrimSuffix(root+"/"+m, "/")+"@"+r.version)
				taken[m] = true
			}
			r.run(t, dir, "go", args...)
			r.run(t, dir, "go", "mod", "tidy")
			if _, err := os.Stat(filepath.Join(dir, "main.go")); err == nil {
				if out := r.run(t, dir, "go", "run", "."); out != c.want {
					t.Errorf("it printed %q, want %q", out, c.want)
				}
			} else if out := r.run(t, dir, "go", "test", "."); !strings.HasPrefix(out, c.want) || strings.Contains(out, "[no test") {
				t.Errorf("it printed %q, want %q", out, c.want)
			}
		})
	}
	for _, m := range all {
		if !taken[m] {
			t.Errorf("no program takes module %q", m)
		}
	}
}

// writeProgram writes the program of a name: that of testdata, or the Example of the adapter.
func (r *user) writeProgram(t *testing.T, dir, name string) {
	t.Helper()
	from := path.Join("testdata", name)
	if _, err := os.Stat(from); err == nil {
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(filepath.Join(r.clone, "adapters", name, "example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	r.write(t, dir, "example_test.go", text)
}

// testCommands installs both names of the command. Each prints the version of the release.
func (r *user) testCommands(t *testing.T) {
	for _, name := range []string{"ownergraph", "kubectl-ownergraph"} {
		r.run(t, t.TempDir(), "go", "install", root+"/cmd/"+name+"@"+r.version)
		if out := r.run(t, ".", filepath.Join(r.bin, name), "--version"); !strings.Contains(out, r.version) {
			t.Errorf("%s --version printed %q, want %s", name, out, r.version)
		}
	}
}
