// Package sim runs random histories of a whole world in one thread and in virtual time.
// A world is a store with its watches, users, controllers and handlers, and one or more
// engines. Each world has a random few of all faults. Everything follows from one seed.
//
//	go run ./internal/proof/sim/cmd/sim -seeds 1000 -steps 1000 -seed 1
//	go run ./internal/proof/sim/cmd/sim -seed 4711 -steps 1000
//
// The first command runs many seeds and prints a total in its last line. The second
// runs one seed, and prints its trace if it fails. The same as a test:
//
//	go test ./internal/proof/sim -run TestSeeds -v -sim.seeds 100000 -sim.seed 4711
//
// # Modes
//
// A seed chooses the world: settings, objects, the pace of each part, and the faults.
// Most worlds have only some of the faults, since a fault can hide the effect of
// another one. Each world runs in two modes.
//
// In safety mode any move is possible, for a given number of steps. Each step is
// judged:
//
//   - The ledger of package invariant judges the writes, and its witness judges the
//     calls.
//   - An engine may make only a bounded number of decisions without a cause.
//   - From time to time each engine checks its own invariants.
//
// In liveness mode faults stop and users rest. Then these conditions are met:
//
//   - Everything ends after work in proportion to the objects and references.
//   - Each engine's graph equals the graph that a new listing builds.
//   - The oracle finds no further work.
//   - Each marked object that stays is reported.
//   - A day of rest costs nothing.
//   - After all objects have gone, no memory of them is left.
//
// A seed that fails runs again with its steps recorded. Steps are left out as long as
// the same rule breaks. The output has the world, its objects in the notation of
// package graph, and one line for each step, in the words of package properties.
//
// # Worlds
//
// The following features are drawn apart from each other. So "-without sweeps", for
// example, leaves every other world unchanged.
//
// One seed in five has sweeps (Config.Sweeps). The names of its tenants consist of each
// other and of the delimiter. Some objects belong to tenants by name, scope or owner,
// and others only look so. There are spaces that are holders too, and phases.
// Users make members under a sweep, remove finalizers, and make holders of the same
// name again. invariant.Sweeps and the witnesses judge the engines' sweeps.
//
// In two of three of these worlds labels tell the members. A label names the tenant, or
// a selector restricts the members that another rule names. Users relabel objects in
// and out all the time. The store answers selections page by page, with its state at
// their beginning or, renewed, with its present state. Selections get lost, fail and
// are refused as any call.
//
// One seed in five sets its engines as few users do (tuning): released fences, short or
// long waits, memory of one owner or none, and tight limits. Some of these engines only
// observe, or have no handlers. Decisions labelled best effort are not judged as exact.
//
// In one seed in five the watches report rare events (oddity):
//
//   - The history goes backwards although it did not.
//   - Kinds come and go, or become sick and well without a missed event.
//   - Watches end and begin anew, in the way of a Collector.
//   - Objects come without a version. They are refused, and their kind counts as sick.
//
// One world in five has callers of WaitIdle. Each of them has to return when the world
// has come to rest. In one world in five kinds join, with places for new objects.
//
// One seed in five has names of any length (lengths). Some have as many delimiters as
// claims are made of, and some more than an engine compares one by one. Others have
// more bytes than an engine judges. Sweeps have a tenant there whose name is the
// beginning of other members' names. Oddities report sets of kinds that have some
// hundred more kinds for a moment.
//
// In one seed of five the store has level 3 (strict), except in worlds of level 1. It
// refuses users' references to owners that are gone, wait or orphan. The ledger then judges
// the end of an owner by every reference that the store ever accepted.
//
// In half of the worlds the token of a fence comes in a step of its own (late-tokens), so
// that the watch may report the fence before. Where calls get no answer, some tokens never
// come.
//
// In one seed in five the store takes batches. A batch has the writes of one engine that
// are under way, at most one for each place, sorted by key. The engine gets no answer before
// the store has carried out all of them. Where calls get no answer, some batches are lost
// with a part of the writes done. The others of a lost batch may be done late or never. Some
// are aborted as a whole. Other batches have one write that is in conflict, undone, or
// refused. The engine's caller tries a refused write alone (RULES, B).
//
// # Plans
//
// One world in two has plans, except those with duplicate UIDs. After liveness mode users
// act a few times, an engine may begin anew, and the world comes to rest. So the moment is
// a random one, and quiet (see sim.quiet). An engine then plans the deletion of one to
// three objects. This may ask nothing of the store and change no engine. The user deletes
// the objects, and the engines make some moves in a random order and then the rest. The
// following conditions are met (RULES, P3):
//
//   - Each definite outcome has come true.
//   - Each object that changes is in the plan.
//   - One engine has made as many writes as planned, and no more reads and fences, unless
//     the plan says that they vary.
//   - In small worlds, each end that the oracle permits has the definite outcomes, too.
//
// Some plans are carried out and not compared (see gap). The digest does not cover plans.
//
// # Guards
//
// One seed in five has guards and protections (Config.Guards and Config.Protect). Guards
// select roots by kind, name or content, with each condition. Protections select objects by
// kind, scope, name or content. The engines may have different settings: all, none, the guards
// alone, the protections alone, or looser ones. Some objects carry the finalizers from the
// beginning. Users put the finalizer of protection on and take it off. They approve deletions,
// take a root's finalizers off, and delete a held root again with another propagation.
//
// A judgement is a call, which ownergraph.Judge answers. It gets lost and fails as any call. Its
// answer is of the time of the call, or of a later one.
//
// The judges get each object as it counts for its dependents: a withheld mark is no mark (RULES,
// G3). So a write that relies on a withheld mark breaks the laws of owners and of sweeps. These
// laws are true too:
//
//   - G1: no engine deletes an object that its settings, or the object itself, protect.
//   - G2: an engine begins the cascade of an unjudged root only, behind fences.
//   - G2: at rest each living root carries both finalizers, each marked one is judged, and none
//     that has passed stays.
//   - G2: a deletion that a plan foresees as refused ends no other object. One that passes
//     ends no more objects than the guard permits.
//
// # Brakes and pauses
//
// One seed in five has brakes (Config.Brake): a limit for each cascade, a window, or both. Its
// engines may have the same brake, different ones, or none. Users approve held cascades for some
// deletes or refuse them. One seed in five has pauses of one engine: of everything, a scope or a
// kind. Meanwhile the others go on. At the end of a world all pauses end, and users answer for
// each held cascade. These laws are true:
//
//   - G5: an engine hands out no more deletes of a cascade than its limit, or than a user
//     approves. Deletes count unless the store has definitely not carried them out.
//   - G5: an engine deletes no object of a cascade that waits for an answer, or is refused.
//   - G5: an engine hands out no more deletes than its window has made. No more than twice the
//     window are decided in one period.
//   - G6: an engine that is paused hands out no write and no run of a handler in the extent of
//     the pause. The report of a pause has as many calls as are under way there.
//   - Without an event, a result or a later time, each engine comes to rest: see World.Issue.
//
// In one engine of four with a limit, the counts wait for sick kinds.
//
// A guarded root has no limit. A rewind takes approvals back. Plans of worlds with a limit are
// carried out, and are not compared.
//
// With "-with returns" the callers of the engines give back calls that they have not begun
// (ownergraph.ErrNotBegun). A Collector does so with its prefetched calls. Worlds have
// this only if asked, so the histories of all seeds stay the same.
//
// # Policies
//
// In one seed in five references have policies (Config.Policies), and users change them. A few
// references have a policy that no engine knows, or two of one object to one UID have different ones.
// In one of four such worlds the policies do not act for one engine. It holds the objects that have
// any. The histories of all other worlds stay the same (TestPoliciesApart). These laws are true:
//
//   - E1: an engine ends or trims no object with a policy that does not act for it.
//   - E1, E2: a deletion needs the evidence of all unset owners, or of one cascade owner.
//   - E3: a drop of a reference follows its policy.
//   - E4: an engine deletes no object, and ends no propagation of one, that it knew to be restricted
//     at its decision. A store of level 3 refuses each deletion of a restricted object.
//
// Below level 3 an engine may not know a restriction yet, so the ledger permits both readings of a mark
// that is restricted. The oracle judges such a world at rest. A plan is not compared if policies
// act for some engines only, if the store refuses the deletion of a target, or if the deletion ends the
// restriction of an object that has to go.
//
// # Grace periods
//
// In one seed in ten all kinds or some have grace periods (Config.PropagateGrace). Users delete with
// periods, and agents end these. The histories of all other worlds stay the same (TestPeriodsApart).
// These laws are true:
//
//   - E6: a delete that carries a period has an unmarked object of a named kind. An owner of a named
//     kind above it had that period in the foreground, and each owner between was in the foreground.
//   - E7: a guard repeats a deletion in the foreground with the period of the mark, less one second.
//
// # Shares
//
// With "-with shares" two to five engines have shares of the objects (Config.Share):
//
//	go run ./internal/proof/sim/cmd/sim -seeds 10000 -steps 500 -with shares
//
// The sets move at any time. They overlap and leave gaps. An object joins or leaves, a set goes
// from one engine to another, and sets are All or None. Some sets end at a time, one engine keeps its
// set for long, and some engines restart with another one. In one world in five the sets are
// disjoint and stay. UIDs have a longer text there, because the last bytes of a text hardly change
// its slot. In three worlds of four the engines have the same settings. In the others only
// engines of the same settings divide the work. An engine that only observes has no share.
//
// In liveness mode half of the worlds first come to rest in the gaps. Then the sets have every UID:
// disjoint, overlapping, all at one engine beside standbys, or all at each engine. They stay. In half
// of the worlds that may come in the middle of safety mode, because the walk after a move would hide
// work that waits. All
// other laws are true for the engines together. These laws are true besides:
//
//   - H1: an engine hands out no write, verdict or run of a handler for an object outside of its
//     set. A read has a dependent in the set. Without a set an engine hands out listings, the
//     fence after a loss, and the fences of callers that wait for it.
//   - H1: after a change of the set, the revision revokes each call that may no longer begin.
//   - H2: all ends once the sets have every UID, by the conditions of liveness mode.
//   - H3: only the engine of a root's set reports that the root lacks its hold.
//   - G5: the limit and the window of an engine are those of its Config times the size of its set,
//     rounded up. With disjoint sets that stay, the deletes of a cascade exceed the limit by less
//     than the number of engines.
//   - H4: the reports of an object outside of the set say OtherShare, and never stuck. An engine is
//     idle if its own set has no work left.
//
// # Distinct states
//
// A fingerprint of 64 bits counts the distinct states. It covers the objects of the
// store. For each engine it covers the objects that its watch has reported, the number
// of pending events of each kind, and the calls in flight. It covers the kinds that are
// out of reach. It covers no versions and no times. The count is an estimate in 64 KiB
// (HyperLogLog, standard error 0.4%). The fingerprint leaves out the engines' memory,
// so the number of states is higher than the count.
//
// # Digests
//
// History.Record hashes the observable behaviour of the engines. Two versions of the
// engine that behave alike have the same digest for each seed.
//
// TestInvariantsAreTested lists every invariant with its checks, and every real case that
// engines of this sort have got wrong.
package sim
