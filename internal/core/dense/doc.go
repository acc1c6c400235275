// Package dense keeps what belongs to a few of many small numbers, such as the ids of
// nodes: the queue's slots, and what an engine notes beside its graph. Nothing is
// hashed, no step costs more than a page of a few kilobytes, and memory goes with what
// it was for.
package dense
