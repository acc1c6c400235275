//go:build !race

package order

// raced says that the race detector is on.
const raced = false
