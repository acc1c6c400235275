// Package figures has the parts that all benchmarks of this repository share: the
// median of several rounds, the order of the sides in a round, and the printers of a
// table. The in-process benchmark (internal/proof/bench) and the benchmark on a real server
// (internal/proof/e2e/figures) are modules of their own. Both import this package.
package figures
