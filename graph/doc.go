// Package graph has the vocabulary of ownership: [Key], [Object], [Owner], [Change],
// [Event], and the errors by which a store answers. Every other package uses these
// types. Package ownergraph has aliases for the types that a store needs.
//
// It also has the observed state of a store: a [Graph] of objects and of the owner
// references between them. The graph classifies each reference by the observed state alone.
// It is the graph of the engine, the first machine behind the watch. It implements R4 and
// the first proof of R2, absence.
//
// The package is pure. It does no I/O, waits for nothing, takes no lock, reads no clock
// and logs nothing.
//
// # Identity
//
// Four coordinates identify an object: kind, scope, name and UID. A [Key] holds them.
// Each event is about one Key, and each owner reference names one Key.
//
// A UID names one incarnation of an object, and no store uses it again. The UID alone is
// no identity. The collector of Kubernetes began with the UID alone. There one node
// stands for all claims on a UID, and the first claim decides the place where the
// collector looks for the owner. A reference with the right UID and the wrong kind then
// sends the collector to the wrong place. It finds no owner there, and deletes the
// dependents that name the owner rightly (kubernetes#65200).
//
// With full coordinates a wrong claim is a claim on another object. Its absence proves
// nothing about the true owner.
//
// # References
//
// An owner reference with the flag Unresolved has no known scope or kind. It counts as a
// claim on the UID alone. The dependent is kept, and each object with that UID counts the
// reference.
//
// An orphan deletion of an owner drops each reference with its UID, also one with another kind,
// scope or name. The two rules below leave out the references that they read as absent.
//
// A self-reference never counts. Neither does a reference to the object's own UID at coordinates
// that are read as absent. The same reference twice counts twice, and one [Change] drops both.
//
// [OnDelete] is reserved for a policy of one reference. No decision reads it yet.
//
// [Doubt] names the reason for which the engine cannot tell whether an owner exists. An
// unknown owner never deletes a dependent.
//
// # Scopes
//
// A global object, with the scope "", may own every object. The engine cannot judge a
// global object with an owner in a scope. Two rules exist for a reference from one scope
// into another:
//
//   - [ScopeHold], the default: the owner is unknown. A reference into the dependent's own
//     scope is unknown as well ([Misplaced]) if the UID is alive under the same kind and
//     name in another scope. A store that resolves names within the dependent's scope has
//     misread such a reference.
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
// The engine must observe the owner for these rules to hold a dependent. A kind that is
// not listed yet, or that takes no part, hides such an owner.
//
// # Kinds and listings
//
// KindsKnown is the complete set of kinds. A kind that leaves the set, or that vanishes,
// proves nothing about its objects: references to them are unknown until the store serves
// the kind again. An observed end stays proven. A store reports nothing about an Unwatched
// kind, so only a read can find a global owner of that kind. A reference to a NoOwner kind
// is unknown even after the end of the owner: see [KindInfo].
//
// Between ListBegun and ListEnded a store puts every object of the kind. The end of a
// listing proves that every other object of the kind is gone.
//
// # Containers
//
// The end of some objects takes others along, without an owner reference: a namespace has the
// objects of its scope, and a definition has all objects of a kind. An actor beside the engine
// deletes these members. A store declares such a kind by [KindInfo].Container. The engine then
// counts the members, and writes to none of them for this reason.
//
// # Text
//
// An [Object] has two forms of text. [Parse] and [Format] read and write one line for each
// object, for tests, logs and reports:
//
//	a; b#3~[foreground] -> a!; pod/shop/web -> b!^, x?, y:release
//
// [Object.MarshalJSON] writes JSON for storage, with stable field names. A place is a key
// without its UID. It has one text: see [Key.PlaceString] and [ParsePlace].
//
// # Stored objects
//
// [Validate] judges an object before a store stores it. [Flaw] finds the stored objects
// that the engine holds because they break the model.
//
// A store that cannot read one stored object reports it with the finalizer of
// [UnreadableBecause]. The engine then holds that object alone, writes nothing to it, and reports
// the cause. It still counts as an owner and as a dependent.
//
// # The graph
//
// A [Graph] changes only through [Graph.Apply]. It takes one event of the watch and returns a
// [Delta] for the caller. A read from the store and a write to the store never change the
// graph. The event that the write causes changes the graph. [Load] makes the graph of one
// complete listing. A Graph has no lock: only one goroutine at a time may use it, also to read.
//
// A [Node] is a handle on one object of the graph. It has one of three states:
//
//	Phantom   a reference names it, and no put has reported it
//	Observed  a put has reported it, and no gone its end
//	Absent    a gone has reported its end, and a reference still names it
//
// The graph keeps an absent node as the proof that its object is gone. An absent node and
// a phantom leave the graph with their last dependent. [Delta].Freed reports every absence
// that leaves the graph, so that the caller may remember it for longer. The graph ends the
// same in every order of the events of different kinds.
//
// No store may put an absent node, or a second live object with one UID. The graph takes
// such a put and reports it (Resurrected, DuplicateUID).
//
// # Nodes
//
// Full coordinates find a node: kind, scope, name and UID. A wrong claim is a node of its
// own, so no claim changes the class of another. The order of events does not matter, and
// no node needs an alternate identity. The tests run the cases of Kubernetes in all orders.
//
// [Graph.Lookup] finds a node by its key, [Graph.Alive] by its UID, and [Graph.At] by its place.
//
// # Classes
//
// [Node.Reference] returns the class of a reference: [Solid], [Dangling], [Waiting], or
// [Unknown] with a [Doubt]. [Graph.Classify] does so for an object that is not in the graph.
// Dangling is proven, and stays proven until a rewind. An observed end is the graph's only
// proof of absence. The caller adds the absence that a read proves. An unknown reference never
// deletes an object.
//
// The graph keeps an unresolved reference as a claim on the UID alone. So it does with a
// reference to a kind of [Config].Ignore. The claim is a node without kind and name. The
// reference is always Unknown, so its object stays. It counts as a reference, and as a
// blocking one, for each object with the UID.
//
// A self-reference never counts, neither directly nor by a claim on the object's own UID:
// see [Reference].Self. One to the own UID at absent coordinates counts there alone.
//
// # The end of a listing
//
// The end of a listing says that many objects may be gone. [Graph.EndListing] names them, and the
// caller applies a Gone of each. The engine does the same in bounded steps. A new listing voids
// the former one. A listing that began before a rewind proves nothing.
//
// # Walks
//
// [Node.Dependents], [Node.OwnerNodes], [Node.Ancestors] and [Node.Descendants] walk a graph that
// does not change meanwhile. No event walks the dependents of an object, because there may be a
// million. A [Cursor] walks them in steps, while dependents come and go.
//
// [Graph.Rings] finds objects that wait for each other, and [Graph.IsolatedCycles] objects that
// own each other and that no object outside of the cycle owns. A [RingSearch] does both in steps.
//
// # A note beside each node
//
// Node ids are dense, and the graph uses them again: see [Delta].Freed. A node has space for
// eight bytes of the caller: see [Graph.SetNote]. [Graph.Clone] copies a graph. [Graph.Check]
// verifies its invariants.
//
// # Size and speed
//
// An object with a UUID, a name of 30 bytes and one owner takes about 108 bytes, with the
// index. Other forms of text, several owners and finalizers take their own length. The
// graph keeps no string of a caller. Objects that leave give their memory back, and churn does
// not make the graph grow. From the inside out:
//
//	node_record.go   a node has 64 bytes without a pointer: one cache line
//	uid.go           a UUID has 16 bytes, and a version that is a number has eight
//	place.go         one number stands for kind and scope
//	edge.go          the node has its first reference, and a table has the others
//	owner_record.go  the state of owners stands apart: one node in eight has it
//	text.go          names stand in the text of the page, as bytes without a header
//	pack.go          rare fields follow the name, and are compared as bytes
//	page.go          512 nodes and their state are one page, made and freed at once
//	index.go         one cache line leads from a UID to a node, without a rehash of all
//	bucket.go        the cache line: ids, and bits of their hashes for lookup and split
//	split.go         a full segment becomes two, mostly without a look at a node
//	uid_group.go     several nodes with one UID
//	duplicate.go     several observed nodes with one UID, which no store should have
//	prefetch.go      the nodes of a batch of events, fetched at once
//
// Most events repeat the known state, or bring a new version alone. The graph only
// compares these (repeat.go). For the other events put.go makes no lookup and no text a
// second time.
//
// The rest of an event's time goes to three steps. The first step reads two UUIDs and
// finds the node (packUID, withHash). The second one compares name and owner with the
// node (refers, isPlaced). In a graph that is larger than the processor's cache, half of
// the time goes to the third step: the wait for the memory of index, node and text.
// Prefetch does the third step for 32 events at once. A new object also pays for the split
// of the index (split) and for new memory of the system.
//
//test:by TestConflictingData TestGetAlternateOwnerIdentity TestNonInterference TestMemoryReturns TestChurn
package graph
