// Package cycle finds foreground deletions that wait for themselves. In such a cycle each
// object waits for its dependents, and one of these is an owner of the object. The cycle
// would wait forever, so the engine unblocks the references inside of it.
//
// The package implements the decision of the rules about rings. The engine breaks a cycle
// only when every member waits, and every member has the same version before and after a
// fence. The fence began after the discovery of the cycle.
//
// The engine reports each waiting object that dependents hold. The Detector suspects the
// object of a cycle if it blocks a waiting owner, too. A search over the graph begins
// when the engine is quiet, and goes on in slices. The next decision about a member asks
// for its confirmed references.
package cycle
