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
//	seen:     the watch reported ...
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
// red line of its own: mend the first and run again. A law is never passed for
// want of trying.
//
// A law is not owed if its level is above the store's (fences and rewinds are
// owed from level 2 on), if the store has not the optional power that it is
// about (a store that is no ownergraph.Lister owes no "list/..."), or if
// Config.Lacks names it. An empty Lacks is the strictest: what cannot be shown is
// not claimed. A store in memory, with one flat space of names, says
//
//	Lacks: []storetest.Promise{storetest.ScopedKinds, storetest.Durability, ...}
//
// and each entry is a sentence of its documentation. What every store has to
// keep cannot be lacked: see Promise.
//
// # Hooks
//
// A hook makes happen what a law is about and no method can bring about: a
// compaction, a lost connection, a restore, a kind out of reach, a kind that is
// not served, another process. The hooks of Subject say what each has to do.
//
// # Histories
//
// Behind the laws, Test draws random histories with rapid, and shrinks the one
// that fails: subtest "model" compares the store and its watch with a map,
// subtest "engine" runs collectors on it, under the faults of package
// storetest/fault, and asks the specification whether the end is permitted. The
// flags -rapid.checks, -rapid.seed and -rapid.failfile are rapid's; commit the
// failure files that it writes to testdata. Fuzz is "model" under go test -fuzz.
// Package storetest/linear, a module of its own, judges whether many callers at
// once see one order.
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
// is lost at the thousandth object, a network that splits. It cannot prove that
// a fence is never early, only that it was not when a watch was held and
// changes were pending. It takes the store's clock, disk and network as they
// are. It does not judge what Client lets users write, nor speed. Run it often,
// with -race, against the database that you deploy, and not against a stand-in.
package storetest
