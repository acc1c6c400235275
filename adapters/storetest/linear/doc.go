// Package linear tests whether a store is linearizable: whether each of its calls
// takes effect at one instant between its begin and its end, for any number of
// callers. It is a module of its own, so that the rest of the kit needs no checker
// of histories.
//
//	func TestStoreIsLinearizable(t *testing.T) {
//		linear.Test(t, storetest.Config{New: newSubject})
//	}
//
// Several clients read, create, update, patch and delete a few objects at once.
// Half of the calls go through the Store, and half through the Client of its users.
// If the store takes batches, some writes come in a batch of two, as one call for each
// object. The test records each call and its answer. Then porcupine judges the calls of
// each object. It searches for an order of the calls that agrees with their times.
// One object that follows the contract must give the recorded answers in that
// order.
//
// # The object
//
// The store makes the UIDs and versions, so the judge takes them from the answers.
// It demands that no UID names two incarnations, and that no version names two
// states of one incarnation. Deletions, finalizers and marks follow package
// finalizer. The judge ignores generations, and the order of owners and of
// finalizers. A write that changes nothing may make a new version, or none.
//
// ErrNotFound and ErrConflict have to be true. A store may answer ErrRefused or
// ErrKindUnknown at any time, if it has done nothing. After any other error the
// outcome of a write is unknown. The judge then accepts that the write happens at
// any later instant, or never. Some calls are cancelled while they run.
//
// # Seeds
//
// A failure prints the seed of its plan: the calls of each client, in order. Give
// the seed back as -rapid.seed, and every history has that plan. The schedule does
// not come back, because the machine decides which calls overlap. So it may take
// some histories until the calls overlap in the same way.
//
// A failure is never a false alarm. The absence of failures is no proof. Run the
// test often, and with the race detector.
package linear
