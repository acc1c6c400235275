// Package invariant judges the work of engines. It has three judges: Ledger,
// Witness and Sweeps. Each judge names the broken invariant by its number.
//
// A Ledger judges each write by the true history of the store. No engine can see
// that history. For each object the ledger keeps the states of the owners since
// the commit of the object's version. It also keeps the references that a
// deletion mark protects. Its invariants:
//
//	S1   the engine deletes an object only if each owner is absent, or was waiting
//	     at some instant since the commit of the deleted version
//	S1b  the engine never deletes an object without owners other than itself
//	S1c  at one instant since then, no owner of the object was solid
//	S2   an orphaning owner ends only after the end of every reference that was
//	     committed before its mark, and no such dependent is deleted because of it.
//	     The references with its UID and other coordinates count, unless a setting
//	     reads these coordinates as absent
//	S3   a waiting owner ends only after the end of every blocking reference that
//	     was committed before its mark
//	     On a store of level 3 (Ledger.Strict), S2 and S3 are true for every reference that was
//	     ever committed. The deletion of a dependent is not a part of this.
//	S3b  an object that is deleted because its owner waits is deleted in the
//	     foreground, if a dependent blocks it since before the mark of that owner
//	S3t  such a reference is trimmed only if the owner waited while another owner
//	     was solid, or dropped if the owner was orphaning since
//	S3r  it is unblocked only inside a ring of waiting objects
//	S4   a reference is dropped only if its owner is absent, or was waiting or
//	     orphaning at some instant since the commit of the version
//	S5   every write carries UID and version, and meets that version
//	S6   every write meets that incarnation
//	G1   a protected object is not deleted, and the engine leaves its protection alone
//	G2   hold goes on before new, and neither goes off an unmarked root
//	G3   no write below a root rests on a mark that is withheld, and such a mark ends nothing
//	G4   hold never leaves a root whose deletion was refused, except by a user
//	S14  an object with a propagation finalizer is deleted with that propagation
//
// A Witness judges each call by the events and results that its engine had. A
// guess that turns out well is a breach for the witness. Its invariants:
//
//	S1a  the engine deletes an object only if each owner was reported gone, not
//	     found or waiting: of exactly these coordinates, in this history (for the
//	     memory of absence this is S13)
//	S4   the engine drops a reference only after such a report, or a report that
//	     the owner orphans
//	S5   every requested write carries UID and version, with any result
//	S8   no write rests on a UID that two observed objects have
//	S9   at rest the graph has no more unobserved owners than references
//	S10  after a rewind, no write comes before a listing of every kind
//	G2   a verdict is written after a fence that began when the mark was known
//	G3   no handler runs for a held root (the ledger judges this, too)
//	S21  a finalizer goes after its handler has succeeded, and a handler runs for
//	     a marked object that carries the finalizer
//	R3   a propagation ends after a fence that began when its mark was known
//
// Sweeps judges the work of engines for Config.Sweeps by the true history of the
// store. The witness judges this work too, by the events and results (marked w):
//
//	S23  an object deleted for a holder was its member at some instant at which the
//	     holder was marked, and no other living holder claimed it
//	S23w this was reported to the engine, by the watch or by a conflict's read of
//	     the object. A fence has passed that began later, and later than the last
//	     report of a claim by another living holder. Labels were reported at
//	     exactly this version, or by a selection without the object that began
//	     when this version was known
//	S24  a holder loses the finalizer of its sweep only if at some instant since its
//	     mark no members were left. For members by labels each kind has an instant
//	     of its own
//	S24w where labels decide membership, a selection of each kind is complete that
//	     began when the mark was known
//	S25w a waiting phase deletes no object while the engine knows of members of the
//	     earlier phases
//	R3w  the finalizer of a sweep goes after a fence that began when the mark was known
//	L12  at rest, living holders are guarded, and every remaining member of a marked
//	     holder is held
//
// The invariants follow from the laws of RULES.md. G1 to G4 and R3 are the numbers of
// those laws. The other numbers are those of the list in internal/proof/sim, which is a test.
package invariant
