// Package live carries out deletions on a copy of a cluster in memory, and shows their
// progress and results to a person. Commands share it. They embed the store and the
// collector, and hand both to a [Session].
package live
