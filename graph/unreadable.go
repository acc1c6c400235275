package graph

import "strings"

// FinalizerUnreadable begins the finalizer by which a store reports a stored object that it
// cannot read. The text after it is the cause. Flaw names the cause, and no object is stored
// with such a finalizer.
const FinalizerUnreadable = "ownergraph.github.io/unreadable: "

// maxCause bounds the text of a cause, in bytes.
const maxCause = 600

// UnreadableBecause returns the finalizer of an object that a store cannot read. It cuts a
// long cause, and leaves control characters out.
//
//test:by TestUnreadable
func UnreadableBecause(cause string) string {
	if len(cause) > maxCause {
		cause = cause[:maxCause] + "..."
	}
	return FinalizerUnreadable + strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r <= 0x9f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(cause, ""))
}

// Unreadable reports whether a store could not read the object: see [FinalizerUnreadable]. Its
// finalizers, mark and references may be others than the store's.
//
//test:by TestNodeUnreadable
func (o *Object) Unreadable() bool { return o.unreadable() != "" }

// unreadable returns the cause for which a store could not read the object, "" if it could.
func (o *Object) unreadable() string {
	for _, f := range o.Finalizers {
		if cause, ok := strings.CutPrefix(f, FinalizerUnreadable); ok {
			return "cannot be read: " + cause
		}
	}
	return ""
}
