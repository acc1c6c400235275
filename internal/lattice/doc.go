// Package lattice holds the house rules of the repository as tests: who may
// import whom, what the pure packages may use, which modules are required, how
// long files and functions get, and what the public API is. It has no code that
// anything could import.
//
// Each rule is a function from parsed files to findings, in a file of its own,
// and each is proven to fail on a sample below testdata/bad.
package lattice
