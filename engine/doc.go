// Package engine decides the work of a collector, as a state machine without I/O. An [Engine]
// takes the events of a store's watch, and returns calls of the store as data. It is the sans-I/O
// core of [github.com/ownergraph/ownergraph.Collector], which watches the store and makes the
// calls.
//
// Most users run a Collector, and set its [Config]. This page is their manual for status, pause,
// brake, record and logs. It is also for the author of another driver, such as a simulator, and
// for readers of the code. Read the documentation of package ownergraph first. It has the names
// Collector, Store, Records and ErrNotFound. The documentation of package guard has protections,
// guards, order and sweeps.
//
// # The flow
//
// Events and results go one way, and no I/O happens inside:
//
//	Store.Watch --event--> Engine.Observe --> graph --keys--> queue --key--> rules ---decision--+
//	    ^                                                                                       |
//	    |                                                                                       v
//	    +-- Store.Get, Patch, Delete <-- Collector <-- Engine.Next <----- calls, as data -------+
//	                  |                                    ^
//	                  +--result--> Engine.Done --evidence--+
//
// Only events of the watch change the graph. A successful write changes nothing in the graph, but
// its event does. The result of a read is evidence for the decisions that wait for it.
//
// Most events change no decision: the object is not deleted, and has no owner or a living one.
// Observe keeps such an object on a fast path, without a turn in the queue. A version that brings
// no other change needs no new decision. The result is that of the rules of package policy.
//
// A plan runs a copy of the engine on the affected objects. The engine copies these in small steps,
// and goes on with its work in between.
//
// # Driving an Engine
//
// A driver gives an engine the time, the events and the results, and gets the calls. One goroutine
// drives it, or several with a lock:
//
//	err := e.Observe(now, event)    // each event of the watch, in its order
//	call, at := e.Next(now, lane)   // the next call of a lane, or the time to ask again
//	err = e.Done(now, call.ID, r)   // the result of each call, in any order
//
// [Engine.Next] returns the calls of one [Lane]: reads and writes, handlers, or the rest. The
// driver bounds the calls of each lane on its own, so a slow handler delays no write.
//
//   - Without a call, the driver sleeps until the time of Next, or until an event or a result
//     comes.
//   - A driver may take calls before it begins them. It begins a call only if [Engine.Revision] is
//     still the Revision of the call. Otherwise the engine has taken the call back.
//   - [Call] names the fields of each type, and [Result] the field that answers it.
//   - A [CallJudge] asks for the verdict of a guard. The driver answers it by function Judge of
//     package ownergraph, without a call of the store.
//   - [Engine.WatchEnded] takes the end of the watch, which no event reports.
//   - [Engine.Err] returns the broken invariant of an engine that has stopped.
//
// # Proof before a write
//
// Every write carries the UID and the version of the decision (R1). After a conflict the engine
// reads the object and decides again. No write falls back to a weaker condition. If a client
// changes an object again and again, each conditional delete fails. The object stays until the
// client stops. The engine makes no unconditional delete.
//
// RULES.md in the repository's root has all rules, and comments cite them as "RULES, R1". The
// documentation of package policy has them in short. Absence lasts until a restore, since a UID never
// returns. So a background cascade that the watch has shown needs no read.
//
// A client may add a reference to an owner late, during or after the orphan deletion of that owner.
// A dependent with such a reference is deleted, as with a reference to any absent owner. There are
// two exceptions, at best effort. The engine that ended the orphan deletion drops a reference that
// came between the mark and the end. It also drops each reference to the last 1,024 owners that it
// orphaned without a fence.
//
// # Status and statistics
//
// A [Status] tells a stuck object from a slow one, in the words of package explain. The method
// Running of the Collector lists the moving objects, and Held the held and the blocked ones. A held
// object is pending or stuck. A blocked object waits for others, which have the cause, so no number of
// held objects counts it.
//
// [Stats] has the counts, ByStatus by status. The Collector's method Keys returns keys of objects, and
// Nearby the owners and dependents of one object. Stats.Unfinished has the oldest object that the engine has begun with and
// neither finished nor held. Its age shows a stall of any cause.
//
// Config.OnDecision receives every decision, as a [DecisionEvent]. [Engine.Orders] reports the
// phases of each ordered cascade with the objects left. Clients may create objects of a phase that
// had none left. The phase counts how often that happened.
//
// # Pause
//
// Collector.Pause stops the writes and the handlers for everything, for a kind or for a scope,
// until Collector.Resume. It returns when no such write or run is under way. From then on none
// begins (RULES, G6). The report names the writes of unknown outcome. The store may still carry
// such a write out.
//
//   - A pause covers the objects that the engine would write, and not their owners.
//   - Observing, reads, fences, plans and explanations go on. Held lists the objects that a pause
//     keeps back. The user's own writes, such as DeletePlanned, go on too.
//   - Config.OnDecision gets each beginning once, with the action Wait and the reason Paused. It
//     gets each end once, with the unset action and the same reason. The key of the decision has
//     the kind or the scope alone. The key is empty for everything, and for the global objects.
//   - Other collectors go on, unless they share a record.
//
// # Shares
//
// Several engines on one store divide the work if each has a share: see Config.Share and
// [Engine.SetShare], and package group for the leases of a group.
//
//   - The engine observes all objects, and asks for nothing on behalf of an object of another share.
//     Held and Explain report such an object with the reason OtherShare. Its own decision is in the
//     detail.
//   - Idle speaks of the own share, and Await and Follow of all objects.
//   - Without a share an engine is a standby, which takes over at once.
//
// # Brake
//
// A [Brake] bounds mass deletions, such as those after a removed definition, a restore, or a fault
// of a store. By default there is no brake.
//
//   - PerCascade bounds the deletes of one cascade without an approval. Before the first delete
//     the engine counts the objects below the root: see Brake.AwaitSick for sick kinds. If there
//     are more, the brake trips: the engine deletes none of them, and Held reports them as Braked.
//   - Window and Per bound the deletes of all cascades together. The window permits no delete at
//     first, and fills evenly. So no number of restarts or of small cascades exceeds its rate. The
//     window delays deletes, and needs no approval.
//   - The brake counts a cascade by the key of its root. After a restart the engine does not know
//     the root, and counts by the nearest absent owners. Deletes of a sweep count for the cascade of
//     its holder, the object whose members they are. Removals of references and of finalizers do
//     not count.
//   - An object with more than 8 roots, or with the key of a root above 6 KiB, goes only with an
//     approval. Braked lists all such objects as one cascade, which has the UID "roots-left-out"
//     and no kind.
//   - The engine remembers 4,096 cascades. Beyond that it forgets one without held objects and
//     deletes under way, first those with the fewest deletes. It counts a forgotten cascade from 0
//     again.
//   - The engine remembers the root of an object that has gone while another object refers to the
//     first. Later it forgets the root. A late dependent then counts for the cascade of the object
//     that has gone.
//   - The window counts a delete as it is decided. At most 64 decided deletes wait for a caller.
//     Since the engine began, no more deletes go out than the rate gives for that time.
//
// Collector.Braked lists the cascades that are held, each as a [BrakedCascade]. A user has two
// answers. Collector.ApproveCascade lets a number of deletes go until a time: see [BrakeApproval].
// A delete of unknown outcome counts for that number. Collector.RefuseCascade keeps the objects, or
// removes their references to absent owners: see [Refusal]. That removal is a write, so it survives
// a restart. Without a record, a new Collector knows no trip and no other answer, and counts from 0.
//
// # Record
//
// A record makes the pauses, and the trips and answers of the brake, outlive their Collector. It
// needs a store with the power Records, and Config.Record, which names the record. All replicas of
// a program name the same one.
//
//   - A new Collector writes nothing before it has read the record. Only ErrNotFound means that
//     there is none. After another error everything stays paused, Held has the error, and the
//     Collector reads again with backoff.
//   - A malformed record pauses everything, also if it becomes malformed while the Collector runs.
//     Correct it or delete it in the store.
//   - A Collector that runs reads the record again every 10 s. If such a read fails, the known
//     pauses stay.
//
// The record is an object of JSON. The Collector keeps the fields that it does not know. The field
// "announced" has the time at which the first Collector began to use the record. The pauses look
// like this:
//
//	{"version": 1, "writes": 3, "pauses": [{"all": true}, {"kind": "pod"}, {"scope": "east"}]}
//
// The field "cascades" has the trips and the answers of the brake, by the key of the cascade:
//
//   - A Collector writes a trip soon after it, and an answer before the call returns.
//   - Replicas keep the changes of each other. Of two answers to one cascade the later write counts.
//     A trip ends only an approval whose deletes are used up.
//   - Each engine counts the deletes of an approval on its own, and so does one after a restart. A
//     rewind of the store's history ends the approvals.
//   - The cascades take at most 32 KiB. The Collector removes the oldest answers from a full record
//     first, and then the oldest trips. The log names each removed cascade that holds objects.
//   - A cascade that was partly deleted has other names after a restart: those of the nearest
//     absent owners. The record does not know these.
//
// # Logs
//
// Config.Logger receives lines for the operator. No line of level info is about one object, so
// their number does not grow with the objects.
//
//	level error  the engine has stopped, or a call of the store has panicked
//	level warn   something outside needs a look, such as a refused write or a sick kind
//	level info   a change of the whole that needs no action, such as a pause or a recovery
//	level debug  one object or run that needs no action
//
// The log reports objects that are stuck for 10 s, and the end of that. It names kinds that become
// sick or recover, and fences that are lost.
//
// The log bounds the warnings with one text in each minute. Warnings about errors have at most 8
// lines, one for each cause. Warnings about objects have at most 32 lines. The attribute others
// counts the lines that are left out. The adapters have the same levels. These are all attributes:
//
//	attr key                    an object, as graph.Key.String
//	attr kind, kinds            one kind, and the first of several
//	attr reason                 a code of package policy
//	attr root                   the root of a cascade, as graph.Key.String
//	attr call, write            a call of the store, and the action of a decision
//	attr finalizer, selector    the name of a handler, and a selector of labels
//	attr cause                  the cause of a rewind, of a brake, or of an undone write
//	attr extent, record         the extent of a pause or a share, and the name of the record
//	attr count, others, limit   numbers of things
//	attr stuck, waiting, blocked, queued, working  the numbers of objects by Status
//	attr waited, asked, wait, unseen  times, and whether the watch had a gap
//	attr err, panic, stack      an error, and the value of a panic with its stack
package engine
