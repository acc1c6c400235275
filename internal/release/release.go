package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"
)

// release is one version of all modules that users take.
type release struct {
	version string
	repo    tree
	head    string // the commit that is released
	commit  string // of the release
	modules []*goModule
}

// newRelease checks that the repository at dir can be released as the version. It changes nothing.
// The error names the version, the file or the tag that stands in the way.
//
//test:by TestRefusals
func newRelease(ctx context.Context, dir, version string) (*release, error) {
	switch {
	case semver.Canonical(version) != version || version == "":
		return nil, fmt.Errorf("version %q: want vX.Y.Z", version)
	case semver.Compare(version, "v2") >= 0:
		return nil, fmt.Errorf("version %q: the module paths have no /%s", version, semver.Major(version))
	}
	at, err := tree{dir: dir}.git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r := &release{version: version, repo: tree{dir: at}}
	if err := r.repo.checkClean(ctx); err != nil {
		return nil, err
	}
	if r.head, err = r.repo.git(ctx, "rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(at, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	if err := checkChangelog(string(text), version); err != nil {
		return nil, err
	}
	files, err := r.repo.files(ctx)
	if err != nil {
		return nil, err
	}
	if r.modules, err = readModules(at, files); err != nil {
		return nil, err
	}
	return r, r.repo.checkNew(ctx, r.tags(), r.branch())
}

func (r *release) branch() string { return "release/" + r.version }

// tags returns the tag of each module that users take.
func (r *release) tags() (list []string) {
	for _, m := range r.modules {
		if !m.kept {
			list = append(list, m.tag(r.version))
		}
	}
	slices.Sort(list)
	return list
}

// make makes the commit in a work tree beside that of the user, and leaves the branch of the release. With a
// proxy it writes the modules there.
func (r *release) make(ctx context.Context, proxy string) (err error) {
	temp, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(temp)) }()
	work, err := r.repo.beside(ctx, filepath.Join(temp, "tree"), filepath.Join(temp, "index"))
	if err != nil {
		return err
	}
	if _, err := work.git(ctx, "read-tree", r.head); err != nil {
		return err
	}
	if _, err := work.git(ctx, "checkout-index", "--all"); err != nil {
		return err
	}
	for _, m := range r.modules {
		if err := r.rewrite(m, work.dir, temp); err != nil {
			return fmt.Errorf("module %s: %w", m.dir, err)
		}
	}
	if err := r.record(ctx, work); err != nil {
		return err
	}
	if err := r.verify(ctx, temp); err != nil {
		return err
	}
	if proxy != "" {
		when, err := r.repo.git(ctx, "show", "--no-patch", "--format=%cI", r.head)
		if err != nil {
			return err
		}
		if err := r.publish(proxy, work.dir, temp, when); err != nil {
			return fmt.Errorf("write proxy %s: %w", proxy, err)
		}
	}
	_, err = r.repo.git(ctx, "branch", r.branch(), r.commit) // last, so that after an error the same command works
	return err
}

// record commits the work tree, with files that the user's git ignores, as a new go.sum.
func (r *release) record(ctx context.Context, work tree) error {
	if _, err := work.git(ctx, "add", "--all", "--force"); err != nil {
		return err
	}
	content, err := work.git(ctx, "write-tree")
	if err != nil {
		return err
	}
	message := "release " + r.version + "\n\nThe modules require the versions of this release, without the replace lines of the main line."
	r.commit, err = work.git(ctx, "commit-tree", content, "-p", r.head, "-m", message)
	return err
}

// verify compares each zip with the one that the Go command makes from the commit. A tracked file
// that git archives differently would fail the sums of every user.
func (r *release) verify(ctx context.Context, temp string) error {
	first, err := r.repo.first(ctx)
	if err != nil {
		return err
	}
	file := filepath.Join(temp, "archive.zip")
	for _, m := range r.modules {
		if m.kept {
			continue
		}
		subdir := m.dir
		if subdir == "." {
			subdir = ""
		}
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		err = modzip.CreateFromVCS(f, module.Version{Path: m.path, Version: r.version}, first, r.commit, subdir)
		if err = cmp.Or(err, f.Close()); err != nil {
			return fmt.Errorf("archive %s: %w", m.path, err)
		}
		sum, err := dirhash.HashZip(file, dirhash.Hash1)
		if err == nil && sum != m.sums.zip {
			err = fmt.Errorf("archive %s: sum %s, and the work tree has %s", m.path, sum, m.sums.zip)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rewrite writes the files of a module as they are in the release, and its zip.
func (r *release) rewrite(m *goModule, root, temp string) error {
	dir := filepath.Join(root, filepath.FromSlash(m.dir))
	for _, path := range m.needs {
		if err := m.file.AddRequire(path, r.version); err != nil {
			return err
		}
	}
	if !m.kept {
		if err := r.dropReplaces(m); err != nil {
			return err
		}
	}
	m.file.Cleanup()
	text, err := m.file.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644); err != nil || m.kept {
		return err
	}
	if err := writeSums(filepath.Join(dir, "go.sum"), r.sumLines(m)); err != nil {
		return err
	}
	if err := license(root, dir); err != nil {
		return err
	}
	m.sums, m.size, err = pack(module.Version{Path: m.path, Version: r.version}, dir, m.zip(temp))
	return err
}

// sumLines returns the sums of the modules that a module requires, and of those that these require,
// because go mod tidy also keeps the sums for the tests of imported packages.
func (r *release) sumLines(m *goModule) (lines []sumLine) {
	for _, need := range r.modules { // in order, each once
		near := slices.ContainsFunc(m.needs, func(p string) bool { return p == need.path || slices.Contains(r.module(p).needs, need.path) })
		if near {
			lines = append(lines, sumLine{need.path, r.version, need.sums.zip}, sumLine{need.path, r.version + "/go.mod", need.sums.mod})
		}
	}
	return lines
}

func (r *release) module(path string) *goModule {
	for _, m := range r.modules {
		if m.path == path {
			return m
		}
	}
	return nil
}

// dropReplaces drops the replace lines of the modules of the repository. Another one is an error: a
// user's build ignores it, and go install refuses it.
func (r *release) dropReplaces(m *goModule) error {
	for _, x := range slices.Clone(m.file.Replace) {
		if r.module(x.Old.Path) == nil {
			return fmt.Errorf("go.mod: replace %s: users do not share it", x.Old.Path)
		}
		if err := m.file.DropReplace(x.Old.Path, x.Old.Version); err != nil {
			return err
		}
	}
	return nil
}

// zip returns the path of the module's zip among temporary files.
func (m *goModule) zip(temp string) string {
	return filepath.Join(temp, strings.ReplaceAll(m.dir, "/", "-")+".zip")
}

func writeSums(file string, lines []sumLine) error {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(lines) == 0 {
		return nil
	}
	now, err := addSums(string(text), lines)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(now), 0o644)
}

// license gives a module the license of the repository.
func license(root, dir string) error {
	text, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "LICENSE"), text, 0o644)
}

// report prints the commit and the tags, and how they are pushed.
func (r *release) report(out io.Writer) {
	var size int64
	for _, m := range r.modules {
		size += m.size
	}
	tags := r.tags()
	fmt.Fprintf(out, "# %s is commit %s on the branch %s: %d modules, %.1f MB of zips\n", r.version, r.commit, r.branch(), len(tags), float64(size)/1e6)
	for _, t := range tags {
		fmt.Fprintln(out, "git tag", t, r.commit)
	}
	fmt.Fprintln(out, "git push origin", strings.Join(prefixed("tag ", tags), " "))
}
