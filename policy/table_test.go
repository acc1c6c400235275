package policy_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/policy"
)

// The flag -update of code_test.go writes testdata/table.txt, too.

const table = "testdata/table.txt"

// row is one line of the table: an input, its decision, and the reason.
type row struct{ input, want, reason string }

// parseRow reads "object | facts | moments => decision # reason".
func parseRow(line string) (r row, err error) {
	input, rest, ok := strings.Cut(line, "=>")
	want, reason, argued := strings.Cut(rest, "#")
	if r = (row{strings.TrimSpace(input), strings.TrimSpace(want), strings.TrimSpace(reason)}); !ok || !argued || r.reason == "" {
		err = fmt.Errorf("row %q: want input => decision # reason", line)
	}
	return r, err
}

// TestDecideTable checks the golden table: a row of inputs for each reason.
func TestDecideTable(t *testing.T) {
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	reasons := map[policy.Reason]bool{}
	for _, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			out = append(out, line)
			continue
		}
		r, err := parseRow(line)
		if err != nil {
			t.Fatal(err)
		}
		in, set, err := parseInput(r.input)
		if err != nil {
			t.Fatal(err)
		}
		d := decide(in, set)
		reasons[d.Reason] = true
		got := says(in.Object, d)
		if got != r.want && !*update {
			t.Errorf("%s\n got %s\nwant %s\n%s", r.input, got, r.want, r.reason)
		}
		out = append(out, fmt.Sprintf("%-98s => %-62s # %s", r.input, got, r.reason))
	}
	for r := policy.NoOwners; r <= policy.ObjectFlawed; r++ {
		if !reasons[r] {
			t.Errorf("no row has the reason %q", r)
		}
	}
	if *update {
		if err := os.WriteFile(table, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
