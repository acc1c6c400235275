// Package fault puts faults between an engine and any Store: a decorator, and a
// Plan that says which faults happen when.
//
// A Plan is one line, printed with every failure and read back by ParsePlan. For
// a given order of calls and events it always does the same: it knows no clock
// and no random source but its own seed.
//
//	seed=7 conflict/4x3 drop@2 hang@5
//
// is a storm of three conflicts at one write in four, an event lost at the second
// occasion, and a call that hangs at the fifth. What is an occasion for which
// fault says Fault.
//
// Faults that keep the contract are what every store may do to an engine: under
// them no promise of the engine falls. The others break the contract, and are
// there to show that a kit finds them.
//
// # How a watch loses what it may lose
//
// What this package takes from a watch, it gives back as the contract demands: a
// gap ends with a new listing of the kind; fences that passed within the gap are
// reported behind that listing, not before; a kind out of service is sick, or
// vanished, by the watch's own word. Held by TestFaultsKeepTheContract.
//
// # Clock and crashes
//
// A decorator can neither turn a collector's clock nor end its process. Jump and
// the three crashes call a hook of Config, at the moment the plan names, and do
// not happen where there is none.
package fault
