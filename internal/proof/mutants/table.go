package mutants

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// table is the kill table of seeded bugs. It has a row for each bug and a column for each
// method. It is safe for concurrent use.
type table struct {
	mu      sync.Mutex
	out     io.Writer
	methods []Method
	verbose bool
	tallies []tally // by method
	missed  []string
}

// tally counts the runs of one method.
type tally struct {
	asked, killed int
	seconds       float64
}

func newTable(out io.Writer, methods []Method, verbose bool) *table {
	t := &table{out: out, methods: methods, verbose: verbose, tallies: make([]tally, len(methods))}
	heading := []string{fmt.Sprintf("%-5s %-12s", "bug", "source")}
	for _, m := range methods {
		heading = append(heading, fmt.Sprintf("%-16s", m))
	}
	fmt.Fprintln(out, strings.Join(append(heading, "rule [row and graph of the exhaustive run] (* is a method that has to kill it; seconds)"), " "))
	return t
}

// row prints the outcomes of one bug.
func (t *table) row(b Bug, asked []Method, outcomes []Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	cells := []string{fmt.Sprintf("%-5s %-12s", b.Name, b.Source)}
	missed, dead := false, false
	var words []string
	for i, m := range t.methods {
		o := Outcome{}
		if j := slices.Index(asked, m); j >= 0 && j < len(outcomes) {
			o = outcomes[j]
			t.tallies[i].add(o)
			words = append(words, fmt.Sprintf("      %s: %s", m, o.Word))
		}
		cell, named := o.String(), slices.Contains(b.Killers, m)
		if named {
			cell += "*"
			missed = missed || o.Verdict != VerdictUnset && !o.Dead()
		}
		dead = dead || o.Dead()
		cells = append(cells, fmt.Sprintf("%-16s", cell))
	}
	rule := b.Rule
	if where := b.Where.String(); where != "" && slices.Contains(asked, Exhaustive) {
		rule += " [" + where + "]"
	}
	fmt.Fprintln(t.out, strings.Join(append(cells, rule), " "))
	if t.verbose {
		fmt.Fprintln(t.out, strings.Join(words, "\n"))
	}
	if missed || !dead {
		t.missed = append(t.missed, b.Name)
	}
}

func (t *tally) add(o Outcome) {
	t.asked++
	t.seconds += o.Took.Seconds()
	if o.Dead() {
		t.killed++
	}
}

// close prints the totals and reports whether all bugs were killed.
func (t *table) close(bugs int) bool {
	for i, m := range t.methods {
		y := t.tallies[i]
		fmt.Fprintf(t.out, "%s: killed %d of %d, %.0f s\n", m, y.killed, y.asked, y.seconds)
	}
	slices.Sort(t.missed)
	if len(t.missed) > 0 {
		fmt.Fprintf(t.out, "MISSED by a method that they name: %s\n", strings.Join(t.missed, ", "))
	}
	fmt.Fprintf(t.out, "seeded bugs: %d, killed by each method that they name: %d\n", bugs, bugs-len(t.missed))
	return len(t.missed) == 0
}
