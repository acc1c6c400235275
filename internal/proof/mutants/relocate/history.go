package relocate

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/ownergraph/ownergraph/internal/proof/mutants"
)

// history reads the module's source at older commits.
type history struct {
	root    string
	commits []string // the newest first
	past    map[string]*version
}

// version is the module at one commit.
type version struct {
	source *mutants.Source
	bugs   map[string]mutants.Bug // none if they had another format
}

// oldest bounds the commits that are searched for a bug's old home.
const oldest = "120"

// newHistory returns the history before the working tree. It has one commit alone if
// since names one.
func newHistory(ctx context.Context, root, since string) (*history, error) {
	args := []string{"rev-list", "-n", oldest, "HEAD"}
	if since != "" {
		args = []string{"rev-list", "-n", "1", since}
	}
	out, err := git(ctx, root, args...)
	if err != nil {
		return nil, err
	}
	return &history{root: root, commits: strings.Fields(string(out)), past: map[string]*version{}}, nil
}

// origin returns the old home of a bug at the newest commit at which the bug applies
// and the declaration is not as given. A bug that was edited since and applies nowhere
// is taken as it was then.
func (h *history) origin(ctx context.Context, b mutants.Bug, not string) (*origin, mutants.Bug, error) {
	for _, former := range []bool{false, true} {
		for _, commit := range h.commits {
			v, err := h.version(ctx, commit)
			if err != nil {
				return nil, b, err
			}
			then := b
			if former {
				then = v.bugs[b.Name]
			}
			p, _, err := v.source.Locate(then.Decl, then.Old)
			if err != nil || p.Text() == not {
				continue
			}
			o, err := originOf(then, v.source)
			return o, then, err
		}
	}
	return nil, b, fmt.Errorf("%w: it applies at none of %d commits", errByHand, len(h.commits))
}

func (h *history) version(ctx context.Context, commit string) (*version, error) {
	if v, ok := h.past[commit]; ok {
		return v, nil
	}
	out, err := git(ctx, h.root, "archive", "--format=zip", "-0", commit)
	if err != nil {
		return nil, err
	}
	files, err := zip.NewReader(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", commit, err)
	}
	v := &version{source: mutants.NewSource(files), bugs: map[string]mutants.Bug{}}
	bugs, _ := mutants.LoadFrom(files)
	for _, b := range bugs {
		v.bugs[b.Name] = b
	}
	h.past[commit] = v
	return v, nil
}

func git(ctx context.Context, root string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
