package dump

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
)

// ReadFile reads a file, or stdin if the name of the file is "-". The errors are those of
// Read, and that of opening the file.
func ReadFile(name string, stdin io.Reader) (Content, error) {
	if name == "-" {
		return Read(stdin, "standard input")
	}
	f, err := os.Open(name)
	if err != nil {
		return Content{}, err
	}
	defer f.Close()
	return Read(f, name)
}

// Summary counts the objects, kinds, references and objects with finalizers, in one line.
func (c Content) Summary() string {
	references, unresolved, finalized := 0, 0, 0
	for _, o := range c.Objects {
		references += len(o.Owners)
		for _, ref := range o.Owners {
			if ref.Unresolved {
				unresolved++
			}
		}
		if len(o.Finalizers) > 0 {
			finalized++
		}
	}
	return fmt.Sprintf("%s of %s, %s (%d cannot be resolved), %s with finalizers",
		spell.Count(uint64(len(c.Objects)), "object"), spell.Count(uint64(len(c.Kinds)), "kind"), spell.Count(uint64(references), "owner reference"), unresolved, spell.Count(uint64(finalized), "object"))
}

// Lint returns the content as the input of package lint, with the instant of the dump, or
// the zero time. The kinds in partial and those of c.Unlisted count as not listed, so no
// owner of these kinds is known to be missing. Every other kind counts as listed in full.
//
//test:by TestLint
func (c Content) Lint(now time.Time, partial []graph.Kind) lint.Input {
	in := lint.Input{Now: now, Objects: make([]lint.Object, len(c.Objects)), Kubernetes: true}
	for i, o := range c.Objects {
		in.Objects[i] = lint.Object{Object: o, MarkedAt: c.MarkedAt[o.Key]}
	}
	for _, k := range c.Kinds {
		kind := lint.Kind{KindInfo: k, Listed: !slices.Contains(partial, k.Kind)}
		if !kind.Listed {
			kind.Reason = "the dump has a part of its objects"
		}
		in.Kinds = append(in.Kinds, kind)
	}
	for _, k := range c.Unlisted {
		in.Kinds = append(in.Kinds, lint.Kind{KindInfo: k, Reason: noObject})
	}
	return in
}
