// Package dense stores values by small numbers, such as the ids of nodes. The queue keeps
// its slots in it, and the engine keeps rare data beside its graph. It hashes nothing. No
// step costs more than a page of a few kilobytes, and the memory goes with the last
// value.
package dense
