// Package lattice has the house rules of the repository as tests. It has no
// code that another package imports.
//
// There are rules for the import order, for pure packages and for the modules
// that the core requires. There are rules for the size of files, functions and
// the root package. Others check the public API, the words of identifiers, and the
// prose of comments and Markdown.
//
// Each rule is a function from parsed files to findings, in a file of its own.
// A sample below testdata/bad proves that the rule can fail.
//
// Some rules have exceptions in testdata. A list of exceptions only shrinks: an
// entry that is no longer needed fails the test. The flag -update removes such
// entries and lowers the ratchets.
package lattice
