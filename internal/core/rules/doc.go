// Package rules decides what should happen to one object now.
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
// version was known shows such an instant. Each function names the rule that it
// holds.
//
// # The table
//
// The first row that fits is the decision. Where evidence is missing, the
// decision asks for it: Verify where a read would tell, Wait where a fence, an
// acknowledgement or the watch would.
//
//	object              owners                                 decision
//	any                 one is orphaning, by evidence          Orphan: drop its references, and the dangling ones
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
// testdata/table.txt holds a row of inputs for each reason.
package rules
