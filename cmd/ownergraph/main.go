// Command ownergraph shows and carries out the ownership of objects: trees, plans of
// deletions, explanations and faults. The objects come from a dump of a Kubernetes cluster, a
// live cluster, or a live store of the library in SQLite, Postgres or etcd. Under a name that
// begins with "kubectl-" the program is the plugin of kubectl.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 findings or held objects.
package main

import (
	"os"

	"github.com/ownergraph/ownergraph/cmd/internal/cli"
)

func main() { cli.Main(cli.NameOf(os.Args[0])) }
