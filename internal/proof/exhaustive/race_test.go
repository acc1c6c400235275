//go:build race

package exhaustive

// raced says that the race detector is on. A search then takes ten times as long.
const raced = true
