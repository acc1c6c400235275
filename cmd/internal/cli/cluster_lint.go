package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/droppatch"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
)

// lintBesideCluster judges the objects of a cluster, or files beside them.
func (a *app) lintBesideCluster(cmd *cobra.Command, args []string, l *lintFlags, cfg lint.Config) error {
	names := append(l.files, args...)
	if err := l.check(cmd, names); err != nil {
		return err
	}
	if len(names) == 0 {
		ctx, stop := live.Interruptible(cmd.Context()) // the results of patches are printed all the same
		defer stop()
		return a.lint(ctx, cfg, &l.fixFlags)
	}
	if err := a.checkManifestFlagsOfCluster(names); err != nil {
		return err
	}
	return a.lintManifestsOfCluster(cmd.Context(), names, cfg)
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

	objects int // that were judged
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
	return a.writeReportOfCluster(a.lintAnswer(r, report, inside), a.unreadNote(r.in))
}

func (a *app) lintAnswer(r *reading, report lint.Report, inside func(graph.Key) bool) *lintAnswer {
	if !a.everywhere {
		report = within(report, inside)
	}
	judged := 0
	for i := range r.in.Objects {
		if inside(r.in.Objects[i].Key) {
			judged++
		}
	}
	return &lintAnswer{Report: report, Unknown: unknowns(r.in, r.part(inside), ""), objects: judged}
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
		return a.writeReportOfCluster(x, a.unreadNote(r.in))
	}
	p, err := a.newPatcher(r)
	if err != nil {
		return err
	}
	failed := p.apply(ctx, drops.Objects, &answer, fix.most)
	switch err := a.writeReportOfCluster(x, a.unreadNote(r.in)); {
	case err != nil && !errors.Is(err, printing.ErrFound):
		return err
	case failed > 0:
		return fmt.Errorf("%s: %w", spell.Count(uint64(failed), "patch"), errNotApplied)
	case remaining(x.Report, drops.Objects, &answer) > 0:
		return printing.ErrFound
	}
	return nil
}

// writeReportOfCluster writes a report, and a note beside the number of its findings.
func (a *app) writeReportOfCluster(x *lintAnswer, note string) (err error) {
	out := a.printer()
	if x.Schema = "kubectl-ownergraph.lint/v1"; a.format == printing.JSON {
		err = out.JSON(x)
	} else {
		text := a.reportText(&x.Report, x.objects, note) + x.Unknown.text()
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
		return timely(ctx, err)
	}
	r.refresh()
	return nil
}

// part returns the objects that a command is about, with their owners.
func (r *reading) part(inside func(graph.Key) bool) offline.Content {
	return partOf(r.content, inside)
}

// partOf returns the objects of a content that an answer is about, with their owners.
func partOf(all offline.Content, shown func(graph.Key) bool) offline.Content {
	c := all
	c.Objects = slices.DeleteFunc(slices.Clone(all.Objects), func(o graph.Object) bool { return !shown(o.Key) })
	return withOwners(c, all.Objects)
}

// withOwners adds the owners of the objects of a part, so that none of them counts as missing.
func withOwners(c offline.Content, all []graph.Object) offline.Content {
	named := map[graph.UID]bool{}
	for i := range c.Objects {
		for _, owner := range c.Objects[i].Owners {
			named[owner.UID] = true
		}
	}
	for i := range c.Objects {
		delete(named, c.Objects[i].UID)
	}
	for i := range all {
		if o := &all[i]; named[o.UID] {
			bare := *o
			bare.Owners = nil
			c.Objects = append(c.Objects, bare)
		}
	}
	return c
}
