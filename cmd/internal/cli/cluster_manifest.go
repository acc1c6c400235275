package cli

import (
	"context"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/lint"
)

// lintManifestsOfCluster judges files before a server has them. The owners are looked up in the cluster, and
// each that is missing there is read again.
//
//test:by TestPluginLintManifests
func (a *app) lintManifestsOfCluster(ctx context.Context, names []string, cfg lint.Config) error {
	all := lint.Manifests{}
	err := a.addManifests(&all, names)
	if err != nil {
		return err
	}
	if all.Scope, err = a.namespace(); err != nil {
		return err
	}
	ctx, cancel, err := a.deadline(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	a.everywhere = true // the owners are of each kind
	r, err := a.read(ctx, all.Scope)
	if err == nil {
		err = a.readNothing(r.in)
	}
	if err != nil {
		return err
	}
	all.Store = &r.in
	missing, err := all.MissingPlaces()
	if err != nil {
		return err
	}
	if len(missing) > maxReads {
		r.doubt(missing[maxReads:])
		missing = missing[:maxReads]
	}
	if err := r.store.Reread(ctx, &r.in, missing); err != nil {
		return timely(ctx, err)
	}
	report, err := lint.CheckManifests(all, cfg)
	if err != nil {
		return err
	}
	return a.writeReportOfCluster(&lintAnswer{Report: report, Unknown: unknownOwners(all), objects: len(all.Objects)}, uidNote(all)+a.unreadNote(r.in))
}

// unknownOwners returns the kinds of owners in the files that are not listed.
func unknownOwners(m lint.Manifests) unknown {
	u := unknown{Kinds: []unlistedKind{}, Facts: []string{}}
	named := map[graph.Kind]bool{}
	for i := range m.Objects {
		for _, r := range m.Objects[i].Owners {
			named[r.Kind] = true
		}
	}
	for _, k := range m.Store.Kinds {
		if !k.Listed && named[k.Kind] {
			u.Kinds = append(u.Kinds, unlistedKind{k.Kind, k.Reason})
		}
	}
	return u
}

// checkManifestFlagsOfCluster returns the fault of a command line with files.
func (a *app) checkManifestFlagsOfCluster(names []string) error {
	if err := stdinOnce(names); err != nil {
		return err
	}
	if a.everywhere {
		return printing.UsageError("-A and -f: want one of them; -n is the namespace of objects that name none")
	}
	return nil
}
