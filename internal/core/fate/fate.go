// Package fate names the fates of an object that the graph alone shows. The engine asks for one
// before each decision: see Fast in package graph.
package fate

import "fmt"

// Fate is a fate of a node that the graph alone shows.
type Fate uint8

const (
	// Unset: the classes of the owners have the answer.
	Unset Fate = iota
	// Alone: the node has no owner.
	Alone
	// Owned: the only owner of the node is solid and unmarked.
	Owned
	// Unlisted: the only owner of the node was not observed, and no listing of its kind
	// is complete. No object with the owner's UID orphans the node.
	Unlisted
)

var fateNames = [...]string{"unset", "alone", "owned", "unlisted"}

// String returns the fate in lower case.
func (f Fate) String() string {
	if int(f) < len(fateNames) {
		return fateNames[f]
	}
	return fmt.Sprintf("fate(%d)", uint8(f))
}
