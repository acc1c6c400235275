package graph

import (
	"cmp"
	"strings"
)

// Kind names a type of object, such as "apps/Deployment". It is opaque text to this
// module.
type Kind string

// UID names one incarnation of an object. The store makes the UID and never uses it
// again. Absence of a UID is therefore stable (RULES, R2).
type UID string

// Version is the store's mark of one state of one object. It is opaque. Two versions are
// equal or not. Only a store that declares it can order versions.
type Version string

// Key has the full coordinates of one incarnation of an object. Scope "" is global
// (cluster-scoped).
//
// Two keys with one UID and different coordinates are two different objects to the
// engine. A claim about one never changes the other (kubernetes#65200). A Key is a
// comparable value and safe for concurrent use.
type Key struct {
	Kind  Kind
	Scope string
	Name  string
	UID   UID
}

// Place returns the key without its UID. One incarnation after another may have these
// coordinates.
func (k Key) Place() Key {
	k.UID = ""
	return k
}

// Compare orders keys by kind, scope, name and UID. It is the order of every
// sorted output of this module.
func (k Key) Compare(o Key) int {
	return cmp.Or(
		strings.Compare(string(k.Kind), string(o.Kind)),
		strings.Compare(k.Scope, o.Scope),
		strings.Compare(k.Name, o.Name),
		strings.Compare(string(k.UID), string(o.UID)),
	)
}
