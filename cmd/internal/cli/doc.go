// Package cli is the program ownergraph. It shows the ownership of objects, forecasts and carries
// out their deletion, and finds faults. Its subcommands are the same under both names, ownergraph
// and kubectl-ownergraph. The names differ in the place that the objects come from by default.
//
// A subcommand reads one of three origins: a dump of a cluster, a live store of the library, or a
// live cluster. A dump and a store are read into a content. A cluster is read into a reading, which
// also knows the kinds that the user may not list.
//
// Exit codes: 0 done, 1 failed or not confirmed, 2 wrong usage, 3 findings or held objects.
package cli
