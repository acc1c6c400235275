//go:build !race

package properties

// raced says that the race detector is on.
const raced = false
