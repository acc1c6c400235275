// Package ownergraph gives any store the ownership model of Kubernetes. Objects name their owners.
// The deletion of an owner cascades in the background, cascades in the foreground, or orphans the
// dependents. The result stays correct while other clients change the store.
//
// The rules follow the Kubernetes garbage collector, without its races. By default they also keep
// the dependent of a reference with a wrong scope or name (Config.Scope, Config.OwnerName). RULES.md
// has them. The engine, the deciding part, deletes only after a proof that the deletion is right.
//
// Write a [Store] of four methods over your database, or take adapters/clientgo for Kubernetes.
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
// An [Object] is the metadata of one stored thing. It has no payload and no labels: the store
// answers a selection by labels. Its Key has a kind, a scope, a name and a UID. The scope is the
// namespace in Kubernetes, and "" for a global object. Kind, scope and name are the place of the
// object. A UID names one incarnation of an object, and the store never uses it again.
//
// An [Owner] is an owner reference: the claim of a dependent that another object owns it. The
// dependent carries the reference, and the owner carries nothing. Four fields describe the claim:
//
//   - Block: a foreground deletion of the owner waits for this dependent.
//   - Controller: the owner manages this object. At most one does. [graph.Object.ControllerRef] has both.
//   - Unresolved: the store could not tell the owner's scope or kind, so the owner is unknown.
//   - OnDelete: the policy of this reference: cascade, release or restrict. [graph.OnDelete] is the
//     manual. Config.Policies lets the policies act. See ExampleConfig_policies.
//
// An object without owners stays, unless a sweep deletes it. The engine deletes an object with
// owners when each owner is gone, or is in a foreground deletion.
//
// # Propagation
//
// A finalizer is a name on an object. A store keeps a deleted object as long as it has a finalizer.
// Meanwhile the object has a deletion mark (deletionTimestamp in Kubernetes). The deletion of an
// owner has one of three propagations:
//
//   - Background: the owner goes at once. The engine deletes its dependents afterwards.
//   - Foreground: the owner is marked and stays until the dependents with Block are gone. It may go
//     before the others. A plan says so if no dependent blocks.
//   - Orphan: the owner is marked. The engine removes each reference with the owner's UID, and the
//     dependents stay. Then the owner goes.
//
// A foreground or orphan deletion puts a propagation finalizer on the owner, and the engine removes
// it at the end. Before that the engine has to know every dependent from before the mark. So it asks
// the store for a fence: a token that the store sends on the watch of each kind, behind all earlier
// events. The fence has passed when the token has come for every kind. Without fences the end of
// the deletion is best effort.
//
// A deletion has these limits:
//
//   - A dependent that is created after its owner's deletion mark may go with the owner, or later,
//     because its owner is absent.
//   - If two owners of an object are deleted at the same time, with different propagations, the
//     object goes or stays. Both ends are right.
//   - The engine keeps objects that own each other and have no other owner. An audit finds them, and
//     Held lists them then (Config.AuditEvery).
//
// # Finalizers and handlers
//
// Finalizers delay a deletion until some work is done. Register a handler for a finalizer name in
// Config.Handlers. The engine runs it for each marked object with that finalizer, and leaves the
// other finalizers alone. See ExampleConfig_handlers.
//
//   - The engine runs a handler after the deletion mark appears. It may run the handler again at
//     any time, also after a crash.
//   - The engine removes the finalizer after the handler returns nil. Otherwise it runs the handler
//     again with backoff.
//   - Each name has workers of its own, so a handler that hangs delays no other name.
//     [Collector.Running] lists the runs.
//
// # Writing a Store
//
// Implement four methods over your database: Get, Patch, Delete and Watch. The rules of deletion
// and of finalizers are pure functions in package finalizer. Call them inside your transaction. A
// watch that only repeats listings is valid. The file examples/customstore/store.go has the four
// methods in less than a hundred lines (docs/write-a-store.md). These promises matter most:
//
//   - The store makes the UIDs and the tokens of fences. They are random, and each is made once.
//   - ErrNotFound is proof of absence. An unreachable kind is another error.
//   - Patch and Delete check UID and version in the step that writes (RULES, R1).
//   - The events of one kind come in the order of its commits. ListEnded comes only after every
//     object of the kind. A watch hands over each page of a listing as one batch.
//
// A store may implement further interfaces. Each of them is optional:
//
//	Fencer, Leveler         fences, and the level of the store: see the table
//	Lister, LabelSelector   a new listing on demand; members, protections and guards by labels
//	VersionComparer         the order of two versions, which shows a restore
//	Records                 a value under a name, for Config.Record
//	Limiter, Batcher        the number of calls at once; several writes in one call
//	Gracer                  grace periods, for Config.PropagateGrace
//	Constrainer             plans name foreign keys that refuse a removal
//
// A store that wraps another one shows these powers through Unwrap, except Batcher: batches would
// pass by the wrapper's Patch and Delete.
//
// The level of a store says how exact the engine is. [LevelOf] finds it. Config.Level lowers it.
//
//	level  the store                                      the engine
//	0      declares that it breaks the contract (Leveler) observes, reports, refuses to write
//	1      keeps the contract of Store                    deletes only objects whose owners are gone, or in
//	                                                      a foreground deletion; foreground and orphan
//	                                                      deletions are best effort, as in Kubernetes,
//	                                                      and reported so: they may miss a dependent
//	2      has fences (Fencer), shows or announces that   foreground and orphan deletions are exact, for
//	       its history went backwards                     all that was committed before the deletion mark
//	3      refuses new references to absent owners, and   the same for all that was ever committed
//	       to those in a foreground or orphan deletion
//
// Package feed makes level 2 from a log in your database, as examples/boltstore shows. Level 3 needs
// a transaction over a dependent and its owner. Test your store with adapters/storetest in your CI.
//
// The package adapters/clientgo makes any API server a store of level 2. Its packages envtestgc and
// fakegc bring a collector to the tests of operators, on envtest or on a fake client.
//
// # Running the Collector
//
// Run watches the store and makes the calls of the engine until its context ends. The Collector
// needs no saved state, so it may crash at any moment. A new Collector starts on a store that it
// has never seen. Any number of Collectors may run on one store at once, and none of them has to
// be the leader.
//
// Synced waits until every kind is listed. WaitIdle waits until no work is left, and returns the
// held objects. With Config.ObserveOnly the engine reports decisions and writes nothing.
//
// # Held objects
//
// An object is held if the engine cannot decide on it, or cannot complete its deletion, until something
// outside of the engine changes. An object is blocked if it waits for its dependents or members. Each
// number of held objects leaves the blocked ones out. [Collector.Held] and WaitIdle list both by key. Each
// entry, an [engine.Held], has the status, the reason, the names of the causes, the time, and the
// last error. REASONS.md has each reason with its remedy. Some reasons are:
//
//   - The store does not serve the kind of the owner.
//   - The reference names another scope or another name than the living owner has.
//   - The object has a finalizer that another program has to remove.
//   - A fence waits for a sick kind. A kind is sick while the store cannot list or watch it.
//
// [Collector.Explain] explains one object: the decision with its reason, the evidence for each
// owner, and the chain of conditions that the object waits for. The chain ends at an actor
// outside, at this engine's own work, or in a ring of objects that wait for each other. A bounded
// history (Config.History) explains objects that are gone.
//
// # Plans and progress
//
// [Collector.Plan] forecasts a deletion before it begins. The plan has the outcome of each object,
// the steps in their waves, the cost, and the assumptions. The steps of one wave do not wait for each
// other. A plan writes nothing, and asks nothing of the store. See package plan.
//
//   - An object is removed, orphaned, trimmed, kept by an owner, or held for a reason. A trimmed
//     object stays, and loses some references.
//   - An outcome is possible, and not definite, if it depends on the order of the writes.
//   - The plan assumes that handlers succeed, and that other programs remove no finalizer. The
//     request may name other assumptions.
//
// [Collector.DeletePlanned] carries a plan out. It plans again behind a fence, and deletes nothing
// if the plan has changed. PlanStore and PlanDump plan without a Collector. [Collector.Follow]
// reports the progress of a deletion, and [Collector.Await] returns at its end.
//
// # Further features
//
// The root of a cascade is the object that a client deletes. Its cascade is the root and each object
// that is deleted because of it. The packages [github.com/ownergraph/ownergraph/guard] and
// [github.com/ownergraph/ownergraph/engine] have the manuals of most further features:
//
//	feature      use                                    name               manual
//	protections  some objects may not go                Config.Protect     package guard, "Protection"
//	guards       a cascade needs a permission           Config.Guards      package guard, "Guards"
//	order        the objects of a cascade go in phases  Guard.Phases       package guard, "Order"
//	grace        dependents get the time of their root  Config.PropagateGrace  package guard, "Grace periods"
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
//   - finalizer has the rules of a store, and the type of handlers. Feed makes a store's watch.
//   - owners changes the owners of an object, and brings a whole store under ownership.
//   - plan and explain have the answers of Plan and Explain, with their text and JSON.
//   - view draws pictures, and dump reads the objects that kubectl prints.
//   - lint has the faults of ownership in a dump or a store.
//   - adapters has the memory store, the conformance kit, and stores on SQL, etcd and Kubernetes.
package ownergraph
