// Package offline answers questions about objects that are given as data: explanations and
// plans. A collector that only observes decides on a copy in memory, so only the engine
// decides. Nothing is written to the store that the objects come from. Commands share the
// package.
package offline
