package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/lint"
)

// lintFlags are the flags of the subcommand lint.
type lintFlags struct {
	fixFlags
	files    []string // of -f: a dump, or manifests beside a cluster
	ignore   string
	handlers []string
	owned    []string
	perCode  int
}

func (a *app) lintCommand() *cobra.Command {
	var l lintFlags
	cmd := &cobra.Command{
		Use:   "lint [MANIFEST...]",
		Short: "Find faults of ownership",
		Long: `Find faults of ownership: owners that are missing, in another namespace or of another UID,
cycles, deletions that wait for ever. In a cluster it looks at a namespace, or at all with -A.
In a store of SQLite or Postgres it also looks at the foreign keys of tables beside the objects:
those that refuse a deletion, take rows of other objects along, or have no index.

Without --policies it also counts the references whose policy does not act yet (OG039): look there
before the step of the collectors (Config.Policies).

With files it judges objects before a server has them: JSON or YAML, objects or lists, with or
without UIDs. An owner is looked up in the files, and in the dump or the cluster. "-" is standard
input. -n is the namespace of the objects that name none. ownergraph takes the files as MANIFEST,
with a dump of -f or without one. kubectl ownergraph takes them with -f, as kubectl apply does.

--patch prints the patch of each object that drops exactly its wrong references: owners that are
missing or in another namespace, namespaced owners of global objects, and references of an object
to itself. It tests the UID and the version. Doubtful references stay. A dump is no proof that an
owner is absent. --apply works on a cluster. It reads the places of the owners again, lets the
server try all patches, and then applies them, or none if the server refuses one.

Exit code 1: no kind could be listed, or a patch was not applied.
Exit code 3: there is a finding that the list of --ignore does not have, and that --apply did not
mend.`,
		Example: a.examples("lint -f all.json", "lint -f all.json --ignore known.txt -o json", "lint web.yaml db.yaml --namespace shop",
			"", "lint -A", "lint -n shop --ignore known.txt -o json", "lint -n shop -f web.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := l.config()
			if err != nil {
				return err
			}
			cfg.Policies = a.source.policies
			if a.source.store.url != "" && len(l.files) > 0 {
				return printing.UsageError("-f and --store: want one of them")
			}
			if a.name == Plugin && a.source.store.url == "" {
				return a.lintBesideCluster(cmd, args, &l, cfg)
			}
			return a.lintBesideDump(cmd, args, &l, cfg)
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.ignore, "ignore", "", "file with the codes and objects to leave out: see lint.ParseIgnore")
	f.StringSliceVar(&l.handlers, "handler", nil, "finalizers that have a handler or a controller; all others count as faults then")
	f.StringSliceVar(&l.owned, "owned-kind", nil, "kinds whose objects always have an owner, such as apps/ReplicaSet")
	f.IntVar(&l.perCode, "per-code", 0, "most findings of one code (default 1000)")
	f.IntVar(&a.perCode, "limit", 0, "most findings of one code in the text; 0 for all")
	f.BoolVar(&l.patch, "patch", false, "also print commands of kubectl that drop the wrong references")
	f.BoolVar(&l.apply, "apply", false, "drop the wrong references in the cluster, after a dry run by the server")
	f.IntVar(&l.most, "at-most", 100, "with --apply, the most objects to patch")
	f.StringVar(&a.source.at, "at", "", "the time of the dump, to judge old deletion marks; a store needs none")
	if a.name == Plugin {
		f.StringSliceVarP(&l.files, "filename", "f", nil, `judge these files of JSON or YAML beside the cluster; "-" is standard input`)
		a.addStore(cmd)
	} else {
		a.addSource(cmd)
	}
	a.addEverywhere(cmd)
	a.addFormat(cmd, printing.Plain())
	return cmd
}

// lintBesideDump judges a dump, a store, a cluster that a flag names, or files beside a dump.
func (a *app) lintBesideDump(cmd *cobra.Command, args []string, l *lintFlags, cfg lint.Config) error {
	ctx := cmd.Context()
	switch {
	case len(args) > 0 && a.cluster.Names() && a.source.file != "":
		return printing.UsageError("-f and --context: want one of them beside MANIFEST")
	case len(args) > 0 && a.cluster.Names():
		return a.lintBesideCluster(cmd, args, l, cfg)
	case len(args) > 0:
		return a.lintManifests(ctx, args, l, cfg)
	}
	from, err := a.origin()
	switch {
	case err != nil:
		return err
	case from == ofCluster:
		return a.lintBesideCluster(cmd, nil, l, cfg)
	case l.apply:
		return printing.UsageError("--apply: want a cluster")
	case l.patch && from == ofStore:
		return printing.UsageError("--patch: want a dump with -f: only Kubernetes takes the patch")
	}
	c, err := a.load(ctx)
	if err != nil {
		return err
	}
	if l.patch {
		return a.lintPatches(&c, cfg)
	}
	report, err := lint.Check(c.lint, cfg)
	if err != nil {
		return err
	}
	unread, kinds := c.unread()
	judged, scope := len(c.lint.Objects), a.scope()
	if scope != "" && !a.everywhere {
		if err := c.hasScope(scope); err != nil {
			return err
		}
		report, judged = within(report, insideOf(scope)), 0
	}
	return a.writeReport(&report, judged, unread, kinds)
}

func (l *lintFlags) config() (cfg lint.Config, err error) {
	cfg = lint.Config{Handlers: l.handlers, PerCode: l.perCode}
	for _, k := range l.owned {
		cfg.OwnedKinds = append(cfg.OwnedKinds, graph.Kind(k))
	}
	if l.ignore == "" {
		return cfg, nil
	}
	text, err := os.ReadFile(l.ignore)
	if err != nil {
		return cfg, err
	}
	cfg.Ignore, err = lint.ParseIgnore(string(text))
	if err != nil {
		err = fmt.Errorf("%s: %w", l.ignore, err)
	}
	return cfg, err
}

// unread counts the kinds of a store that take part, and those that could not be listed.
func (c *content) unread() (unread, kinds int) {
	for _, k := range c.Kinds {
		if k.Unwatched || !c.live {
			continue
		}
		kinds++
		if _, is := c.partial[k.Kind]; is {
			unread++
		}
	}
	return unread, kinds
}

// writeReport writes a report on a number of objects and kinds. It fails if no kind was read.
//
//test:by TestNothingRead
func (a *app) writeReport(r *lint.Report, objects, unread, kinds int) error {
	note := ""
	switch {
	case unread > 0 && unread == kinds:
		return fmt.Errorf("nothing was read: none of the %d kinds of the store could be listed", kinds)
	case unread > 0:
		note = fmt.Sprintf(" (%d of %d kinds were not read)", unread, kinds)
	}
	return a.printReport(r, objects, note)
}

func (a *app) printReport(r *lint.Report, objects int, note string) (err error) {
	if a.format == printing.JSON {
		err = a.printer().JSON(r)
	} else {
		err = a.printer().Text(a.reportText(r, objects, note))
	}
	if err == nil && len(r.Findings) > 0 {
		return printing.ErrFound
	}
	return err
}

// reportText returns a report as text, with a line for a note.
func (a *app) reportText(r *lint.Report, objects int, note string) string {
	text := r.Text(a.perCode, objects)
	for _, part := range strings.Split(note, " (") {
		if part = strings.TrimSuffix(part, ")"); part != "" {
			text += part + "\n"
		}
	}
	return text
}
