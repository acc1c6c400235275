// Package group divides the work on one store among the collectors of a group (RULES, H1). Each
// collector observes every object, and writes to the objects of its own part. So n collectors share
// the writes, the reads and the handlers.
//
//	collector, err := ownergraph.New(store, ownergraph.Config{})
//	...
//	member, err := group.New(collector, coordinator, group.Config{Logger: logger})
//	...
//	go member.Run(ctx)
//	err = collector.Run(ctx)
//
// A [Membership] makes the collector a member with a lease while the collector can work. A
// [Coordinator] keeps the leases in a system that the program has anyway: Kubernetes
// (adapters/clientgo), etcd (adapters/etcd), a database (adapters/sql), or one process
// (adapters/memory). There is no leader, and no member speaks to another.
//
// # Sets
//
// Each member computes its set from the names of all members, by rendezvous hashing: see package
// share. Members that know the same names agree. When a member comes or goes, the others learn of
// it with their next renewal. On average 1/n of the UIDs move then. A member that comes to others
// begins to write after its second renewal, because the others write to its part until they learn of
// it. A group has at most 1,024 members.
//
// From [New] on the group alone decides the set. The collector writes nothing until its first lease
// begins, and after the Run of the membership has ended.
//
// # Cost and safety
//
// A lease decides cost, and never safety. Every write names the UID and the version of its object.
// Two members with one part cost refused writes, and may run a handler twice. A part without a
// member waits. So a wrong clock, a split network or a stopped process costs writes or time, and
// never an object.
//
//   - A lease costs one call of the coordinator for each renewal, by default every 5 s. It costs no
//     call of the store.
//   - A member that cannot renew writes until its lease ends, by its own monotonic clock. The lease
//     counts from the beginning of the last successful renewal. No other member has its part before.
//   - The brake bounds each collector for itself, in proportion to its set.
//
// # States
//
//	out      the collector cannot work: its Run has not begun or has ended, it is not synced, the
//	         watch is down, everything is paused, or the record is unknown. It has no set
//	joining  the collector can work, and its first renewal has not succeeded. With other members, also
//	         the second one
//	member   the lease is in force, and the collector writes to its set
//	lost     the lease has ended without a renewal, or the name is taken. The renewals go on
//
// A collector joins when it is synced. Sick kinds do not keep it out for ever. It joins after a
// minute in which all kinds without a listing are sick, if it works on another kind. A member keeps
// its share while it works on a kind. [Membership.Status] has the state, the reason, the members
// and the UIDs without a working member.
//
// # Operation
//
//   - Give all members one Config.Lease and one Config.Renew. A shorter lease costs more calls, and
//     a longer one costs time after a crash. The default of 15 s suits most programs.
//   - At a regular end the member leaves. The others have its part with their next renewal.
//   - After a crash the part waits for at most a lease and a renewal. In Kubernetes it is one renewal
//     more, because each member sees a Lease with its own renewals, and counts from then.
//   - A pause of everything gives the share up within a second, and a resume takes it again. So
//     does a watch that breaks. Other pauses change no set. With a record (Config.Record of the
//     collector) a pause of everything pauses all members.
//   - A stopped process (SIGSTOP, a machine that sleeps) has no share when it goes on, unless the
//     clock has stood still, too. It then writes to its old set for the rest of its lease.
//   - Wall clocks do not count. Members whose clocks differ by minutes divide the work all the same.
//   - Of two members with one name the later one gets [ErrTaken]. It writes nothing, and tries again
//     with each renewal. A fixed name waits for the old lease after a crash. The default name has
//     random digits, so it never waits.
//   - A renewal may take effect although its answer is lost. After three of them in a row a member without
//     a lease leaves, and waits for the time of a lease. So the others have its part for most of the time.
//   - A coordinator without rights is an error in the status and the log, and the collector writes
//     nothing. The tries go on, at least once in a lease.
//   - New refuses a collector that only observes, since its part would wait.
//
// # Logs
//
// Config.Logger receives a line for each change of the set, and for each change of the cause of a
// wait. The levels are those of package engine. Every line has the attribute member.
//
//	attr member  the name of the member
//	attr share   the set, in the words of package share
//	attr cause   the cause for which the collector has no share
//	attr count   the number of members
package group
