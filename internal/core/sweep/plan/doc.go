// Package plan answers the questions of a sweep from objects alone. A [Plan] tells the
// holders that an object names, the members of a holder, and the phase of each member.
//
// The answers are pure. The sweep machine of the engine finds the objects, and carries
// the deletions out.
package plan
