package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/droppatch"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
	"github.com/spf13/cobra"
)

func (a *app) lintCommand() *cobra.Command {
	var ignore string
	var handlers, owned, names []string
	var fix fixFlags
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Find faults of ownership",
		Long: `Find faults of ownership in a namespace, or everywhere with -A: owners that are missing, in
another namespace or of another UID, cycles, deletions that wait for ever. LINT.md of the
library has each code with its remedy.

With -f it judges files before a server has them, with or without UIDs. An owner is looked up in
the files and in the cluster. -n is the namespace of the objects that name none.

--patch prints the patch of each object that drops exactly its wrong references: owners that are
missing or in another namespace, namespaced owners of global objects, and references of an object
to itself. It tests the UID and the version. Doubtful references stay. --apply reads the places
of the owners again, lets the server try all patches, and then applies them. It applies none if
the server refuses one. It sends none to a server behind an API service, which may carry out a
dry run.

Exit code 1: no kind could be listed, or a patch was not applied. The count names the kinds that
were not read in any other case.
Exit code 3: there is a finding that the list of --ignore does not have, and that --apply did not
mend.`,
		Example: `  kubectl ownergraph lint -A
  kubectl ownergraph lint -n shop --ignore known.txt -o json
  kubectl ownergraph lint -n shop -f web.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg := lint.Config{Handlers: handlers}
			for _, k := range owned {
				cfg.OwnedKinds = append(cfg.OwnedKinds, graph.Kind(k))
			}
			if ignore != "" {
				text, err := os.ReadFile(ignore)
				if err != nil {
					return err
				}
				if cfg.Ignore, err = lint.ParseIgnore(string(text)); err != nil {
					return fmt.Errorf("%s: %w", ignore, err)
				}
			}
			if err := fix.check(cmd, names); err != nil {
				return err
			}
			if len(names) == 0 {
				ctx, stop := live.Interruptible(cmd.Context()) // the results of patches are printed all the same
				defer stop()
				return a.lint(ctx, cfg, &fix)
			}
			if err := a.checkManifestFlags(names); err != nil {
				return err
			}
			return a.lintManifests(cmd.Context(), names, cfg)
		},
	}
	a.addFormat(cmd, printing.Plain())
	a.addEverywhere(cmd)
	f := cmd.Flags()
	f.StringSliceVarP(&names, "filename", "f", nil, `judge these files of JSON or YAML beside the cluster; "-" is standard input`)
	f.BoolVar(&fix.patch, "patch", false, "also print commands of kubectl that drop the wrong references")
	f.BoolVar(&fix.apply, "apply", false, "drop the wrong references, after a dry run by the server")
	f.IntVar(&fix.most, "at-most", 100, "with --apply, the most objects to patch")
	f.StringVar(&ignore, "ignore", "", "file with the codes and objects to leave out: see lint.ParseIgnore")
	f.StringSliceVar(&handlers, "handler", nil, "finalizers that have a controller; all others count as faults then")
	f.StringSliceVar(&owned, "owned-kind", nil, "kinds whose objects always have an owner, such as apps/ReplicaSet")
	return cmd
}

func (a *app) addEverywhere(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&a.everywhere, "all-namespaces", "A", false, "the objects of all namespaces, and those without one")
}

// lintAnswer is the form kubectl-ownergraph.lint/v1.
type lintAnswer struct {
	Schema  string      `json:"schema"`
	Report  lint.Report `json:"report"`
	Unknown unknown     `json:"unknown"`
	// Drops are there with --patch or --apply.
	*droppatch.Answer
}

// fixFlags are the flags about wrong references.
type fixFlags struct {
	patch, apply bool
	most         int
}

// check returns the fault of a command line.
func (f *fixFlags) check(cmd *cobra.Command, names []string) error {
	switch {
	case len(names) > 0 && (f.patch || f.apply):
		return printing.UsageError("-f has no --patch and no --apply: a file has no version to test")
	case !f.apply && cmd.Flags().Changed("at-most"):
		return printing.UsageError("--at-most belongs to --apply")
	case f.most < 1:
		return printing.UsageError("--at-most: want a number from 1")
	}
	return nil
}

func (a *app) lint(ctx context.Context, cfg lint.Config, fix *fixFlags) error {
	r, inside, err := a.readInside(ctx)
	if err != nil {
		return err
	}
	if !a.everywhere { // the bound would count the findings of other namespaces
		cfg.PerCode = math.MaxInt
	}
	if fix.patch || fix.apply {
		return a.lintDrops(ctx, r, cfg, inside, fix)
	}
	report, err := lint.Check(r.in, cfg)
	if err != nil {
		return err
	}
	return a.writeReport(a.lintAnswer(r, report, inside), a.unreadNote(r.in))
}

func (a *app) lintAnswer(r *reading, report lint.Report, inside func(graph.Key) bool) *lintAnswer {
	if !a.everywhere {
		report = within(report, inside)
	}
	return &lintAnswer{Report: report, Unknown: unknowns(r.in, r.part(inside), "")}
}

// lintDrops writes the findings, and prints or applies the patches that drop the wrong references.
func (a *app) lintDrops(ctx context.Context, r *reading, cfg lint.Config, inside func(graph.Key) bool, fix *fixFlags) error {
	ctx, cancel, err := a.deadline(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	report, drops, err := r.provenDrops(ctx, cfg, inside)
	if err != nil {
		return err
	}
	answer, err := droppatch.New(drops, a.clusterFlags())
	if err != nil {
		return err
	}
	x := a.lintAnswer(r, report, inside)
	if x.Answer = &answer; !fix.apply {
		return a.writeReport(x, a.unreadNote(r.in))
	}
	p, err := a.newPatcher(r)
	if err != nil {
		return err
	}
	failed := p.apply(ctx, drops.Objects, &answer, fix.most)
	switch err := a.writeReport(x, a.unreadNote(r.in)); {
	case err != nil && !errors.Is(err, printing.ErrFound):
		return err
	case failed > 0:
		return fmt.Errorf("%s: %w", spell.Count(uint64(failed), "patch"), errNotApplied)
	case remaining(x.Report, drops.Objects, &answer) > 0:
		return printing.ErrFound
	}
	return nil
}

// writeReport writes a report, and a note beside the number of its findings.
func (a *app) writeReport(x *lintAnswer, note string) (err error) {
	out := a.printer()
	if x.Schema = "kubectl-ownergraph.lint/v1"; a.format == printing.JSON {
		err = out.JSON(x)
	} else {
		text := x.Report.String() + fmt.Sprintf("findings: %d%s\n", len(x.Report.Findings), note) + x.Unknown.text()
		if x.Answer != nil {
			text += x.Answer.Text()
		}
		err = out.Text(text)
	}
	if err == nil && len(x.Report.Findings) > 0 {
		return printing.ErrFound
	}
	return err
}

// within returns the part of a report about some objects. It has no ignored findings, because
// a report does not name their objects.
//
//test:by TestLintOfOneNamespace
func within(all lint.Report, inside func(graph.Key) bool) (part lint.Report) {
	found := map[lint.Code]int{}
	for _, f := range all.Findings {
		if inside(f.Object) {
			found[f.Code]++
			part.Findings = append(part.Findings, f)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(found)) {
		part.Counts = append(part.Counts, lint.Count{Code: code, Found: found[code]})
	}
	return part
}

// readInside lists the cluster for a command about a namespace, or about all with -A. It reads
// the missing owners of the objects there again, and their missing namespaces.
func (a *app) readInside(ctx context.Context) (r *reading, inside func(graph.Key) bool, err error) {
	namespace := ""
	if !a.everywhere {
		if namespace, err = a.namespace(); err != nil {
			return nil, nil, err
		}
	}
	inside = func(k graph.Key) bool {
		return a.everywhere || k.Scope == namespace || k.Kind == namespaceKind && k.Name == namespace
	}
	ctx, cancel, err := a.deadline(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer cancel()
	if r, err = a.read(ctx, namespace); err == nil {
		err = a.readNothing(r.in)
	}
	if err != nil {
		return nil, nil, err
	}
	_, err = r.proven(ctx, func() offline.Content { return r.part(inside) })
	if err == nil {
		err = r.provenContainers(ctx, inside)
	}
	return r, inside, err
}

// provenContainers reads the missing containers of scopes again that the question is about. Beyond
// the bound their kind counts as not listed.
//
//test:by TestNamespaceNewerThanItsListing
func (r *reading) provenContainers(ctx context.Context, inside func(graph.Key) bool) error {
	missing := slices.DeleteFunc(r.content.MissingContainers(), func(k graph.Key) bool { return !inside(k) })
	if len(missing) > maxReads {
		r.doubt(missing[maxReads:])
		missing = missing[:maxReads]
	}
	if err := r.store.Reread(ctx, &r.in, missing); err != nil {
		return caused(ctx, err)
	}
	r.refresh()
	return nil
}

// part returns the objects that a command is about, with their owners.
func (r *reading) part(inside func(graph.Key) bool) offline.Content {
	c := r.content
	c.Objects = slices.DeleteFunc(slices.Clone(c.Objects), func(o graph.Object) bool { return !inside(o.Key) })
	return r.withOwners(c)
}

// withOwners adds the owners of the objects of a part, so that none of them counts as missing.
func (r *reading) withOwners(c offline.Content) offline.Content {
	named := map[graph.UID]bool{}
	for i := range c.Objects {
		for _, owner := range c.Objects[i].Owners {
			named[owner.UID] = true
		}
	}
	for i := range c.Objects {
		delete(named, c.Objects[i].UID)
	}
	for i := range r.content.Objects {
		if o := &r.content.Objects[i]; named[o.UID] {
			bare := *o
			bare.Owners = nil
			c.Objects = append(c.Objects, bare)
		}
	}
	return c
}
