// Package properties tests laws of the engine that are true for every history and every
// size. One sort of test runs random worlds with random users, faults and schedules.
// A second sort compares histories that have to end alike. A third one counts the
// requests of a cascade. The last one measures the growth of the work up to 5,000 dependents, and
// up to 100,000 with -whole.
//
// Random tests use rapid. A failure prints the shrunk history. It has the settings,
// the objects in the notation of package graph, and one line for each step. A table
// of regressions takes this text as it is. The flags of rapid set the size:
//
//	go test ./internal/proof/properties -rapid.checks=20000 -rapid.steps=120
//	go test ./internal/proof/properties -run TestRandomWorlds/2 -rapid.seed=4711
//	go test ./internal/proof/properties -run TestLinear -properties.large=1000000
//
// With 1,000 checks, TestTightWorlds has 32,000 histories. It then finds nearly every
// weakened rule of evidence alone.
//
// The tests count every cost: requests, decisions, calls of Next and allocated bytes.
// No test asserts a time.
package properties
