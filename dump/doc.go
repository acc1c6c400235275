// Package dump reads the objects of a Kubernetes cluster from a file, as "kubectl get -A -o
// json" prints them. [Read] returns them as the objects of package graph. A plan, a lint
// report or a store in memory can begin from there:
//
//	c, err := dump.Read(os.Stdin, "standard input")
//	...
//	p, err := ownergraph.PlanDump(ctx, ownergraph.Dump{Kinds: c.Kinds, Objects: c.Objects}, ownergraph.Config{}, request)
//
// # Input
//
// The input is one JSON document, or several one after another. Each is an object, or a List
// with items. A list of another kind, such as PodList, may leave out the kind of its items.
// Read refuses one page of a longer list, because the objects of other pages would count as
// absent. Read takes the metadata and status.observedGeneration, and skips the rest. Of the
// annotations it takes that of package annotation, which has references with a policy. A value that
// cannot be read makes its object flawed, as in a cluster. Of a
// Namespace it also takes the conditions and spec.finalizers. The latter follow the finalizers
// of the metadata, with the prefix "spec.finalizers:". Of a marked object's managed fields it
// takes the last writers of the finalizers. It refuses
// a field of the metadata that stands twice, because one of the two would hide the other. A byte
// order mark at the begin, as Windows writes it, is skipped.
//
// [ReadManifests] reads the same form without UIDs, from files before a server has them.
//
// # Kinds
//
// A kind with an object counts as listed in full. The input does not tell about any other
// kind: kubectl prints no word about a kind that was not asked for, or that has no object.
// Content.Unlisted has those that references name, and Content.WithListed takes the word of
// the caller about them. A plan of the dump alone calls them not served. It calls them not
// listed if the caller adds them to Dump.Kinds and to Dump.Partial.
//
// # Scopes
//
// A reference of Kubernetes has no scope. Read resolves the scope as an API server does. An
// owner of a scoped kind is in the scope of its dependent. A kind is scoped if its objects in
// the input have namespaces. For a kind without objects Read knows the kinds that every
// cluster has. It leaves the scope of any other owner unresolved.
//
// # Bounds
//
// An input has at most 1 GiB, a name 1,024 bytes, and lists are nested at most 16 deep. Names
// with control characters are refused, so that no name can control a terminal.
package dump
