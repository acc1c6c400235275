// Package handlers follows the runs of finalizer handlers. A marked object keeps its
// finalizer until the handler of the finalizer has succeeded for it. Then the engine
// releases the finalizer.
//
// A decision about a marked object calls Decide, which queues the missing runs. Each
// finalizer name has its own queue and its own bound, so a handler that hangs delays
// no other handler. The engine takes a run with Next, makes the call, and reports the
// result with Done. A failed handler runs again after a delay. A run for a deletion of a
// former history counts for nothing (R5).
package handlers
