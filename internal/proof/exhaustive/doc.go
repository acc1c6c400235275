// Package exhaustive visits every history of a small scope on the real engine. A scope
// has all graphs of a few objects, up to renaming. A history has:
//
//   - any sequence of actions from a printed alphabet
//   - any order of deliveries, calls and results
//   - crashes and new listings
//   - in rows of their own: restores of the store, kinds that are out of reach for a
//     while, foreign finalizers, unresolved references, a store of level 3, guards, policies,
//     engines with shares, and a store that keeps entries
//
// internal/proof/invariant judges each write. internal/proof/oracle judges each quiet state, in
// which no move is left.
//
//	go run ./internal/proof/exhaustive/cmd/exhaustive -sure -minutes 30
//	go run ./internal/proof/exhaustive/cmd/exhaustive -sure -every 12 -minutes 0.1
//	go run ./internal/proof/exhaustive/cmd/exhaustive -quick
//	go run ./internal/proof/exhaustive/cmd/exhaustive -stage four -minutes 30
//	go run ./internal/proof/exhaustive/cmd/exhaustive -row '2 objects, 3 actions, late engine' -from 1 -to 1
//	go run ./internal/proof/exhaustive/cmd/exhaustive -counts
//
// Each command prints one row for each stage, with the graphs that a bound cut off. The
// first command runs the standard stages (Standard). With -sure the rows of Sure run to
// their end, and the time bounds the others. CI runs the second command: one graph in
// twelve of each row. The third runs a little of every stage in some ten seconds. The
// fourth runs one of the stages for a single use (Names). The fifth runs one graph of a
// row of the first. The last prints counts without times, for diff.
//
// The search is depth first over 64-bit fingerprints of the whole world. Worlds that
// break their contract show that the search finds defects (TestDefectsAreFound,
// TestTablesFindDefects).
//
// # The row of each rule
//
// Package mutants removes each rule in turn. For each it names the row of the first command, and
// the graph, that then breaks (Sure, TestSure; there TestWhere and
// TestRulesAreTestedExhaustively). Most rules break on two or three objects with two or
// three plain actions. The others have rows of their own:
//
//   - R1, the read after a conflict: "touching actions". Only a version without new
//     content makes the engine decide again by a read.
//   - R2, one instant, and the trimming of a waiting reference: "deletions" and
//     "adopting actions" with foreign finalizers. A waiting owner has to become solid
//     again. That takes three actions on three objects. With fewer sorts of actions there
//     are few states.
//   - Unresolved references, which block, and delay an orphaning: a row with them.
//   - R5: "rewind". The store is restored to its start, and its watch announces that.
//     Writes in flight are lost, and reads complete.
//   - R7 of a kind that cannot be watched, and R8: "sick kind".
//   - G5: "brake of". With a brake of 1 an object may stay that the rules would delete.
//   - G6: "pause". A user pauses an engine, which begins no write until the user ends the pause.
//   - H1 to H3: "moves of shares". An object joins the share of one of two engines or leaves it,
//     and an engine begins no call outside of its share. At the end each object is in a share.
//   - E1 to E4: "policies". Each reference blocks, and has one of the policies. With "rebinding
//     actions" users change the policies too. Restrict stands at level 3 alone: below it an engine may
//     delete an object before it has observed the restriction.
//   - A1 to A4: "undeleting actions". Users delete in three ways, and restore what has ended, in one
//     step at any time. After each move, each object that left the store has one entry, which says
//     if a user's deletion has reached it. Each restore is that of the oracle. In a quiet state the
//     restore of all that users deleted is quiet, too, and what stays away has a reason of A7.
//   - G7: "guard: order". The objects below the root go in phases.
//   - G1 to G4: "with a guarded root". Users delete the root again, approve, protect, and add
//     a late dependent. Two engines differ in their guards. A rule of protection in the
//     settings of one engine binds that engine alone.
//
// No row shows the following:
//
//   - the moves of references after a restore (A5), and purges (A6)
//   - actions of the engine that are doubled or late but never wrong, such as a wait
//     for the watch, or a decision that joins a fence that has begun
//   - lost results
//   - kinds that join and leave
//   - handlers, levels, scopes, and bounds, which are not in the alphabet
//
// # Tables
//
// A state (node) is a few numbers. They stand for the store and its ledger, for each
// engine, for the pending events of each stream, and for the calls in flight. The real
// store or the real engine computes the effect of a move on one part only once for each
// graph. Afterwards the search looks it up. So an engine runs once for each of its
// states and each input, in however many worlds it occurs.
//
// The number of an engine stands for its fingerprint. Two engines with one fingerprint
// act alike (TestFingerprintAgrees), up to a collision of the hash. The search keeps
// only the engines that it made last. It makes any other engine again from the inputs
// that first led to it, and compares the result.
//
// A search without tables makes every move on an internal/proof/world. It is the measure of
// this one. Both visit the same number of states, and reach the same ends, on all
// graphs and faults of small scopes (TestTablesAgree). Both find the same defects
// (TestTablesFindDefects). The history of a broken rule comes from making its moves on
// such a world again.
//
// # Reductions
//
// The search leaves out the following states, and loses no defect by it:
//
//   - An engine goes on at once after an event, up to its calls, unless the scope says
//     "late engine". An early decision rests on older knowledge. It also begins fences
//     and reads earlier, which is the weaker evidence. A late engine decides by later
//     knowledge. The stage without faults, and those of two objects, have a late engine
//     too.
//   - A fence begins as soon as it is wanted. A kind reports it as soon as all earlier
//     events are delivered. Later beginnings and later reports are stronger evidence. The
//     report that the set of kinds has passed the fence is a move of its own. In scopes
//     with crashes or new listings it comes after each kind has passed the fence, in the
//     others at any time.
//   - The token of a fence comes at once, unless the scope says "late tokens". Then it is
//     a move of its own, before or after the reports.
//   - The verdict of a guard comes at once, unless the scope says "late verdicts". Then it is
//     a move of its own, and rests on what the engine knew when it asked, or knows now.
//   - The reports of a fence that was given up are dropped. An engine hears only those
//     of its last fence. Another fence brings the token of the former one.
//   - A read answers with the store of an instant between its issue and its completion.
//     The instants in between are moves of their own only after a change of the store
//     (opRenew). The same is true for a listing.
//   - The beginning of a listing tells an engine nothing. So it is delivered together
//     with the first object or the end.
//   - Time passes only if no other move is possible, or within the scope's "early
//     timeouts". Deadlines are far longer than the time of any other move.
//   - A state with more crashes or listings left stands for the same state with fewer
//     left. The first one has all histories of the second, since no crash and no listing
//     has to happen. The search follows only the first one, if it comes first.
//   - The state after a crash depends only on the store, the writes in flight and the
//     rest of the scope. The search follows only the first of equal ones.
//   - Complete sequences of actions that permit the same end states are one, in
//     searches without a bound on states. Only the judgement depends on the sequence.
//   - Each object has a kind of its own. Kinds are delayed independently, which gives
//     more orders than a single kind has. A stage of two objects has them in one kind.
//   - Two engines take turns, with at most as many switches as the scope says. A state
//     is not quiet while the engine whose turn it is not has a move left.
//   - The audit is off. It could only repair states that should not need a repair.
//
// Two common reductions are not made. Histories that a renaming of the objects maps
// onto each other stay apart (a graph has 1.1 of them on average), since an engine
// works in the order of keys. The search also visits all orders of independent moves.
// Among three objects hardly two events are independent for an engine, and the tables
// cover the events that do not concern it.
//
// The output names the graphs that a bound of time or states cut off. They were not
// visited in full.
package exhaustive
