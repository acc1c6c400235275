// Package portion says which of its cases a test runs. By default a test with many cases runs
// a fixed share. The command go test work then ends within minutes on a slow machine.
// With the flag -whole a test runs every case. Only tests import this package.
package portion

import "flag"

var whole = flag.Bool("whole", false, "run every case of the tests that run a share of them by default")

// Whole reports whether a test runs every case. The flags are parsed.
func Whole() bool { return *whole }

// Of returns the cases that a test runs: one in n, beginning with the first. With -whole it
// returns all cases. The share is by number, so it is the same on every machine.
func Of[T any](n int, cases []T) []T {
	if *whole || n <= 1 {
		return cases
	}
	var some []T
	for i := 0; i < len(cases); i += n {
		some = append(some, cases[i])
	}
	return some
}

// Number returns the number of cases that a test draws or enumerates: some, or all with
// -whole.
func Number(some, all int) int {
	if *whole {
		return all
	}
	return some
}
