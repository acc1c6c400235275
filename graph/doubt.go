package graph

import "fmt"

// Doubt says why a reference is Unknown.
type Doubt uint8

const (
	// DoubtUnset: it is not unknown.
	DoubtUnset Doubt = iota
	// Unobserved: nobody has seen the owner; a read can tell.
	Unobserved
	// Unlisted: the owner's kind has not been listed yet.
	Unlisted
	// UnresolvedScope: the store could not tell the owner's scope.
	UnresolvedScope
	// UnservedKind: the owner's kind is not served, or no longer.
	UnservedKind
	// IgnoredKind: the owner's kind takes no part, by setting.
	IgnoredKind
	// BannedOwner: objects of the owner's kind may not own.
	BannedOwner
	// ForeignScope: the reference names a scope that is neither the
	// dependent's nor global.
	ForeignScope
	// ScopedOwner: a global object names an owner that has a scope.
	ScopedOwner
	// Misplaced: the owner's UID is alive under the same kind and name in
	// another scope.
	Misplaced
	// Unreadable: the owner cannot be read, though its kind is served.
	Unreadable
	// SharedUID: two live objects have the owner's UID, which no store may have.
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

// ScopeRule says how a reference across scopes is read.
type ScopeRule uint8

const (
	// ScopeHold is the safe reading and the default: a reference to an owner in
	// another scope is unknown. It holds its dependent, and is reported.
	ScopeHold ScopeRule = iota
	// ScopeAbsent is Kubernetes' reading: a scoped owner is looked for in the
	// dependent's own scope only, so that one elsewhere is absent. A global
	// object with a scoped owner is unknown under either rule.
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

// NameRule says how a reference is read that has an owner's UID, kind and scope,
// and another name.
type NameRule uint8

const (
	// NameUnset is NameHold.
	NameUnset NameRule = iota
	// NameHold is the safe reading and the default. The reference is unknown
	// while the graph shows the owner alive under another name. It holds its
	// dependent, and is reported. What the graph does not show cannot hold.
	NameHold
	// NameAbsent is Kubernetes' reading: an owner is looked for under the name
	// that the reference has, so that one with another name is absent.
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
