// Package lint finds faults of ownership in a set of objects. A [Report] says for each
// fault where it is, and its effect in Kubernetes.
//
// [Check] is pure. It takes an [Input], which is a dump of a store as data, and a [Config].
// Package lint/live makes the Input of a running store. The same objects have the same
// findings on both ways.
//
// # Method
//
// Check puts the objects into the graph that the engine uses (graph). The
// graph says for each reference whether its owner is there. It also finds the cycles of
// objects that own each other. The [Fate] of an object follows the rules of the store's
// collector, which is the engine of this module. With Input.Kubernetes it follows those of
// Kubernetes' collector. A finding then has the fate by the engine, too, where the two differ.
// The engine holds the object in most of these cases.
//
// A dump is no proof of absence. An owner counts as missing if the dump lists the owner's
// kind in full, and has no object with its UID. Objects that change while the dump is made
// may therefore give a wrong finding.
//
// # Policies
//
// A reference may have a policy (graph.OnDelete). Lint finds a cascade reference beside other owners,
// a ring of restrict references, and a restrict reference to an absent owner. Without
// [Config].Policies the report also counts the references of each policy, since they do not act
// before that step of the collector.
//
// # Files
//
// [CheckManifests] judges objects of files that no store has yet. It needs no UID: a reference
// leads to the object with its kind and name, in the files or in the store beside them. The
// findings have the same codes, and tell no fate.
//
// # Wrong references
//
// [CheckDrops] returns, beside the report, the changes that take exactly the wrong references off.
// It is pure, and writes nothing.
//
// # Codes
//
// Each fault has a stable [Code]. A later version may add codes, and gives no code another
// meaning. [Codes] has the title, importance and remedy of each, [Describe] has them as
// text with an example, and LINT.md shows them.
// [ParseIgnore] reads a list of codes and objects that a report leaves out.
//
// # Bounds
//
// A report has at most Config.PerCode findings of one code. Its counts have the number of
// the others. A message names at most Config.Details objects, and the number of the others.
//
// # Limits
//
// Lint judges objects, and sees no tables of a database. A foreign key of a user without an index
// makes each deletion slow. The manual of adapters/sql has queries that find it.
package lint
