package relocate

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/ownergraph/ownergraph/internal/mutants"
)

// history reads the module's source at older commits.
type history struct {
	root    string
	commits []string // the newest first
	sources map[string]*mutants.Source
}

// oldest bounds the commits that are searched for a bug's old home.
const oldest = "300"

// newHistory returns the history before the working tree. It has one commit alone if
// since names it.
func newHistory(ctx context.Context, root, since string) (*history, error) {
	args := []string{"rev-list", "-n", oldest, "HEAD"}
	if since != "" {
		args = []string{"rev-list", "-n", "1", since}
	}
	out, err := git(ctx, root, args...)
	if err != nil {
		return nil, err
	}
	return &history{root: root, commits: strings.Fields(string(out)), sources: map[string]*mutants.Source{}}, nil
}

// origin returns the old home of a bug at the newest commit at which the bug applies
// and the declaration is not as given.
func (h *history) origin(ctx context.Context, b mutants.Bug, not string) (*origin, error) {
	for _, commit := range h.commits {
		source, err := h.source(ctx, commit)
		if err != nil {
			return nil, err
		}
		p, _, err := source.Locate(b.Decl, b.Old)
		if err != nil || p.Text() == not {
			continue
		}
		return originOf(b, source)
	}
	return nil, fmt.Errorf("%w: it applies at none of %d commits", errByHand, len(h.commits))
}

func (h *history) source(ctx context.Context, commit string) (*mutants.Source, error) {
	if s, ok := h.sources[commit]; ok {
		return s, nil
	}
	out, err := git(ctx, h.root, "archive", "--format=zip", "-1", commit, "--", ":(glob)**/*.go")
	if err != nil {
		return nil, err
	}
	files, err := zip.NewReader(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", commit, err)
	}
	s := mutants.NewSource(files)
	h.sources[commit] = s
	return s, nil
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
