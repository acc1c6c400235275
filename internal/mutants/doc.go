// Package mutants puts faults into the engine's own source and asks the suites to
// notice: what no suite notices, no suite holds.
//
//	go run ./internal/mutants/cmd/mutants -seeded
//	go run ./internal/mutants/cmd/mutants -generic
//
// Seeded bugs (Bugs) break one rule each: a rule of a decision, of evidence, of
// the work, or a real case of another collector. Each names the methods that must
// kill it. Generic mutants (Mutate) are small changes of syntax in the pure
// packages and the code of evidence, drawn by seed; those that no suite kills are
// argued in testdata/survivors.txt, or are a gap.
//
// The tree is never touched: a mutant is one changed file in a scratch directory,
// given to the go command by -overlay. A suite is built once for a mutant and
// run as a program; an exit status other than 0 is a kill, and so is a hang.
// A suite that fails without any mutant would kill them all, so each one is
// first run on the source as it is.
//
// The mutator is our own: the tools that exist change files in place or copy the
// module, and know one suite, that of the package. Here most faults show only
// two packages away.
package mutants
