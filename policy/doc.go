// Package policy decides on one object at a time. [Decide] takes the [Facts] of an object and of
// its owners. It returns a [Decision]: an [Action] for the object, and the [Reason] for it. The
// engine calls it for each object, and reports actions and reasons. [About] has the meaning, the
// cause and the remedy of each reason.
//
// Import it with package graph to write a collector of your own, or to ask for the decision on a
// graph of your own. [FactsOf] returns the facts that a graph shows, and [Decision.Change] the
// write that carries a decision out. The directory examples/controller does so.
//
// Decide is total and pure. The facts are flags, classes, moments and counts, and no names. Decide
// reads no clock, makes no call and never guesses. If a fact is missing, the decision asks for it.
// The lists of a decision are in the caller's [Scratch] until the next decision.
//
// A value of this package may be read by several goroutines at once. Only a Scratch may not.
//
// # Owners
//
// An owner has one of these states:
//
//   - Waiting: it is marked for a foreground deletion, and stays until its blocking dependents are
//     gone.
//   - Orphaning: it is marked for an orphan deletion, and stays until its dependents have lost
//     their references to it. Package graph has the class Solid for such an owner.
//   - Solid: it exists, and neither waits nor orphans.
//   - Dangling: it is proven absent.
//   - Unknown: there is no proof that it exists, and no proof that it is absent.
//
// An object is deleted if it has owners, and each of them is dangling or waiting. It stays beside
// a solid owner, and loses its references to dangling and waiting ones. An unknown owner keeps the
// object too, and the engine reports that.
//
//   - A reference of an object to itself never counts. Two objects that own each other are solid
//     owners of each other, so both stay.
//   - An owner that lives at another place under the UID of the reference is unknown. The settings
//     graph.ScopeAbsent and graph.NameAbsent read it as absent, as Kubernetes does.
//   - A flawed object breaks a rule of the model, such as one with two controllers. The end of its
//     owners does not delete it, and the engine reports it. The engine writes nothing to an object
//     that it cannot read: see graph.FinalizerUnreadable.
//
// # The rules
//
// RULES.md in the repository's root has the rules of a correct deletion: the wording, the
// histories that break a weaker one, and the package and the tests of each. Comments cite it
// as "RULES, R2". Decide implements R3, and two parts of R2: presence, and one instant. A reader of
// decisions needs these parts of the rules:
//
//   - R1: every write carries UID and version. After a conflict the engine reads the object
//     again and decides on the answer.
//   - R2: an owner is absent by proof alone: the watch has shown its end, or a read did not
//     find it. Any other state of an owner counts only if it was true after the dependent's
//     version was committed. Before a delete, the states of all owners are of one instant.
//   - R3: a foreground or orphan deletion ends only after a fence has passed that began after
//     the mark was observed.
//   - R4: a read never changes the graph.
//   - R5: after a rewind of the store's history no earlier proof of absence counts. After a
//     write without an answer, or a broken watch, the engine waits for the store.
//   - R6: a read or a fence is evidence only for a version that was known before it began.
//   - R7: a fence covers every kind that takes part, and the set of kinds. A decision
//     without it, by a setting, is labelled best effort.
//   - R8: an owner is present, absent or unknown. Unknown holds the object, with the reason.
//
// # Evidence
//
// A [Moment] is a number that an observer raises for each fact that it learns, and for each read
// and fence that it begins. A proof of absence stays valid until a rewind. A read proves absence
// only if it began after the reference was known. Any other fact needs a read or a fence that began
// after the version of the object was known. Each function names the rule that it implements.
//
// # The table
//
// An object is marked while it is being deleted. A marked object may have a propagation finalizer,
// foreground or orphan. A ring is a cycle of waiting objects, each of which blocks the next.
//
// The first row that fits is the decision. "By evidence" means that a read or a fence has shown the
// state. If evidence is missing, the decision asks for it. It is Verify if a read can bring the
// evidence. It is Wait if a fence or the watch can bring it, or a controller that has to acknowledge
// the deletion. Only guards and sweeps decide Attach, which puts a finalizer on an object.
//
//	object              owners, or another condition           decision
//	flawed              one owner orphans, by evidence         Orphan: drop the references to it
//	not flawed          one owner orphans, by evidence         Orphan: drop the references to it, and the dangling ones
//	marked, no propagation finalizer                           Keep: other finalizers or its grace period hold it
//	marked, foreground  in a ring that a fence confirmed       Unblock the references inside of the ring
//	marked, foreground  blocking dependents left               Wait
//	marked, orphan      dependents left                        Wait
//	marked, foreground or orphan: a fence that began           Release the propagation finalizer
//	                    after the mark has passed
//	unmarked            no owner                               Keep
//	unmarked, flawed                                           Keep, reported
//	unmarked            one solid, some waiting, by evidence   Trim the waiting ones, and the dangling ones
//	unmarked            one solid, some dangling               Trim the dangling ones
//	unmarked            one solid                              Keep
//	unmarked            one unknown                            Verify it, or Keep, reported
//	unmarked            no owner but itself                    Keep, reported
//	unmarked            all dangling, one orphaned it before   Orphan: drop the references to that one
//	unmarked            all dangling                           Delete
//	unmarked            all dangling or waiting, by evidence   Delete
//
// The file testdata/table.txt has a row of inputs for each reason.
package policy
