// Package exhaustive visits every history of a small scope on the real engine:
// all graphs of a few objects, up to renaming, with every sequence of actions
// from a printed alphabet, every order of deliveries, calls and results, crashes
// and new listings, and in rows of their own restores of the store, kinds that are
// out of reach for a while, finalizers of somebody else and references that nobody
// could resolve. Each write is judged by internal/invariant, each state in
// which nothing moves any more is compared with internal/oracle.
//
//	go run ./internal/exhaustive/cmd/exhaustive -minutes 6 -sure
//	go run ./internal/exhaustive/cmd/exhaustive -quick
//	go run ./internal/exhaustive/cmd/exhaustive -stage four -minutes 30
//	go run ./internal/exhaustive/cmd/exhaustive -row '2 objects, 3 actions, late engine' -from 1 -to 1
//
// print one row for each stage, with the graphs that a bound cut off. The first
// is what CI runs (Standard); the second is a little of everything in some ten
// seconds; the third one of the stages that are run once (Names); the fourth one
// graph of a row of the first. With -sure the rows of Sure come to their end, and the
// time bounds the others.
//
// The search is depth first over 64-bit fingerprints of the whole world. That it
// can fail is shown on worlds that break their contract (TestDefectsAreFound,
// TestTablesFindDefects).
//
// # Which row shows which rule
//
// Package mutants takes the rules away, one after another, and names for each the
// row and the graph of CI's run that breaks without it (Sure, TestSure; there
// TestWhere and TestRulesAreHeldExhaustively). Most break on two or three objects
// with two or three plain actions. The others have rows of their own:
//
//   - R1, what a conflict's read answers: "touching actions". Only a version without
//     new content makes the engine judge again by a read.
//   - R2, one instant, and the trimming of a waiting reference: "deletions" and
//     "adopting actions" with foreign finalizers. An owner has to be solid again
//     that waited, so that three actions are needed on three objects; with fewer
//     kinds of actions these are few states.
//   - Unresolved references, which block and hold an orphaning: a row with them.
//   - R5: "rewind". The store is restored to the start and its watch says so. Writes
//     under way are lost, reads land.
//   - R7 of a kind that cannot be watched, and R8: "sick kind".
//
// What no row can show: what an engine does twice or late and never wrongly
// (awaiting, joining a fence under way);
// answers that are lost; kinds that join and leave; handlers, levels, scopes, and
// bounds, which are not in the alphabet.
//
// # Tables
//
// A state is a few numbers (node): of the store with what the ledger holds of its
// past, of each engine, of what each stream has still to tell, of the calls under
// way. What a move makes of such a part is worked out once for each graph, by the
// real store or the real engine, and looked up from then on: an engine is run
// once for each of its own states and each input, however many worlds it stands
// in. Engines have the number of their fingerprint, and two with one fingerprint
// act alike (TestFingerprintAgrees), up to a collision of the hash. No engine is
// kept for a state: those that were made last are, to go on from, and another is
// made again from the inputs that led to it first, and compared.
//
// A search without tables, which makes every move on an internal/world, is what
// this one is measured by: they visit as many states, and reach the same ends,
// on all graphs and faults of small scopes (TestTablesAgree), and find the same
// defects (TestTablesFindDefects). Whatever is found broken is told by making
// the moves on such a world again.
//
// # Reductions
//
// What is not visited, and why nothing is lost by that:
//
//   - An engine goes on at once with what it is told, up to the calls that it has
//     to make, unless the scope says "late engine". Deciding early rests on older
//     knowledge, and begins fences and reads earlier, which is the weaker
//     evidence; a late engine judges by what it has learnt since. The stage
//     without faults, and those of two objects, are run with a late engine too.
//   - A fence begins as soon as it is wanted, and a kind reports it as soon as
//     everything before it is told. Later beginnings and later reports are
//     stronger evidence. That the set of kinds has passed it is a move of its own,
//     which comes after each kind has passed it in scopes with crashes or new
//     listings, and at any time in the others.
//   - The reports of a fence that was given up are dropped: an engine hears only
//     those of the fence that it began last.
//   - A read answers what the store held at an instant between its beginning and
//     its landing. The instants in between are moves of their own only where the
//     store has changed since (opRenew), likewise for a listing.
//   - A listing that has begun tells an engine nothing until its first object or
//     its end, so its beginning is told together with what follows.
//   - Time passes only if nothing else can move, or within the scope's "early
//     timeouts": deadlines are far longer than everything else.
//   - A state in which more crashes or listings are left stands for the same one
//     with fewer left: whatever may follow the second may follow the first, since
//     no crash and no listing has to happen. So only what is left most is
//     followed, if it comes first.
//   - A crash leads to a state that depends on the store, the writes under way
//     and what is left of the scope alone, so only the first of equal ones is
//     followed.
//   - Sequences of actions that are complete and permit the same end states are
//     one, in searches that are not bounded by states: nothing but the judgement
//     hangs on what they were.
//   - Each object is a kind of its own, since kinds are delayed independently,
//     which gives more orders than one kind has; a stage of two objects has them
//     in one kind.
//   - Two engines change turns at most as often as the scope says; a state in
//     which the engine whose turn it is not has something left is not judged as
//     quiet.
//   - The audit is switched off: it could only repair what should not have to be
//     repaired.
//
// Two that are common elsewhere are not made. Histories that a renaming of the
// objects maps onto each other (a graph has 1.1 of them on average) are not taken
// as one, since an engine looks at objects in the order of their keys. And no
// order of independent moves is left out: among three objects hardly two events
// are independent for an engine, and what does not concern it is in the tables.
//
// What is cut off, by a bound of time or states, is printed as cut off: it was
// not visited in full.
package exhaustive
