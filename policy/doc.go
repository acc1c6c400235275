// Package policy decides what should happen to one object now.
//
// Decide is total and pure: it takes what is known of an object, of its owners
// and of the evidence for that, and returns one Decision with its reason. It
// reads no clock, makes no call and never guesses: what is not known comes back
// as the decision to verify it, or to wait.
//
// # Evidence
//
// Time is the engine's own order of events, a Stamp. An owner's absence is
// stable, so it needs no stamp. Everything else that justifies a write has to be
// true at an instant after the judged version of the object was committed, and
// that is proven by comparing stamps: a read or a fence that began after the
// version was known shows such an instant. The rules are R1 to R8 of the
// design; each function names the one that it holds.
//
// # The table
//
// The first row that fits is the decision.
//
//	object              owners                                 decision
//	any                 one is orphaning, by evidence          Orphan: drop its references, and the dangling ones
//	marked, foreground  in a ring that a fence confirmed       Unblock the references inside of the ring
//	marked, foreground  blocking dependents left               Wait
//	marked, orphan      dependents left                        Wait
//	marked, either      a fence began after the mark, passed   Release the propagation finalizer
//	marked, none        -                                      Keep: other finalizers hold it
//	flawed              -                                      Keep, reported
//	unmarked            none but itself                        Keep
//	unmarked            one solid, some dangling               Trim the dangling ones
//	unmarked            one solid, some waiting, by evidence   Trim the waiting ones
//	unmarked            one solid                              Keep
//	unmarked            one unknown                            Verify it, or Keep, reported
//	unmarked            all dangling                           Delete
//	unmarked            all dangling or waiting, by evidence   Delete
package policy
