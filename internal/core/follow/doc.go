// Package follow keeps the members of one deletion, or of several together, for reports.
// Members are the roots and all objects that hang below them: dependents at all depths, members
// of a sweep whose holder is a member, and the content of a container that is one. An object in a scope owns in that scope alone.
//
// A walk in small steps finds the members, while the graph changes. Then each change of the
// graph adds and removes members. An object that is gone stays a member as long as
// references lead to it, because its dependents go with it. An object that loses its last
// way to the root and stays is no longer a member.
//
// A member may go before the follower begins. References then lead to its node, which no longer has
// owners. A scan finds such nodes by the roots of their deletions, which package history keeps, and
// by the owners at each end. If both are forgotten, the node counts as a member that is gone. A
// report may then wait for other deletions.
//
// References may form rings, so a count of references cannot tell whether a way is left.
// Each member therefore has a depth, and a way that it knows leads only to smaller depths.
// If a member loses that way and has another reference to a member, a second walk builds
// the set anew, in steps as well.
//
// All of this is for reports: no decision reads it, and no fingerprint has it.
package follow
