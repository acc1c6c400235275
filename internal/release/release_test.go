package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/sumdb/dirhash"
)

const root = "example.org/graph"

// newRepository makes a repository of a root, an adapter, a command and a tool that is internal, and
// changes to its directory.
func newRepository(t *testing.T) tree {
	t.Helper()
	r := tree{dir: t.TempDir()}
	t.Chdir(r.dir)
	for _, name := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+name+"_NAME", "a")
		t.Setenv("GIT_"+name+"_EMAIL", "a@example.org")
	}
	for name, text := range map[string]string{
		"go.mod":                  "module " + root + "\n\ngo 1.25.0\n",
		"graph.go":                "package graph\n",
		"LICENSE":                 "a license\n",
		"CHANGELOG.md":            "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-29\n\n- A change.\n",
		"adapters/sql/go.mod":     "module " + root + "/adapters/sql\n\ngo 1.25.0\n\nrequire " + root + " v0.0.0\n\nreplace " + root + " => ../..\n",
		"adapters/sql/sql.go":     "package sql\n\nimport _ \"" + root + "\"\n",
		"cmd/go.mod":              "module " + root + "/cmd\n\ngo 1.25.0\n\nrequire (\n\t" + root + " v0.0.0 // indirect\n\t" + root + "/adapters/sql v0.0.0\n)\n\nreplace (\n\t" + root + " => ..\n\t" + root + "/adapters/sql => ../adapters/sql\n)\n",
		"cmd/main.go":             "package main\n\nimport _ \"" + root + "/adapters/sql\"\n\nfunc main() {}\n",
		"internal/proof/go.mod":   "module " + root + "/internal/proof\n\ngo 1.25.0\n\nrequire " + root + " v0.0.0\n\nreplace " + root + " => ../..\n",
		"internal/proof/proof.go": "package proof\n\nimport _ \"" + root + "\"\n",
		"testdata/in/go.mod":      "module " + root + "/testdata/in\n",
	} {
		r.write(t, name, text)
	}
	r.do(t, "init", "--quiet", "--initial-branch", "main")
	r.commit(t)
	return r
}

func (t tree) write(tb testing.TB, name, text string) {
	tb.Helper()
	file := filepath.Join(t.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func (t tree) do(tb testing.TB, args ...string) string {
	tb.Helper()
	out, err := t.git(tb.Context(), args...)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func (t tree) commit(tb testing.TB) {
	tb.Helper()
	t.do(tb, "add", "--all")
	t.do(tb, "commit", "--quiet", "--message", "a change")
}

// attempt runs the command.
func attempt(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errors bytes.Buffer
	code = run(t.Context(), args, &out, &errors)
	return code, out.String(), errors.String()
}

// TestRelease checks the commit, the tags and the proxy of a release, and that nothing else changes.
// The test of the users' view is internal/proof/e2e/released.
func TestRelease(t *testing.T) {
	r, proxy := newRepository(t), t.TempDir()
	before := r.do(t, "for-each-ref") + r.do(t, "rev-parse", "HEAD")
	code, stdout, stderr := attempt(t, "-proxy", proxy, "v0.2.0")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	commit := r.do(t, "rev-parse", "release/v0.2.0")
	want := []string{
		"# v0.2.0 is commit " + commit + " on the branch release/v0.2.0: 3 modules, 0.0 MB of zips",
		"git tag adapters/sql/v0.2.0 " + commit, "git tag cmd/v0.2.0 " + commit, "git tag v0.2.0 " + commit,
		"git push origin tag adapters/sql/v0.2.0 tag cmd/v0.2.0 tag v0.2.0", "",
	}
	if stdout != strings.Join(want, "\n") {
		t.Errorf("it printed\n%swant\n%s", stdout, strings.Join(want, "\n"))
	}
	branch := regexp.MustCompile(`(?m)^.*refs/heads/release/v0.2.0\n?`)
	if after := branch.ReplaceAllString(r.do(t, "for-each-ref"), ""); strings.TrimSpace(after)+r.do(t, "rev-parse", "HEAD") != before || r.do(t, "status", "--porcelain") != "" {
		t.Errorf("the release changed more than its branch: %s\nbefore: %s", after, before)
	}
	if parent := r.do(t, "rev-parse", "release/v0.2.0^"); parent != r.do(t, "rev-parse", "HEAD") {
		t.Errorf("the commit of the release stands on %s, want HEAD", parent)
	}
	checkCommand(t, r, proxy)
	kept := r.do(t, "show", "release/v0.2.0:internal/proof/go.mod")
	if !strings.Contains(kept, root+" v0.2.0") || !strings.Contains(kept, "replace ") {
		t.Errorf("an internal module has the version and keeps its replace lines:\n%s", kept)
	}
}

// checkCommand checks the go.mod, the go.sum and the license of the module of the command.
func checkCommand(t *testing.T, r tree, proxy string) {
	t.Helper()
	f, err := modfile.Parse("go.mod", []byte(r.do(t, "show", "release/v0.2.0:cmd/go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Replace) > 0 || len(f.Require) != 2 {
		t.Errorf("the command replaces %d and requires %d modules, want 0 and 2", len(f.Replace), len(f.Require))
	}
	for _, q := range f.Require {
		if q.Mod.Version != "v0.2.0" || q.Indirect != (q.Mod.Path == root) {
			t.Errorf("the command requires %s, indirectly %t", q.Mod, q.Indirect)
		}
	}
	zip := filepath.Join(proxy, root, "adapters/sql/@v/v0.2.0.zip")
	sum, err := dirhash.HashZip(zip, dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	if text := r.do(t, "show", "release/v0.2.0:cmd/go.sum"); !strings.Contains(text, root+"/adapters/sql v0.2.0 "+sum) || strings.Count(text, "\n") != 3 {
		t.Errorf("go.sum of the command lacks %s, or has not 4 lines:\n%s", sum, text)
	}
	if got := r.do(t, "show", "release/v0.2.0:adapters/sql/LICENSE"); got != "a license" {
		t.Errorf("the adapter has the license %q", got)
	}
	if list, err := os.ReadFile(filepath.Join(proxy, root, "cmd/@v/list")); err != nil || string(list) != "v0.2.0\n" {
		t.Errorf("the proxy lists %q, %v", list, err)
	}
}

// TestRefusals: a release that cannot be right changes nothing, and its error names the cause.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, version string
		before        func(t *testing.T, r tree)
		code          int
		want, reason  string
	}{
		{"short", "v0.2", nil, 1, `version "v0.2": want vX.Y.Z`, "a tag has three numbers"},
		{"no v", "0.2.0", nil, 1, `version "0.2.0": want vX.Y.Z`, "the Go command wants the v"},
		{"major", "v2.0.0", nil, 1, `version "v2.0.0": the module paths have no /v2`, "a user could not import it"},
		{"none", "", nil, 1, `version "": want vX.Y.Z`, "an unset variable is no version"},
		{"dirty", "v0.2.0", func(t *testing.T, r tree) { r.write(t, "graph.go", "package other\n") }, 1, "changes that are not committed:  M graph.go", "the release has committed files alone"},
		{"untracked", "v0.2.0", func(t *testing.T, r tree) { r.write(t, "new.go", "package graph\n") }, 1, "?? new.go", "a forgotten file would be missing"},
		{"untracked, and not shown", "v0.2.0", func(t *testing.T, r tree) {
			r.do(t, "config", "status.showUntrackedFiles", "no")
			r.write(t, "new.go", "package graph\n")
		}, 1, "?? new.go", "a setting of the user hides it"},
		{"no section", "v0.3.0", nil, 1, "CHANGELOG.md: no section [0.3.0]", "users read what changes"},
		{"tagged", "v0.2.0", func(t *testing.T, r tree) { r.do(t, "tag", "cmd/v0.2.0") }, 1, "refs/tags/cmd/v0.2.0 exists", "a proxy keeps the first content of a version for ever"},
		{"again", "v0.2.0", func(t *testing.T, r tree) { attempt(t, "v0.2.0") }, 1, "refs/heads/release/v0.2.0 exists", "two commits of a version would differ"},
		{"replaced", "v0.2.0", func(t *testing.T, r tree) {
			r.write(t, "adapters/sql/go.mod", "module "+root+"/adapters/sql\n\ngo 1.25.0\n\nreplace example.org/driver => ../driver\n")
			r.commit(t)
		}, 1, "module adapters/sql: go.mod: replace example.org/driver: users do not share it", "a user would build with another module"},
		{"ring", "v0.2.0", func(t *testing.T, r tree) {
			r.write(t, "go.mod", "module "+root+"\n\ngo 1.25.0\n\nrequire "+root+"/adapters/sql v0.0.0\n")
			r.commit(t)
		}, 1, "require each other", "no sum can be the first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepository(t)
			if c.before != nil {
				c.before(t, r)
			}
			before := r.do(t, "for-each-ref") + r.do(t, "status", "--porcelain")
			code, _, stderr := attempt(t, c.version)
			if code != c.code || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d: %s\nwant exit %d and %q: %s", code, stderr, c.code, c.want, c.reason)
			}
			if after := r.do(t, "for-each-ref") + r.do(t, "status", "--porcelain"); after != before {
				t.Errorf("a refused release changed the repository:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
	for _, args := range [][]string{nil, {"v0.2.0", "v0.3.0"}, {"-x"}} { // wrong usage
		if code, _, _ := attempt(t, args...); code != 2 {
			t.Errorf("%q: exit %d, want 2", args, code)
		}
	}
}

func TestChangelog(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"## [Unreleased]\n\n## [0.2.0] - 2026-11-29\n\n### Added\n\n- x\n", "", "complete"},
		{"## [0.2.0] - 2026-11-29\n- x\n## [0.1.0] - 2026-01-01\n", "", "no section of unreleased changes is needed"},
		{"## [Unreleased]\n- x\n", "no section [0.2.0]", "the version is not there"},
		{"## [0.2.0] - 2026-11-29\n\n### Added\n\n## [0.1.0] - 2026-01-01\n- x\n", "section [0.2.0]: empty", "a heading is no change"},
		{"## [Unreleased]\n- y\n## [0.2.0] - 2026-11-29\n- x\n", "section [Unreleased]: not empty", "the lines are in the release and must say so"},
		{"## [0.2.0]\n- x\n", `section [0.2.0]: date ""`, "Keep a Changelog wants the date"},
		{"## [0.2.0] - 29.11.2026\n- x\n", `date "29.11.2026"`, "in this order"},
		{"## [0.2.0] - 2026-11-29\n- x\n## [0.2.0] - 2026-11-28\n", "two sections [0.2.0]", "which one is right is a guess"},
	} {
		err := checkChangelog(c.text, "v0.2.0")
		if got := errorText(err); (c.want == "") != (err == nil) || !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q: %s", c.text, got, c.want, c.reason)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestModules: each module stands behind those that it requires, and input of tests is no module.
func TestModules(t *testing.T) {
	r := newRepository(t)
	files, err := r.files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := readModules(r.dir, files)
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, m := range list {
		dirs = append(dirs, m.dir)
	}
	if got := strings.Join(dirs, " "); got != ". adapters/sql cmd internal/proof" {
		t.Errorf("modules %s", got)
	}
}

func TestAddSums(t *testing.T) {
	const old = "a.org/x v1.0.0 h1:x\na.org/x v1.0.0/go.mod h1:xm\nexample.org/graph v0.1.0 h1:old\nz.org/z v1.10.0 h1:z\nz.org/z v1.9.0 h1:z9\n"
	got, err := addSums(old, []sumLine{{root, "v0.2.0", "h1:g"}, {root, "v0.2.0/go.mod", "h1:gm"}})
	want := "a.org/x v1.0.0 h1:x\na.org/x v1.0.0/go.mod h1:xm\nexample.org/graph v0.2.0 h1:g\nexample.org/graph v0.2.0/go.mod h1:gm\nz.org/z v1.9.0 h1:z9\nz.org/z v1.10.0 h1:z\n"
	if err != nil || got != want {
		t.Errorf("addSums = %v\n%swant\n%s", err, got, want)
	}
	if _, err := addSums("a b\n", nil); err == nil || !strings.Contains(err.Error(), "go.sum: line 1") {
		t.Errorf("a line of two fields: %v", err)
	}
}

// TestSettings: settings of the user's git change neither the content of a release nor its sums.
func TestSettings(t *testing.T) {
	plain := newRepository(t)
	if code, _, stderr := attempt(t, "v0.2.0"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	want := plain.do(t, "rev-parse", "release/v0.2.0^{tree}")
	for _, c := range []struct {
		name   string
		before func(t *testing.T, r tree)
		reason string
	}{
		{"line ends", func(t *testing.T, r tree) { r.do(t, "config", "core.autocrlf", "true") }, "git for Windows has it by default"},
		{"ignored", func(t *testing.T, r tree) { r.write(t, ".git/info/exclude", "go.sum\nLICENSE\n") }, "a go.sum that is new is needed"},
		{"signed", func(t *testing.T, r tree) { r.do(t, "config", "commit.gpgsign", "true") }, "the tags can be signed"},
		{"hook", func(t *testing.T, r tree) { r.do(t, "config", "core.hooksPath", "/nothing") }, "no hook is for this commit"},
		{"detached", func(t *testing.T, r tree) { r.do(t, "checkout", "--quiet", "--detach") }, "CI has no branch"},
		{"linked", func(t *testing.T, r tree) {
			linked := filepath.Join(t.TempDir(), "linked")
			r.do(t, "worktree", "add", "--quiet", linked)
			t.Chdir(linked)
		}, "the first work tree may be busy"},
		{"below", func(t *testing.T, r tree) { t.Chdir(filepath.Join(r.dir, "cmd")) }, "go run works there, too"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepository(t)
			c.before(t, r)
			code, _, stderr := attempt(t, "v0.2.0")
			if code != 0 {
				t.Fatalf("exit %d: %s: %s", code, stderr, c.reason)
			}
			if got := r.do(t, "rev-parse", "release/v0.2.0^{tree}"); got != want {
				t.Errorf("the content is %s, want %s: %s", got, want, c.reason)
			}
		})
	}
}

// TestAgain: a proxy that cannot be written leaves no branch, so the same command works afterwards.
func TestAgain(t *testing.T) {
	r, proxy := newRepository(t), filepath.Join(t.TempDir(), "proxy")
	if err := os.WriteFile(proxy, []byte("a file"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := attempt(t, "-proxy", proxy, "v0.2.0"); code != 1 || !strings.Contains(stderr, "write proxy") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if refs := r.do(t, "for-each-ref", "refs/heads/release"); refs != "" {
		t.Errorf("a failed release left %s", refs)
	}
	if err := os.Remove(proxy); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := attempt(t, "-proxy", proxy, "v0.2.0"); code != 0 {
		t.Errorf("again: exit %d: %s", code, stderr)
	}
}
