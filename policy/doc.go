// Package policy has the words of decisions: an Action for one object, and the Reason for
// it. The engine reports them (Decision, and Held of package ownergraph). Package
// internal/core/rules makes the decisions.
//
// # The rules
//
// What makes a deletion right, in this package and around it. Each stands because a
// history breaks the weaker wording: text scenarios in internal/script, bugs in
// internal/mutants. They are cited as R1 to R8, and as "Decisions", "Work" and "Cost"
// of RULES, which is this section; DESIGN is the comment of package ownergraph.
//
//	R1            Every delete and patch carries UID and version. After a conflict the
//	              object is read, and judged as it was read, with newer evidence:
//	              an owner that was seen to go before is read again, since a restore
//	              makes conflicts, too. Nothing falls back to a weaker condition.
//	R2, absence   It is stable, since UIDs never return, until a rewind. Proof is the
//	              observed end of exactly that UID at those coordinates, or a read
//	              that found nothing or another UID, and began after the judged
//	              version of the dependent was known. The watch voids what a read
//	              found as soon as it shows the UID, before or after the answer. That
//	              lasts no longer than the phantom, and is no rewind. Proof is not: "not in the graph", a kind
//	              that is not listed, an older listing, an error.
//	R2, presence  Solid, waiting, orphaning: not stable. It counts for an object if the
//	              owner was so at an instant after the judged version was committed:
//	              by a read that began after that version was known, or by the fence
//	              of the owner's mark for versions known before it began.
//	One instant   All owners of an object are judged at one instant. Beside others, an
//	              owner counts as waiting by a read alone that began when each other
//	              one was known to be absent or waiting, and that answers the version
//	              which the graph held then.
//	R3            A foreground deletion or an orphaning ends only behind a fence that
//	              began after this engine observed the version that set the finalizer
//	              of the propagation. Another finalizer, or another version that a
//	              listing or a conflict's read brings, voids the fence.
//	R4            A read never changes the graph. It is evidence for those who wait.
//	R5            A listing is never older than what the watch said of its kind before.
//	              A version that falls and a UID that comes back are a rewind: evidence
//	              of absence is dropped, and nothing is deleted until every kind is
//	              listed anew. A rewind that the store announces is taken once for
//	              each epoch. An engine that has observed nothing has nothing to take
//	              back. The events of a kind that takes no part are no evidence.
//	              After a write without an answer, or a watch that broke, nothing is
//	              written before the store has answered. What was observed before
//	              counts once a fence or a listing of the owner's kind, a read of the
//	              owner, or a version as new as the watermark confirms it. Of a kind
//	              that is not served the set of kinds has to be reported again. An
//	              object that a read did not find, and that a later one shows alive,
//	              is a rewind.
//	R6            A read or a fence serves only what was known before its call was
//	              handed out. Who asks later waits for the next one.
//	R7            A fence covers every kind that takes part, and the set of kinds, and is
//	              reported behind the events that it covers. A kind that cannot be
//	              watched holds it; what a setting releases is labelled best effort.
//	R8            Present, absent, unknown. Unknown holds the object, with the reason,
//	              and is looked at again. A sick kind holds what depends on it only.
//
// Decisions:
//
//   - A waiting reference is trimmed because of another, solid owner only with
//     evidence of both that began after the waiting mark was known. To trim dangling
//     ones needs none.
//   - What blocks, and what an orphaning frees, are references whose UID matches and
//     whose coordinates match or cannot be resolved.
//   - A reference that has the UID and kind of a live owner, and another scope or
//     name, is unknown: it holds the object, with its own reason. Settings beside
//     each other, graph.ScopeAbsent and graph.NameAbsent, read it as absent, as
//     Kubernetes does. The rule rests on what the watch shows. An absence that a
//     read alone proves therefore waits for one fence of the owner's kind that
//     began after the object was known. Below level 2, and for owners that the
//     watch never shows, the read decides.
//   - A self-reference never counts.
//   - Objects that own each other are solid. A ring that is deleted in the foreground
//     is broken when each member waits and no edge has changed across a fence begun
//     after the ring was seen, and inside of it only.
//   - Two owners with different propagations at one time: both outcomes are permitted.
//   - Owners whose orphaning this engine ended are remembered, bounded, for dependents
//     that come later.
//   - The engine's own delete because of a waiting owner is a foreground one, unless
//     that owner's fence has passed and nothing is known to refer to the object; any
//     other is a background one. A propagation finalizer that the object carries is
//     kept.
//   - Waiting for an acknowledgement is for kinds that are named, and has an end.
//
// Work:
//
//   - After a write that was done, or may have been, the object is not decided again
//     before the graph shows another version, or a deadline passes; then it is read.
//   - A read that contradicts the watch waits for the watch, and asks for a new listing
//     if that says nothing for long.
//   - Every step is bounded: bulk effects are cursors. Lanes do not wait for each other.
//   - What the store refuses is held and retried slowly.
//   - A write that succeeded, and that a later version asks for again before the
//     object has come to rest, was undone, by a policy of the store for instance. It
//     counts as a conflict: the engine backs off and holds the object. The same write
//     has the same verb and the same effect. A new reference asks for another one.
//   - An audit walks the graph and makes no request.
//
// Cost, for one engine alone, with L leaves, I inner nodes, and F the requests of a
// fence: a background cascade takes L + I writes, and no read where the owner's end was
// observed, else one for each owner and batch of newly known dependents, and F for all
// that were read at one time; a foreground one L + 2I + 1 writes and F; an orphaning one
// write for each dependent, one more, and F. A conflict takes a read and a write more,
// and each batch of conflicts a read of each owner. A write without an answer takes F,
// and a read of each owner whose dependents are decided before that fence has passed.
package policy
