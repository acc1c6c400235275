// Package guard declares limits and extensions of the cascade of a deletion, as data. A cascade is
// the deleted object, its root, with each object that is deleted because of it. Package engine
// carries the declarations out:
//
//   - A [Protection] keeps objects, also after the end of their owners (Config.Protect).
//   - A [Guard] stops the deletion of a root before its first dependent goes, if the cascade is too
//     large or has a protected object (Config.Guards). It is for roots that a person may delete by
//     mistake.
//   - A [Phase] has its place in the order of a cascade (Guard.Phases and Sweep.Phases).
//   - A [Sweep] deletes all objects of a holder, such as a tenant, before the holder goes. The
//     objects need no owner reference (Config.Sweeps).
//   - A [Selector] matches labels.
//
// This page is their manual. Config and Collector are types of package ownergraph, whose
// documentation describes fences and propagations. Plan and Held are methods of the Collector.
//
// # Protection
//
// Rules protect objects by kind, scope, name, label or a function. An object may also carry
// graph.FinalizerProtect. The engine deletes no protected object. Its dependents stay too,
// because it lives. All other objects of the cascade go. A kept object whose owners are gone is
// deleted once nothing protects it: at the first start without its rule, or after the finalizer
// goes. See ExampleConfig_protect of package ownergraph. Protections and guards delay or
// prevent deletes of the engine. None of them makes a deletion right.
//
// # Guards
//
// A [Guard] selects the roots that it judges, and the conditions on which it refuses: always, a
// protected object below, or more than a number of objects. See ExampleConfig_guards of package
// ownergraph. The engine puts two finalizers on each object that a guard selects, before its
// deletion: graph.FinalizerHold and graph.FinalizerNew.
//
//	a marked root with   state
//	hold and new         unjudged: the engine plans the whole cascade behind a fence
//	hold alone           refused, or marked before new was on: nothing below it is deleted
//	neither, or new      passed or approved: the cascade runs
//
// The verdict is a write: a pass takes hold off, and a refusal takes new off. So the first
// verdict binds every engine, and survives every crash. Every engine knows the two names, with
// any settings. The mark of a root with hold has no effect: the engine deletes no dependent, sweeps
// no member and runs no handler because of it.
//
// A refused deletion needs an approval. Collector.Approve plans the deletion again, compares
// the plan with a fingerprint or a bound, and takes hold off. Any other writer may take hold off
// too. A restart, a lifted protection or a raised limit approves nothing. The user may also
// delete the root again with orphan, and approve that, or leave the root as it is.
//
//   - A plan of a guarded root assumes that the guard lets the deletion pass. Plan.Verdicts has the
//     verdict that the engine would write. The plan lists two kinds of objects as held: protected
//     objects, and each marked root with hold that no guard selects.
//   - A verdict counts the objects of its root's own plan, also where a request has several
//     targets. A marked object counts only if it would stay without the deletion.
//   - A judgement plans each other guarded root that its deletions reach. With more than 64 of
//     them the guard refuses, and the cause says so.
//   - Before a verdict the engine selects the members that labels name. It does so for roots with
//     hold. A plan of another root does not know these members, and shows a refusal.
//   - A store without fences gets no pass. A sick kind delays every verdict, and so does a bound
//     of the plan (plan.ErrBound). Held names the kind or the bound.
//   - A root that is marked before it carries hold is not guarded. The engine reports such a root if
//     an event showed the mark. It does not report a root of a listing, because an earlier verdict
//     may have let that deletion pass.
//   - Collector.Retire takes the finalizers of former guards and sweeps off.
//
// # Order
//
// Each [Phase] of a guard is a part of the order in which the objects below its root go. The
// order begins when the root waits in a foreground deletion, and carries no hold. After a verdict
// that passes a background deletion, the engine repeats it as a foreground deletion.
// Collector.Approve does the same. Another writer who takes hold off does not, so the cascade of
// such a background deletion has no order.
//
//   - An object is in the first phase that takes it, and in a last one if none does. A phase
//     begins after all objects of the phases before have gone.
//   - The engine first learns that the objects of the phases before are gone. Then it begins a
//     fence, and the phase begins after that fence has passed. So the order is exact for every
//     commit before that fence. A later arrival of an earlier phase stops the deletes that have not
//     been sent.
//   - Ownership goes before order. An object with dependents is marked when the first of them
//     has its turn, and goes after the last. An object below an owner goes in the owner's phase
//     or earlier, because the owner waits for it. A plan names the objects that were moved
//     forward.
//   - Each owner below the root, and the root itself, stays until the objects below it have
//     gone. That applies to references that do not block, too. So a crash loses no order.
//   - An object that stays because of another owner, or that is protected, delays no phase. An object
//     that a user has marked counts until it has gone.
//   - An object below several ordered roots is in the earliest of its phases. That phase has to
//     be open for each of these roots.
//   - A sweep of a holder below the root deletes its members in the phases of the sweep.
//
// Collector.Orders reports the progress: see the documentation of package engine, "Status and
// statistics".
//
// # Grace periods
//
// A grace period is the time that a marked object gets for its end, in seconds. Its *agent* ends it by
// a deletion with a period of 0, as the kubelet does for a pod. By default a deletion gives its period
// to the root alone. Config.PropagateGrace names kinds whose objects have agents, and a foreground
// deletion then passes the period on (RULES, E6). See ExampleConfig_grace of package ownergraph.
//
//   - An object of such a kind that goes because its owner waits gets the period of that owner, if the
//     owner is of such a kind too. The period passes through owners of other kinds. The shortest period
//     of all waiting owners above counts, and a shorter one of the object's own.
//   - A period of 0 is none: the object gets the default of the store.
//   - The end of the owner's period ends no other period. Objects that are marked later get none then.
//   - A background deletion passes nothing on, because its root is gone first. A guard that selects a
//     root with a period repeats the deletion in the foreground, shorter by one second (RULES, E7). Such
//     a guard needs no condition to refuse.
//   - Without an agent an object keeps its period, and stays. Held lists it with the reason NeedGrace.
//   - A store that keeps no grace periods refuses the setting (ownergraph.Gracer). Kubernetes keeps
//     those of pods. See adapters/clientgo for the periods of other kinds.
//
// # Sweeps
//
// A [Sweep] deletes the members of a holder before the holder goes. It names the kind of the
// holders, such as tenants, and the way to find the holder of a member (Members.By). The way is
// the member's name, scope or kind, up to a delimiter. It may also be an owner reference,
// a label or a function. The name `blue-db` has the holder `blue`, for example. The sweep of
// a holder in a scope covers that scope alone. See examples/tenants. This section and the
// next one are about stores with fences, except the last paragraph of this one.
//
// The engine puts a finalizer on every holder that it observes. After the deletion mark of
// a holder, it deletes the members in phases. It removes the finalizer when none is left.
//
//   - Each delete carries UID and version. After a conflict the engine decides again. An
//     object that returns under its name is another object.
//   - The engine begins a fence after it has observed the member and the mark. It deletes the member
//     only after the fence has passed for every kind of holders. The watch has then reported no end
//     of the holder, so the holder existed together with the member. The watch has also reported
//     every other holder that has a claim on the member.
//   - A namesake is a later holder of the same name. Its members stay, even before the engine
//     has observed the namesake: the fence is the proof that a member is not of the namesake.
//   - A holder goes after a fence of all kinds that began when no member was left. If clients
//     create members meanwhile, the sweep deletes these members too, and needs another fence.
//   - Three things hold the holder: a sick kind, a named kind that the store does not
//     serve, and a member with a finalizer of another client. Held reports them.
//   - As a rule, a sweep costs one write for each member, two for the holder, and two fences.
//
// An object is contested if another holder has, or may have, a claim on it. The tenants `a`
// and `a-b` both match the name `a-b-c`. No sweep deletes a contested object while both
// holders live. The other claim ends if its holder goes, or if a change of the object or of
// a holder ends it. Then the sweep needs a proof that its own holder existed after that end.
// A tenant and a namespace that is a member of the tenant do not contest their common
// members. If the store no longer serves a kind of holders, the engine deletes no object that names
// a holder of that kind, because the holder may still exist.
//
// Collector.Sweeps reports the progress, and Config.OnDecision receives every step. In a
// store without fences, the engine reads the holder, and lists every kind again before the
// holder's release. The report of that release says best effort. A guard of the
// holders counts their members, and protects a holder against a deletion by mistake.
//
// # Selectors
//
// A [Selector] matches labels, which a store keeps beside its objects. Labels are no part of
// an object. For a sweep the engine asks the store, which has to implement
// ownergraph.LabelSelector. It asks for each kind, in pages, at the beginning of a sweep and when no
// member is left. Labels do not change while UID and version stay the same. The engine therefore
// deletes a member only at a version that a selection showed to match. At another version it asks
// again. The holder goes after a selection of every kind that began after the mark and after the
// last member went. The watch must have shown every object of that selection too. If other holders
// may have a claim on objects of a kind, the engine selects every object with the label.
package guard
