package cli

import "github.com/ownergraph/ownergraph/internal/printing"

// origin is the place that the objects of a subcommand come from.
type origin uint8

const (
	_ origin = iota
	ofDump
	ofStore
	ofCluster
)

// origin returns the origin that the flags name. The name of the program decides without them.
//
//test:by TestOrigin TestExitCodes
func (a *app) origin() (origin, error) {
	dump, store := a.source.file != "", a.source.store.url != ""
	switch {
	case (dump || store) && a.cluster.Names():
		return 0, printing.UsageError("--context, --kubeconfig and --server name a cluster: want it, or -f, or --store")
	case dump && store:
		return 0, printing.UsageError("-f and --store: want one of them")
	case dump:
		return ofDump, nil
	case store:
		return ofStore, nil
	case a.name == Plugin || a.cluster.Names():
		return ofCluster, nil
	}
	return 0, printing.UsageError("want a dump with -f, or a store with --store, or a cluster with --context")
}

// scope returns the scope that the user has typed with -n, or "".
func (a *app) scope() string { return a.cluster.Context.Namespace }
