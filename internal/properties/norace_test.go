//go:build !race

package properties

// raced says that the race detector watches.
const raced = false
