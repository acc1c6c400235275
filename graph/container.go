package graph

import "fmt"

// Membership says which objects a container has.
type Membership uint8

const (
	// MembershipUnset: the kind is no container.
	MembershipUnset Membership = iota
	// ScopeMembers: the objects whose scope is the name of the container. A namespace of
	// Kubernetes has such members.
	ScopeMembers
	// KindMembers: all objects of each kind whose KindInfo.Definition is the name of the
	// container. A CustomResourceDefinition of Kubernetes has such members.
	KindMembers
)

var membershipNames = [...]string{"unset", "scope", "kind"}

// String returns the membership in lower case.
func (m Membership) String() string {
	if int(m) < len(membershipNames) {
		return membershipNames[m]
	}
	return fmt.Sprintf("membership(%d)", uint8(m))
}

// Container declares that the end of each object of a kind takes other objects along: its
// members. An actor beside the engine deletes the members once the container is marked. The
// engine writes to no member for this reason. It counts the members in plans, in the brake and
// for guards, and its reports name the actor. The zero value declares no container.
//
// In Kubernetes, the namespace controller ends the members of a namespace, and the API server
// ends the instances of a definition.
type Container struct {
	Members Membership
	// Actor names the actor in reports, such as "the namespace controller".
	Actor string
	// Finalizer is the finalizer of the container that the actor takes off once no member is
	// left, or "" without one.
	Finalizer string
}

// Flaw returns the field of a container that is wrong, and the cause, or "".
func (c Container) Flaw() (field, cause string) {
	switch {
	case c.Members > KindMembers:
		return "members", "unknown: " + c.Members.String()
	case c.Members == MembershipUnset && c != Container{}:
		return "members", "unset"
	case c.Members != MembershipUnset && c.Actor == "":
		return "actor", "empty"
	}
	return "", ""
}
