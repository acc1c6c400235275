// Package measure has the measurements of both collectors. A Side is one of them. A row
// gives each side the same objects, in the same order, on the same server. It takes the
// same figures of both, and checks the end state.
//
// A row runs in a process of its own, which answers with one line of JSON. The names of
// rows, parameters and metrics never change, since -against compares the programs of
// two commits by them.
package measure
