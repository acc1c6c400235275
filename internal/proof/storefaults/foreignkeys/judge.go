package main

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
)

// way is a way to delete the root: with a guard or not, in the background or the foreground.
type way struct{ guarded, foreground bool }

// ways are those of each schema. In the foreground all references block. A cascade that stops at a row leaves the
// root there, which waits, so that only the schemas without a class have the ends of SQL.
var ways = [...]way{{}, {guarded: true}, {foreground: true}, {guarded: true, foreground: true}}

// String describes the root.
func (w way) String() string {
	text := "a plain root"
	if w.guarded {
		text = "a root with a guard"
	}
	if w.foreground {
		text += " in the foreground"
	}
	return text
}

// runner carries a deletion to its end on a store.
type runner func(ctx context.Context, s schema, w way) (outcome, error)

// bench has the databases and the stores of a comparison.
type bench struct {
	postgres *sql.DB
	stores   map[string]runner
	counts   counts
}

// oracle has the ends of the databases, by name. In noAction each RESTRICT is NO ACTION. It is nil for
// a schema without the class byAnotherPath.
type oracle struct{ own, noAction map[string]end }

// counts counts schemas, by way and class. Differ counts those of a class whose ends differ. NoAction has
// those of the class byAnotherPath, by the class with NO ACTION. Runs counts the deletions on each store. Each
// of them has a plan.
type counts struct {
	class, differ, noAction [len(ways)][ownProtect + 1]int
	runs                    map[string]int
}

// compare judges one schema. The error is a difference that no class permits.
func (b *bench) compare(ctx context.Context, s schema) error {
	want, err := b.ask(ctx, s)
	if err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	for i, w := range ways {
		c := s.classOf(w.guarded)
		if w.foreground && c != classUnset {
			continue
		}
		b.counts.class[i][c]++
		if c == byAnotherPath {
			b.counts.noAction[i][s.withNoAction().classOf(w.guarded)]++
		}
		differs := false
		for _, name := range slices.Sorted(maps.Keys(b.stores)) {
			got, err := b.stores[name](ctx, s, w)
			b.counts.runs[name]++
			if err == nil {
				err = s.judge(got, want, w)
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %s: %w", name, w, s, err)
			}
			for _, e := range want.own {
				differs = differs || got.real != e
			}
		}
		if differs {
			b.counts.differ[i][c]++
		}
	}
	return nil
}

// shrink removes keys from a schema as long as a difference remains. It returns the last difference.
func (b *bench) shrink(ctx context.Context, s schema, err error) error {
	for again := true; again; {
		again = false
		for from := range s.tables {
			for to, a := range s.keys[from] {
				smaller := s
				smaller.keys[from][to] = actionUnset
				if a == actionUnset || ctx.Err() != nil {
					continue
				}
				if e := b.compare(ctx, smaller); e != nil && ctx.Err() == nil {
					s, err, again = smaller, e, true
				}
			}
		}
	}
	return err
}

// ask returns the ends of the databases.
func (b *bench) ask(ctx context.Context, s schema) (o oracle, err error) {
	if o.own, err = b.askBoth(ctx, s); err == nil && s.classOf(false) == byAnotherPath {
		o.noAction, err = b.askBoth(ctx, s.withNoAction())
	}
	return o, err
}

func (b *bench) askBoth(ctx context.Context, s schema) (map[string]end, error) {
	sqlite, err := deleteInSQLite(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("SQLite: %w", err)
	}
	postgres, err := postgresDialect().delete(ctx, b.postgres, "keys", s)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return map[string]end{"SQLite": sqlite, "Postgres": postgres}, nil
}

// judge compares an outcome with the ends of the databases. The plan has the real end in each class.
func (s schema) judge(got outcome, want oracle, w way) error {
	if err := s.isSound(got, w); err != nil {
		return err
	}
	c, ends := s.classOf(w.guarded), want.own
	if c == byAnotherPath {
		if err := s.isRefusalMore(want); err != nil {
			return err
		}
		c, ends = s.withNoAction().classOf(w.guarded), want.noAction
	}
	for _, name := range slices.Sorted(maps.Keys(ends)) {
		if e := ends[name]; got.real != e && !s.permits(c, w.guarded, got.real) {
			return fmt.Errorf("class %s: got %s, %s has %s", c, got.real, name, e)
		}
	}
	return nil
}

// permits reports whether a class permits an end that no database has. A plain root whose deletion the store
// does not refuse may end with a part of its cascade. A root with a guard ends as in SQL, or not at all.
func (s schema) permits(c class, guarded bool, e end) bool {
	switch c {
	case ownCascade:
		return e.refused
	case ring:
		return e.refused || !guarded
	case below:
		return !e.refused
	}
	return false
}

// isRefusalMore judges the databases: RESTRICT ends as NO ACTION does, or it refuses.
func (s schema) isRefusalMore(want oracle) error {
	for _, name := range slices.Sorted(maps.Keys(want.own)) {
		if e, weak := want.own[name], want.noAction[name]; !e.refused && e != weak {
			return fmt.Errorf("%s has %s with RESTRICT, and %s with NO ACTION", name, e, weak)
		}
	}
	return nil
}

// isSound judges an outcome without an oracle.
func (s schema) isSound(got outcome, w way) error {
	if err := s.isSafe(got.real); err != nil {
		return err
	}
	return got.planned.judge(s, got.real, w.foreground)
}

// isSafe judges what no class permits: a row goes that the cascade does not reach, a reference that keeps
// outlives the row to which it refers, or the store takes the deletion of a root that a row keeps.
func (s schema) isSafe(e end) error {
	in := s.ends()
	for from := range s.tables {
		if !in[from] && !e.left[from] {
			return fmt.Errorf("t%d is gone, and the cascade does not reach it: %s", from, e)
		}
		for to, a := range s.keys[from][:s.tables] {
			if a.keeps() && e.left[from] && !e.left[to] {
				return fmt.Errorf("t%d is gone, and t%d keeps it: %s", to, from, e)
			}
			if a.keeps() && to == 0 && !e.refused {
				return fmt.Errorf("t%d keeps the root, and the deletion is not refused: %s", from, e)
			}
		}
	}
	if e.refused && e != s.whole() {
		return fmt.Errorf("the deletion is refused, and the world has changed")
	}
	return nil
}

// String has a line for each class, and one for each store.
func (c counts) String() (text string) {
	for i, w := range ways {
		text += w.String() + ":\n"
		for k, n := range c.class[i] {
			if n > 0 || !w.foreground {
				text += fmt.Sprintf("  %6d schemas, %5d with another end: class %s\n", n, c.differ[i][k], class(k))
			}
		}
		for k, n := range c.noAction[i] {
			if n > 0 {
				text += fmt.Sprintf("  %6d of %s, with NO ACTION in the place of RESTRICT: class %s\n", n, byAnotherPath, class(k))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.runs)) {
		text += fmt.Sprintf("  %6d deletions with plans on the store %s\n", c.runs[name], name)
	}
	return text
}
