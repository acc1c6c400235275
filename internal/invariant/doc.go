// Package invariant judges each write of an engine by what really happened in
// the store, which no engine can see. It keeps, for every object, what its
// owners were at any instant since the object's version was committed, and what
// a deletion mark protects.
//
//	S1   an object is deleted only if each owner of it is absent, or was waiting
//	     at some instant since the deleted version was committed
//	S1b  an object without owners, itself aside, is never deleted
//	S1c  at one instant since then, none of its owners was solid
//	S2   an owner that orphans disappears only after every reference that was
//	     committed before its mark is gone, and no such dependent is deleted
//	     because of it
//	S3   an owner that waits ends only after every blocking reference that was
//	     committed before its mark is gone or blocks no more
//	S3t  such a reference is trimmed only if the owner waited while another owner
//	     was solid, or dropped if the owner was orphaning since
//	S3r  it is unblocked only inside a ring of waiting objects
//	S4   a reference is dropped only if its owner is absent, or was waiting or
//	     orphaning at some instant since the version was committed
//	S5   every write carries UID and version
package invariant
