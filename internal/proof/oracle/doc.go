// Package oracle computes the permitted end states. It is the specification of the
// collector as a simple program, written to be read. It shares only graph's contract
// types with the engine. It is for a handful of objects.
//
// A State has the living objects of a store. Actions of users and steps of the
// collector change it, in any order. A state is quiet if the collector has no step
// left that it must take. An engine is right if its end state is an element of Ends.
// The path to that state is no part of this: two wrong steps may end well.
//
// RULES stands for RULES.md in the repository's root. "Proposal" stands for the Kubernetes
// garbage collection proposal. An object "refers to O" if it is another object and has such
// a reference: the key of the reference is O's, or the reference is unresolved and has O's
// UID. References of an object to itself never count (RULES, Decisions).
//
// The class of an owner reference:
//
//	C1 unknown: it is unresolved, or it is in a global object and names an owner
//	   with a scope. Unknown holds (RULES, R8).
//	C2 Its scope is neither its object's nor global: unknown, or absent with
//	   Config.Scope ScopeAbsent. Its UID lives under the same kind in another
//	   scope, or under another name, or both: unknown. It is absent if the scope
//	   differs and Config.Scope is ScopeAbsent, or the name differs and
//	   Config.OwnerName is NameAbsent (RULES, R8; Kubernetes).
//	C3 waiting: the owner lives under this key, is marked and carries the
//	   foreground finalizer. solid: it lives otherwise. absent: it does not live
//	   (RULES, R2). A reference to the object's own UID is none of C2 and C3 that
//	   is absent: it is one of the object to itself.
//	C4 An object with wrong data is flawed: two controllers, two different
//	   references with one UID, or a reference without kind, name or UID. The
//	   collector neither deletes nor trims it (Kubernetes, validation).
//	C5 A reference has a policy: unset, Cascade, Release or Restrict. An object is flawed
//	   if two references to one UID differ in it, or if it is unknown. Without
//	   Config.Policies each object with a policy is flawed (RULES, E1).
//	C6 An object is restricted while another object refers to it with Restrict. That
//	   other object is unmarked, or V1 withholds its mark because of a guard or a
//	   protection. It may be flawed, and it may be garbage (RULES, E4).
//
// The instant of a step:
//
//	J1 The collector judges a step by the state at one instant. It may write the
//	   step at any later instant at which the object of the step has the same
//	   version. Changes of other objects do not matter. A write that leaves the
//	   content of an object makes no new version, except a touch (RULES, R1 and R2).
//
// The steps of the collector:
//
//	T1 Delete. An unmarked object is deleted in two cases. A Cascade owner is absent or
//	   waiting. Or it has unset references to other objects, and all of them are absent
//	   or waiting (proposal, Garbage Processor; RULES, R2 and E1). A restricted object is
//	   not deleted (RULES, E4).
//	T2 Propagation of a deletion. An object that carries a propagation finalizer is
//	   deleted with that propagation, except with Config.Override. Otherwise it is
//	   foreground if an unset or Cascade owner waits, and background without one. It
//	   may be background too if one waits and no object refers to the object (RULES,
//	   Decisions: the engine's own deletes; E3).
//	T3 Memory. In the case of T1, the collector may drop references instead:
//	   those to absent owners whose orphaning it has ended, by the rule of T5
//	   (RULES, Decisions: remembered, best effort).
//	T4 Trim. Only unset references count here (RULES, E3). An unmarked object with a solid
//	   owner loses a reference that is absent or waiting. It may keep the reference if
//	   T1 is true. An absent reference may go whenever another reference to
//	   another object is left. The fate of the object stays the same then, so the
//	   other owner needs no evidence (RULES, Decisions). With Config.Restarts the
//	   absent reference may also stay beside a solid owner.
//	T5 Orphan. The dependents of a marked owner with the orphan finalizer lose
//	   their references to it, marked or not. So they lose the references that have
//	   its UID and other coordinates: another kind, scope or name. The exceptions are
//	   another scope with ScopeAbsent, another name with NameAbsent, and another
//	   kind with both. Absent unset references may go along with an unset one (proposal,
//	   the "orphan" finalizer; RULES, R2, E3 and Decisions). Restrict references of an
//	   object that C6 takes for unmarked stay.
//	T6 Orphaning ends. The owner of T5 loses the finalizer when no reference of T5
//	   is left. Restrict references count too: one with other coordinates stays, and holds
//	   up the end (proposal; RULES, R3 and Decisions).
//	T7 Foreground ends. A waiting owner loses the foreground finalizer when no
//	   object refers to it with Block (RULES, R3 and Decisions).
//	T8 Ring. A member of a strongly connected component of waiting objects with
//	   blocking references loses Block on its references to members (RULES,
//	   Decisions).
//	T9 Release. A Release reference goes if its owner is absent or waits, on marked objects
//	   too. T5 has those to owners that orphan (RULES, E3).
//
// The steps of guards (RULES, Guards):
//
//	V1 Withheld marks. A marked object that carries graph.FinalizerHold, or that is
//	   protected or restricted, is solid. It neither waits nor orphans, so C3 and T4 to T9
//	   take it for unmarked (RULES, G3 and E4).
//	V2 Protection. A protected object is not deleted (RULES, G1).
//	V3 A guard's root, while it is unmarked, gets graph.FinalizerHold, and then
//	   graph.FinalizerNew. Without both the collector does not delete it (RULES, G2).
//	V4 Verdict. A marked root with both loses one of the two: new if its guard refuses
//	   the deletion, else hold. The guard judges all ends of the cascade as if it had
//	   passed, with no other engine and no user but those who take the foreign
//	   finalizers of the root and of unmarked objects below it off. With Guard.Ordered, a background
//	   deletion is repeated in the foreground before hold goes. A guard with a bound
//	   may count every object below the root if one of them has several owners, since
//	   a plan also counts objects that may end. Each guard refuses if the root is
//	   restricted, or if an end leaves a restricted object that has to go (RULES, G2, G7, P3 and E4).
//	V5 A marked object with new and without hold loses new (RULES, G2).
//	V6 Brake. With Config.Braked, the collector may send a deletion of T1, and need not
//	   (RULES, G5). A kind that cannot be listed is no cause to keep it back: the count leaves
//	   such a kind out. So without Config.Braked a brake below its limit changes nothing.
//
// A marked object with hold alone was refused, and has no step of its own. Only a user
// takes its hold off (RULES, G4).
//
// The rules of the store, in every write:
//
//	W1 A deletion removes both propagation finalizers and adds its own. A later
//	   deletion does so again. It does nothing during a grace period (Kubernetes;
//	   RULES, Decisions).
//	W2 A marked object without finalizers and without a grace period is gone
//	   (proposal, deletion and update handlers).
//	W3 The store never reuses the UID of an object that lived. It may make a UID
//	   that a reference names already, since a user may foresee it (RULES, R2).
//
//	W4 With Config.Strict, the store refuses a new reference to an owner that does not
//	   live, waits or orphans. A reference that begins to block is a new one. The store
//	   takes any unresolved reference. A changed policy makes a new reference too. A new
//	   Restrict reference needs an owner without a mark (RULES, Level 3 and E4).
//	W5 With Config.Strict, the store refuses each deletion of an unmarked restricted object,
//	   by users and by the collector. The store knows the finalizers of guards and of
//	   protection, and no settings (RULES, E4).
//	W6 With Config.Archives, the store keeps the entry of each object that ends (Ended). The entry is
//	   explicit if a user's deletion has reached the object, also without an effect. It is orphaning if
//	   its orphan finalizer went off by another write than a deletion (RULES, A1). A user restores an
//	   object in one step, as Archive.Restore says, unless a name is taken (RULES, A2 to A4).
//
// There are no other steps. Foreign finalizers stay until a user removes them. Engines
// with other settings may be on the same store (Config.Beside).
//
// T4, T5 and T9 take references one by one. An engine may have evidence of one owner
// before another, and several engines may be at work. After T5 an object may be
// deleted because of a remaining absent reference. That is the case "two owners with
// different propagations: both outcomes are permitted" (RULES, Decisions).
package oracle
