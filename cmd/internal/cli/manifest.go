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
	if err := a.addManifests(&all, names); err != nil {
		return err
	}
	if all.Store != nil {
		besideDump(&all)
	}
	report, err := lint.CheckManifests(all, cfg)
	if err != nil {
		return err
	}
	return a.printReport(&report, len(all.Objects), uidNote(all))
}

func (a *app) checkManifestFlags(names []string, patch bool) error {
	switch {
	case patch:
		return printing.UsageError("--patch and --apply: want no MANIFEST: a file has no version to test")
	case a.source.store.url != "":
		return printing.UsageError("MANIFEST and --store: want a dump with -f, or no store")
	case a.source.file == "" && len(a.source.partial) > 0:
		return printing.UsageError("--partial: want a dump with -f")
	}
	return stdinOnce(append([]string{a.source.file}, names...))
}

// stdinOnce refuses several files that are standard input.
func stdinOnce(names []string) error {
	count := 0
	for _, n := range names {
		if n == "-" {
			count++
		}
	}
	if count > 1 {
		return printing.UsageError(`"-" stands for standard input once`)
	}
	return nil
}

// addManifests adds the objects and kinds of files.
func (a *app) addManifests(all *lint.Manifests, names []string) error {
	for _, name := range names {
		m, err := a.readManifests(name)
		if err != nil {
			return err
		}
		all.Objects, all.Kinds = append(all.Objects, m.Objects...), append(all.Kinds, m.Kinds...)
	}
	return nil
}

// uidNote counts the references of files that are judged without a UID, or returns "".
func uidNote(all lint.Manifests) string {
	if n := all.WithoutUID(); n > 0 {
		return fmt.Sprintf(" (owner references without a uid, judged by kind and name: %d)", n)
	}
	return ""
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
