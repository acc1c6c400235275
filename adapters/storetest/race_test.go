//go:build race

package storetest

// detectsRaces says that this build has the race detector.
const detectsRaces = true
