// Package sim runs random histories of a whole world in one thread: a store, its
// watches, users, controllers and handlers, and one or more engines, with a
// random few of all faults, everything from one seed, in virtual time.
//
//	go run ./internal/sim/cmd/sim -seeds 1000 -steps 1000 -seed 1
//	go run ./internal/sim/cmd/sim -seed 4711 -steps 1000
//
// The first runs many seeds and prints what they add up to in its last line; the
// second, without -seeds, runs one, and prints its trace if it fails. The same as
// a test:
//
//	go test ./internal/sim -run TestSeeds -v -sim.seeds 100000 -sim.seed 4711
//
// A seed chooses the world: settings, objects, who is busy, who is slow, and which
// faults there are at all (where all happen at once, each hides what another one
// does). Then it has two modes. In safety mode, so many steps, anything may
// happen, and each step is judged: writes by the ledger and calls by the witness
// of package invariant, the engine by how much it decides without a cause, and
// every so often by its own invariants. In liveness mode faults stop and users
// rest: everything has to be over after work in proportion to what there is, the
// graph has to be what a new listing shows, nothing may be left that the oracle
// would still do, whoever stays against a mark has to be reported, a day of rest
// has to cost nothing, and when all objects are gone, so has to be all memory of
// them.
//
// A seed that fails is run again with its steps noted, shrunk by leaving steps
// out, and printed: the world, its objects in the notation of package graph, and
// one line for each step, in the words of package properties.
//
// One seed in five has sweeps (Config.Sweeps): tenants with names that are made of
// each other and of the delimiter, what is theirs by name, scope or owner and what
// only looks so, spaces that hold too, phases, confirmation, users who make members
// under a sweep, take finalizers off and make holders of the same name again. What
// the engines do for them is judged by invariant.Sweeps and by the witnesses. They
// are drawn apart, so that "-without sweeps" leaves every other world as it is.
//
// In two of three of these, labels say who is a member: a label names the tenant,
// or a selector says more of what is named in other ways. Users relabel objects in
// and out all the time. Selections are answered page by page, by what the store
// held when they began or, renewed, by what it holds now; they get lost, fail and
// are refused, as any call.
//
// One seed in five has engines that are set as few users set them (tuning): released
// fences, waits that are short or long, memory of one owner or none, tight limits,
// beside engines that only observe, or have no handlers. What they label best effort
// is not judged as exact. And in one in five watches say what they hardly ever do
// (oddity): that history went backwards when it did not, that kinds come and go, or
// are sick and well with nothing missed; they end and begin anew as a Collector has
// them do, and bring objects without a version, which are refused and make their kind
// count as sick. Both are drawn apart, as sweeps are.
//
// One world in five has callers of WaitIdle: each of them has to return when the world
// has come to rest. In one of five, kinds join, with room for new objects of them. Both
// are drawn apart.
//
// One seed in five has names of every length (lengths): of as many delimiters as claims
// are made of, of more than an engine looks at one by one, and of more bytes than it
// judges. Sweeps have a tenant there whose name is the beginning of others' members.
// Oddities tell sets of kinds that have some hundred more for a moment.
//
// Distinct states are counted by a fingerprint of 64 bits: the objects of the
// store, and for each engine what it was told of them, how many events of each
// kind it has still to be told, its calls under way, and which kinds are out of
// reach; no versions, no times. The count is an estimate that takes 64 KiB
// whatever it counts (HyperLogLog, standard error 0.4%). Since the fingerprint
// leaves out what an engine remembers, there are more states than it says.
//
// TestInvariantsAreHeld lists every invariant, and every real case that engines
// of this kind have got wrong, with what checks it.
package sim
