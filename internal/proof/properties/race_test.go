//go:build race

package properties

// raced says that the race detector is on. A test then takes ten times as long.
const raced = true
