// Package own has the share of one engine (RULES, H1): the UIDs to whose objects it may write.
//
// A share withholds calls, and does nothing else. An object outside of it is foreign. The engine
// observes a foreign object, counts it, and asks for nothing on its behalf.
package own
