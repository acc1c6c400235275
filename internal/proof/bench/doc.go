// Command bench measures our collector and the garbage collector of Kubernetes 1.36.3
// side by side. Both get the same events, the same server and the same workers in one
// run. The command prints one table of ratios.
//
//	GOWORK=off go -C internal/proof/bench run .
//	GOWORK=off go -C internal/proof/bench run . -against COMMIT
//	GOWORK=off go -C internal/proof/bench run . -instructions -against COMMIT
//
// The second command compares our side with that of another commit. The third one counts
// instructions instead of time. README.md describes the measurements, and has a table of
// the figures.
//
// Package workload makes the objects, server is the store, and measure has the
// measurements for both sides. The sides are ours and theirs. Package upstream builds
// the program of theirs. Command counted does the work that -instructions counts.
package main
