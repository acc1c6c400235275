// Package lattice holds the house rules of the repository as tests. It has no
// code that another package imports.
//
// The rules cover these subjects:
//   - the import order, and the machines' place in it
//   - the packages that stay pure, and the functions that answer a question
//   - the modules that the core requires
//   - the length of files and functions, and the size of the root package
//   - the words of identifiers, and the prose of comments and Markdown
//   - the public API
//
// Each rule is a function from parsed files to findings, in a file of its own.
// A sample below testdata/bad proves that the rule can fail.
//
// Some rules have exceptions in testdata. A list of exceptions only shrinks: an
// entry that is no longer needed fails the test. The flag -update removes such
// entries and lowers the ratchets.
package lattice
