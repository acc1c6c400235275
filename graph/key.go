package graph

import (
	"cmp"
	"strings"
)

// Kind names a type of object, such as "apps/Deployment". It is opaque text to
// this module: identity never depends on what is inside of it.
type Kind string

// UID names one incarnation of an object. The store makes it and never uses it
// again, which is why absence of a UID is stable (rule R2 of package policy).
type UID string

// Version is the store's mark of one state of one object. It is opaque: two
// versions are equal or not, and only a store that says so can order them.
type Version string

// Key holds the full coordinates of one incarnation of an object: where it
// lives and which one it is. Scope "" is global (cluster-scoped).
//
// Two keys with one UID and different coordinates are two different things to
// the graph: a claim about one can never poison the other (kubernetes#65200).
// A Key is a comparable value and safe for concurrent use.
type Key struct {
	Kind  Kind
	Scope string
	Name  string
	UID   UID
}

// Place returns the key without its UID: the coordinates that one incarnation
// after another may hold.
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
