//go:build !race

package exhaustive

// raced says that the race detector is on.
const raced = false
