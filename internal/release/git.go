package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tree is a work tree of a git repository.
type tree struct {
	dir string
	env []string // of git, besides that of the process

	settings []string // of git, before the command
}

// beside returns an empty directory as a second work tree of the repository, with an index of its own.
// Unlike git worktree, it leaves no file in the directory and no entry in the repository.
func (t tree) beside(ctx context.Context, dir, index string) (tree, error) {
	repository, err := t.git(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return tree{}, err
	}
	env := []string{"GIT_DIR=" + repository, "GIT_WORK_TREE=" + dir, "GIT_INDEX_FILE=" + index}
	settings := []string{"-c", "core.autocrlf=false"} // the sums are those of the committed bytes
	return tree{dir, env, settings}, os.MkdirAll(dir, 0o755)
}

// git runs a command of git in the tree, and returns its output without the last line end.
func (t tree) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", slices.Concat(t.settings, args)...)
	cmd.Dir, cmd.Env = t.dir, append(os.Environ(), t.env...)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(errors.String()))
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// first returns the first work tree of the repository, which has the directory .git. The package zip knows
// no other one.
func (t tree) first(ctx context.Context) (string, error) {
	common, err := t.git(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil || filepath.Base(common) != ".git" {
		return t.dir, err
	}
	return filepath.Dir(common), nil
}

// files lists the tracked files below the tree, in order.
func (t tree) files(ctx context.Context) ([]string, error) {
	out, err := t.git(ctx, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(out, "\x00"), "\x00"), nil
}

const maxNamed = 5 // changes that an error names

// checkClean returns an error that names the changes that are not committed.
func (t tree) checkClean(ctx context.Context) error {
	out, err := t.git(ctx, "status", "--porcelain", "--untracked-files=normal")
	if err != nil || out == "" {
		return err
	}
	lines := strings.Split(out, "\n")
	more := ""
	if n := len(lines) - maxNamed; n > 0 {
		lines, more = lines[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("the tree has changes that are not committed: %s%s", strings.Join(lines, ", "), more)
}

// checkNew returns an error if a tag or the branch of the version exists.
func (t tree) checkNew(ctx context.Context, tags []string, branch string) error {
	for _, ref := range append([]string{"refs/heads/" + branch}, prefixed("refs/tags/", tags)...) {
		if out, err := t.git(ctx, "for-each-ref", "--format=%(objectname)", ref); err != nil || out != "" {
			if err == nil {
				err = fmt.Errorf("%s exists, and is commit %s", ref, out)
			}
			return err
		}
	}
	return nil
}

func prefixed(prefix string, list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, prefix+s)
	}
	return out
}
