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
// # Words
//
// One vocabulary tells a stuck object from a slow one. Explanations, counts, reports of held objects,
// metrics, pages and logs share it:
//
//	resting  nothing has to happen to the object
//	queued   the object waits for its turn at the engine
//	moving   the engine or a handler is at work for the object, or a period runs
//	blocked  the object waits for its dependents or members, and each of these has a word of its own
//	pending  the object waits for an actor outside, as is common in a deletion
//	stuck    a part outside has to be mended or changed
//
// A [Pace] follows the chain to its ends. So it has four of the words: queued counts as moving,
// and a blocked object has the word of its worst end. The Status of package engine looks at the object
// alone. It has all words but resting.
//
// An owner that waits is no such object. It has the class [Waiting], as in Kubernetes: it is
// being deleted in the foreground and waits for its dependents.
//
// # Text
//
// [Explanation.Text] speaks to a person. It spells a key as the commands read it, without its UID.
// [Explanation.Wide] adds the UIDs, and the flags of each reference in words.
//
// Each chain ends at one [End]. The reasons and doubts are those of packages policy and
// graph, and REASONS.md documents them.
package explain
