// Package server is the in-process store of both collectors. It has the rules of
// package finalizer, a lock for each kind, and a latency for each request. It knows
// neither collector. It keeps each object with its view, the form in which a
// collector's client would have decoded it. So neither side pays for a conversion at a
// read.
//
// Readers share its objects and views, which are never changed. It is no adapter, and
// has only the parts that the benchmark needs.
package server
