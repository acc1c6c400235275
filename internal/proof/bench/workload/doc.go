// Package workload makes the objects for both collectors. Every run has the same
// objects in the same order.
//
// An object is made anew from its number at each call, with every string an allocation
// of its own, as a decoder leaves it. So the collector alone decides which parts of a
// workload stay in memory.
package workload
