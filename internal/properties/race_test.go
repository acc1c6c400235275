//go:build race

package properties

// raced says that the race detector watches: everything takes ten times as long.
const raced = true
