package graph

import (
	"fmt"
	"strings"
)

// ConstraintEffect is the effect of a constraint on the removal of an object.
type ConstraintEffect uint8

const (
	// EffectUnset is no effect.
	EffectUnset ConstraintEffect = iota
	// EffectPasses: the removal passes. Rows that refer lose the reference, or go as a part of
	// the object.
	EffectPasses
	// EffectRefuses: the database refuses the removal as long as a row refers to that of the
	// object.
	EffectRefuses
	// EffectRemoves: the removal takes along the rows that refer. They are rows of objects of
	// their own, which stay without them.
	EffectRemoves
)

var constraintEffectNames = [...]string{"unset", "passes", "refuses", "removes rows"}

// String returns the effect in words.
func (e ConstraintEffect) String() string {
	if int(e) < len(constraintEffectNames) {
		return constraintEffectNames[e]
	}
	return fmt.Sprintf("effect(%d)", uint8(e))
}

// Constraint is a rule of a store's database that the removal of an object meets, such as a
// foreign key between two tables of a user. The owner model does not have it. It is plain data,
// and its lists belong to the holder.
type Constraint struct {
	// Name is the name in the database, or "" if the database does not tell it.
	Name string
	// Table and Columns refer to Parent and ParentColumns. The names of tables are as the
	// database spells them.
	Table         string
	Columns       []string
	Parent        string
	ParentColumns []string
	// OnDelete is the action of the constraint, such as "NO ACTION".
	OnDelete string
	Effect   ConstraintEffect
	// OfObjects says that the rows of Table are rows of objects, and go with them.
	OfObjects bool
	// Owners are the kinds of the objects whose removal takes a row of Parent, and Dependents
	// those of the objects whose rows are in Table. Both are sorted, and as a sample of the rows
	// has them. Unread says that the store may not read the rows, so the kinds are not known.
	Owners, Dependents []Kind
	Unread             bool
	// Unindexed says that no index finds the rows of Table by Columns. Each removal then reads
	// the whole table.
	Unindexed bool
}

// String returns the constraint in one line, such as: projects.team_id refers to teams.id
// (projects_team_id_fkey, ON DELETE NO ACTION).
func (c Constraint) String() string {
	name := ""
	if c.Name != "" {
		name = c.Name + ", "
	}
	return fmt.Sprintf("%s refers to %s (%sON DELETE %s)", columnsOf(c.Table, c.Columns), columnsOf(c.Parent, c.ParentColumns), name, c.OnDelete)
}

func columnsOf(table string, columns []string) string {
	if len(columns) == 1 {
		return table + "." + columns[0]
	}
	return table + " (" + strings.Join(columns, ", ") + ")"
}
