// Package inflight follows the writes of the engine from the call to the rest of their
// object. It implements the rules of work: level-triggered decisions, with backoff against
// faster writers.
//
// A successful write changes nothing in the graph. Expectations keep its object from being
// decided until the watch shows another version, or a deadline passes. Then the object is
// read, listed or decided again. A doubt about the object has an expectation, too.
//
// Undone detects a write that the store or another writer takes back. The next version of
// the object then asks for the same write. The engine counts that as a conflict: it backs
// off, and holds the object.
package inflight
