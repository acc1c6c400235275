// Package explain has the words of an explanation: the answer to the question why an
// object stays, goes, or waits. Collector.Explain of package ownergraph makes explanations
// from the engine's own state. This package only keeps, prints and reads them.
//
// An explanation states four facts (laws X1 to X3 of the design):
//
//   - the decision that the engine's own path has for the object now
//   - for each owner its class, the evidence for it, and the time of that evidence
//   - the chain of conditions for which the object waits, to the ends of the chain
//   - whether the object is stuck or slow, with the next actor
//
// For an object that is gone, [Deletion] has the object as it was and the proof of the
// engine's delete (law X4).
//
// Each chain ends at one [End]. The reasons and doubts are those of packages policy and
// graph, and REASONS.md documents them.
package explain
