// Package exhaustive visits every history of a small scope on the real engine:
// all graphs of a few objects, up to renaming, with every sequence of actions
// from a printed alphabet, every order of deliveries, calls and results, crashes
// and new listings. Each write is judged by internal/invariant, each state in
// which nothing moves any more is compared with internal/oracle.
//
//	go run ./internal/exhaustive/cmd/exhaustive -minutes 5
//
// prints one row for each stage, with the graphs that a bound cut off.
//
// The search is depth first over 64-bit fingerprints of the whole world; no
// engine is kept but those on the path. Two states with one fingerprint act
// alike (TestFingerprintAgrees), up to a collision of the hash. That the search
// can fail is shown on worlds that break their contract (TestDefectsAreFound).
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
//     stronger evidence.
//   - A read answers what the store held at an instant between its beginning and
//     its landing. The instants in between are moves of their own only where the
//     store has changed since (opRenew), likewise for a listing.
//   - A listing that has begun tells an engine nothing until its first object or
//     its end, so its beginning is told together with what follows.
//   - Time passes only if nothing else can move, or within the scope's "early
//     timeouts": deadlines are far longer than everything else.
//   - A crash leads to a state that depends on the store, the writes under way
//     and what is left of the scope alone, so only the first of equal ones is
//     followed.
//   - Each object is a kind of its own, since kinds are delayed independently,
//     which gives more orders than one kind has; a stage of two objects has them
//     in one kind.
//   - The audit is switched off: it could only repair what should not have to be
//     repaired.
//
// What is cut off, by a bound of time or states, is printed as cut off: it was
// not visited in full.
package exhaustive
