package queue

import "fmt"

// Priority is the order of ready keys. It is a value and safe for concurrent use.
type Priority uint8

const (
	// PriorityUnset is no priority. A key that is added with it waits as Normal.
	PriorityUnset Priority = iota
	// High goes before the others. It is for an owner with waiting dependents.
	High
	// Normal is for ordinary work.
	Normal
	// Low is for bulk, such as leaves and audits. A higher value counts as Low.
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

// class returns the class of a priority: one of the three that wait.
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
