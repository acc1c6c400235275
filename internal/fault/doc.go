// Package fault puts faults between an engine and any Store. Its Store is a
// decorator, and a Plan lists the faults and their occasions.
//
// A Plan is one line. Every failure prints it, and ParsePlan reads it. For a given
// order of calls and events, a Plan always causes the same faults. It reads no
// clock, and its only random source is its own seed.
//
//	seed=7 conflict/4x3 drop@2 hang@5
//
// This plan has three rules. One write in four begins a series of three conflicts.
// The second change that the watch reports is lost, until a new listing of its
// kind. The fifth call hangs. The constants of Fault define the occasions.
//
// Some faults keep the contract of a Store. The engine keeps all its promises under
// them. The other faults break the contract, and show that a kit finds them.
//
// # Faults of a watch
//
// A watch with faults keeps the contract of a watch. A gap ends with a new listing
// of the kind. Fences that passed during the gap are reported after that listing.
// The watch reports that a kind is out of service as sick, or as vanished.
//
// # Clock and crashes
//
// A decorator can neither move a collector's clock nor end its process. Jump and
// the three crashes call a hook of Config instead, at the occasion that the plan
// names. Without the hook they do not happen.
package fault
