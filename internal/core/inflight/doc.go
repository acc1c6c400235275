// Package inflight follows the writes of the engine from the call to the rest of their
// object.
//
// Undone detects a write that the store or another writer takes back. The next version of
// the object then asks for the same write. The engine counts that as a conflict: it backs
// off, and holds the object.
package inflight
