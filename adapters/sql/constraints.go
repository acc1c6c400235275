package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// maxSample bounds the rows of a table of the user whose kinds are read.
const maxSample = 1000

// foreignKey is a foreign key of the catalog. The ids of tables tell them apart, and their names
// are for people.
type foreignKey struct {
	name           string
	table, parent  string // ids
	tableName      string
	parentName     string
	columns        []string
	parentColumns  []string
	action         string
	clears         bool // the action can clear the columns
	indexed        bool
	unique         bool // at most one row refers to one object
	readable       bool
	refusesDeletes bool // the table has a trigger of InstallTriggers
}

// onDeleteCascade removes the rows that refer.
const onDeleteCascade = "CASCADE"

// Constraints returns the foreign keys that a removal of an object meets
// (ownergraph.Constrainer): those that refer to og_objects, and those that refer to a table whose
// rows go with an object by ON DELETE CASCADE. They are sorted by table and columns. The caller
// owns the result.
//
// The effect follows from the catalog, so it is certain for empty tables, too. The kinds are those
// of 1,000 rows of each table. It reads, and writes nothing.
//
// A deletion in the background or with orphan removes an owner before its dependents. So it meets
// EffectRefuses for each row of a dependent that refers to the row of the owner. A foreground
// deletion removes those dependents first whose references block. See "Foreign keys of the user"
// in the package documentation.
//
//test:by TestConstraints TestConstraintEffects TestConstraintPropagations TestUnindexedKeys
func (s *Store) Constraints(ctx context.Context) ([]graph.Constraint, error) {
	var list []graph.Constraint
	err := s.retry(ctx, func() error {
		return s.onOne(ctx, func(ses *session) (err error) {
			list, err = ses.constraints(ctx)
			return err
		})
	})
	if err != nil {
		return nil, readFailed("read", "constraints", err)
	}
	return list, nil
}

func (ses *session) constraints(ctx context.Context) ([]graph.Constraint, error) {
	if _, err := ses.c.checkTables(ctx); err != nil {
		return nil, err
	}
	objects, keys, err := ses.s.tables.foreignKeys(ctx, &ses.c)
	if err != nil {
		return nil, err
	}
	m := newMeeting(objects, keys)
	if err := m.readKinds(ctx, ses); err != nil {
		return nil, err
	}
	m.spread()
	return m.constraints(), nil
}

// meeting finds the foreign keys that the removal of an object meets.
type meeting struct {
	objects string
	keys    []foreignKey
	own     map[int]bool         // keys whose rows belong to the object to which they refer
	bound   map[string]bool      // tables with such a key
	rows    map[string]*rowKinds // of a table: the objects that the rows are of
	goes    map[string]*rowKinds // of a table: the objects whose removal takes rows along
	sampled map[int]*rowKinds    // of a key that refers to objects
}

// rowKinds are kinds of objects.
type rowKinds struct {
	kinds  map[graph.Kind]bool
	unread bool
}

func (k *rowKinds) add(from *rowKinds) (grew bool) {
	before, unread := len(k.kinds), k.unread
	maps.Copy(k.kinds, from.kinds)
	k.unread = k.unread || from.unread
	return len(k.kinds) > before || k.unread != unread
}

func newMeeting(objects string, keys []foreignKey) *meeting {
	m := &meeting{objects: objects, keys: keys, own: map[int]bool{}, bound: map[string]bool{},
		rows: map[string]*rowKinds{}, goes: map[string]*rowKinds{}, sampled: map[int]*rowKinds{}}
	alone := map[string]bool{} // tables with a unique key to objects
	for _, k := range keys {
		alone[k.table] = alone[k.table] || m.binds(k) && k.unique
	}
	for i, k := range keys {
		if m.binds(k) && (k.unique || !alone[k.table]) {
			m.own[i], m.bound[k.table] = true, true
		}
	}
	return m
}

// binds reports whether rows go with the object to which they refer.
func (m *meeting) binds(k foreignKey) bool {
	return k.parent == m.objects && k.action == onDeleteCascade
}

// readKinds samples the kinds of the objects to which rows refer.
func (m *meeting) readKinds(ctx context.Context, ses *session) error {
	for i, k := range m.keys {
		if k.parent != m.objects {
			continue
		}
		of := &rowKinds{kinds: map[graph.Kind]bool{}, unread: !k.readable}
		if k.readable {
			if err := ses.s.tables.sampleKinds(ctx, &ses.c, k, func(kind graph.Kind) { of.kinds[kind] = true }); err != nil {
				return fmt.Errorf("table %s: %w", k.tableName, err)
			}
		}
		m.sampled[i] = of
		if m.own[i] {
			kindsOf(m.rows, k.table).add(of)
		}
	}
	return nil
}

func kindsOf(of map[string]*rowKinds, table string) *rowKinds {
	if of[table] == nil {
		of[table] = &rowKinds{kinds: map[graph.Kind]bool{}}
	}
	return of[table]
}

// spread follows ON DELETE CASCADE from the objects to all tables whose rows go along.
func (m *meeting) spread() {
	for grew := true; grew; {
		grew = false
		for i, k := range m.keys {
			from := m.owners(i)
			if k.action != onDeleteCascade || from == nil {
				continue
			}
			known := m.goes[k.table] != nil
			grew = kindsOf(m.goes, k.table).add(from) || !known || grew
		}
	}
}

// owners returns the kinds of the objects whose removal meets the i-th key, or nil if none does.
func (m *meeting) owners(i int) *rowKinds {
	if of := m.sampled[i]; of != nil {
		return of
	}
	return m.goes[m.keys[i].parent]
}

func (m *meeting) constraints() []graph.Constraint {
	list := []graph.Constraint{}
	for i, k := range m.keys {
		owners := m.owners(i)
		if owners == nil {
			continue
		}
		rows := kindsOf(m.rows, k.table)
		list = append(list, graph.Constraint{
			Name: k.name, Table: k.tableName, Columns: k.columns, Parent: k.parentName, ParentColumns: k.parentColumns, OnDelete: k.action,
			Effect: m.effect(i), OfObjects: m.bound[k.table], Owners: slices.Sorted(maps.Keys(owners.kinds)),
			Dependents: slices.Sorted(maps.Keys(rows.kinds)), Unread: owners.unread || rows.unread, Unindexed: !k.indexed,
		})
	}
	slices.SortFunc(list, func(a, b graph.Constraint) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), slices.Compare(a.Columns, b.Columns), cmp.Compare(a.Parent, b.Parent), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// effect returns the effect of the i-th key. A trigger of InstallTriggers refuses to remove a row
// before its object.
func (m *meeting) effect(i int) graph.ConstraintEffect {
	k := m.keys[i]
	switch {
	case k.action != onDeleteCascade && k.clears, m.own[i]:
		return graph.EffectPasses
	case k.action != onDeleteCascade, m.bound[k.table] && k.refusesDeletes:
		return graph.EffectRefuses
	case m.bound[k.table]:
		return graph.EffectRemoves
	}
	return graph.EffectPasses
}
