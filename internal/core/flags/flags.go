// Package flags names the bits of an owner reference in bytes. Package graph writes them, and the
// history of the engine reads them.
package flags

// The bits of the first byte of an owner reference.
const (
	Blocks = 1 << iota
	Controls
	Unresolved
	// HasPolicy: a byte with OnDelete follows.
	HasPolicy
)
