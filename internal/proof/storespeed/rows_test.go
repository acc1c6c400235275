package main

import (
	"database/sql"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/storespeed/tree"
)

// TestRows runs each side of each row with few objects, on real servers. A side fails if
// its end state is wrong.
func TestRows(t *testing.T) {
	b := newBed(sizes{n: 700, single: 60, start: 700, watch: 100 * time.Millisecond})
	t.Cleanup(func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
	})
	o := options{only: regexp.MustCompile(""), rounds: 1, sizes: b.sizes}
	rows, all, err := o.measure(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if want := b.rows(); len(rows) != len(want) {
		t.Errorf("%d rows ran, want %d", len(rows), len(want))
	}
	var text strings.Builder
	if err := o.print(&text, rows, all); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for _, s := range r.sides {
			if got := all[r.name][s.name]; len(got) != 1 || got[0].ops == 0 || got[0].seconds <= 0 {
				t.Errorf("%s: %s: measured %+v, want one sample", r.name, s.name, got)
			}
		}
		if !strings.Contains(text.String(), r.name) {
			t.Errorf("%s: not in the table", r.name)
		}
	}
}

// TestExpect shows that a wrong number of rows is an error.
func TestExpect(t *testing.T) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{"CREATE TABLE og_objects (x)", "CREATE TABLE og_owners (x)", "CREATE TABLE og_log (x)", "INSERT INTO og_log VALUES (1)"} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		want   counts
		ok     bool
		reason string
	}{
		{counts{log: 1}, true, "the numbers of the tables"},
		{counts{}, false, "a row of the log too many"},
		{counts{objects: 1, log: 1}, false, "an object too few"},
		{counts{owners: 1, log: 1}, false, "a reference too few"},
	} {
		if err := expect(t.Context(), db, c.want); (err == nil) != c.ok {
			t.Errorf("expect %+v: %v: %s", c.want, err, c.reason)
		}
	}
}

func TestJudge(t *testing.T) {
	all := results{
		"a": {{seconds: 2, ops: 10}, {seconds: 4, ops: 10}, {seconds: 3, ops: 10}},
		"b": {{seconds: 1, ops: 10}, {seconds: 1, ops: 10}, {seconds: 1, ops: 10}},
	}
	for _, c := range []struct {
		goal   goal
		ratio  float64
		met    bool
		reason string
	}{
		{goal{side: "a", beside: "b", atMost: 3}, 3, true, "the median of the rounds' ratios of times"},
		{goal{side: "a", beside: "b", atMost: 2.9}, 3, false, "a longer time than the goal"},
		{goal{side: "b", beside: "a", atLeast: 3}, 3, true, "the rate is three times that of the other side"},
		{goal{side: "b", beside: "a", atLeast: 3.1}, 3, false, "a lower rate than the goal"},
	} {
		if ratio, met := all.judge(c.goal); ratio != c.ratio || met != c.met {
			t.Errorf("judge %+v: %v, %t, want %v, %t: %s", c.goal, ratio, met, c.ratio, c.met, c.reason)
		}
	}
}

func TestTree(t *testing.T) {
	for _, n := range []int{2, 7, 700, 100_000} {
		nodes := tree.Nodes(n)
		if len(nodes) != n {
			t.Errorf("a tree of %d: %d nodes", n, len(nodes))
		}
		for i, node := range nodes {
			if node.Parent >= i || i > 0 && node.Parent < 0 {
				t.Fatalf("a tree of %d: node %d has the parent %d", n, i, node.Parent)
			}
			if node.Kind == tree.Backup && nodes[node.Parent].Kind != tree.Project {
				t.Fatalf("a tree of %d: node %d is below a %s", n, i, nodes[node.Parent].Kind)
			}
		}
	}
}
