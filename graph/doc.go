// Package graph has the vocabulary of ownership: [Key], [Object], [Owner], [Change],
// [Event], and the errors by which a store answers. Every other package uses these
// types. Package ownergraph has aliases for the types that a store needs.
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
package graph
