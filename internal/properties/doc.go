// Package properties holds the laws of the engine that are true of every
// history and of every size, as tests: random worlds with random users, faults
// and schedules; pairs of histories that have to end alike; what a cascade costs
// in requests; and how the work grows up to 100,000 dependents.
//
// Random tests use rapid. A failure prints the shrunk history: the settings, the
// objects in the one-line notation of package graph, and one line for each step,
// which a table of regressions takes as it is. The size is rapid's:
//
//	go test ./internal/properties -rapid.checks=20000 -rapid.steps=120
//	go test ./internal/properties -run TestRandomWorlds/2 -rapid.seed=4711
//	go test ./internal/properties -run TestLinear -properties.large=1000000
//
// With 1,000 checks, TestTightWorlds alone finds nearly every weakening of a rule
// of evidence that somebody can think of: it has 32,000 histories then.
//
// Everything that costs is counted, in requests, decisions, calls of Next and
// bytes allocated. No test asserts a time.
package properties
