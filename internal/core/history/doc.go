// Package history keeps the last deletions that the watch has shown, and the root of each.
//
// An entry has the object as it was and the time of its end. For an object that this engine
// deleted it has the proof: the version, the owners with their UIDs, and the evidence for
// each (RULES, X4). The entries are bytes in a ring, so they cost the garbage collector
// nothing. The memory is bounded by the number of entries and by their bytes.
//
// The root of an object is the object whose deletion began its own (RULES, Root). The
// node state has the number of a set of roots. The sets are in a ring, too: a set that
// fell out of it is forgotten, and its objects have the nearest absent owners instead.
//
// All of this is for reports, with one exception: the roots of objects name the cascades of the
// brake. No other decision reads any of it. A fingerprint has the roots if there is a brake.
package history
