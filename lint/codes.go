package lint

import (
	"fmt"
	"slices"
	"strings"
)

// CodeInfo describes one code. It is a value.
type CodeInfo struct {
	Code Code
	// Title names the fault. Importance says why it matters, and Remedy what to do.
	Title, Importance, Remedy string
}

// Codes returns the description of each code, by number. The caller owns the result.
//
//test:by TestCodes
func Codes() []CodeInfo {
	list := append(ownerCodes(), referenceCodes()...)
	return slices.Concat(list, objectCodes(), tableCodes(), policyCodes())
}

func ownerCodes() []CodeInfo {
	return []CodeInfo{
		{MissingOwner, "owner missing", "The collector deletes a dependent without any owner. It drops the reference if another owner lives.",
			"Keep the object by dropping the reference, or create the owner first after a restore."},
		{UnlistedOwner, "owner's kind not listed", "The dump cannot tell whether the owner exists.",
			"Add the kind to the dump, give its reader the right to list it, or repair the server of the kind."},
		{UnservedVersion, "version of the reference not served", "The collector cannot resolve the owner. The dependent stays after its owner, often since an upgrade of the API.",
			"Write the reference with a served version."},
		{UnresolvedOwner, "owner not resolved", "The engine of this module holds the dependent. Kubernetes may find no owner, and delete the dependent.",
			"Write the reference again with the kind and scope of a served owner."},
		{OtherKind, "kind and UID disagree", "The collector looks for the owner under the wrong kind, finds none, and deletes the dependent (kubernetes#65200). An orphan deletion of the owner by the engine of this module drops the reference.",
			"Correct the kind of the reference."},
		{OtherScope, "owner in another scope", "The collector looks for the owner in the dependent's namespace, finds none, and deletes the dependent. The engine of this module holds it. There an orphan deletion of the owner drops the reference.",
			"Move one of the two, or use a global owner."},
		{OtherName, "name and UID disagree", "The collector looks for the owner under the wrong name, finds none, and deletes the dependent. The engine of this module holds it. There an orphan deletion of the owner drops the reference.",
			"Correct the name of the reference."},
		{BannedOwner, "kind may not own", "A server refuses such a reference at the next write. The engine of this module holds the dependent.",
			"Drop the reference."},
		{UnservedKind, "owner's kind not served", "The collector cannot resolve the owner, so the dependent stays until the kind is served.",
			"Serve the kind again, or drop the reference."},
		{LowerCaseKind, "kind in small letters", "Kubernetes takes the name for the kind. Other readers see another kind.",
			"Write the kind as the server spells it."},
		{ScopedOwner, "global object with a scoped owner", "The collector never collects the object, and the owner's deletion has no effect on it.",
			"Use a global owner, or drop the reference and delete the object by a finalizer of the owner."},
	}
}

func referenceCodes() []CodeInfo {
	return []CodeInfo{
		{SelfReference, "reference to itself", "The collector finds the owner for as long as the object exists, so the reference keeps it for ever. A blocking one also holds its foreground deletion for ever. The engine of this module does not count the reference.",
			"Drop the reference."},
		{RepeatedReference, "reference twice", "The copies count once. A writer that drops one of them has no effect.",
			"Drop one of the two."},
		{TwoPlaces, "one UID at two places", "One of the two references is wrong, and the collector may follow either.",
			"Drop the wrong reference."},
		{TwoControllers, "two controllers", "Both controllers manage the object. A server refuses the object at the next write.",
			"Clear the controller flag of one reference."},
		{Malformed, "malformed object or reference", "No collector can judge the object, and a server refuses its next write.",
			"Correct the field that the finding names."},
		{Ring, "objects that own each other", "Each member keeps the others. After the end of all other owners the members stay for ever.",
			"Drop one reference of the cycle."},
		{WaitingRing, "cycle in a foreground deletion", "A member waits for itself through the others, and only the breaking of the cycle ends that.",
			"Drop one reference of the cycle, or clear its block flag."},
		{VoidBlock, "block without effect", "The flag promises that the owner's deletion waits for the dependent, and it does not wait.",
			"Correct the reference, or clear the flag."},
		{HeldBlocker, "deletion held by a dependent", "The foreground deletion of the owner does not end before the dependent goes.",
			"Remove the cause that the finding names, or clear the block flag."},
	}
}

func objectCodes() []CodeInfo {
	return []CodeInfo{
		{OldMark, "old deletion mark", "The deletion does not end by itself, and its namespace may stay with it.",
			"Follow the cause that the finding names: a finalizer, a dependent, an agent or the collector."},
		{NoHandler, "finalizer without a handler", "The object cannot go after its deletion, because no controller removes the finalizer.",
			"Start the controller of the finalizer, or remove the finalizer after its work is done by hand."},
		{TwoPropagations, "both finalizers of propagation", "The two contradict each other. The collector orphans the dependents.",
			"Remove the finalizer that is not meant."},
		{SeveralKinds, "one object under several kinds", "A write to one is a write to the other, so the engine of this module holds both.",
			"Leave one of the kinds out of the collection."},
		{DuplicateUID, "UID of two objects", "A reference to the UID names either of the objects. A copy of a database often makes such a pair.",
			"Create one of the objects anew."},
		{FanOut, "many dependents", "One deletion removes all of them, and takes a call for each.",
			"Plan the deletion first, or divide the dependents among several owners."},
		{Depth, "deep chain of owners", "A deletion reaches the end of the chain level after level.",
			"Let the last objects refer to an owner nearer to the root."},
		{LostOwner, "object without its owner", "No collector deletes the object any more. An orphaning or a hand has dropped its reference.",
			"Delete the object, or let a controller adopt it."},
		{LostController, "object without its controller", "Another owner keeps the object, and no controller manages it.",
			"Delete the object, or let a controller adopt it."},
		{UnservedObject, "object of a kind that is not served", "The object stays in the database, and no client sees it. No foreground deletion waits for it.",
			"Serve the kind again and delete the object, or remove it from the database."},
		{AbsentContainer, "container absent", "The scope of the object belongs to a container, such as a namespace, that does not exist. No end of a container takes the object along, and a Kubernetes server refuses a new object there.",
			"Delete the object, or create its container again."},
		{UnqualifiedFinalizer, "finalizer without a domain", "Nothing in the name tells its controller. A Kubernetes server refuses such a finalizer for its own kinds, and warns for others. Only files are judged by this code.",
			"Write the finalizer with the domain of its controller, such as example.org/backup."},
	}
}

func tableCodes() []CodeInfo {
	return []CodeInfo{
		{RefusingConstraint, "foreign key that refuses deletions", "A background or orphan deletion removes an owner before its dependents, and the database refuses that. A background deletion then does nothing. The owner of an orphan deletion keeps its mark for ever.",
			"Declare ON DELETE SET NULL on a column that takes NULL. Or delete in the foreground, with references that block. Deferred constraints do not help."},
		{RemovingConstraint, "foreign key that takes rows of other objects", "The database removes the row of a dependent with its owner, whatever becomes of the dependent. An orphaned or shared object loses its row, and a finalizer's handler finds none.",
			"Declare ON DELETE SET NULL in place of CASCADE, and leave the rows of dependents to the collector."},
		{UnindexedConstraint, "foreign key without an index", "Each removal of an object reads the whole table. Large cascades take long, and exceed limits of time.",
			"Create an index that begins with the column."},
	}
}

func policyCodes() []CodeInfo {
	return []CodeInfo{
		{CascadeBeside, "cascade beside other owners", "The end of one owner deletes the object, though its other owners live. One wrong cascade reference suffices to lose the object.",
			"Clear the policy if the owners share the object. Or give the other owners the policy release, which says that they do not keep it."},
		{RestrictRing, "objects that restrict each other", "Each member holds the deletion of another one. No cascade deletes any of them, and a store of level 3 refuses a user's deletion, too.",
			"Drop one reference of the ring, or change its policy."},
		{RestrictsAbsent, "restrict reference to an absent owner", "The reference restricts nothing and deletes nothing. Below level 3 a background deletion of an owner passes a restriction, and leaves such a reference.",
			"Drop the reference, or create the owner again. A guard on the owner stops such deletions."},
		{DormantPolicy, "policy that does not act yet", "The collector holds each object with a policy, and deletes none of them, until Config.Policies is set. A restrict reference already restricts its owner.",
			"Look at the references with each policy. Then set Config.Policies in each program of the store."},
	}
}

// Page returns the page of all codes in Markdown, which LINT.md has.
//
//test:by TestPage
func Page() string {
	var b strings.Builder
	b.WriteString("# Codes of package lint\n\nThis page is the output of `lint.Page`. " +
		"A later version may add codes, and gives no code another meaning.\n\n" +
		"| code | fault | importance | example | remedy |\n|---|---|---|---|---|\n")
	for _, c := range Codes() {
		fmt.Fprintf(&b, "| <a id=%q></a>%s | %s | %s | %s | %s |\n", strings.ToLower(c.Code.String()), c.Code, c.Title, c.Importance, exampleNames[c.Code], c.Remedy)
	}
	b.WriteString("\nA finding also names the fate of its object, if nothing changes. The collector is the one of the store. " +
		"On Kubernetes a finding also names the end by the engine of this module, where it is another one:\n\n")
	for f := Deleted; int(f) < len(fateNames); f++ {
		fmt.Fprintf(&b, "- %s\n", f)
	}
	return b.String()
}
