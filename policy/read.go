package policy

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Read is a read of an owner, for Facts.AddRead. It is a value.
type Read struct {
	// Began is the moment before the call. Done is the moment after its answer. Both are new
	// moments of the caller.
	Began, Done Moment
	// Object and Err are the answer. An error that wraps graph.ErrNotFound proves absence, and
	// every other error proves nothing.
	Object graph.Object
	Err    error
}

// AddRead adds the answer of a read to the facts about the i-th owner. A decision with [Verify] asks
// for these reads. The read gets the object at the place of the node of OwnerOf, with any UID. N is
// the node of FactsOf, and its graph has not changed since. The caller has set Fence and the moments.
//
// A missing object proves the owner absent, and so does another UID at its place. It does so for an
// owner that the watch has not shown only if the read began after Known (RULES, R2). It does so for
// another owner only if the read began after Changed: the watch may show it alive later. With exact
// fences that absence is Unconfirmed until a fence has passed that began after Known. An owner whose
// reference is in doubt itself stays unknown.
//
// AddRead returns an error for a read that failed, and the owner stays as it was. The error wraps
// that of the read. It wraps graph.ErrInvalid for an index without an owner to read, for an object
// at another place, and for one without a UID or a version.
//
//test:by TestAddRead TestAddReadAtOneInstant TestAddReadErrors
func (in *Facts) AddRead(n graph.Node, i int, r Read) error {
	fail := func(cause string, err error) error {
		return fmt.Errorf("add read: %s: owners[%d]: %s%w", n.Key(), i, cause, err)
	}
	if i < 0 || i >= min(len(in.Owners), n.Owners()) {
		return fail("no such reference: ", graph.ErrInvalid)
	}
	o, ok := OwnerOf(n, i)
	if !ok {
		return fail("no owner to read: ", graph.ErrInvalid)
	}
	absent := errors.Is(r.Err, graph.ErrNotFound)
	if r.Err != nil && !absent {
		return fail("", r.Err)
	}
	if !absent && (r.Object.UID == "" || r.Object.Version == "") {
		return fail("the answer has no UID or no version: ", graph.ErrInvalid)
	}
	want, got, f := o.Key(), r.Object.Key, &in.Owners[i]
	if got.UID = want.UID; !absent && got != want {
		return fail("the object is at "+got.PlaceString()+": ", graph.ErrInvalid)
	}
	if absent || r.Object.UID != want.UID {
		in.addAbsence(n, i, o, r)
		return nil
	}
	counts := !o.Restricted() && !n.Inside(inside.Key{}).Graph().Inside(inside.Key{}).WithholdsMark(&r.Object)
	f.Read, f.ReadBegan = ReadStateOf(counts && r.Object.Waiting(), counts && r.Object.Orphaning()), r.Began
	f.SameVersion = o.State() == graph.Observed && o.Version() == r.Object.Version && r.Began > f.Changed
	return nil
}

// addAbsence adds the absence of an owner. An object that orphans by its UID alone is not the owner
// that the reference names, so its end proves nothing about that owner.
func (in *Facts) addAbsence(n graph.Node, i int, o graph.Node, r Read) {
	f := &in.Owners[i]
	claim, _ := n.OwnerNode(i)
	phantom := o.State() == graph.Phantom
	switch {
	case claim != o:
		f.Orphaning, f.Read = false, ReadUnset
		return
	case phantom && r.Began <= in.Known, !phantom && r.Began <= f.Changed, !f.MayBeAbsent():
		return
	}
	f.Class, f.Doubt, f.Orphaning, f.Read = graph.Dangling, graph.DoubtUnset, false, ReadUnset
	f.Changed = max(f.Changed, r.Done)
	if n.Inside(inside.Key{}).HasUIDOf(o.ID()) { // absent at other coordinates than the object's own
		f.Self = true
		in.Several = Several(in.Owners, n.OwnerAt)
	}
	kind, _ := n.Inside(inside.Key{}).Graph().Kind(o.Kind())
	f.Unconfirmed = phantom && in.Fence.Exact && kind.TakesPart() && in.Fence.Passed <= in.Known
}

// MayBeAbsent reports whether absence may replace the class of a reference in the graph. It may not
// where the reference itself is in doubt.
func (o *OwnerFacts) MayBeAbsent() bool {
	return o.Class == graph.Solid || o.Class == graph.Waiting ||
		o.Doubt == graph.Unobserved || o.Doubt == graph.Unlisted
}

// ReadStateOf returns the state of an owner that a read found. An owner whose mark counts for no
// dependent neither waits nor orphans (RULES, G3).
func ReadStateOf(waiting, orphaning bool) ReadState {
	switch {
	case waiting:
		return ReadWaiting
	case orphaning:
		return ReadOrphaning
	}
	return ReadSolid
}
