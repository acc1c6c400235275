// Package policy has the words of decisions: an [Action] for one object, and the [Reason]
// for it. The engine reports both, in a [Decision] and in Held of package ownergraph.
// Package internal/core/rules makes the decisions.
//
// # The rules
//
// These rules define a correct deletion, in the engine and around it. Each rule stands
// because a history breaks a weaker one. The histories are text scenarios in
// internal/proof/script and seeded bugs in internal/proof/mutants. Comments cite the rules as R1 to
// R8, "Decisions", "Work" and "Cost", or as RULES, which is this section.
//
// R1, conditional writes. Every delete and patch carries UID and version. After a conflict
// the engine reads the object again and judges the answer, with newer evidence. It also
// reads again an owner that was observed gone, because a restore makes conflicts, too. It
// never falls back to a weaker condition.
//
// R2, absence. Absence is stable until a rewind, because UIDs never return. Two
// observations prove it. The first is the observed end of exactly that UID at those
// coordinates. The second is a read that finds nothing or another UID, and that began
// after the judged version of the dependent was known. The following are no proof: "not in
// the graph", a kind that is not listed, an older listing, an error. The watch voids the
// absence of a read as soon as it shows the UID, before or after the answer. That is no
// rewind. Absence proven by a read lasts no longer than the phantom.
//
// R2, presence. Solid, waiting and orphaning are not stable. Such a state counts for an
// object if the owner had it at an instant after the judged version was committed. A read
// that began after that version was known shows such an instant. So does the fence of the
// owner's mark, for versions known before the fence began.
//
// R2, one instant. The engine judges all owners of an object at one instant. An owner
// beside others counts as waiting only by a read. The read began when each other owner was
// known to be absent or waiting, and it answers the version that the graph held then.
//
// R3, ends. A foreground deletion or an orphaning ends only behind a fence. The fence began
// after this engine observed the version that set the propagation finalizer. Another
// finalizer voids the fence. So does another version that a listing or a conflict's read
// brings.
//
// R4, reads. A read never changes the graph. It is evidence for the decisions that wait.
//
// R5, rewinds. A listing is never older than the earlier events of its kind. A falling
// version and a UID that comes back are a rewind. The engine then drops all evidence of
// absence, and deletes nothing until every kind is listed anew. It takes each announced
// rewind once, by its epoch. An engine that has observed nothing drops nothing. The events
// of a kind that takes no part are no evidence.
//
// R5, losses. After a write without an answer, or a broken watch, the engine writes nothing
// before the store has answered. An earlier observation of an owner counts again after a
// confirmation. A fence or a listing of the owner's kind confirms it, and so does a read
// of the owner or a version as new as the watermark. For a kind that is not served, the
// store must report the set of kinds again. An object that a read did not find, and that a
// later read shows alive, is a rewind.
//
// R6, order of evidence. A read or a fence serves only facts that were known before its
// call was handed out. Later requests wait for the next call.
//
// R7, fences. A fence covers every kind that takes part, and the set of kinds. The watch
// reports it behind the events that it covers. A kind that cannot be watched holds the
// fence. A setting may release a held fence, and the decision is then labelled best effort.
//
// R8, unknown. An owner is present, absent or unknown. Unknown holds the object, with the
// reason, and the engine looks at the object again. A sick kind holds only the objects that
// depend on it.
//
// Each rule has one place, and the package comment there names the rule:
//
//	R1                         the root
//	R2 presence, one instant   internal/core/rules
//	R2 absence                 internal/core/evidence
//	R3                         internal/core/rules
//	R4                         internal/core/reads
//	R5                         internal/core/kinds
//	R6                         internal/core/reads
//	R7                         internal/core/fence
//	R8                         internal/core/evidence
//
// Decisions:
//
//   - The engine trims a waiting reference because of another, solid owner only with
//     evidence of both. The evidence began after the waiting mark was known. Trimming
//     dangling references needs no evidence of another owner.
//   - A reference blocks an owner if its UID matches, and its coordinates match or cannot be
//     resolved.
//   - An orphaning drops every reference with the owner's UID before it ends, with any kind,
//     scope and name. A mistake there keeps an object. The settings graph.ScopeAbsent
//     and graph.NameAbsent read another scope and another name as absent, and both together
//     another kind. Then the orphaning drops no such reference. Its object is garbage before.
//   - A reference may have the UID and kind of a live owner, and another scope or name. Its
//     owner is unknown and holds the object, with a reason of its own. The settings
//     graph.ScopeAbsent and graph.NameAbsent read such an owner as absent, as Kubernetes
//     does. The rule rests on the watch. An absence that a read alone proves therefore waits
//     for one fence of the owner's kind, which began after the object was known. Below level
//     2, and for owners that the watch never shows, the read decides.
//   - A self-reference never counts. Neither does a reference to the object's own UID that would
//     otherwise count as absent.
//   - Objects that own each other are solid. The engine breaks a ring of foreground deletions
//     when each member waits and no edge has changed across a fence. The fence began after
//     the ring was found. The engine unblocks only references inside the ring.
//   - Two owners may have different propagations at one time. Then both outcomes are
//     permitted. The order of the two marks does not decide. An owner with an orphan mark
//     counts as solid until the reference to it is dropped.
//   - The engine remembers the owners whose orphaning it ended, for dependents that come
//     later, by the same rule. That memory is bounded.
//   - The engine's own delete because of a waiting owner is a foreground delete. It is a
//     background delete if that owner's fence has passed and no known reference leads to the
//     object. Every other delete is a background delete. An object keeps a propagation
//     finalizer that it carries.
//   - A store reports an object that it cannot read: see graph.FinalizerUnreadable. The true
//     references, finalizers and mark of that object are unknown. So the engine holds it, and no
//     write to it goes out, whatever a rule, a guard, a sweep or a handler asks for. It still
//     counts as an owner and as a dependent. The sweep of such a holder halts. An object with
//     another flaw can be written. It loses the references to owners that orphan it, its own
//     deletion ends, and its guard and sweep act on it.
//   - The engine waits for an acknowledgement only for named kinds, and for a bounded time.
//
// Work:
//
//   - After a write that was done, or may have been done, the engine does not decide the
//     object again before the graph shows another version, or a deadline passes. Then it
//     reads the object.
//   - A read that contradicts the watch waits for the watch. If the watch stays silent for
//     long, the engine asks for a new listing.
//   - Every step is bounded, because bulk effects are cursors. No lane waits for another.
//   - The engine holds an object whose write the store refuses, and retries slowly.
//   - A write may succeed and a later version may ask for it again, before the object comes
//     to rest. Then the write was undone, for example by a policy of the store. That counts
//     as a conflict: the engine backs off and holds the object. The same write has the same
//     verb and the same effect. A new reference asks for another write.
//   - An audit walks the graph and makes no request.
//
// Cost is for one engine alone, with L leaves, I inner nodes, and F requests for a fence:
//
//   - A background cascade takes L + I writes. It takes no read if the owner's end was
//     observed. Otherwise it takes one read for each owner and batch of newly known
//     dependents, and F for all owners that were read at one time.
//   - A foreground cascade takes L + 2I + 1 writes and F.
//   - An orphaning takes one write for each dependent, one more write, and F.
//   - A conflict takes one more read and one more write. A batch of conflicts takes one read
//     of each owner.
//   - A write without an answer takes F. It takes a read of each owner whose dependents are
//     decided before that fence has passed.
package policy
