// Package storetest proves, in anyone's CI, that a Store keeps its contract:
// what an engine on top of it may then rely on is package ownergraph's to say.
//
// # Prove your Store in ten lines
//
//	func TestStore(t *testing.T) {
//		storetest.Test(t, storetest.Config{
//			New: func(tb storetest.TB) storetest.Subject {
//				s := mystore.Open(tb.Name())
//				tb.Cleanup(s.Close)
//				return storetest.Subject{Store: s, Client: s}
//			},
//		})
//	}
//
// New makes an empty store. Client is what its users do, which the four methods
// of a Store do not say: create an object, set its owners and finalizers, delete
// it. Run the test with -race; Bench and Check take the same Config.
//
// A store in a file needs a directory, and a TB has none, since that of a
// *testing.F must not be asked for inside of a fuzz target:
//
//	New: func(tb storetest.TB) storetest.Subject {
//		dir, err := os.MkdirTemp("", "mystore")
//		if err != nil {
//			tb.Fatalf("%v", err)
//		}
//		tb.Cleanup(func() { os.RemoveAll(dir) })
//		return open(tb, filepath.Join(dir, "db"))
//	},
//
// and Restart is three lines more: open the same path again.
//
// The first run is red: it names the hooks that are missing, law by law, each
// with the two ways out. Write the hooks that your database can play, and put
// the others into Without. What is red then is a bug.
//
// # What a result means
//
// A law is a small thing that a store owes, named by what it promises:
// "read/fresh", "watch/listing-complete", "fence/not-early". Each is tried on a
// store of its own, in a subtest of its own, so -run finds one. A red line says
// what was expected and what was seen, objects in the notation of package graph,
// and what the engine would destroy or miss:
//
//	law watch/compaction is broken
//	expected: a watch that is behind a compaction knows pod/one/kept@u1#4[example.org/more]; pod/one/new@u3#5
//	seen:     missing: pod/one/new@u3#5
//	why it matters: changes that a store has forgotten before a watch could tell them are only found by a new listing
//
// Every law ends in one Outcome:
//
//	kept        the store kept it, as far as it was tried
//	broken      it did not; the test fails
//	not proven  it is owed and could not be tried: the test fails as well
//	not owed    the store does not promise it
//
// A law is not proven if a hook of Subject or a kind is missing, if the Client
// fails in the set-up, or if it rests on a law that is broken. The latter has no
// red line of its own, so the first red line is the cause: mend it and run again.
// Each broken law is printed once. A law is never passed for want of trying.
//
// A law is not owed if its level is above the store's (fences and rewinds are
// owed from level 2 on), if the store has not the optional power that it is
// about (a store that is no ownergraph.Lister owes no "list/..."), or if
// Config.Without names it. An empty Without is the strictest: what cannot be
// shown is not claimed. A store in memory, with one flat space of names, says
//
//	Without: []storetest.Promise{storetest.ScopedKinds, storetest.Durability, ...}
//
// and each entry is a sentence of its documentation. No store can do without
// the rest: see Promise.
//
// # Hooks
//
// A hook makes happen what a law is about and no method can bring about: a
// compaction, a lost connection, a restore, a kind out of reach, a kind that is
// not served, another process. The hooks of Subject say what each has to do.
//
// Three hooks show what most stores get wrong:
//
//   - FailCommits lets the database refuse each commit, or do it and lose the
//     answer. A store reports the first as an error. It reports the second as an
//     error that says nothing of the object. Laws "commit/...".
//   - Outage lets the whole database fail. A read then answers neither ErrNotFound
//     nor a listing that ends early. Laws "outage/...".
//   - Second opens the same data in another handle. Each handle reads what the
//     other one writes, and its watches report that. Laws "second/...".
//
// A wrapper around the database's driver is a good place for the first two.
//
// # Laws that search
//
// Some mistakes show only at the right moment: between two commits, between a read
// and a fence, in the middle of a listing. The laws "search/...", and some of
// "second/..." and "outage/...", repeat a short round until Config.Search is over.
// The default is 2 seconds for each law. The flag -storetest.search=30s searches
// longer, without a change of the code.
//
// A round writes by several users at once. Then it demands that every watch knows
// all that they have left, that no fence was early, or that a fresh read succeeds.
//
// # UIDs
//
// UIDs must be unforeseeable. A user who knows the UID of the next object can refer
// to it before it exists. An engine reads that owner as absent, and deletes
// dependents of the real one later. The law "uid/unforeseeable" creates 64 objects.
// It finds counters, times, and counters behind a prefix. UUIDs of version 4 and 7,
// ULIDs and random text pass. A hash of a counter without a secret passes as well,
// although it can be foreseen.
//
// # Restores
//
// Each restore has an epoch, which every watch announces, in this process and in
// others. Another restore has another epoch. A restore also gives each object a
// version that it never had. A store that cannot do so names RaisedVersions: a
// delete that was judged before the restore may then remove an object whose owner
// is back.
//
// # Histories
//
// Laws are single promises. Where a bug needs several steps that no law takes,
// Test draws random histories with rapid, if every law is kept: subtest "model"
// compares the store and its watch with a map, subtest "engine" runs collectors
// on it, under faults of calls and of the watch, and asks the specification
// whether the end is permitted. A store that does nothing at the second deletion
// of an object with owners keeps every law, and the model prints
//
//	Get(pod/one/a): pod/one/a~[example.org/hold] -> node/b at version no. 3,
//	want pod/one/a~[example.org/hold,foreground] -> node/b
//	the model: "node/b; pod/one/a~[example.org/hold] -> node/b"
//	the steps:
//	  create node/b
//	  create pod/one/a[example.org/hold] -> node/b
//	  delete pod/one/a: background
//	  delete pod/one/a: foreground
//	the store: pod/one/a@4ON7QKR432OSW-2#3~[example.org/hold] -> node/b@4ON7QKR432OSW-1
//	to run it again: go test -run="TestStore/model" -rapid.seed=385
//
// That is a whole test case: ~ is the deletion mark, [] are finalizers, -> are
// owners (see graph.Parse). In the steps names stand for the UIDs and versions of
// the store, which differ from run to run. As they are, they stand in the last
// lines, with the store's own errors. rapid's file under testdata is run first
// from then on, until it passes: commit it.
//
// A history that fails is played again without some of its steps, and without
// what the others can do without, until nothing can be left out. Typical bugs
// need three to five steps. A step that begins with "cancelled:" is a call whose
// context ends before or while it runs. It stands there only if the failure needs
// it: look at how the store ends its transactions then.
//
// A failure that does not come back is one of time: two goroutines of the store
// have met in another way. Run with -race, and look at what the watch does while
// something is written.
//
// Fuzz is "model" under go test -fuzz. Package storetest/linear, a module of its
// own, judges whether many callers at once see one order: it finds reads that are
// stale for a moment, and writes that are acknowledged and lost.
//
// # How long it takes
//
// The laws take what your store takes for some ten thousand writes, and about 15
// seconds of search where all hooks are there. Patience is how
// long a red law waits, and what the first failure of a history does: set it to
// ten times what your watch needs at its slowest. A store in memory is well with
// 200 milliseconds. "model" searches for three times Patience at most, "engine"
// for two seconds, in a store's own time; -rapid.checks=N has each try N
// histories, however long that takes. What they find they shorten for
// -rapid.shrinktime, 30 seconds if it is not given, and wait then only as long as
// your store has been seen to need. Several forms of a history run at once then,
// each on a store of its own.
//
// # Outside of go test
//
// Check runs the same laws in any program, such as an admin command or a canary
// on a scratch namespace, and returns nil or a *Failure, which wraps ErrBroken,
// ErrUnproven or both; Judge returns the whole Report, which marshals to JSON.
// The package links testing and rapid, whose flags it registers: keep it in a
// command of its own, and out of what you ship.
//
// # What it cannot prove
//
// It looks from outside and tries what is likely to go wrong, so there are no
// false alarms, and there may be breaches that it does not meet: a race that
// needs another order, a power cut between two writes, a page of a listing that
// is lost behind the first thousand objects, a network that splits. Package
// internal/storebugs of the repository measures what it finds: each of some sixty
// mistakes in a store over SQLite. It cannot prove that
// a fence is never early, only that it was not when a watch was held and
// changes were pending. It takes the store's clock, disk and network as they
// are. It does not judge what Client lets users write, nor speed. Run it often,
// with -race, against the database that you deploy, and not against a stand-in.
package storetest
