// Package storetest checks that a Store keeps its contract. It runs in your own
// CI, against your own database. Package ownergraph documents the promises of an
// engine on such a store.
//
// # Test your Store in ten lines
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
// The page docs/store-laws.md has all laws by level. Read it before you write a store.
//
// New makes an empty store. Client has the writes of the store's users, which
// are not among the four methods of a Store. It creates an object, sets the
// owners and finalizers of an object, and deletes an object. Run the test with
// -race. Bench and Check take the same Config.
//
// A store in a file needs a directory. A TB has none, because a fuzz target must
// not ask its *testing.F for one:
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
// Restart takes three more lines: open the same path again.
//
// The first run is red. It names the missing hooks, law by law, each with the
// two ways to go on. Write the hooks that your database can support, and put the
// other promises into Without. Every law that is still red is a bug.
//
// # The results
//
// A law is one small duty of a store, named by its promise: "read/fresh",
// "watch/listing-complete", "fence/not-early". Each law runs on a store of its
// own, in a subtest of its own, so -run selects it. A red line has the expected
// and the seen state, with objects in the notation of package graph. It also
// says how an engine would fail on such a store, and explains the notation:
//
//	law watch/compaction is broken
//	expected: a watch that is behind a compaction knows pod/one/kept@u1#4[example.org/more]; pod/one/new@u3#5
//	seen:     missing: pod/one/new@u3#5
//	why it matters: a watch that is behind a compaction finds the deleted changes only by a new listing
//	the notation: kind/scope/name@UID; #v version v; [x] finalizers
//
// Every law ends in one Outcome:
//
//	kept        the store kept the law, as far as the kit tried it
//	broken      the store broke the law, and the test fails
//	not proven  the store owes the law, and the kit could not try it; the test fails
//	not owed    the store does not promise the law
//
// A law is not proven in three cases:
//
//   - A hook of Subject or a kind is missing.
//   - The Client fails in the set-up.
//   - The law rests on a broken law. Such a law has no red line of its own, so
//     the first red line is the cause. Repair it and run again.
//
// The kit prints each broken law once. A law that the kit did not try never
// counts as kept. A summary is the last text of the test. It counts the laws, and
// ends with the law to mend first, with its diagnosis.
//
// The first red law is the cause for each broken store of this package's tests. A
// race may break another law first. If the laws "watch/every-change" or
// "search/every-write" are red as well, mend those first.
//
// A law is not owed in three cases:
//
//   - Its level is above the store's. Fences and rewinds are owed from level 2
//     on, and refused references from level 3 on.
//   - The store lacks the optional power of the law. A store that is no
//     ownergraph.Lister owes no "list/...". A store that is no ownergraph.Batcher, or
//     whose MaxBatch is below 2, owes no "batch/...". A store that is no
//     ownergraph.Records owes no "records/...". A store that is no archive.Store, or
//     whose HasArchive is false, owes no "archive/...".
//   - Config.Without names its promise.
//
// An empty Without is the strictest setting. A store in memory, with one flat
// space of names, sets
//
//	Without: []storetest.Promise{storetest.ScopedKinds, storetest.Durability, ...}
//
// Repeat each entry in the documentation of the store. Every store owes the
// other laws: see Promise.
//
// # Hooks
//
// A law may be about an event that no method of a Store can cause. Such events
// are a compaction, a lost connection, a restore, a kind out of reach, a kind
// that is not served, and another process. A hook of Subject causes the event.
// Its documentation defines the event.
//
// Three hooks find the mistakes of most stores:
//
//   - FailCommits makes the database refuse each commit, or do the commit and
//     lose the answer. A store reports a refused commit as an error. It reports
//     a lost answer as an error that says nothing about the object. Laws
//     "commit/...".
//   - Outage makes the whole database fail. A read then must not return
//     ErrNotFound, and a listing must not end early. Laws "outage/...".
//   - Second opens the same data in another handle. Each handle reads the writes
//     of the other one, and its watches report them. Laws "second/...".
//
// A wrapper around the database's driver is a good place for the first two.
//
// # Arguments
//
// A call only reads the memory of its arguments, and keeps no reference to it. The
// laws "argument/...", "batch/argument" and "records/argument" lend each call its
// lists in arrays with more room: owners, finalizers, the lists of a change, the
// writes of a batch, the value of a record. They look at the whole array after each
// call, also after a refused or cancelled one. In the law "argument/together" several calls use the
// same lists at once. Every other law hands the store copies. So a store that writes into its
// arguments breaks the laws of arguments alone.
//
// # References
//
// A store stores a reference to an owner whose place it cannot tell as Unresolved, or
// it refuses the write. That is so for a kind that is not served. It is also so for an
// owner of a scoped kind without a scope, if the dependent is global. The laws
// "reference/..." and "batch/reference" write such references in every way. They do
// so for kinds that never existed, that have vanished, and that are out of reach. They
// look again after the return of the kind. A store without scoped kinds can tell every
// place. Its writes only have to agree with each other.
//
// # Laws that search
//
// Some mistakes show only at the right moment: between two commits, between a
// read and a fence, in the middle of a listing. The laws "search/...", and some
// of "second/..." and "outage/...", repeat a short round until Config.Search is
// over. The default is 2 seconds for each law. The flag -storetest.search=30s
// searches longer, without a change of the code.
//
// In a round, several users write at once. After the round, every watch must
// know all their objects, no fence may have been early, and a fresh read must
// succeed.
//
// # Contexts that end
//
// A context may end at any moment of a call. The laws "cancel/...", "batch/cancelled"
// and "records/cancelled" try many of them. The kit counts how often the store looks at
// its context, by Done or Err, and then ends the context at one look after another. It
// also ends contexts after random times, and when a watch shows the write.
//
// An error of the context is always a right answer. So is every other error without a
// meaning of its own. These answers are lies:
//
//   - ErrNotFound or ErrKindUnknown, for an object that was there.
//   - ErrConflict, if the precondition held and no other client wrote.
//   - ErrRefused, ErrInvalid, or an error with a method RetryAfter, if the write was
//     done. Such an error says that nothing is done.
//   - Success, if the write was not done. The same is true for a page or a listing that
//     broke off, and for a fence that did not begin.
//
// A red law shows the object before the call, the call, the moment, the answer and a
// read after it:
//
//	law cancel/answer is broken
//	expected: a write whose context ends proves no absence: the kind was served, and the object there
//	seen:     before:     app/one/w2@GKT7#5[example.org/hold]
//	          the call:   Patch: add finalizer example.org/more
//	          its context: it is cancelled when the store looks at it for the 2nd time
//	          its answer: patch: not found
//	          a read:     app/one/w2@GKT7#6[example.org/hold,example.org/more]
//
// The usual cause: after an error of the last step, the store looks at a number of rows
// that it did not get. Return the error of the context, wrapped, from every step whose
// outcome is unknown.
//
// # Memory
//
// The lists of an event, a read or a page belong to the receiver. The receiver changes
// them, and the store must not notice. The store must not change them either, nor the
// arguments of a call. In the laws "alias/..." a sink overwrites its events in several
// ways, and its own watch has to go on. The law "alias/kept" keeps all lists, and
// compares them after each later write. Copy a list before it goes out.
//
// # Listings and changes
//
// A watch reports no state of an object behind a newer state, and none behind the
// object's end. Otherwise its version falls, or a UID comes back, and the engine takes
// that for a restore. This is also true in and around listings. A store breaks it that reads the
// position of its changes first, and lists in a later transaction. Read both from one
// snapshot, or leave out the changes that the listing has brought. The laws
// "watch/not-back" and "search/not-back" write during the beginning of a watch.
//
// The order is that of one incarnation. A state may come twice. A watch may report a
// former incarnation behind the present one, if it has not reported the end of the former
// one. It may report an object that came and went before the listing, with its end.
//
// # UIDs
//
// UIDs must be unforeseeable. A user who knows the UID of the next object can
// refer to it before it exists. An engine reads that owner as absent, and
// deletes dependents of the real one later. The law "uid/unforeseeable" creates
// 64 objects. It finds counters, times, and counters behind a prefix. UUIDs of
// version 4 and 7, ULIDs and random text pass. A hash of a counter without a
// secret passes as well, although it can be foreseen.
//
// # Restores
//
// Each restore has an epoch, which every watch announces, in this process and in
// others. Another restore has another epoch, also if it restores the same backup. So
// draw the epoch at random during the restore. An epoch that is computed from the
// backup, or saved in it, breaks the law "rewind/again". A restore also gives each object a
// version that it never had. A store that cannot do so names RaisedVersions in
// Without. A delete that was judged before the restore may then remove an object
// whose owner is back.
//
// # Level 3
//
// A store that claims level 3 owes the laws "level3/...". It refuses a new
// reference to an owner that does not exist, or that is in a foreground or orphan
// deletion. See ownergraph.Leveler. The law "search/level3" marks owners while
// other users add references. After the mark, no new dependent may appear. A
// store that checks the owner before its transaction breaks this law (write skew).
// The law "second/level3" does the same with two handles. So a mutex in the
// process is not enough. The subtests "model" and "engine" judge such a store by
// its stronger promise. A Kubernetes API server cannot offer level 3.
//
// # Histories
//
// A law is a single promise. Some bugs need several steps that no law takes. If
// the store keeps every law, Test draws random histories with rapid. Subtest
// "model" compares the store and its watch with a map. Subtest "engine" runs
// collectors on the store, under faults of calls and of the watch. It then asks
// the specification whether the end is permitted. A store that ignores the
// second deletion of an object with owners keeps every law, and the model prints
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
// The steps are a whole test case: ~ is the deletion mark, [] are finalizers, ->
// are owners (see graph.Parse). In the steps, names stand for the UIDs and
// versions of the store, because those differ from run to run. The last lines
// have the store's UIDs, versions and errors. Package rapid writes a file under
// testdata, and runs it first until it passes. Commit that file.
//
// The kit shortens a failing history. It leaves out steps, and parts of steps,
// until every remaining part is needed. Typical bugs need three to five steps. A
// step that begins with "cancelled:" is a call whose context ends before or
// during the call. Such a step remains only if the failure needs it. In that
// case, look at how the store ends its transactions.
//
// Some failures depend on the timing of two goroutines of the store, and do not
// come back. In that case, run with -race, and look at how the watch reads
// during a write.
//
// A failure of "engine" prints a plan of faults for each collector, such as
//
//	seed=0 drop@2 conflict/4x3 late@1
//
// Here drop@2 loses the events of a kind from the second change on, until a new
// listing. The rule conflict/4x3 begins a series of three conflicts at one write
// in four. The rule late@1 answers the first write with an error, and makes it a
// little later.
//
// Fuzz is "model" under go test -fuzz. Package storetest/linear is a module of
// its own. It checks whether concurrent callers see one order of the calls. It
// finds reads that are stale for a moment, and acknowledged writes that are
// lost.
//
// # Time
//
// The laws take as long as some ten thousand writes of your store. The laws that
// search take about 15 seconds more, if all hooks are there. Patience is the
// time that a red law waits, and that the first failure of a history takes. Set
// it to ten times the longest time that your watch needs. For a store in memory,
// 200 milliseconds are enough.
//
// Subtest "model" searches for at most three times Patience, and "engine" for
// two seconds. With -rapid.checks=N each of them tries N histories, however long
// that takes. The kit shortens a failing history for at most -rapid.shrinktime,
// which is 30 seconds by default. It then waits only as long as your store was
// seen to need. It runs several forms of the history at once, each on a store of
// its own.
//
// # Outside of go test
//
// Check runs the same laws in any program, such as an admin command or a canary
// on a scratch namespace. It returns nil, or an error that wraps ErrBroken,
// ErrUnproven or both. Judge returns the whole Report, which marshals to JSON.
// The package links testing and rapid, and registers their flags. Keep it in a
// command of its own, outside of the programs that you ship.
//
// # Limits
//
// The kit tests a store from outside, so it gives no false alarms. It tries the
// likely mistakes, and it can miss others. It can miss a race that needs another
// order, a power cut between two writes, or a network that splits. It can miss a
// page of a listing that is lost after the first thousand objects. Package
// internal/proof/storebugs of the repository measures which of some seventy mistakes in
// a store over SQLite it finds.
//
// The kit cannot prove that a fence is never early. It only shows that no fence
// was early while a watch was paused and changes were pending. It does not test
// the store's clock, disk and network. It judges neither the validation in
// Client nor speed. Run it often, with -race, against the database that you
// deploy, and not against a stand-in.
package storetest
