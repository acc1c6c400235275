package oracle

import "fmt"

// Config has the settings of embedders. The zero value is the default.
type Config struct {
	// Scope is the reading of references across scopes (C2).
	Scope Scope
	// OwnerName is the reading of references with another name (C2).
	OwnerName OwnerName
	// Override is the proposal's reading of T2: the collector's own deletes
	// override the propagation finalizer that an object carries.
	Override bool
	// Restarts permits the end states of an engine that restarted. Such an engine reads
	// no owner that was gone before, beside a solid one. An absent reference may stay
	// there (T4; RULES, Cost: no read for it).
	Restarts bool
	// Strict is for a store of level 3 (W4, W5). The actions of Ends are then those that the
	// store accepted.
	Strict bool
	// Policies lets the policies of references act, C5.
	Policies bool
	// Archives is for a store that keeps entries (W6).
	Archives bool
	// Protect has the names of the objects that the settings protect. An object with
	// graph.FinalizerProtect is protected under any settings.
	Protect []string
	// Guards has the guards. The first one that has the name of an object counts for it.
	Guards []Guard
	// Braked says that a brake may keep each deletion from being sent, V6.
	Braked bool
	// Beside has the settings of further engines on the same store. They differ only in
	// Protect, Guards, Braked and Policies. A step of each engine is permitted.
	Beside []Config
}

// Scope is a reading of references across scopes.
type Scope uint8

const (
	// ScopeUnset is ScopeHold.
	ScopeUnset Scope = iota
	// ScopeHold reads them as unknown, and unknown holds.
	ScopeHold
	// ScopeAbsent reads them as absent, as Kubernetes does.
	ScopeAbsent
)

var scopeNames = [...]string{"unset", "hold", "absent"}

// String returns the reading's name in lower case.
func (s Scope) String() string {
	if int(s) < len(scopeNames) {
		return scopeNames[s]
	}
	return fmt.Sprintf("scope(%d)", uint8(s))
}

// OwnerName is a reading of references whose UID lives under another name.
type OwnerName uint8

const (
	// NameUnset is NameHold.
	NameUnset OwnerName = iota
	// NameHold reads them as unknown, and unknown holds.
	NameHold
	// NameAbsent reads them as absent, as Kubernetes does.
	NameAbsent
)

// String returns the reading's name in lower case.
func (n OwnerName) String() string {
	if int(n) < len(scopeNames) {
		return scopeNames[n]
	}
	return fmt.Sprintf("name(%d)", uint8(n))
}
