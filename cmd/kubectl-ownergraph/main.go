// Command kubectl-ownergraph is the program ownergraph as a plugin of kubectl. It shows the
// ownership of the objects of a cluster: trees, plans of deletions, explanations of objects
// that do not go, and faults.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 findings or held objects.
package main

import "github.com/ownergraph/ownergraph/cmd/internal/cli"

func main() { cli.Main(cli.Plugin) }
