// Package oracle says which end states are permitted. It is the specification
// of the collector as a dumb program: written to be read, quadratic and worse,
// and sharing nothing with the engine but graph's contract types.
//
// A State is what lives in a store. Two kinds of steps change it, in any order:
// actions of users, and steps of the collector below. The collector sees the
// store as it is; that an engine sees it late shows only as a step that comes
// late. Where no step is left, the state is quiet. An engine is right if what
// it leaves behind is an element of Ends.
//
// RULES stands for the project's page of rules, proposal for the Kubernetes
// garbage collection proposal. "Refers to O" means, wherever the rules say it,
// a reference of another object whose key is O's, or that is unresolved and has
// O's UID (RULES, Decisions); O's references to itself never count (RULES,
// Decisions).
//
// What an owner reference is:
//
//	C1 unknown: it is unresolved; or it stands in a global object and names an
//	   owner with a scope. Unknown holds (RULES, R8).
//	C2 It names a scope that is neither its object's nor global, or its UID
//	   lives under the same kind and name in another scope: unknown, or, with
//	   Config.Scope ScopeAbsent, absent (RULES, R8; Kubernetes).
//	C3 waiting: the owner lives under this key, is marked and carries the
//	   foreground finalizer. solid: it lives otherwise. absent: it does not
//	   (DESIGN, Words; RULES, R2).
//	C4 An object with wrong data is flawed: two controllers, two references
//	   with one UID that are not the same, or one without kind, name or UID. It
//	   is never deleted nor trimmed (Kubernetes' validation).
//
// The steps of the collector. Each may happen whenever its condition holds:
//
//	G1 Delete. An unmarked object that has a reference to another, and whose
//	   references to others are all absent or waiting, is deleted (proposal,
//	   Garbage Processor; RULES, R2).
//	G2 How. In the propagation of a propagation finalizer that it carries, but
//	   for Config.Override; otherwise in the background if all are absent, and
//	   in the foreground if one waits. In the background as well if one waits
//	   and nothing refers to it (RULES, Decisions: the engine's own deletes).
//	G3 Memory. Where G1 holds, references to absent owners whose orphaning a
//	   collector has ended may be dropped instead (RULES, Decisions:
//	   remembered, best effort).
//	G4 Trim. An unmarked object with a solid owner loses a reference that is
//	   absent or waiting (RULES, Decisions; Kubernetes).
//	G5 Orphan. What refers to a marked owner that carries the orphan finalizer
//	   loses these references, marked or not. Absent ones may go along
//	   (proposal, the "orphan" finalizer; RULES, Decisions).
//	G6 Orphaning ends. When nothing refers to it any more, the owner of G5
//	   loses the finalizer (proposal; RULES, R3).
//	G7 Foreground ends. A marked owner loses the foreground finalizer when
//	   nothing refers to it with Block (RULES, R3 and Decisions).
//	G8 Ring. Of a strongly connected component of waiting objects joined by
//	   blocking references, any members at once lose Block on their references
//	   to members (RULES, Decisions).
//
// And of the store, in every write:
//
//	W1 A deletion takes off both propagation finalizers and puts on its own. A
//	   later one does it again; while a grace period is pending it does nothing
//	   (Kubernetes; RULES, Decisions: the last deletion's setting decides).
//	W2 A marked object without finalizers and without a grace period is gone
//	   (proposal, deletion and update handlers).
//	W3 A UID that lived, or that a reference named, is never made again
//	   (RULES, R2).
//
// Nothing else happens: foreign finalizers stay until a user removes them.
//
// G4 and G5 take one reference at a time, so that any part of a patch may come
// alone: an engine proves its owners one by one. That G5 may leave absent
// references, of which the object then dies, is "two owners with different
// propagations: both outcomes are permitted" (RULES, Decisions): the engine may
// learn of the absence only afterwards.
package oracle
