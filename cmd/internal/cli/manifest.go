package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/lint"
)

// lintManifests judges files before a server has them, beside the dump of -f.
//
//test:by TestLintManifests
func (a *app) lintManifests(ctx context.Context, names []string, l *lintFlags, cfg lint.Config) error {
	if err := a.checkManifestFlags(names, l.patch || l.apply); err != nil {
		return err
	}
	all := lint.Manifests{Scope: a.scope(), Kinds: a.source.store.kindInfos()}
	if a.source.file != "" {
		c, err := a.load(ctx)
		if err != nil {
			return err
		}
		all.Store = &c.lint
	}
	for _, name := range names {
		m, err := a.readManifests(name)
		if err != nil {
			return err
		}
		all.Objects, all.Kinds = append(all.Objects, m.Objects...), append(all.Kinds, m.Kinds...)
	}
	if all.Store != nil {
		besideDump(&all)
	}
	report, err := lint.CheckManifests(all, cfg)
	if err != nil {
		return err
	}
	note := ""
	if n := all.WithoutUID(); n > 0 {
		note = fmt.Sprintf(" (owner references without a uid, judged by kind and name: %d)", n)
	}
	return a.printReport(&report, len(all.Objects), note)
}

func (a *app) checkManifestFlags(names []string, patch bool) error {
	stdin := 0
	for _, n := range append([]string{a.source.file}, names...) {
		if n == "-" {
			stdin++
		}
	}
	switch {
	case patch:
		return printing.UsageError("--patch and --apply: want no MANIFEST: a file has no version to test")
	case a.source.store.url != "":
		return printing.UsageError("MANIFEST and --store: want a dump with -f, or no store")
	case a.source.file == "" && len(a.source.partial) > 0:
		return printing.UsageError("--partial: want a dump with -f")
	case stdin > 1:
		return printing.UsageError(`"-" stands for standard input once`)
	}
	return nil
}

// readManifests reads one file of JSON or YAML, or standard input for "-".
func (a *app) readManifests(name string) (lint.Manifests, error) {
	if name == "-" {
		return dump.ReadManifests(detect(a.stdin), "standard input")
	}
	f, err := os.Open(name)
	if err != nil {
		return lint.Manifests{}, err
	}
	defer f.Close()
	return dump.ReadManifests(detect(f), name)
}

// besideDump adds the kinds of the files that the dump lacks. A dump does not tell whether the
// cluster serves another kind, so all others of its group count as not described.
func besideDump(m *lint.Manifests) {
	known := map[graph.Kind]bool{}
	for _, k := range m.Store.Kinds {
		known[k.Kind] = true
	}
	add := func(k graph.KindInfo) {
		if !known[k.Kind] {
			known[k.Kind] = true
			m.Store.Kinds = append(m.Store.Kinds, lint.Kind{KindInfo: k, Reason: "the dump has no object of it"})
		}
	}
	for _, defined := range []bool{true, false} { // a definition tells more than an object
		for _, k := range m.Kinds {
			if defined == (k.Definition != "") {
				add(k)
			}
		}
	}
	for i := range m.Objects {
		for _, r := range m.Objects[i].Owners {
			if !known[r.Kind] {
				add(graph.KindInfo{Kind: r.Kind[:strings.LastIndex(string(r.Kind), "/")+1] + "*"})
			}
		}
	}
}
