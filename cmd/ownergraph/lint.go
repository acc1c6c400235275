package main

import (
	"fmt"
	"os"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/lint"
	"github.com/spf13/cobra"
)

// lintFlags are the flags of the subcommand lint.
type lintFlags struct {
	ignore   string
	handlers []string
	owned    []string
	perCode  int
	scope    string // of manifests
	patch    bool
}

func (a *app) lintCommand() *cobra.Command {
	var l lintFlags
	cmd := &cobra.Command{
		Use:   "lint (-f FILE | --store URL | MANIFEST... [-f FILE])",
		Short: "Find faults of ownership",
		Long: `Find faults of ownership: owners that are missing, in another namespace or of another UID,
cycles, deletions that wait for ever. LINT.md of the library has each code with its remedy.

With MANIFEST it judges files before a server has them: JSON or YAML, objects or lists, with or
without UIDs. An owner is looked up in the files, and in the dump of -f. Without a dump, an
owner that the files lack may exist. "-" is standard input.

With --patch it prints the patch of each object that drops exactly its wrong references, as a
command of kubectl: owners that are missing or in another namespace, namespaced owners of
global objects, and references of an object to itself. The patch tests the UID and the version.
Doubtful references stay. Look at the object again if its patch fails: it has changed. A dump is
no proof that an owner is absent. The plugin of kubectl reads each place again.

A kind counts as listed in full if the input has an object of it: see --partial, --kind and
--global-kind. The fate is that by the collector of the store. For a dump of Kubernetes a
finding also has the fate by an engine of this module, where that is another one.

Exit code 3: there is a finding that the list of --ignore does not have.`,
		Example: `  ownergraph lint -f all.json
  ownergraph lint -f all.json --ignore known.txt -o json
  ownergraph lint web.yaml db.yaml --namespace shop`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := l.config()
			if err != nil {
				return err
			}
			if len(args) > 0 || l.scope != "" {
				return a.lintManifests(cmd.Context(), args, &l, cfg)
			}
			if l.patch && a.source.store.url != "" {
				return printing.UsageError("--patch: want a dump with -f: only Kubernetes takes the patch")
			}
			c, err := a.load(cmd.Context())
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
			return a.writeReport(&report, unread, kinds)
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.ignore, "ignore", "", "file with the codes and objects to leave out: see lint.ParseIgnore")
	f.StringSliceVar(&l.handlers, "handler", nil, "finalizers that have a handler; all others count as faults then")
	f.StringSliceVar(&l.owned, "owned-kind", nil, "kinds whose objects always have an owner, such as apps/ReplicaSet")
	f.IntVar(&l.perCode, "per-code", 0, "most findings of one code (default 1000)")
	f.StringVar(&l.scope, "namespace", "", "with MANIFEST, the namespace of the objects that name none")
	f.BoolVar(&l.patch, "patch", false, "with a dump, also print commands of kubectl that drop the wrong references")
	f.StringVar(&a.source.at, "at", "", "the time of the dump, to judge old deletion marks; a store needs none")
	a.addSource(cmd)
	a.addFormat(cmd, printing.Plain())
	return cmd
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

// writeReport writes a report on a number of kinds. It fails if none of them was read.
//
//test:by TestNothingRead
func (a *app) writeReport(r *lint.Report, unread, kinds int) error {
	note := ""
	switch {
	case unread > 0 && unread == kinds:
		return fmt.Errorf("nothing was read: none of the %d kinds of the store could be listed", kinds)
	case unread > 0:
		note = fmt.Sprintf(" (%d of %d kinds were not read)", unread, kinds)
	}
	return a.printReport(r, note)
}

func (a *app) printReport(r *lint.Report, note string) (err error) {
	if a.format == printing.JSON {
		err = a.printer().JSON(r)
	} else {
		err = a.printer().Text(r.String() + fmt.Sprintf("findings: %d%s\n", len(r.Findings), note))
	}
	if err == nil && len(r.Findings) > 0 {
		return printing.ErrFound
	}
	return err
}
