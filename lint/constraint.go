package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// tableKind is the kind of the object of a finding about a table of the database. Such an object
// has the name of the table, and no UID.
const tableKind graph.Kind = "table"

// constraints finds rules of the database that removals of objects meet.
func (c *checker) constraints() {
	for _, x := range c.in.Constraints {
		switch x.Effect {
		case graph.EffectRefuses:
			c.constraint(RefusingConstraint, x, c.refusal(x))
		case graph.EffectRemoves:
			c.constraint(RemovingConstraint, x, fmt.Sprintf("The removal of an owner%s takes the row of a dependent%s along. An orphan deletion, or another owner, keeps the dependent without its row.",
				c.kindsText(x.Owners), c.kindsText(x.Dependents)))
		}
		if x.Unindexed {
			c.constraint(UnindexedConstraint, x, fmt.Sprintf("No index finds the rows that refer, so each removal of an object%s reads the whole table.", c.kindsText(x.Owners)))
		}
	}
}

// refusal says which deletions the database refuses.
func (c *checker) refusal(x graph.Constraint) string {
	if !x.OfObjects {
		return fmt.Sprintf("The database refuses each deletion of an object%s to which a row refers. The row has no object, so no deletion takes it along.", c.kindsText(x.Owners))
	}
	return fmt.Sprintf("The database refuses a background or orphan deletion of an owner%s as long as the row of a dependent%s refers to its row. A foreground deletion passes if the references of the dependents block.",
		c.kindsText(x.Owners), c.kindsText(x.Dependents))
}

// kindsText names kinds in parentheses, or is empty.
func (c *checker) kindsText(kinds []graph.Kind) string {
	if len(kinds) == 0 {
		return ""
	}
	list := make([]string, 0, len(kinds))
	for _, k := range slices.Sorted(slices.Values(kinds)) {
		list = append(list, k.Text())
	}
	return " (" + c.names(list) + ")"
}

func (c *checker) constraint(code Code, x graph.Constraint, message string) {
	key := graph.Key{Kind: tableKind, Name: x.Table}
	if c.admits(code, key) {
		c.findings = append(c.findings, Finding{Code: code, Severity: Warning, Object: key, Field: short(strings.Join(x.Columns, ", ")),
			Message: "The key " + short(x.String()) + ". " + message})
	}
}
