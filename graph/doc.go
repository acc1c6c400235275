// Package graph is what is: the objects that a store has reported, who refers
// to whom, and what is known of each reference. It also holds the words that
// every other package speaks: [Key], [Object], [Owner], [Change], [Event], and
// the errors by which a store answers.
//
// It is pure. Nothing here does I/O, waits, locks, reads a clock or logs.
//
// # The graph
//
// A [Graph] changes only through [Graph.Apply], which takes one [Event] of a
// watch and returns a [Delta]: what has to be looked at now. What somebody reads
// from the store, or writes to it, never changes the graph; the event that a
// write causes does.
//
// A [Node] is a handle on one object of the graph. Its [State] says how much of
// it has been observed:
//
//	Phantom   somebody refers to it, and nobody has observed it
//	Observed  a put reported it, and no gone its end
//	Absent    a gone reported its end, and somebody still refers to it
//
// An absent node is kept as the proof that its object is gone. It leaves the
// graph with its last dependent, as a phantom does; whoever wants to remember an
// absence for longer, or before somebody refers to it, finds it in
// [Delta].Freed. With that, the graph ends as the same in whichever order the
// events of different kinds come.
//
// A put of an absent node, or a second live object with one UID, is something
// that no store may do: it is taken, and told (Resurrected, DuplicateUID).
//
// # Identity
//
// A node is found under full coordinates: kind, scope, name and UID. Each event
// is about exactly one such [Key], and so is each reference.
//
// To identify objects by UID alone looks simpler, and is how the collector of
// Kubernetes began. Then one node stands for all that anybody claims of a UID,
// and whoever claims it first decides where the owner is looked for. A reference
// with the right UID and the wrong kind is enough: the owner is looked for in the
// wrong place, is not found there, and the dependents that named it rightly are
// deleted while it lives (kubernetes#65200). Its repair has to pick an alternate
// identity of a node again and again, and to move on in turns.
//
// Here a wrong claim is a node of its own. Absence proven at its coordinates is
// the absence of what the claim names, and of nothing else; the true owner is
// another node, with other dependents. No claim can poison another, no order of
// events matters, and there is no alternate identity to pick. That holds for all
// orders of upstream's own cases: see TestConflictingData and
// TestGetAlternateOwnerIdentity; and in general: see TestNonInterference.
//
// # References
//
// [Node.OwnerClass] says what a reference is: [Solid], [Dangling], [Waiting], or
// [Unknown] with a [Doubt]. Dangling is proven and stays so until a rewind. The
// graph proves it by an observed end alone; that a read finds nothing is evidence
// that its caller adds. Unknown never deletes anything.
//
// A store that cannot tell an owner's scope or kind says Unresolved. The coordinates
// of a kind of [Config].Ignore cannot be resolved either. Such a reference is kept as a claim on the UID alone, a node that has neither kind nor
// name. It is always Unknown, so its object stays; and it counts as a reference,
// and as a blocking one, for whatever object has the UID (see [Graph.Claim]).
//
// A self-reference never counts, neither directly nor by a claim on one's own
// UID: see [Node.SelfOwner]. The same reference twice counts twice, and goes in
// one [Change].
//
// # Scopes
//
// Whatever is global ("") may own whatever refers to it. A global object with an
// owner in a scope is Unknown. For a reference from one scope into another there
// are two rules:
//
//   - [ScopeHold], the default: Unknown. So is a reference into one's own scope
//     whose UID is alive under the same kind and name in another ([Misplaced]):
//     a store that resolves names within the dependent's scope has misread it.
//   - [ScopeAbsent], as in Kubernetes: the owner is looked for in the
//     dependent's own scope only, whatever the reference says.
//
// # Names
//
// A reference may have the UID, kind and scope of a live owner, and another name.
// There are two rules:
//
//   - [NameHold], the default: Unknown ([Renamed]) while the graph shows the owner
//     under its other name. When that object goes, the reference leads to no live
//     object, as any other. If both scope and name are wrong, the reference is
//     Unknown only where ScopeHold and NameHold both hold.
//   - [NameAbsent], as in Kubernetes: the owner is looked for under the name that
//     the reference has.
//
// Held by TestNameRules. What the graph does not show cannot hold: a kind that is
// not listed yet, or left out of the graph, hides such an owner.
//
// # Kinds, listings and prunings
//
// KindsKnown is the complete set of kinds. A kind that is left out of it, or
// that vanishes, keeps its nodes; references to them are Unknown, until it is
// served again. What was seen to end stays so. Objects of kinds that Config
// ignores are not kept. Of a kind that is [KindInfo].Unwatched nothing is reported: a
// global owner of it is Unobserved, which a read settles. A reference to a kind of
// [KindInfo].NoOwner is Unknown
// even if its owner is gone.
//
// Between ListBegun and ListEnded a store puts every object of the kind. The end
// of a listing says that all else is gone, which may be a great deal. So it only
// begins a pruning, and [Graph.Prune] walks it in slices: it stops at each node
// that is [Graph.PendingPrune], whose Gone the caller applies, and at each phantom, so
// that the caller may forget what it read of it before. A new listing ends the
// former's pruning. A listing that began before a rewind ends without one.
//
// # Walks
//
// Nothing in Apply walks the dependents of an object: there may be a million.
// [Graph.Fan] puts a cursor on the first, and [Graph.FanNext] moves it, while
// dependents come and go. There is one cursor for each node.
//
// Objects that wait for each other in a ring are found by a [RingSearch], in
// steps too; so are those that own each other, which nothing ever collects.
//
// # Notation
//
// [Parse] and [Format] read and write objects as one line, for tests, logs and
// reports:
//
//	a; b#3~[foreground] -> a!; pod/shop/web -> b!^, x?
//
// # Beside the graph
//
// Node ids are dense and are used again, so that a caller may keep a table of
// its own beside the graph: make room up to [Graph.Cap], and clear what is in
// [Delta].Freed. Eight bytes of it fit into the node: see [Graph.SetNote].
// [Graph.Clone] copies a graph. [Graph.Check] verifies its invariants.
//
// # Text
//
// An [Object] has two forms of text. [Parse] and [Format] read and write a notation
// of one line, for tests and messages. [Object.MarshalJSON] writes JSON for storage,
// whose field names are promised. A place, which is a key without its UID, has one
// text: see [Key.PlaceString] and [ParsePlace].
//
// # Size and speed
//
// An object with a UUID, a name of 30 bytes and one owner takes about 108 bytes,
// the index included; other forms of text, several owners and finalizers take
// what they are long. No string of a caller is kept. What has left gives its
// memory back (TestMemoryReturns), and churn does not make the graph grow
// (TestChurn). How, from the inside out:
//
//	record.go  a node is 64 bytes without a pointer: one line of memory
//	uid.go     a UUID in 16 bytes, a version that is a number in eight
//	place.go   kind and scope as one number
//	edge.go    the first reference stands in the node, the others in a table
//	hub.go     what only owners have stands beside: one node in eight has it
//	text.go    names stand in the page's text, as bytes without a header
//	pack.go    what is rare is written behind the name, and compared as bytes
//	page.go    512 nodes and all that is theirs are one page: made, and given back
//	index.go   from a UID to a node in one line of memory, without a rehash of all
//	bucket.go  such a line: ids, and as much of their hashes as a look-up needs, or a split
//	split.go   a segment that is full becomes two, and mostly without a look at a node
//	kin.go     UIDs that several nodes have, which should not be
//	prefetch.go what a batch of events is about, fetched at once and kept for its turn
//
// Most events say what is known already, or that and another version. These are
// compared, and nothing else (again.go). For the others put.go does no look-up, and
// makes no text, a second time.
//
// What is left of an event's time goes, first, to reading two UUIDs and finding the
// node (packUID, withHash); then to comparing what it says of name and owner with
// what is held (refers, isPlaced); and in a graph that is larger than the cache, half
// of it to waiting for the memory of index, node and text, which Prefetch does for 32
// events at once. A new object also pays its share in the splitting of the index
// (split) and in memory that the system gives for the first time. BenchmarkAgain and
// BenchmarkIngest show them.
package graph
