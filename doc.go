// Package ownergraph gives any store the ownership model of Kubernetes. Objects name their owners.
// The deletion of an owner cascades in the background, cascades in the foreground, or orphans the
// dependents. The result stays correct while other clients change the store.
//
// The rules follow the Kubernetes garbage collector, without its races. RATIONALE.md lists the
// differences, and RULES.md has the rules. The engine, the deciding part of the library, deletes
// an object only after a proof that the deletion is right.
//
// The package is for two kinds of users. The author of a control plane writes a [Store] of four
// methods over their database. The author of a Kubernetes operator takes the store of
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
// From now on the Collector collects the dependents of each object that a client deletes through
// the store. See ExampleCollector and examples/quickstart.
//
// # Objects and owners
//
// An [Object] is the metadata of one stored thing. It has no labels and no payload. Its Key has a
// kind, a scope, a name and a UID. The scope is the namespace in Kubernetes, and "" for a global
// object. Kind, scope and name are the coordinates. A UID names one incarnation of an object, and
// the store never uses it again.
//
// An [Owner] is an owner reference: the claim of a dependent that another object owns it. The
// dependent carries the reference, and the owner carries nothing. Four fields describe the claim:
//
//   - Block: a foreground deletion of the owner waits for this dependent.
//   - Controller: the owner manages this object. An object has at most one such owner.
//   - Unresolved: the store could not tell the owner's scope, so the owner is unknown.
//   - OnDelete: reserved for a policy of this reference. Stores keep it, and no decision reads it
//     yet. The store of adapters/clientgo refuses it.
//
// An object without owners stays. The engine deletes an object with owners when each owner is
// gone, or is in a foreground deletion. Until then the object stays.
//
// # Propagation
//
// The deletion of an owner has one of three propagations:
//
//   - Background: the owner goes at once. The engine deletes its dependents afterwards.
//   - Foreground: the owner is marked and stays until its blocking dependents are gone.
//   - Orphan: the engine removes each reference with the owner's UID. The dependents stay.
//
// A foreground or orphan deletion puts a finalizer on the owner. If the store has fences, the
// engine removes that finalizer after a fence has passed. A fence begins at one moment of the
// store. It passes when the watch has shown every earlier commit of every kind. So a fence that
// begins after the deletion mark shows every dependent from before the mark. Without fences the
// removal is best effort.
//
// A deletion has these limits:
//
//   - A dependent that is created after its owner's deletion mark may go with the owner. It may
//     also stay until the engine collects it as the garbage of an absent owner.
//   - Two owners of one object may be deleted with different propagations at the same time. The
//     object then goes or stays.
//   - The engine keeps objects that own each other and have no other owner. Held lists them after
//     the next audit (Config.AuditEvery).
//
// # Finalizers and handlers
//
// A finalizer keeps a deleted object until its work is done. Config.Handlers has a handler for
// each finalizer name. See ExampleConfig_handlers.
//
//   - The engine runs a handler after the deletion mark appears. It may run the handler again at
//     any time, also after a crash.
//   - The engine removes the finalizer after the handler returns nil.
//   - Each name has workers of its own, so a handler that hangs holds up no other name.
//     [Collector.Running] lists the runs, and so shows a handler that hangs.
//   - A failed handler runs again with backoff.
//
// # Writing a Store
//
// Implement four methods over your database: Get, Patch, Delete and Watch. The rules of deletion
// and of finalizers are pure functions in package finalizer. Call them inside your transaction. A
// watch that only repeats listings is valid. The file examples/customstore/store.go has the four
// methods in less than a hundred lines. These promises matter most:
//
//   - The store makes the UIDs and the tokens of fences. They are random, and none returns.
//   - ErrNotFound is proof of absence. An unreachable kind is another error.
//   - Patch and Delete check UID and version in the step that writes (RULES, R1).
//   - The events of one kind come in the order of its commits. ListEnded comes only after every
//     object of the kind. A watch hands over each page of a listing as one batch.
//
// Optional powers are small interfaces: [Fencer], [Lister], [LabelSelector], [Leveler],
// [VersionComparer], [Records], [Limiter] and [Batcher]. A store that wraps another one shows its
// powers through Unwrap, except Batcher: batches would pass by the wrapper's Patch and Delete.
//
// The level of a store says how exact the engine is. [LevelOf] finds it. Config.Level lowers it.
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
// Level 3 (Leveler) takes a transaction over a dependent and its owner. Kubernetes has none, so it
// cannot offer level 3.
//
// Test your store with adapters/storetest, in one test function of your CI. The file kit_test.go
// of examples/customstore does so.
//
// The package adapters/clientgo makes any API server a store of level 2. An API server without
// kube-controller-manager has no garbage collector. The tests of operators run on such servers
// (envtest), or on a fake client. The packages envtestgc and fakegc, below adapters/clientgo,
// bring a collector to these tests. See adapters/clientgo/README.md.
//
// # Running the Collector
//
// Run watches the store and makes the calls of the engine until its context ends. The Collector
// needs no saved state, so it may crash at any moment. A new Collector starts on a store that it
// has never seen. Any number of Collectors may run on one store at once, and none of them has to
// be the leader.
//
// Synced waits until every kind is listed. WaitIdle waits until the engine has no work left, and
// returns the held objects. WaitIdleIn does the same for one scope. Config.ObserveOnly reports
// every decision and writes nothing.
//
// # Held objects
//
// An object is held if its deletion, or its judgement, waits for a dependent or for something
// outside. The engine deletes no object that it cannot judge. [Collector.Held] and WaitIdle list
// the held objects by key. Each entry, an [engine.Held], has the status, the reason, the names of
// the causes, the start of the hold, and the last error. REASONS.md has each reason with its
// remedy. Some reasons are:
//
//   - The store does not serve the kind of the owner.
//   - The reference names another scope or another name than the living owner has.
//   - The object has two controllers.
//   - A finalizer of another controller holds the object.
//   - A policy of the store undoes the write.
//   - A sick kind holds the fence. A kind is sick while the store cannot list or watch it.
//   - Two live objects have one UID. That breaks the contract of Store. The engine holds both, and
//     their dependents too.
//
// [Collector.Explain] explains one object: the decision with its reason, the evidence for each
// owner, and the chain of conditions that the object waits for. The chain ends at an actor
// outside, at this engine's own work, or in a ring of objects that wait for each other. A bounded
// history (Config.History) explains objects that are gone.
//
// # Plans and progress
//
// [Collector.Plan] forecasts a deletion before it begins. The plan has the end of each object, the
// steps, the cost, and the assumptions. It writes nothing, and asks nothing of the store. See
// package plan and ExampleCollector_Plan.
//
//   - An object is removed, orphaned, trimmed, kept by an owner, or held for a reason.
//   - An end is possible, and not definite, if it depends on the order of the writes.
//   - Finalizers of other controllers stay, and handlers succeed, unless the request names them.
//   - The actor of a container, such as a namespace, deletes its members (KindInfo.Container).
//
// [Collector.DeletePlanned] carries a plan out. It plans again behind a fence, and deletes nothing
// if the plan has changed. PlanStore and PlanDump plan without a Collector. [Collector.Follow]
// reports the progress of a deletion, and [Collector.Await] returns at its end.
//
// # Further powers
//
// The packages [github.com/ownergraph/ownergraph/guard] and
// [github.com/ownergraph/ownergraph/engine] have the manuals of most further powers:
//
//	power        use                                    name               manual
//	protections  some objects may not go                Config.Protect     package guard, "Protection"
//	guards       the cascade of a root needs a verdict  Config.Guards      package guard, "Guards"
//	order        the objects of a cascade go in phases  Guard.Phases       package guard, "Order"
//	sweeps       a tenant goes after its members        Config.Sweeps      package guard, "Sweeps"
//	brake        mass deletions have a bound            Config.Brake       package engine, "Brake"
//	pause        writes and handlers stop for a time    Collector.Pause    package engine, "Pause"
//	record       pauses outlive their Collector         Config.Record      package engine, "Record"
//	logs         the operator reads lines               Config.Logger      package engine, "Logs"
//	statistics   a program reads counts and decisions   Collector.Stats    package engine, "Status and statistics"
//	metrics      Prometheus reads the counts            promstats.New      adapters/prometheus
//	traces       OpenTelemetry gets spans               oteltrace.New      adapters/otel
//	pages        a browser shows the Collector          web.New            adapters/web
//
// Users import further packages:
//
//   - graph has the vocabulary: keys, objects, owner references, events, errors.
//   - policy has the action and the reason of each decision.
//   - finalizer has the rules of a store, and the type of handlers.
//   - owners changes the owners of an object, and brings a whole store under ownership.
//   - plan and explain have the answers of Plan and Explain, with their text and JSON.
//   - view draws pictures, and dump reads the objects that kubectl prints.
//   - lint has the faults of ownership in a dump or a store.
//   - adapters has the memory store, the conformance kit, and stores on SQL, etcd and Kubernetes.
package ownergraph
