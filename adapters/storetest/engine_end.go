package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// maxEnds bounds the number of permitted ends that are printed.
const maxEnds = 3

// endError compares the content of the store with the specification. It returns the
// error, or "", and logs the content.
func (e *engineCase) endError(held []engine.Held) string {
	e.Helper()
	// The engine writes nothing, and promises nothing.
	if e.level < ownergraph.Level1 {
		return ""
	}
	objects := e.names.objects(e.live())
	e.end = fmt.Sprintf("%q\nheld: %v", oracle.Line(objects), held)
	rules := oracle.Config{OwnerName: oracle.NameAbsent, Strict: e.level >= ownergraph.Level3}
	if !oracle.Quiet(oracle.NewState(objects), rules) {
		return "the collectors are idle, and work is left"
	}
	if !e.promisesExactEnd() {
		return ""
	}
	got, ends := oracle.Line(objects), oracle.Ends(e.start, e.actions, rules)
	if slices.Contains(ends, got) {
		return ""
	}
	if len(ends) == 0 {
		return "the store has level 3, and has accepted a write that it had to refuse"
	}
	e.end += "\n" + nearest(got, ends)
	return "the end is not permitted"
}

// nearest prints the difference from the most similar permitted end, and the other
// permitted ends.
func nearest(got string, ends []string) string {
	const between = "; "
	least, near := -1, ""
	for _, end := range ends {
		has, want := strings.Split(got, between), strings.Split(end, between)
		missing, surplus := minus(want, has), minus(has, want)
		if n := len(missing) + len(surplus); least < 0 || n < least {
			least = n
			near = fmt.Sprintf("missing: %q\nsurplus: %q", strings.Join(missing, between), strings.Join(surplus, between))
		}
	}
	more := ""
	if n := len(ends) - maxEnds; n > 0 {
		more, ends = fmt.Sprintf("\n  and %d more", n), ends[:maxEnds]
	}
	return fmt.Sprintf("%s\nwant one of\n  %q%s", near, strings.Join(ends, "\"\n  \""), more)
}

// minus returns the elements of a that are not in b.
func minus(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return x == "" || slices.Contains(b, x) })
}

// promisesExactEnd reports whether the engine promises an exact end.
func (e *engineCase) promisesExactEnd() bool {
	exact := e.level >= ownergraph.Level2 && !e.scenario.hasFault(fault.Vanish)
	return !e.scenario.hasFault(fault.Rewind) && (exact || !e.scenario.propagates())
}
