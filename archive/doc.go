// Package archive brings deleted objects back. A store with an archive keeps an entry of each object that ends, in the
// transaction that removes the object. A restore creates the root anew, and exactly the objects that its deletion has
// taken along. It needs no identity of a batch and no time: the references of the entries tell which object was garbage
// because of which.
//
//	store, err := memory.New(memory.Config{Kinds: kinds, Archive: &archive.Config{Keep: 30 * 24 * time.Hour}})
//	collector, err := ownergraph.New(store, ownergraph.Config{})
//	...
//	plan, err := restore.Plan(ctx, collector, archive.Request{Roots: []graph.UID{uid}})
//	result, err := restore.Run(ctx, collector, archive.Request{Roots: []graph.UID{uid}}, nil)
//
// # Entries
//
// An [Entry] has the key, the UID, the last version and the references of its object, and the time of its end. The payload
// is in the store: the labels of an object in adapters/memory, and the row of a table in adapters/sql. It has two words:
//
//   - Explicit: a user deleted the object. Each deletion without the word of an engine is one (graph.Cause), also after an
//     engine has marked the object.
//   - Orphaning: the object left its dependents behind.
//
// Every other entry is a cascade entry. If the store cannot write the entry, it removes nothing: a full disk holds the
// deletion, and so does a payload above Config.MaxBytes.
//
// # The restore set
//
// [SetOf] computes the set of a request (RULES, A2). A cascade entry comes back if its references lead to a root through
// members of the set, and if it would live beside them: each Cascade and each Restrict owner is there, and one of its
// unset owners, if it has such references. An owner is there if it lives unmarked, was restored, or comes back, too. What
// a user deleted stays gone. A user restores that by itself.
//
//	deleted            the restore of team/a brings
//	team/a             team/a with the projects and photos that went with it
//	project/p, team/a  team/a with its other projects; a restore of project/p brings that one
//	team/a, team/b     team/a with the objects that had no other Cascade owner; the rest comes with team/b
//
// The result has the objects of the history without that deletion, or fewer: see "Limits".
//
// # Restore
//
// Package restore plans a restore: the objects that come back, their names and owners, and the reason for each entry that
// stays. A plan has the finalizers that the objects had, because their handlers have run. Then it carries the restore
// out:
//
//   - New objects have new UIDs, no finalizers, and a status that begins anew. References to restored owners get the new
//     UIDs. References to other owners that are there stay. All others are left out for good.
//   - A root that would be garbage at once is refused, and the error names the missing owner. Request.Detach restores it
//     without such references.
//   - A root that lives, or that is marked and has not ended, is refused with NotEnded. After its end the same request restores it.
//   - A taken name refuses the whole restore before its first write, with the list. Request.Rename gives other names. A
//     name that is taken later holds its object, and those that need it.
//   - It works while the cascade still runs, and ends only when that has. A living object that refers to a restored owner
//     gets the new UID. A marked one cannot be saved: the restore waits for its end.
//   - It has no state of its own. After a crash call it again: it finds the rest of its set. A second restore returns the
//     same objects and creates nothing. Two restores at once bring the objects of one.
//
// # Expiry and holds
//
// An explicit entry may be purged from Entry.Until on: Config.Keep after its end, and anew after its restore. A cascade
// entry goes with the last explicit entry that it hangs from, and stays while a cascade that it is of still runs ([Ended]).
// [Store.PurgeEntries] does that on demand. [Purge] has the rule, for stores that keep many entries.
//
// A [Hold] forbids to purge an entry, for a legal reason for example. It does not hinder a restore. On a living object it
// puts the finalizer of protection on, so that no engine deletes the object (package guard), and the entry inherits it. A
// hold ends by a call, or at its time by the clock of the store.
//
// # Sealed payloads
//
// A payload may hold secrets, and the archive keeps it longer than its object. [Sealing] encrypts the payloads of named kinds
// before the store writes them. Package adapters/age encrypts for recipients of age.
//
//   - A program that removes objects needs Sealing.Seal, and one that restores them needs Sealing.Open. A payload that cannot
//     be encrypted keeps its object.
//   - The payload is bound to the kind and the UID of its entry. A copied, cut or forged one cannot be read, nor one in the clear.
//   - An entry that the program cannot open is unreadable (Entry.Unreadable). A restore refuses it as a root. Below a root it leaves
//     it away with the reason, and a later restore with an identity brings it back.
//   - All but the payload stays in the clear: keys, UIDs, owners, finalizers, causes, times, holds and sizes. Sets are computed
//     from these.
//
// adapters/sql has this power. adapters/memory has none, because its entries do not leave the program. KindConfig.Off leaves a
// kind out: then nothing of it comes back.
//
// # Limits
//
//   - References that were trimmed, released or orphaned before the end of an object are forgotten.
//   - A later deletion by a user may have been possible only because of the first one. Then a restore brings fewer objects.
//   - Handlers have run. Outside resources that they destroyed stay destroyed.
//   - A root that came back, and ended again, brings the entries that name the object of its last restore. An entry that stayed away
//     before names an earlier UID. A restore of that entry brings it back.
//   - A ring of more than MaxRing entries does not come back.
package archive
