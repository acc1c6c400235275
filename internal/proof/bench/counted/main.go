// Command counted does the work of one row of -instructions, and takes no figures.
// The benchmark counts its instructions.
//
//	counted 'engine cascade' 400 200
//
// The first number is the size of the row's setup, in trees. The second one is the number
// of units of its work, at most the size. The setup does not depend on the second number.
// So the difference of two runs is the work alone.
//
// The benchmark builds these sources in the tree of the other commit too. So they use only
// the public API, and no other package of this module.
package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
)

// main runs the row in a bubble of time, where the Collector's clock stands still while
// there is work. Bubbles belong to tests, so the process becomes a test.
func main() {
	test := func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			if err := run(os.Args[1:]); err != nil {
				fmt.Fprintln(os.Stderr, "counted:", err)
				t.Fail()
			}
		})
	}
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "row", F: test}}, nil, nil)
}

// rows are the rows by name. A row gets the size and the work.
func rows() map[string]func(size, work int) error {
	return map[string]func(size, work int) error{
		"engine listing":       listingRow,
		"engine listing mixed": mixedRow,
		"engine update":        updateRow,
		"engine cascade":       cascadeRow,
		"collector listing":    collectorListing,
		"collector update":     collectorUpdate,
		"collector background": collectorBackground,
		"collector foreground": collectorForeground,
		"collector orphan":     collectorOrphan,
		"plan":                 planRow,
		"explain":              explainRow,
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("%d arguments: give a row, a size and a number of units of work", len(args))
	}
	row := rows()[args[0]]
	if row == nil {
		return fmt.Errorf("row %q: unknown; the rows are %s", args[0], strings.Join(slices.Sorted(maps.Keys(rows())), ", "))
	}
	size, wrong := strconv.Atoi(args[1])
	work, bad := strconv.Atoi(args[2])
	if err := cmp.Or(wrong, bad); err != nil {
		return fmt.Errorf("row %s: %w", args[0], err)
	}
	if size < 1 || work < 0 || work > size {
		return fmt.Errorf("row %s: size %d, work %d: the size is at least 1, and the work from 0 to the size", args[0], size, work)
	}
	if err := row(size, work); err != nil {
		return fmt.Errorf("row %s: %w", args[0], err)
	}
	return nil
}
