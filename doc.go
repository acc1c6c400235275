// Package ownergraph gives any store what Kubernetes gives its users: objects
// that know their owners, and a deletion that cascades in the background or in
// the foreground, or orphans, correctly, while everything else is changing.
//
// An object names its owners. When the last of them is gone, so is the object.
// When an owner is deleted in the foreground, it stays until the dependents that
// block it are gone; when it orphans, its dependents stay and lose the reference.
// A finalizer holds a deleted object until somebody has done what it stands for.
// The rules are those of the Kubernetes garbage collector, without its races: a
// wrong deletion is ruled out by what a write must prove before it is made.
//
// # Use
//
// Take a store, adapters/memory or your own, and run a Collector on it:
//
//	store, err := memory.New(memory.Config{Kinds: kinds})
//	...
//	c, err := ownergraph.New(store, ownergraph.Config{})
//	...
//	go c.Run(ctx)
//	err = c.Synced(ctx) // every kind is listed: the service is ready
//
// From then on whoever deletes an object through the store has its dependents
// collected. Nothing of the collector's has to be saved: it may crash at any
// moment, start on a store that it has never seen, and any number may run on
// one store at once; none has to be the leader. See Collector, ExampleCollector
// and examples/quickstart.
//
// # The flow
//
// There is one way, and no I/O inside:
//
//	Store.Watch --event--> Engine.Observe --> graph --keys--> queue --key--> policy.Decide --+
//	    ^                                                                                    |
//	    |                                                                                decision
//	    |                                                                                    |
//	    +-- Store.Get, Patch, Delete <-- Collector <-- Engine.Next <-- calls, as data <-------+
//	                  |                                    ^
//	                  +--result--> Engine.Done --evidence--+
//
// The Engine is a single-threaded state machine without I/O, goroutines, locks
// or a clock. The Collector is the pump around it. Packages, from the bottom:
// graph (what is), queue (when to look), policy (what should be), finalizer
// (what must run first); this package joins them. The graph changes by what the
// watch says and by nothing else: a write that succeeded changes nothing in it,
// the event that it causes does, and what a read answers is evidence for the
// decisions that wait for it.
//
// Most events say that all is well: that an object which nobody deletes has no owner,
// or one that is there. Such an object is kept at a glance, in Observe, without a turn
// in the queue, and a version of it that brings nothing else is no reason to decide
// it again. That a glance never sees more than policy.Decide is invariant E9 of
// Engine, which the exhaustive search and the simulator check at every step.
//
// # What is proven before a write
//
// Every write carries the UID and the version that were judged. If it meets a
// conflict the object is read and judged again; nothing ever falls back to a
// weaker condition.
//
// An owner is absent if the watch saw exactly that incarnation go at exactly
// those coordinates, or if a read that began after the reference was known did
// not find it there. That is stable, since a UID never returns, so a background
// cascade needs no read at all. What the graph does not hold is not absent: it
// is unknown, and unknown deletes nothing.
//
// An owner that waits, or orphans, may change its mind. So that counts only at
// an instant after the judged version of the dependent was committed: by a read,
// or by a fence, that began after that version was known. If there are several
// owners, all are judged at one common instant.
//
// History may go backwards: a store is restored from a backup. Its watch announces
// that, or versions fall. The first sign may be a write without an answer, or a watch
// that breaks. After such a sign nothing is written before the store has answered, and
// an owner that was seen to go is read again before a dependent of it is deleted.
//
// A foreground deletion or an orphaning ends only behind a fence: a moment,
// noted after the deletion mark was observed, that the watch of every kind has
// passed. What was committed before the mark is then known, whatever was late.
//
// # Guarantees
//
//	level  the store                                      the engine
//	0      promises less than the four methods say        observes, reports, refuses to write
//	1      keeps the contract of Store                    deletes nothing wrongly; foreground and orphan
//	                                                      deletions are best effort, as in Kubernetes,
//	                                                      and labelled so
//	2      has fences (Fencer), shows or announces that   foreground and orphan deletions are exact, for
//	       its history went backwards                     all that was committed before the deletion mark
//
// The level is what LevelOf finds, and Config.Level lowers it.
//
// # What is held, and how to see it
//
// An object that cannot be judged is kept, with the reason: its owner's kind is
// not served, the reference names another scope or another name, two controllers claim
// it, a finalizer of another controller holds it, a policy of the store undoes the
// write, a sick kind holds the fence. Held and WaitIdle list such objects by key, with
// the reason, the names of what holds them, since when, and the last error.
// Config.OnDecision sees every decision; Stats counts. Config.ObserveOnly shows
// what would be done and does nothing.
//
// A Status says who acts next for an object:
//
//	working  this engine: a call or a run of a handler is under way     Stats.Working, Running
//	queued   this engine, when it is the object's turn                  Stats.Queued
//	blocked  the object's dependents or members                         Stats.Blocked, Held
//	waiting  something outside that a deletion commonly waits for       Stats.Waiting, Held
//	stuck    something outside that has to be mended                    Stats.Stuck, Held
//
// Stats.Held counts what is waiting or stuck, so it stays 0 while a deletion goes on as
// it should. The log says when objects are stuck for 10 s, and when none is any more. It
// names kinds that become sick or recover, and fences that are lost.
//
// # Writing a Store
//
// Implement four methods over your database: Get, Patch, Delete and Watch. The
// rules of deletion and of finalizers are pure functions in package finalizer;
// call them inside your transaction. A watch that only lists again and again is
// a valid one. examples/customstore/store.go has the four methods in less than a
// hundred lines. What matters most:
//
//   - UIDs are made by the store, are random, and never come back;
//   - ErrNotFound is proof: a kind that is not reachable is another error;
//   - Patch and Delete check UID and version in the step that writes;
//   - events of one kind come in the order of its commits, and ListEnded only
//     after everything that the kind holds.
//
// Optional powers are small interfaces of their own: Fencer, Lister, LabelSelector,
// Leveler, VersionComparer. A store that wraps another shows them through Unwrap.
//
// # Finalizers
//
// Config.Handlers names what has to run before an object with a finalizer may
// go. A handler is called after the deletion mark appears, may be called again
// at any time, also after a crash, and its finalizer is removed when it returns
// nil. Each name has workers of its own. A handler that fails is tried again
// with backoff; one that hangs shows in Running. See ExampleConfig_handlers.
//
// # Sweeps
//
// Config.Sweeps names kinds of holders, such as tenants, and what belongs to each:
// by name, scope or kind up to a delimiter, by owner reference, by labels, or by a
// function.
// The engine puts a finalizer on every holder as soon as it sees it. When a holder
// is marked for deletion, its members are deleted, in phases, and the finalizer
// goes when none is left. See finalizer.Sweep and examples/tenants.
//
//   - Each delete carries UID and version, and is judged again after a conflict. An
//     object that comes back under its name is another object. Held by
//     TestSweepConflicts.
//   - A member goes behind a fence of the kinds of holders that began after the
//     mark and the member were known: at that instant the holder was there, and
//     nobody else who lives had a claim on the member. So what is a namesake's,
//     whom this engine has not seen yet, stays. Held by TestSweepNamesake and
//     TestSweepWorlds (internal/properties).
//   - A holder goes behind a fence of all kinds that began when nothing was left:
//     what was committed before has been seen. What is created meanwhile is swept
//     too, in waves that become rare. A sick kind, a kind that is named and not
//     served, and an object that somebody's finalizer holds, hold the holder, and
//     Held says so. Held by TestSweepHeld, TestSweepSickKind and TestSweepStorm.
//   - An object on which another holder has a claim is contested, also if only its
//     name may be read so: nobody's sweep deletes it while the other lives, nor
//     before its own holder is proven to have been there since then, or since a
//     change of either of them, or of the object, has ended that claim. Holders
//     of which one holds the other, a tenant and a namespace of its, do not contest
//     what both hold. A kind of holders that was served and is not any more may hide
//     one who lives: what names one is held. Held by TestSweepHeld,
//     TestSweepLapsedClaim, TestSweepLapsedChange, TestSweepLapsedLabel,
//     TestSweepVeiled and TestSweepNested.
//   - It costs one write for each member, two for the holder, and two fences. Held
//     by TestSweepCost (internal/properties).
//   - Labels are no part of an object. A store that is a LabelSelector is asked who is
//     labelled: once when a sweep begins and once when nothing is left, in pages,
//     for each kind. UID and version say which labels an object has, so a member
//     goes only at a version that was shown to match, whenever that was; at another
//     one it is asked for again. The holder goes when a selection of every kind,
//     begun after the mark and after the last member went, has shown nobody whom
//     the watch has not shown too. Where others may have a claim on objects of a
//     kind, all that carry the label are selected, and not the holder's alone. Held
//     by TestSweepByLabel, TestSweepRelabelledAtTheLastMoment, TestSelectAhead,
//     TestSweepByLabelContested and TestSweepLabelWorlds.
//
// Sweeps says how far each is, OnDecision sees every step of it. Without fences
// the holder is read, and every kind is listed again before its release, which is
// labelled best effort.
//
// Sweep.Confirm guards a holder that owns much against a deletion by mistake.
// Adopt, Release and Move change who owns an object, AdoptAll brings a whole store
// under ownership, and Hide is for proxies that do not show an anchor.
//
// # What is not promised
//
// A dependent that is created after its owner's deletion mark may be collected
// with it, or be left to the garbage of an absent owner; both are permitted. Two
// owners deleted with different propagations at the same time may end either
// way. Objects that own each other, and that nobody else owns, are kept and, after
// the next audit, listed by Held. A writer that changes an object faster than a
// few round trips to the store can keep it from being deleted; it is not deleted
// unconditionally. Two live objects with one UID, which no store may have, are
// held, and so are their dependents.
//
// # Testing
//
// Prove a store of your own with adapters/storetest: one test function in your
// CI; TestKit of examples/customstore does.
//
// Everything above is held by tests: text scenarios in internal/script, every
// interleaving of small graphs in internal/exhaustive, random worlds in
// internal/properties and fleets in internal/sim, all of them compared with the
// specification in internal/oracle, and every write judged by internal/invariant.
// internal/mutants shows that the suites would notice: a bug for each rule.
package ownergraph
