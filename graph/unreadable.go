package graph

import "strings"

// FinalizerUnreadable begins the finalizer by which a store reports a stored object that it
// cannot read. The text after it is the cause. Flaw names the cause, and no object is stored
// with such a finalizer.
const FinalizerUnreadable = "ownergraph.github.io/unreadable: "

// maxCause bounds the text of a cause, in bytes.
const maxCause = 600

// KindFlawed is the kind of the reference by which a store reports a fault of an object's references:
// see [FlawedOwner].
const KindFlawed Kind = "ownergraph.github.io/flawed"

// FlawedOwner returns the reference by which a store reports that it cannot read some references of an
// object, or that its settings refuse them. The name is the cause, cut and cleaned as that of
// UnreadableBecause. The reference has no UID. So it leads to no owner, no write names it, and each
// object with it is flawed. Flaw returns the cause.
//
// UnreadableBecause is for an object of which no other part is known either. The engine writes nothing
// to such an object. The mark and the finalizers of an object with FlawedOwner are known: its own
// foreground and orphan deletions end, and its owners that orphan it are dropped.
//
//test:by TestFlawedOwner
func FlawedOwner(cause string) Owner {
	return Owner{Key: Key{Kind: KindFlawed, Name: clean(cause)}}
}

// Flawed reports whether the reference is one of FlawedOwner. No reference to an owner lacks a UID.
//
//test:by TestFlawedOwner
func (o Owner) Flawed() bool { return o.Kind == KindFlawed && o.UID == "" }

// UnreadableBecause returns the finalizer of an object that a store cannot read. It cuts a
// long cause, and leaves control characters out.
//
//test:by TestUnreadable
func UnreadableBecause(cause string) string { return FinalizerUnreadable + clean(cause) }

// clean cuts a cause, and leaves out control characters and bytes that are not UTF-8.
func clean(cause string) string {
	if len(cause) > maxCause {
		cause = cause[:maxCause] + "..."
	}
	return strings.Map(func(r rune) rune {
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
