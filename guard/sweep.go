package guard

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Sweep declares the members of a holder, which go before the holder may go. A holder is
// a tenant with all that was made for it, or a scope with its content. Each holder
// carries Finalizer. When a holder is marked for deletion, the engine deletes its
// members. It removes the finalizer after the end of the last member.
//
// Two holders may be members of each other. They wait for each other, and the engine
// reports them as held, like any member that does not go.
//
// A Sweep is data apart from its functions. These must be pure: the same answer for the
// same objects, always. Config.Validate of package ownergraph checks the sweep. The
// caller does not change it afterwards.
type Sweep struct {
	// Finalizer is the finalizer of the holders. No handler and no other sweep may have
	// it.
	Finalizer string
	// Holder is the kind of the holders. Holders, if set, selects the holders among the
	// objects of the kind.
	Holder  graph.Kind
	Holders func(holder graph.Object) bool
	// Members declares the members of a holder: each object that one of them selects.
	Members []Members
	// Except, if set, excludes objects. They are members of no holder.
	Except func(o graph.Object) bool
	// Phases run in order. A member is in the first phase that takes it. The members that
	// no phase takes are in a last one, which waits for nothing. That differs from a Guard, whose
	// last phase waits.
	Phases []Phase
	// Unguarded permits the sweep of a holder that was deleted before it carried the
	// finalizer. By default the engine reports such a holder and deletes nothing. The
	// same happens if the watch did not report each version of the holder. If a listing
	// alone shows its end, another client may have removed the finalizer.
	Unguarded bool
}

// Members selects members of a holder. Each object names its holder in one way. A name
// that merely begins like a holder's is not enough. A member meets all conditions that
// are set.
//
// A holder with a scope has members of its own scope only. Members outside of it are not
// covered, and stay: plans, explanations and package run of adapters/clientgo say so. A holder
// is a member of another one only if Kinds names its kind, and never of itself.
type Members struct {
	// By is the place at which an object names its holder.
	By By
	// Delimiter separates the holder's name from the rest. ByName and ByKind need it.
	// Without it ByScope takes the whole scope as the holder's name. The holder's name
	// stands before the first Delimiter, or after the last one with Suffix.
	Delimiter string
	Suffix    bool
	// AfterText is the text before the examined part: "." for the group in
	// "widgets.acme-shop.example.org". An object without this text is no member. AfterText
	// and Suffix exclude each other.
	AfterText string
	// TrimSuffix is an end of the text that is cut off first: ".example.org" with Suffix
	// for "widgets.acme.example.org". An object without this end is no member. TrimSuffix needs
	// Suffix.
	TrimSuffix string
	// Named returns the name of an object's holder, "" for none, with ByFunc.
	Named func(o graph.Object) string
	// Label is the label that has the holder's name, with ByLabel.
	Label string
	// Selector, if set, is a condition on the labels of members: "app=web,!keep". See
	// ParseSelector. Labels are no part of an object, so the engine asks a store that can
	// select by them. It never examines the labels of holders. Neither Selector nor Label
	// can therefore go with Kinds that name the holders' kind.
	Selector string
	// Global selects only objects without a scope.
	Global bool
	// Kinds and KindIs, if set, select the kinds of members.
	Kinds  []graph.Kind
	KindIs func(k graph.Kind) bool
	// Where, if set, is a further condition on a holder and an object.
	Where func(holder, o graph.Object) bool
}

// By is the place at which an object names its holder.
type By uint8

const (
	// ByUnset is no place.
	ByUnset By = iota
	// ByName: in its name.
	ByName
	// ByScope: in its scope.
	ByScope
	// ByKind: in its kind, such as the group of a custom resource.
	ByKind
	// ByOwner: by an owner reference to exactly this incarnation.
	ByOwner
	// ByFunc: by the function Named.
	ByFunc
	// ByLabel: in its label Label.
	ByLabel
)

var byNames = [...]string{"unset", "name", "scope", "kind", "owner", "func", "label"}

// String returns the place in lower case.
func (b By) String() string {
	if int(b) < len(byNames) {
		return byNames[b]
	}
	return fmt.Sprintf("by(%d)", uint8(b))
}
