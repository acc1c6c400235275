// Package policy decides on one object at a time. A [Decision] has an [Action] for the object,
// and the [Reason] for it. The engine reports both, also in Held of package ownergraph.
// [About] has the meaning, the cause and the remedy of each reason.
//
// [Decide] is total and pure. Its input is the [Facts] of an object and of its owners, with the
// evidence for their states: flags, classes, moments and counts. It has no text of them. Its
// result is one decision with its reason, in memory of the caller. It reads no clock, makes
// no call and never guesses. For a missing fact it returns the decision to verify that fact,
// or to wait. It implements these rules of RULES.md: R2, presence, and R2, one instant, R3, and
// the decisions.
//
// A value of this package may be read by several goroutines at once. Only a [Scratch] may not.
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
//
// # Evidence
//
// Time is the observer's own order of events, in a [Moment]. The absence of an owner is stable,
// so it needs no stamp. Any other fact counts only if it was true after the judged version
// of the object was committed. A read or a fence shows that, if it began after the engine
// knew the version. Each function names the rule that it implements.
//
// # The table
//
// An owner is solid if it exists, and neither waits nor orphans. It waits if it is marked for
// a foreground deletion and stays until its blocking dependents are gone. It is orphaning if
// it is marked for an orphan deletion. It is dangling if it is proven absent. Otherwise it is
// unknown. An object is flawed if it breaks a rule of the model, such as two controllers. A
// ring is a cycle of waiting objects, each of which blocks the next.
//
// The first row that fits is the decision. If evidence is missing, the decision asks for
// it. It is Verify if a read can bring the evidence. It is Wait if a fence, an
// acknowledgement or the watch can bring it.
//
//	object              owners                                 decision
//	flawed              one is orphaning, by evidence          Orphan: drop its references
//	any other           one is orphaning, by evidence          Orphan: drop its references, and the dangling ones
//	marked, none        -                                      Keep: finalizers or its grace period hold it
//	marked, foreground  in a ring that a fence confirmed       Unblock the references inside of the ring
//	marked, foreground  blocking dependents left               Wait
//	marked, orphan      dependents left                        Wait
//	marked, either      a fence began after the mark, passed   Release the propagation finalizer
//	unmarked            none                                   Keep
//	flawed              -                                      Keep, reported
//	unmarked            one solid, some waiting, by evidence   Trim the waiting ones, and the dangling ones
//	unmarked            one solid, some dangling               Trim the dangling ones
//	unmarked            one solid                              Keep
//	unmarked            one unknown                            Verify it, or Keep, reported
//	unmarked            none but itself                        Keep, reported
//	unmarked            all gone, one orphaned it before       Orphan: drop the references to that one
//	unmarked            all dangling                           Delete
//	unmarked            all dangling or waiting, by evidence   Delete
//
// The file testdata/table.txt has a row of inputs for each reason.
package policy
