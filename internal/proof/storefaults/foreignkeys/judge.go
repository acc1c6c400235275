package main

import (
	"context"
	"database/sql"
	"fmt"
)

// bench has the databases and the stores of a comparison.
type bench struct {
	postgres *sql.DB // nil: without
	stores   map[string]func(context.Context, schema, bool) (end, error)
	counts   counts
}

// counts counts schemas, by guard and class. Differ counts those of a class whose ends differ.
type counts struct {
	class, differ [2][below + 1]int
}

// compare judges one schema. The error is a difference that no class permits.
func (b *bench) compare(ctx context.Context, seed uint64) error {
	s := draw(seed)
	want, err := deleteInSQLite(ctx, s)
	if err != nil {
		return fmt.Errorf("seed %d: SQLite: %w", seed, err)
	}
	oracles := map[string]end{"SQLite": want}
	if b.postgres != nil {
		if oracles["Postgres"], err = postgresDialect().delete(ctx, b.postgres, fmt.Sprintf("keys_%d", seed), s); err != nil {
			return fmt.Errorf("seed %d: Postgres: %w", seed, err)
		}
	}
	for way, guarded := range []bool{false, true} {
		c := s.classOf(guarded)
		b.counts.class[way][c]++
		differs := false
		for name, run := range b.stores {
			got, err := run(ctx, s, guarded)
			if err != nil {
				return fmt.Errorf("seed %d: %s, guarded %t: %s: %w", seed, name, guarded, s, err)
			}
			if err := s.isSafe(got); err != nil {
				return fmt.Errorf("seed %d: %s, guarded %t: %s: %w", seed, name, guarded, s, err)
			}
			for of, want := range oracles {
				if got == want {
					continue
				}
				if differs = true; c == classUnset {
					return fmt.Errorf("seed %d: %s, guarded %t: %s: got %s, %s has %s", seed, name, guarded, s, got, of, want)
				}
			}
		}
		if differs {
			b.counts.differ[way][c]++
		}
	}
	return nil
}

// isSafe judges what no class permits: a row goes that the cascade does not reach, or a reference that
// keeps outlives the row to which it refers.
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
		}
	}
	if e.refused && e != s.whole() {
		return fmt.Errorf("the deletion is refused, and the world has changed")
	}
	return nil
}

// String has a line for each class.
func (c counts) String() (text string) {
	for way, name := range []string{"a plain root", "a root with a guard"} {
		text += name + ":\n"
		for k, n := range c.class[way] {
			text += fmt.Sprintf("  %6d schemas, %5d with another end: class %s\n", n, c.differ[way][k], class(k))
		}
	}
	return text
}
