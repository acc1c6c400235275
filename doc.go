// Package ownergraph gives any store the ownership model of Kubernetes. Objects name their
// owners. The deletion of an owner cascades in the background, cascades in the foreground,
// or orphans the dependents. It stays correct while other clients change the store.
//
// The rules follow the Kubernetes garbage collector, without its races. RATIONALE.md lists
// the differences, and RULES.md has the rules. The engine deletes an object only after a proof that the deletion is right.
//
// The package is for two kinds of users. The author of a control plane writes a [Store] of
// four methods over their database. The author of a Kubernetes operator takes the store of
// adapters/clientgo.
//
// # A first run
//
// Take a store, adapters/memory or your own, and run a [Collector] on it:
//
//	store, err := memory.New(memory.Config{Kinds: kinds})
//	...
//	c, err := ownergraph.New(store, ownergraph.Config{})
//	...
//	go c.Run(ctx)
//	err = c.Synced(ctx) // every kind is listed: the service is ready
//
// From now on the Collector collects the dependents of each object that a client deletes
// through the store. See ExampleCollector and examples/quickstart.
//
// # Objects and owners
//
// An [Object] is the metadata of one stored thing. It has no labels and no payload. Its Key
// has a kind, a scope, a name and a UID. The scope is the namespace in Kubernetes, and ""
// for a global object. Kind, scope and name are the coordinates. A UID names one incarnation
// of an object, and the store never uses it again.
//
// An [Owner] is an owner reference: the claim of a dependent that another object owns it.
// The dependent carries the reference, and the owner carries nothing. Four fields
// describe the claim:
//
//   - Block: a foreground deletion of the owner waits for this dependent.
//   - Controller: the owner manages this object. An object has at most one such owner.
//   - Unresolved: the store could not tell the owner's scope, so the owner is unknown.
//   - OnDelete: reserved for a policy of this reference. Stores keep it, and no decision
//     reads it yet. The store of adapters/clientgo refuses it.
//
// An object without owners stays. The engine deletes an object with owners when each owner
// is gone, or is in a foreground deletion. Until then the object stays.
//
// Package owners changes the owners of an object, and brings a whole store under ownership.
//
// # Propagation
//
// The deletion of an owner has one of three propagations:
//
//   - Background: the owner goes at once. The engine deletes its dependents afterwards.
//   - Foreground: the owner is marked and stays until its blocking dependents are gone.
//   - Orphan: the engine removes each reference with the owner's UID. The dependents stay.
//
// Foreground and orphan deletions put a finalizer on the owner. If the store has fences, the
// engine removes that finalizer after a fence has passed. A fence begins at one moment of the
// store. It passes when the watch has shown every earlier commit of every kind. A fence that
// begins after the deletion mark shows every dependent from before the mark. Without fences
// the removal is best effort.
//
// A reference that is added after the end of an orphaned owner makes garbage, as one to any absent
// owner does. One from between the mark and the end is dropped, at best effort, by the engine that
// ended the orphaning. So are all references to the last 1,024 owners that it orphaned unfenced.
//
// # Running the Collector
//
// Run watches the store and makes the calls of the engine until its context ends. The
// Collector saves nothing, so it may crash at any moment. A new Collector starts on a store
// that it has never seen. Any number of Collectors may run on one store at once, and none
// of them has to be the leader.
//
// Synced waits until every kind is listed. WaitIdle waits until the engine has no work
// left, and returns the held objects. WaitIdleIn does the same for one scope.
// Config.ObserveOnly reports every decision and writes nothing.
//
// # Writing a Store
//
// Implement four methods over your database: Get, Patch, Delete and Watch. The rules of
// deletion and of finalizers are pure functions in package finalizer. Call them inside
// your transaction. A watch that only repeats listings is valid. In less than a hundred
// lines, examples/customstore/store.go has the four methods. These promises matter most:
//
//   - The store makes the UIDs and the tokens of fences. They are random, and none returns.
//   - ErrNotFound is proof of absence. An unreachable kind is another error.
//   - Patch and Delete check UID and version in the step that writes.
//   - The events of one kind come in the order of its commits. ListEnded comes only after
//     every object of the kind. A watch hands over each page of a listing as one batch.
//
// Optional powers are small interfaces: [Fencer], [Lister], [LabelSelector], [Leveler],
// [VersionComparer], [Records] and [Batcher]. A store that wraps another store shows its powers through
// Unwrap, except Batcher: batches would pass by the Patch and Delete of the wrapper.
//
// The level of a store says how exact the engine is. LevelOf finds it, and Config.Level
// lowers it.
//
//	level  the store                                      the engine
//	0      promises less than the four methods say        observes, reports, refuses to write
//	1      keeps the contract of Store                    deletes only objects whose owners are gone, or in
//	                                                      a foreground deletion; foreground and orphan
//	                                                      deletions are best effort, as in Kubernetes,
//	                                                      and reported so: they may miss a dependent
//	2      has fences (Fencer), shows or announces that   foreground and orphan deletions are exact, for
//	       its history went backwards                     all that was committed before the deletion mark
//	3      refuses new references to absent owners, and   the same for all that was ever committed
//	       to those in a foreground or orphan deletion
//
// Level 3 (Leveler) takes a transaction over a dependent and its owner. Kubernetes has none, so
// it cannot offer level 3.
//
// Test your store with adapters/storetest, in one test function of your CI. TestKit of
// examples/customstore does so.
//
// # On Kubernetes
//
// The package adapters/clientgo makes any API server a store of level 2. An API server
// without kube-controller-manager has no garbage collector. The tests of operators run on
// such servers (envtest), or on a fake client. The packages envtestgc and fakegc, below
// adapters/clientgo, bring a collector to these tests. See adapters/clientgo/README.md.
//
// # Reports
//
// An object is held if its deletion, or its judgement, waits for a dependent or for something
// outside. Its Reason says why. The engine deletes no object that it cannot judge. Some
// reasons are:
//
//   - The store does not serve the kind of the owner.
//   - The reference names another scope or another name than the living owner has.
//   - The object has two controllers.
//   - A finalizer of another controller holds the object.
//   - A policy of the store undoes the write.
//   - A sick kind holds the fence. A kind is sick while the store cannot list or watch it.
//
// Held and WaitIdle list the held objects by key. Each entry has the reason, the names of the
// causes, the start of the hold, and the last error. Config.OnDecision receives every
// decision. [Stats] has the counts, and [Collector.Keys] and [Collector.Nearby] the objects.
//
// A [Status] names the actor that has to act next for an object:
//
//	working  this engine: a call or a run of a handler is under way     Running
//	queued   this engine, when it is the object's turn
//	blocked  the object's dependents or members                         Held
//	waiting  something outside that a deletion commonly waits for       Held
//	stuck    something outside that has to be mended                    Held
//
// Stats.ByStatus counts them. Stats.Held adds the waiting and the stuck objects, for which
// only the outside can act. Stats.Unfinished has the oldest object that the engine has begun
// with and neither finished nor held. Its age shows a stall of any cause. The log reports objects that are stuck for 10 s, and the end of
// that. It names kinds that become sick or recover, and fences that are lost.
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
// In a minute the warnings of a text have 8 lines for errors, one for each cause, or 32 for objects.
// Then others counts the rest. The adapters have the same levels. These are all attributes:
//
//	attr key                    an object, as graph.Key.String
//	attr kind, kinds            one kind, and the first of several
//	attr reason                 a code of package policy
//	attr root                   the root of a cascade, as graph.Key.String
//	attr call, write            a call of the store, and the action of a decision
//	attr finalizer, selector    the name of a handler, and a selector of labels
//	attr cause                  the cause of a rewind, of a brake, or of an undone write
//	attr extent, record         the extent of a pause, and the name of the record
//	attr count, others, limit   numbers of things
//	attr stuck, waiting, blocked, queued, working  the numbers of objects by Status
//	attr waited, asked, wait, unseen  times, and whether the watch had a gap
//	attr err, panic, stack      an error, and the value of a panic with its stack
//
// # Plans
//
// [Collector.Plan] forecasts a deletion before it begins. It copies the affected objects out
// of the engine, in small steps, and runs a fork of the engine on the copy. The plan has the
// end of each object, the steps, the cost, and the assumptions. It writes nothing, and asks
// nothing of the store. See package plan and ExampleCollector_Plan.
//
//   - An object is removed, orphaned, trimmed, kept by an owner, or held for a reason.
//   - An end is possible, and not definite, if it depends on the order of the writes.
//   - Foreign finalizers stay, and handlers succeed, unless the request names them.
//   - The actor of a container deletes its members (KindInfo.Container).
//
// [Collector.DeletePlanned] carries a plan out. It plans again behind a fence, and deletes
// nothing if the plan has changed. [PlanStore] and [PlanDump] plan without a Collector.
//
// # Explanations
//
// [Collector.Explain] explains one object: the decision with its reason, the evidence for
// each owner, and the chain of conditions that the object waits for. The chain ends at an
// actor outside, at this engine's own work, or in a ring. A bounded history
// (Config.History) explains objects that are gone. REASONS.md has each reason with its
// remedy. [Collector.Follow] reports the progress of a deletion, and [Collector.Await]
// returns at its end. Package lint finds wrong references in a dump or a store.
//
// # Pause
//
// [Collector.Pause] stops the writes and the handlers for everything, for a kind or for a
// scope, until [Collector.Resume]. It returns when none of them is under way. From then on
// none begins (RULES, G6). The report names the writes of unknown outcome. The store may
// still carry such a write out.
//
//   - A pause covers the objects that the engine would write, and not their owners.
//   - Observing, reads, fences, plans and explanations go on. Held lists the objects that a
//     pause keeps back. The user's own writes, such as DeletePlanned, go on too.
//   - Config.OnDecision gets each beginning once, with the action Wait and the reason Paused.
//     It gets each end once, with the unset action and the same reason. The key has the kind
//     or the scope alone. It is empty for everything, and for the global objects.
//   - Other collectors go on, unless they share a record.
//
// A record makes a pause outlive its Collector. It needs a store with the power [Records],
// and Config.Record, which names the record. All replicas of a program name the same one.
//
//   - A new Collector writes nothing before it has read the record. Only ErrNotFound means
//     that there is none. After another error everything stays paused, Held has the error, and
//     the Collector reads again with backoff.
//   - A malformed record pauses everything, also later. Correct it or delete it in the store.
//   - A Collector that runs reads the record again every 10 s. If such a read fails, the known
//     pauses stay.
//
// The record is an object of JSON. The Collector keeps the fields that it does not know:
//
//	{"version": 1, "writes": 3, "pauses": [{"all": true}, {"kind": "pod"}, {"scope": "east"}]}
//
// The brake has "cascades": see "Brake". The first Collector notes its beginning in "announced".
//
// # Limits
//
//   - A dependent that is created after its owner's deletion mark may go with the owner. It
//     may also stay until the engine collects it as the garbage of an absent owner.
//   - Two owners of one object may be deleted with different propagations at the same time.
//     The object then goes or stays.
//   - The engine keeps objects that own each other and have no other owner. Held lists them
//     after the next audit.
//   - If a client changes an object again and again, each conditional delete fails. The
//     object stays until the client stops. The engine makes no unconditional delete.
//   - Two live objects with one UID break the contract of Store. The engine holds both, and
//     their dependents too.
//
// # Finalizers and handlers
//
// A finalizer keeps a deleted object until its work is done. Config.Handlers has a handler
// for each finalizer name. See ExampleConfig_handlers.
//
//   - The engine runs a handler after the deletion mark appears. It may run the handler
//     again at any time, also after a crash.
//   - The engine removes the finalizer after the handler returns nil.
//   - Each name has workers of its own, so a handler that hangs holds up no other name.
//     [Collector.Running] lists the runs, so it shows a handler that hangs.
//   - A failed handler runs again with backoff.
//
// # Protection, guards and sweeps
//
// Config.Protect, Config.Guards and Config.Sweeps take declarations of the package
// [github.com/ownergraph/ownergraph/guard], which is their manual.
//
// # Brake
//
// Config.Brake bounds mass deletions, such as those after a removed definition, a restore, or
// a fault of a store. By default there is no brake.
//
//   - PerCascade bounds the deletes of one cascade without an approval. Before the first
//     delete the engine counts the objects below the root: see Brake.AwaitSick for sick kinds.
//     If there are more, it deletes none of them, and Held reports them as Braked.
//   - Window and Per bound the deletes of all cascades together. The window begins empty, so
//     no number of restarts or of small cascades exceeds its rate. It delays only.
//   - A cascade has the name of its root. After a restart the nearest absent owners stand in.
//     Deletes of a sweep count for its holder. Removals of references and of finalizers do
//     not count.
//   - An object with more than 8 roots, or with the key of a root above 6 KiB, goes only with
//     an approval. Braked lists all of these as one cascade, which has the UID "roots-left-out"
//     and no kind.
//   - The engine remembers 4,096 cascades. Beyond that it forgets one without held objects and
//     deletes under way, first those with the fewest deletes. It counts from 0 again.
//   - The engine knows the root of an object that has gone as long as another object refers to
//     it. After that, an object that comes late below it counts for that object alone.
//   - The window counts a delete as it is decided. At most 64 decided deletes wait for a caller.
//     Since the engine began, no more deletes go out than the rate gives for that time.
//
// [Collector.Braked] lists the cascades that are held. [Collector.ApproveCascade] lets a
// number of deletes go until a time. [Collector.RefuseCascade] keeps the objects, or removes
// their references to absent owners. That is a write, so it survives a restart. A deletion of
// unknown outcome counts.
//
// Without a record, trips and other answers end with the Collector: a new one counts anew.
// With Config.Record they outlive it, by the key of the cascade:
//
//   - A Collector has read the record before its first write. It writes a trip soon after it,
//     and an answer before the call returns.
//   - Replicas keep the changes of each other. Of two answers the later write counts. A trip
//     ends the approval that is used up, and no other answer.
//   - Each engine counts the deletes of an approval on its own, and so does one after a restart.
//     A rewind of the store's history ends the approvals.
//   - The cascades take at most 32 KiB. The oldest answers leave a full record first, and then
//     the oldest trips. The log names each one that holds objects.
//   - A cascade that was partly deleted has other names after a restart: those of the nearest
//     absent owners. The record does not know these.
//
// # Proof before a write
//
// Every write carries the UID and the version of the decision (R1). After a conflict the
// engine reads the object and decides again. No write falls back to a weaker condition.
// RULES.md in the repository's root has all rules, and comments cite them as "RULES, R1". In
// short:
//
//   - Unknown deletes nothing. An owner that is missing from the graph is unknown.
//   - Absence needs one of two proofs. The watch showed the end of exactly that incarnation.
//     Or a read did not find the owner, and began after the engine knew the reference.
//   - Absence lasts until a restore, since a UID never returns. So a background cascade that
//     the watch has shown needs no read.
//   - A deletion may change its propagation. So a read or a fence has to show the state of an
//     owner in deletion. That read or fence begins after the engine observed the dependent's
//     version. For several owners, one moment has to show all states.
//   - A restore from a backup moves the history of a store backwards. The watch announces
//     such a rewind, or the engine sees versions fall.
//   - A write without an answer, or a watch that breaks, may be the first sign of a rewind.
//     The engine then writes nothing before the store has answered a call. It also reads an
//     owner again before it deletes a dependent of that owner.
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
// The [Engine] is a single-threaded state machine without I/O, goroutines, locks or a
// clock. The Collector drives it. Only events of the watch change the graph. A successful
// write changes nothing in the graph, but its event does. The result of a read is evidence
// for the decisions that wait for it.
//
// Most events change no decision: the object is not deleted, and has no owner or a living
// one. Observe keeps such an object on a fast path, without a turn in the queue. A version
// that brings no other change needs no new decision. The fast path decides as the rules of
// policy do (invariant N9 of Engine). The exhaustive search and the simulator check that at
// every step.
//
// # Packages
//
// Users import these packages beside this one:
//
//   - graph has the vocabulary: keys, objects, owner references, events, errors.
//   - policy has the action and the reason of each decision.
//   - finalizer has the rules of a store, and the type of handlers.
//   - guard declares what may not go, by whose word, in which order, and what goes with an object.
//   - owners changes the owners of objects in a store.
//   - plan and explain have the answers of Plan and Explain, with their text and JSON.
//   - view draws pictures, and dump reads the objects that kubectl prints.
//   - lint has the faults of ownership in a dump or a store.
//   - adapters has the memory store, the conformance kit, and the Kubernetes API server.
//
// Below internal/core each machine is a package. A machine returns its requests to other
// machines as data.
//
//   - evidence reads the facts of a decision from the graph and the machines.
//   - fanout holds the owners whose dependents need a decision.
//   - record keeps the engine's state of a node, in eight bytes for most nodes.
//   - tombstone remembers a bounded number of owners that are gone, orphaned the orphaned ones.
//   - kinds follows the served kinds, their listings and rewinds, and fence the one fence.
//   - cycle finds foreground deletions that wait for themselves, and audit isolated cycles.
//   - reads follows the wanted reads, and inflight the writes with the events that they expect.
//   - handlers follows the runs of finalizer handlers, and pause has the pauses.
//   - brake bounds the deletes of a cascade and of a time, order the phases below guarded roots.
//   - held keeps the held objects with their causes, and history the last deletions with proofs.
//   - moments has the times of stamps, excerpt the copies for plans.
//   - sweep follows holders and their members, and selecting the selections by labels.
//   - guards protects objects, and follows guarded roots and their verdicts.
//
// # Testing
//
// The proofs are below internal/proof. The suites compare every end state with the
// specification in oracle, and invariant judges every write. There are these suites:
//
//   - script has scenarios as text, upstream's own among them, and exhaustive small graphs.
//   - properties has random worlds, and sim has random fleets.
//   - mutants has a seeded bug for each rule, which the suites find.
//   - differential runs the upstream collector beside the engine.
//   - e2e runs on a real kube-apiserver, with crashes, a restore and two collectors at once.
package ownergraph
