// Package workload makes the objects that both collectors are given: the same
// ones, in the same order, in every run.
//
// An object is made anew from its number each time that it is asked for, with
// every string an allocation of its own, as a decoder leaves it. So nothing of a
// workload stays in memory but what a collector keeps of it.
package workload
