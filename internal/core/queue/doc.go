// Package queue says when to look at a key: a keyed work queue for an engine
// that does no I/O.
//
// # Passive
//
// A [Queue] does nothing by itself. It starts no goroutine, holds no lock and
// reads no clock: time is a parameter, and a call never blocks. The caller asks
// [Queue.Next] for a key; if there is none, [Queue.Due] says when to ask again.
// Equal calls give equal answers, [Queue.Clone] copies the whole state, and
// [Queue.Entries] shows it, so a checker can try every order of calls.
//
// The queue holds keys, never events. A key means "look at this": whoever takes
// it looks at the world as it is then. So a key that is asked for twice is
// handed out once, and a key too many costs time, never correctness.
//
// # The life of a key
//
// A key is ready, delayed, in flight, or unknown.
//
//	        Add                  Next                 Done
//	unknown ----> ready ------------------> in flight ----> unknown
//	   |            ^                           |
//	   | AddAt      | its time has come, or Add | Done, asked for meanwhile
//	   v            |                           v
//	delayed --------+                     ready or delayed
//
// A key waits with at most one request, merged from all since the key was last
// taken: the earliest time and the highest priority of them, whichever came
// first. A key in flight is never handed out a second time; what is asked of it
// meanwhile holds from its [Queue.Done] on.
//
// [Queue.Retry] counts an attempt and asks for the key after a backoff, before
// or after Done. A key with attempts is remembered when it waits for nothing
// (idle), until [Queue.Forget] after a success, or [Queue.Drop] when the thing
// that it names is gone.
//
// # Order
//
// Ready keys are taken by priority, and within one priority in the order in
// which they became ready. A priority with ready keys that was passed over 64
// times in a row has the next turn, so a lower one advances under any load: of
// any 66 takes at least one is its own. Held by TestFairness and
// TestNoClassStarves.
//
// Next makes at most 256 due keys ready in one call. When more fall due at one
// time (the process was asleep), the later ones follow with the next calls, and
// until then a high one among them waits. Held by TestDueInBatches.
//
// # Cost
//
// Add, Next and Done take constant time, and calls that concern a delay
// O(log n). Up to 1024 keys a queue that was filled once allocates nothing any
// more, whatever the keys; beyond that it grows and shrinks in pages of 256, and
// only its index does so as a slice does, by copying, in amortized constant time,
// unless [Config].Number does without one. Memory comes back when 2,048 places
// are unused (fifteen sixteenths of the index). Held by
// TestSteadyStateAllocatesNothing and TestRoomComesBack. A queue that stays at
// no more than 8 keys has no index but its slots, so it is cloned with three
// allocations or fewer.
//
// What takes the time of a cycle is finding the key's slot, once for each call;
// linking it into its list; and the time that is passed in, 24 bytes that are
// compared where something is delayed. BenchmarkCycle and BenchmarkDrain show
// them.
//
// # What differs from client-go's workqueue
//
// Deduplication, exclusion of keys in flight, delayed adds and exponential
// backoff for each key mean what they mean there. The rest differs on purpose:
//
//   - There, Get blocks, a goroutine waits for delays, and shutting down is part
//     of the queue. Here all that is the caller's, which makes each order of
//     calls one that a test can choose.
//   - There, all retries of a queue share, by default, one bucket of ten a
//     second, so a thousand conflicts of one cascade hold up every other key.
//     Here a key waits for its own failures only. To spare a store is its
//     client's business.
//   - There, keys that fail together return together. Here each delay has a
//     jitter from the key and the attempt: spread out, and the same in each run.
//   - There, the longest delay is by default 1000 seconds. Here it is five
//     minutes.
//   - There, adding a delayed key leaves the delay in place, and the key comes
//     a second time. Here Add ends the delay.
//   - There, a key cannot be taken back. Here Drop removes it.
//   - There, all keys are equal unless one brings a queue of one's own. Here an
//     owner that others wait for goes before thousands of leaves.
//   - There, a map that held a burst keeps its size. Here memory comes back.
package queue
