// Package linear tests whether a store is linearizable: whether each of its
// calls took effect at one instant between its begin and its end, for any number
// of callers. It is a module of its own, so that the rest of the kit needs no
// checker of histories.
//
//	func TestStoreIsLinearizable(t *testing.T) {
//		linear.Test(t, storetest.Config{New: newSubject}, linear.Config{})
//	}
//
// Several clients read, create, update, patch and delete a few objects at once,
// half of them through the Store, half as its users do. What they asked and what
// they were answered is recorded, and then judged for each object by itself, with
// porcupine: is there an order of the calls, which contradicts no clock, in which
// one object that follows the contract would have given these answers?
//
// # The object
//
// UIDs and versions are the store's to make, so the judge takes those that it
// shows, and demands that no UID names two incarnations, and no version two
// states of one. Deletions, finalizers and marks follow package finalizer.
// Generations are not looked at, nor is the order of owners and of finalizers. A
// write that changes nothing may make a new version, or none.
//
// ErrNotFound has to be true, and so has ErrConflict. ErrRefused and
// ErrKindUnknown may be answered at any time, if nothing was done. After any other
// error nobody knows whether the write has happened, or will: the judge accepts
// both, at any later instant. Some calls are cancelled while they run.
//
// # Seeds
//
// A failure prints the seed of its plan: who asks for what, in which order. It is
// given back as -rapid.seed, and then every history has that plan. The schedule
// does not come back: only the machine decides which calls overlap, so it may take
// some histories until they do so in the same way. There are no false alarms; no
// failure is no proof. Run it often, and with the race detector.
package linear
