package graph

import "fmt"

// Doubt is the reason for which an owner is unknown.
type Doubt uint8

const (
	// DoubtUnset: the owner is not unknown.
	DoubtUnset Doubt = iota
	// Unobserved: the watch has not shown the owner. A read can find it.
	Unobserved
	// Unlisted: the first listing of the owner's kind has not ended.
	Unlisted
	// UnresolvedScope: the store could not tell the owner's scope or kind.
	UnresolvedScope
	// UnservedKind: the store does not serve the owner's kind now.
	UnservedKind
	// IgnoredKind: a setting leaves the owner's kind out.
	IgnoredKind
	// BannedOwner: objects of the owner's kind may not own.
	BannedOwner
	// ForeignScope: the reference names a scope that is neither global nor the
	// dependent's.
	ForeignScope
	// ScopedOwner: a global object names an owner that has a scope.
	ScopedOwner
	// Misplaced: the owner's UID is alive under the same kind and name in another scope.
	Misplaced
	// Unreadable: reads of the owner fail, though the store serves its kind.
	Unreadable
	// SharedUID: two live objects have the owner's UID. No store may have that.
	SharedUID
	// Renamed: the owner's UID is alive under the same kind and another name.
	Renamed
)

var doubtNames = [...]string{"unset", "owner not observed", "owner's kind not listed yet",
	"owner's scope not resolvable", "owner's kind not served", "owner's kind takes no part",
	"owner's kind may not own", "owner in another scope", "global object with a scoped owner",
	"owner lives in another scope", "owner cannot be read", "two live objects have the owner's UID",
	"owner lives under another name"}

// String returns the doubt in words.
func (d Doubt) String() string {
	if int(d) < len(doubtNames) {
		return doubtNames[d]
	}
	return fmt.Sprintf("doubt(%d)", uint8(d))
}

// ScopeRule is the reading of a reference across scopes.
type ScopeRule uint8

const (
	// ScopeHold is the safe reading and the default. An owner in another scope is
	// unknown. The engine holds its dependent, and reports that.
	ScopeHold ScopeRule = iota
	// ScopeAbsent is Kubernetes' reading. The engine looks for a scoped owner in the
	// dependent's own scope only, so an owner in another scope is absent. A scoped owner
	// of a global object is unknown under both rules.
	ScopeAbsent
)

var scopeRuleNames = [...]string{"hold", "absent"}

// String returns the rule in lower case.
func (r ScopeRule) String() string {
	if int(r) < len(scopeRuleNames) {
		return scopeRuleNames[r]
	}
	return fmt.Sprintf("scope-rule(%d)", uint8(r))
}

// NameRule is the reading of a reference that has an owner's UID, kind and scope, and
// another name.
type NameRule uint8

const (
	// NameUnset is NameHold.
	NameUnset NameRule = iota
	// NameHold is the safe reading and the default. The owner is unknown while the engine
	// observes it alive under another name. The engine holds its dependent, and reports
	// that. It must observe the owner to do so.
	NameHold
	// NameAbsent is Kubernetes' reading. The engine looks for an owner under the name of
	// the reference, so an owner with another name is absent.
	NameAbsent
)

var nameRuleNames = [...]string{"unset", "hold", "absent"}

// String returns the rule in lower case.
func (r NameRule) String() string {
	if int(r) < len(nameRuleNames) {
		return nameRuleNames[r]
	}
	return fmt.Sprintf("name-rule(%d)", uint8(r))
}
