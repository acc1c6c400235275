// Package rules decides on one object at a time. It implements these rules of RULES.md:
// R2, presence, and R2, one instant, R3, and the decisions.
//
// [Decide] is total and pure. Its input is the facts of an object and of its owners, with the
// evidence for their states: flags, classes, stamps and counts. It has no text of them. Its
// result is one decision with its reason, in memory of the caller. It reads no clock, makes
// no call and never guesses. For a missing fact it returns the decision to verify that fact,
// or to wait.
//
// # Evidence
//
// Time is the engine's own order of events, a seq.Stamp. The absence of an owner is stable,
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
package rules
