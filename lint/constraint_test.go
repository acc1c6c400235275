package lint_test

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// TestConstraints: each effect of a constraint has its findings, which name the table, the column,
// the kinds and the deletions.
func TestConstraints(t *testing.T) {
	key := graph.Constraint{Name: "projects_team", Table: "projects", Columns: []string{"team_id"}, Parent: "teams", ParentColumns: []string{"id"},
		OnDelete: "NO ACTION", OfObjects: true, Owners: []graph.Kind{"team"}, Dependents: []graph.Kind{"b", "a"}}
	const head = "OG033 warning table/projects: team_id: The key projects.team_id refers to teams.id (projects_team, ON DELETE NO ACTION). "
	for _, c := range []struct {
		edit   func(*graph.Constraint)
		want   []string
		reason string
	}{
		{func(c *graph.Constraint) { c.Effect = graph.EffectPasses }, nil, "nothing is wrong"},
		{func(c *graph.Constraint) { c.Effect = graph.EffectRefuses }, []string{head +
			"The database refuses a background or orphan deletion of an owner (team) as long as the row of a dependent (a, b) refers to its row. " +
			"A foreground deletion passes if the references of the dependents block."}, "the owner goes first"},
		{func(c *graph.Constraint) { c.Effect, c.OfObjects, c.Dependents = graph.EffectRefuses, false, nil }, []string{head +
			"The database refuses each deletion of an object (team) to which a row refers. The row has no object, so no deletion takes it along."}, "nothing removes the row"},
		{func(c *graph.Constraint) { c.Effect, c.Owners, c.Dependents = graph.EffectRefuses, nil, nil }, []string{head +
			"The database refuses a background or orphan deletion of an owner as long as the row of a dependent refers to its row. " +
			"A foreground deletion passes if the references of the dependents block."}, "the tables are empty"},
		{func(c *graph.Constraint) { c.Effect, c.OnDelete = graph.EffectRemoves, "CASCADE" }, []string{
			"OG034 warning table/projects: team_id: The key projects.team_id refers to teams.id (projects_team, ON DELETE CASCADE). The removal of an owner (team) takes the row of a dependent (a, b) along. " +
				"An orphan deletion, or another owner, keeps the dependent without its row."}, "the row is no longer there"},
		{func(c *graph.Constraint) { c.Effect, c.Unindexed = graph.EffectPasses, true }, []string{
			"OG035 warning table/projects: team_id: The key projects.team_id refers to teams.id (projects_team, ON DELETE NO ACTION). No index finds the rows that refer, so each removal of an object (team) reads the whole table."}, "slow"},
	} {
		x := key
		c.edit(&x)
		r, err := lint.Check(lint.Input{Constraints: []graph.Constraint{x}}, lint.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.reason, got, c.want)
		}
	}
}

// TestConstraintsAreIgnored: a list leaves out a code for one table.
func TestConstraintsAreIgnored(t *testing.T) {
	ignore, err := lint.ParseIgnore("OG033 table/projects\n")
	if err != nil {
		t.Fatal(err)
	}
	in := lint.Input{Constraints: []graph.Constraint{
		{Table: "projects", Columns: []string{"a", "b"}, Parent: "teams", ParentColumns: []string{"c", "d"}, OnDelete: "RESTRICT", Effect: graph.EffectRefuses},
		{Table: "tasks", Columns: []string{"a"}, Parent: "teams", ParentColumns: []string{"id"}, OnDelete: "RESTRICT", Effect: graph.EffectRefuses},
	}}
	r, err := lint.Check(in, lint.Config{Ignore: ignore})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Object != (graph.Key{Kind: "table", Name: "tasks"}) || r.Counts[0].Ignored != 1 {
		t.Errorf("error %v, report:\n%s", err, r)
	}
	text, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var read lint.Report
	if err := read.UnmarshalJSON(text); err != nil || read.String() != r.String() {
		t.Errorf("read back: %v\n%s", err, read)
	}
}
