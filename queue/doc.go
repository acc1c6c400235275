// Package queue schedules keys: a keyed work queue for a program that does no I/O. Use it where a
// test has to choose the time and the order of each step. The engine asks it for the next node to
// decide. It knows neither nodes nor graphs.
//
// # Passive
//
// A [Queue] starts no goroutine, has no lock and reads no clock. Time is a parameter, and
// a call never blocks. The caller asks [Queue.Next] for a key. Without a key [Queue.Due]
// gives the time of the next call. Equal calls give equal answers, [Queue.Clone] copies the
// whole state, and [Queue.Entries] lists it. A checker can therefore try every order of
// calls.
//
// The queue has keys, never events. A key means "look at this". The receiver of a key
// looks at the present state. A key with two requests is handed out once. A needless key
// costs time, never correctness.
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
// A key waits with at most one request. It merges all requests since the key was last
// taken, and has their earliest time and their highest priority. A key in flight is not
// handed out a second time. Its new requests take effect at its [Queue.Done].
//
// [Queue.Retry] counts an attempt and requests the key after a backoff, before or after
// Done. The queue remembers the attempts of a key that waits for nothing (idle). It forgets
// them at [Queue.Forget], after a success, or at [Queue.Drop], when the named thing is gone.
//
// # Order
//
// The queue hands out ready keys by priority, and within one priority in the order in which
// they became ready. A priority with ready keys that was passed over 64 times in a row has
// the next turn, and two of them may be so at once. A lower priority therefore advances under any
// load: each priority with ready keys gets at least one of any 66 keys.
//
// Next makes at most 256 due keys ready in one call. If more keys fall due at one time,
// because the process was asleep, the later ones follow with the next calls. A high one
// among them waits until then.
//
// # Cost
//
// Add, Next and Done take constant time. So does a call with a delay that ends after nearly
// all others, and any other delay takes O(log n). Up to 1024 keys, a queue that was filled once no
// longer allocates. Beyond that it grows and shrinks in pages of 256. Its index alone grows by
// copying, in amortized constant time, and [Config].Number avoids the index. The queue gives memory
// back when 2,048 places are unused, and fifteen sixteenths of the index. A queue of at most 8 keys
// has no index, and a clone of it takes at most three allocations.
//
// Three steps take the time of a cycle. Each call finds the slot of the key and links it
// into its list. The time parameter has 24 bytes, which are compared if a key is delayed.
//
// # Differences from client-go's workqueue
//
// Deduplication, exclusion of keys in flight, delayed adds and exponential backoff for each
// key are the same. The rest differs on purpose:
//
//   - In client-go Get blocks, a goroutine waits for delays, and the queue has a shutdown.
//     Here the caller does all that, so a test can choose each order of calls.
//   - In client-go all retries of a queue share, by default, one bucket of ten a second. A
//     thousand conflicts of one cascade then delay every other key. Here a key waits for
//     its own failures only. The client of a store limits the rate for the store.
//   - In client-go keys that fail together return together. Here each delay has a jitter from
//     the key and the attempt. The keys are spread out, and the same in each run.
//   - In client-go the longest delay is by default 1000 seconds. Here it is five minutes.
//   - In client-go adding a delayed key leaves the delay in place, and the key comes a second
//     time. Here Add ends the delay.
//   - In client-go a key cannot be taken back. Here Drop removes it.
//   - In client-go all keys are equal, unless the user brings a queue. Here an owner with
//     waiting dependents goes before thousands of leaves.
//   - In client-go a map that had a burst keeps its size. Here memory comes back.
//
//test:by TestFairness TestNoClassStarves TestDueInBatches TestSteadyStateAllocatesNothing TestRoomComesBack
package queue
