// Package policy has the words of decisions: an [Action] for one object, and the [Reason]
// for it. The engine reports both, in a [Decision] and in Held of package ownergraph.
// [About] has the meaning, the cause and the remedy of each reason.
// Package internal/core/rules makes the decisions.
//
// # The rules
//
// RULES.md in the repository's root has the rules of a correct deletion: the wording, the
// histories that break a weaker one, and the package and the tests of each. Comments cite it
// as "RULES, R2". A reader of decisions needs these parts of it:
//
//   - R1: every write carries UID and version. After a conflict the engine reads the object
//     again and judges the answer.
//   - R2: an owner is absent by proof alone: the watch has shown its end, or a read did not
//     find it. Other states of an owner count only if they were seen after the judged version
//     of the dependent. Before a delete, all owners are judged at one instant.
//   - R3: a foreground deletion or an orphaning ends only behind a fence, which began after
//     the mark was observed.
//   - R4: a read never changes the graph.
//   - R5: after a rewind of the store's history no earlier proof of absence counts. After a
//     write without an answer, or a broken watch, the engine waits for the store.
//   - R6: a read or a fence serves only facts from before its call.
//   - R7: a fence covers every kind that takes part, and the set of kinds. A decision
//     without it, by a setting, is labelled best effort.
//   - R8: an owner is present, absent or unknown. Unknown holds the object, with the reason.
//
// The action of an object follows from the classes of its owners:
//
//   - Each owner is solid, waiting, orphaning, absent or unknown. An owner waits while a
//     foreground deletion of it is under way. It is orphaning after an orphan deletion, until
//     the reference is dropped.
//   - An object goes if it has owners, and all of them are absent or waiting. It stays
//     beside a solid owner, and loses the references to absent and waiting ones.
//   - A reference of an object to itself never counts. Objects that own each other are solid.
//   - An owner that lives elsewhere under the UID of the reference is unknown. The settings
//     graph.ScopeAbsent and graph.NameAbsent read it as absent, as Kubernetes does.
//   - An object with wrong data is held. The engine writes nothing to an object that it
//     cannot read: see graph.FinalizerUnreadable.
package policy
