//go:build race

package order

// raced says that the race detector is on. A search then takes ten times as long.
const raced = true
