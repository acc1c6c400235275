package queue

import "fmt"

// Priority says which ready key goes first. It is a value and safe for
// concurrent use.
type Priority uint8

const (
	// PriorityUnset is no priority. A key that is added with it waits as Normal.
	PriorityUnset Priority = iota
	// High goes before the others: an owner that others wait for.
	High
	// Normal is for ordinary work.
	Normal
	// Low is for bulk: leaves, audits. A value beyond it counts as Low.
	Low
)

var priorityNames = [...]string{"unset", "high", "normal", "low"}

// String returns the lower-case name of the priority.
func (p Priority) String() string {
	if int(p) < len(priorityNames) {
		return priorityNames[p]
	}
	return fmt.Sprintf("priority(%d)", uint8(p))
}

// class maps what a caller gave to one of the three classes that wait.
func (p Priority) class() Priority {
	switch {
	case p == PriorityUnset:
		return Normal
	case p > Low:
		return Low
	}
	return p
}

// higher returns the more urgent of p and o, unset being the least.
func (p Priority) higher(o Priority) Priority {
	if p == PriorityUnset || (o != PriorityUnset && o < p) {
		return o
	}
	return p
}
