// Package oracle says which end states are permitted. It is the specification
// of the collector as a dumb program: written to be read, and sharing nothing
// with the engine but graph's contract types. It is for a handful of objects.
//
// A State is what lives in a store. Actions of users change it, and steps of
// the collector below, in any order. A state in which the collector has nothing
// left that it has to do is quiet. An engine is right if the state that it
// leaves behind is an element of Ends. That says nothing about the way there:
// two wrongs may end well.
//
// RULES stands for the rules in the comment of package policy, proposal for the
// Kubernetes garbage collection proposal. "Refers to O" means, wherever the rules say it,
// a reference of another object whose key is O's, or that is unresolved and has
// O's UID. References of an object to itself never count (RULES, Decisions).
//
// What an owner reference is:
//
//	C1 unknown: it is unresolved; or it stands in a global object and names an
//	   owner with a scope. Unknown holds (RULES, R8).
//	C2 It names a scope that is neither its object's nor global: unknown, or, with
//	   Config.Scope ScopeAbsent, absent. Its UID lives under the same kind in
//	   another scope, or under another name, or both: unknown. It is absent if
//	   the scope differs and Config.Scope is ScopeAbsent, or the name differs and
//	   Config.OwnerName is NameAbsent (RULES, R8; Kubernetes).
//	C3 waiting: the owner lives under this key, is marked and carries the
//	   foreground finalizer. solid: it lives otherwise. absent: it does not
//	   (RULES, R2).
//	C4 An object with wrong data is flawed: two controllers, two references
//	   with one UID that are not the same, or one without kind, name or UID. It
//	   is never deleted nor trimmed (Kubernetes, validation).
//
// When a step happens:
//
//	J1 A step is judged by the state at one instant, and may be written at any
//	   later one if its own object has had no new version in between, whatever
//	   happened to others. An object whose content a write leaves as it is has
//	   no new version, but for a touch (RULES, R1, R2 and One instant).
//
// The steps of the collector:
//
//	G1 Delete. An unmarked object that has a reference to another, and whose
//	   references to others are all absent or waiting, is deleted (proposal,
//	   Garbage Processor; RULES, R2).
//	G2 How. With the propagation whose finalizer it carries, but for
//	   Config.Override; otherwise in the background if all are absent, and in
//	   the foreground if one waits; in the background too if one waits and
//	   nothing refers to it (RULES, Decisions: the engine's own deletes).
//	G3 Memory. Where G1 holds, references to absent owners whose orphaning the
//	   collector has ended may be dropped instead (RULES, Decisions:
//	   remembered, best effort).
//	G4 Trim. An unmarked object with a solid owner loses a reference that is
//	   absent or waiting. An absent one may go whenever a reference to another
//	   object is left: with an absent one gone, its fate is what it was, so the
//	   other owner needs no evidence (RULES, Decisions). With Config.Restarts
//	   it may also stay beside a solid owner.
//	G5 Orphan. What refers to a marked owner that carries the orphan finalizer
//	   loses these references, marked or not. Absent ones may go along
//	   (proposal, the "orphan" finalizer; RULES, R2 and Decisions).
//	G6 Orphaning ends. When nothing refers to it any more, the owner of G5
//	   loses the finalizer (proposal; RULES, R3).
//	G7 Foreground ends. A waiting owner loses the foreground finalizer when
//	   nothing refers to it with Block (RULES, R3 and Decisions).
//	G8 Ring. A member of a strongly connected component of waiting objects
//	   joined by blocking references loses Block on its references to members
//	   (RULES, Decisions).
//
// And of the store, in every write:
//
//	W1 A deletion takes off both propagation finalizers and puts on its own. A
//	   later one does it again, but does nothing while a grace period is
//	   pending (Kubernetes; RULES, Decisions).
//	W2 A marked object without finalizers and without a grace period is gone
//	   (proposal, deletion and update handlers).
//	W3 A UID that lived is never made again. One that a reference named may be made
//	   later: somebody may have foreseen it (RULES, R2).
//
// Nothing else happens: foreign finalizers stay until a user removes them.
//
// G4 and G5 take references one by one, since an engine may have evidence of
// one owner before another, and more than one engine may be at work. That an
// object may die of the absent reference that G5 left is "two owners with
// different propagations: both outcomes are permitted" (RULES, Decisions).
package oracle
