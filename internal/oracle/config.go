package oracle

import "fmt"

// Config holds what embedders may decide. The zero value is the default.
type Config struct {
	// Scope says how references across scopes are read (C2).
	Scope Scope
	// OwnerName says how references with another name are read (C2).
	OwnerName OwnerName
	// Override is the proposal's reading of G2: the collector's own deletes
	// override the propagation finalizer that an object carries.
	Override bool
	// Restarts permits what an engine leaves that began anew: an owner that was
	// gone before is not looked for beside a solid one, so that an absent
	// reference may stay there (G4; RULES, Cost: no read for it).
	Restarts bool
}

// Scope is a reading of references across scopes.
type Scope uint8

const (
	// ScopeUnset is ScopeHold.
	ScopeUnset Scope = iota
	// ScopeHold reads them as unknown: they hold.
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
	// NameHold reads them as unknown: they hold.
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
