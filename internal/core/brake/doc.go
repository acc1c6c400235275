// Package brake bounds the deletes of each cascade, and the deletes of all cascades in a time
// (RULES, G5).
//
// A cascade has the key of its root. Before the first delete of a cascade the machine walks
// the graph below the root, and counts the objects that the cascade would delete. The walk
// stops behind the limit. A cascade with more objects trips, and none of them is deleted. A
// small cascade is counted within one decision. A large one is counted in steps, and its
// objects wait for that. Objects that come later count too: a cascade trips before the first
// delete beyond the limit.
//
// An object may have roots that are not known, because the history has left them out. Such an
// object counts in the cascade LeftOut too, which holds it until a user approves it.
//
// A user approves a cascade that has tripped, or refuses it. An approval lasts until a time,
// and for a number of deletes. When it is over, the cascade trips again.
//
// The window is a bucket of tokens for all cascades together. It begins empty. An object
// that finds it empty waits in a queue. The machine has no more objects decided at once than
// there are tokens.
//
// The count waits for listings under way. It leaves out the kinds that are sick and were never
// listed. If one of them comes back, a cascade within the limit is counted anew.
//
// The machine remembers a bounded number of cascades. It forgets those that have ended
// before others, and those with few deletes before those with many. All cascades of one object
// are remembered together. While each of them has objects that wait, or calls under way, the
// objects of further cascades wait.
package brake
