// Package graph has the vocabulary of ownership: [Key], [Object], [Owner], [Change], [Event], and
// the errors by which a store answers. Every other package uses these types. Package ownergraph
// has aliases for the types that a store needs.
//
// It also has the observed state of a store: a [Graph] of objects, and of the owner references
// between them. Import it to draw ownership, to check a new owner reference at admission, or to
// write a collector of your own. The directories examples/draw, examples/admission and
// examples/controller do so.
//
// The package is pure. It does no I/O, waits for nothing, takes no lock, reads no clock
// and logs nothing.
//
// # Identity
//
// A [Key] has four fields: kind, scope, name and UID. The first three are the place of an object.
// The whole Key identifies the object. Each event is about one Key, and each owner reference names
// one Key.
//
// A UID names one incarnation of an object, and no store uses it again. The UID alone is no
// identity, because a reference may name the right UID and the wrong place. Such a reference is a
// claim on another object. The absence of that other object proves nothing about the true
// owner. RATIONALE.md has the real deletion behind this rule (kubernetes#65200).
//
// # The graph
//
// A [Graph] is the state of a store as the events of its watch show it. [Graph.Apply] takes one
// event and returns a [Delta] of the changes. Nothing else changes a Graph: a read or a write of
// the store does not, but the event that a write causes does (RULES, R4). [Load] makes the Graph of
// one complete listing. A Graph has no lock. Only one goroutine at a time may use it, also to read.
//
// These are the events of ownership. [EventType] has all types:
//
//	KindsKnown  the complete set of the kinds that the store serves
//	ListBegun   a listing of a kind begins; a Put of each of its objects follows
//	ListEnded   the listing is complete
//	Put         an object exists in this state
//	Gone        an object no longer exists
//	Rewound     the history of the store went backwards, as after a restore
//
// A [Node] is a handle on one object of the graph. It has one of three states:
//
//	Phantom   a reference names the object, and no Put has reported it
//	Observed  a Put has reported the object, and no Gone has since
//	Absent    a Gone has reported the end of the object, and a reference still names it
//
// An absent node is the proof that its object is gone. A phantom or an absent node leaves the graph
// with its last dependent. [Delta].Freed reports each absence that leaves, so the caller may
// remember it for longer. The events of two kinds of objects may come in any order between each
// other. The graph is the same in the end.
//
// [Graph.Lookup] finds a node by its key, [Graph.Alive] by its UID, and [Graph.At] by its place. A
// reference with a wrong kind, scope or name has a phantom of its own. So it never changes the
// class of a right reference.
//
// No store may report a Put of an absent node, or two live objects with one UID. The graph takes
// such a Put, and the Delta says so (Resurrected, DuplicateUID).
//
// # Classes
//
// [Node.Reference] returns the class of a reference. [Graph.Classify] does so for an object that is
// not in the graph. The classes are:
//
//	Solid     the owner exists, and is in no foreground deletion
//	Waiting   the owner is in a foreground deletion, and waits for its dependents
//	Dangling  the owner is proven absent
//	Unknown   none of these is proven, for the reason of a Doubt
//
// Dangling is proven (RULES, R2), and stays proven until a rewind. A Gone is the graph's only proof.
// The caller adds the absence that a read of the store proves. An unknown owner never deletes a
// dependent. The Doubt names the reason for which the owner is unknown.
//
// # References
//
// The graph counts the references to each object. A reference that an object has twice counts
// twice, and one [Change] drops both.
//
//   - A reference of an object to itself never counts: see [Reference].Self.
//   - The flag Unresolved says that the store could not tell the scope or the kind of the owner.
//     Such an owner is unknown. Each object with the UID of the reference counts it, and also
//     counts its flag Block. The graph treats a kind of [Config].Ignore in the same way.
//   - An object may name its own UID at another place, where no object is. That reference counts
//     for the other place alone.
//   - An orphan deletion of an owner drops the references with its UID, also those with another
//     place. It does not drop those that ScopeAbsent or NameAbsent, below, reads as references to
//     absent owners.
//   - [OnDelete] is the policy of one reference: see [Config].Policies.
//
// # Scopes
//
// A global object, with the scope "", may own every object. The owner of a global object is
// unknown if it has a scope. Two rules exist for a reference from one scope into another:
//
//   - [ScopeHold], the default: the owner of a reference into another scope is unknown. An owner is
//     also unknown ([Misplaced]) if its UID is alive under the same kind and name in another scope.
//     A store that resolves names within the dependent's scope may have misread such a reference.
//   - [ScopeAbsent], as in Kubernetes: the engine looks for the owner in the dependent's own
//     scope only. The scope of the reference does not matter.
//
// # Names
//
// A reference may have the UID, kind and scope of a live owner, and another name. Two
// rules exist:
//
//   - [NameHold], the default: the owner is unknown ([Renamed]) while the engine observes it
//     under its other name. After the end of that object the reference names no live
//     object. If both scope and name are wrong, the owner is unknown only under ScopeHold
//     and NameHold together.
//   - [NameAbsent], as in Kubernetes: the engine looks for the owner under the name of the
//     reference.
//
// The doubts Misplaced and Renamed need an owner that the engine has observed. The graph does not
// know an owner of a kind that is not listed yet, or that takes no part.
//
// # Kinds and listings
//
// The event KindsKnown has the complete set of kinds. A kind may leave the set, or KindVanished may
// report its end. References to its objects are then unknown until the store serves the kind
// again. An object that was observed gone stays gone. Two flags of [KindInfo] limit a kind:
//
//   - Unwatched: the store reports no object of the kind. Only a read can find an owner of the kind,
//     and only a global one.
//   - NoOwner: objects of the kind may not own. A reference to one is unknown, also after its end.
//
// A complete listing proves that each unlisted object of the kind is gone. [Graph.EndListing]
// returns the keys of these objects, and the caller applies a Gone for each. A new listing voids
// the former one. A listing that began before a rewind proves nothing.
//
// # Containers
//
// A container is an object whose end deletes other objects, its members, without an owner
// reference. A namespace has the objects of its scope as members. A custom resource definition has
// all objects of its kind. Another program, the actor of the container, deletes the members. A
// store declares such a kind by [KindInfo].Container. The engine counts the members. It deletes no
// member because its container goes.
//
// # Text
//
// An [Object] has two forms of text. [Parse] and [Format] read and write a short notation, for tests,
// logs and reports: see Parse. A semicolon divides the objects. Here b has version 3, a mark (~), a
// finalizer, a blocking owner (!), a controller (^) and an unresolved owner (?):
//
//	a; b#3~[foreground] -> a!, pod/shop/web^, x?
//
// [Object.MarshalJSON] writes JSON for storage, with stable field names. A place has one text: see
// [Key.PlaceString] and [ParsePlace].
//
// # Stored objects
//
// [Validate] finds the fault of an object before a store stores it. [Flaw] finds the stored objects
// that break the model. The end of their owners deletes none of these, and the engine reports them.
//
// If a store cannot decode one stored object, its event reports the finalizer of
// [UnreadableBecause] for that object. The engine then holds that object alone, writes nothing to
// it, and reports the cause. The object still counts as an owner and as a dependent.
//
// # Walks
//
// [Node.Dependents], [Node.OwnerNodes], [Node.Ancestors] and [Node.Descendants] walk a graph that
// does not change meanwhile. No event walks the dependents of an object, because there may be a
// million. A [Cursor] walks them in steps, while dependents come and go.
//
// [Graph.Rings] finds objects that wait for each other. [Graph.IsolatedCycles] finds objects that
// own each other, and that no object outside of the cycle owns. A [RingSearch] does both in steps.
//
// # A note beside each node
//
// Node ids are dense, and the graph uses them again: see [Delta].Freed. A node has space for
// eight bytes of the caller: see [Graph.SetNote]. [Graph.Clone] copies a graph. [Graph.Check]
// verifies its invariants.
//
// # Size
//
// An object with a UUID, a name of 30 bytes and one owner takes about 108 bytes, with the
// index. Other forms of text, several owners and finalizers take their own length. The
// graph keeps no string of a caller. Objects that leave give their memory back, and churn does
// not make the graph grow.
//
//test:by TestConflictingData TestGetAlternateOwnerIdentity TestNonInterference TestMemoryReturns TestChurn
package graph
