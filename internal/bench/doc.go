// Command bench measures our collector and the garbage collector of Kubernetes
// 1.36.3 side by side: the same events, the same server, the same workers, in one
// run, and prints one table of ratios.
//
//	GOWORK=off go -C internal/bench run .
//
// README.md says how the figures are taken and has a table of them.
//
// Package workload makes the objects, server is the store, measure holds what is
// measured, once for both; ours and theirs are the two sides, and upstream builds
// the program of theirs.
package main
