package main

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// drawWorld draws a world of Django, by the keys of draw. One or two models may have a second row.
func drawWorld(seed uint64) (w world) {
	s, r := draw(seed), rand.New(rand.NewPCG(seed, 1))
	var keys [maxTables][maxTables]onDelete
	for from := range s.tables {
		w.rows = append(w.rows, row{model: string(rune('a' + from)), number: 1})
		for to, a := range s.keys[from] {
			keys[from][to] = drawOnDelete(r, a)
		}
	}
	models := make([]int, s.tables, maxTables) // by row
	for i := range models {
		models[i] = i
	}
	for range r.IntN(3) {
		m := r.IntN(s.tables)
		if w.rows = append(w.rows, row{model: w.rows[m].model, number: len(w.rows) + 1}); r.IntN(2) == 0 {
			keys[m][m] = onDelete(1 + r.IntN(int(djangoUnchecked)))
		}
		models = append(models, m)
	}
	for from := range w.rows {
		for to := range s.tables {
			owners := rowsOf(models, to, from)
			if d := keys[models[from]][to]; d != onDeleteUnset && len(owners) > 0 && r.IntN(6) > 0 {
				w.refs[from][owners[r.IntN(len(owners))]] = d
			}
		}
	}
	return w
}

// drawOnDelete draws one of the values that stand for an action.
func drawOnDelete(r *rand.Rand, a action) onDelete {
	switch a {
	case cascade:
		return djangoCascade
	case setNull:
		return []onDelete{djangoSetNull, djangoSetNull, djangoUnchecked}[r.IntN(3)]
	case noAction:
		return []onDelete{djangoNothing, djangoProtect}[r.IntN(2)]
	case restrict:
		return djangoRestrict
	}
	return onDeleteUnset
}

// rowsOf returns the rows of a model, without one.
func rowsOf(models []int, model, without int) (list []int) {
	for i, m := range models {
		if m == model && i != without {
			list = append(list, i)
		}
	}
	return list
}

// compareDjango compares n worlds at random with Django, and prints the counts.
func compareDjango(ctx context.Context, python string, first, n uint64) error {
	c := counts{runs: map[string]int{}}
	var err error
	for seed := first; seed < first+n && err == nil; seed += djangoBatch {
		err = compareBatch(ctx, python, seed, min(djangoBatch, first+n-seed), &c)
	}
	fmt.Print(c)
	return err
}

// djangoBatch bounds the worlds of one process of Django.
const djangoBatch = 250

// compareBatch compares the worlds of one process of Django.
func compareBatch(ctx context.Context, python string, first, n uint64, c *counts) error {
	worlds := make([]world, n)
	for i := range worlds {
		worlds[i] = drawWorld(first + uint64(i))
	}
	answers, _, err := askDjango(ctx, python, worlds)
	if err != nil {
		return err
	}
	for i := range worlds {
		w := &worlds[i]
		want, err := w.endOfAnswer(&answers[i])
		if err == nil {
			_, err = w.compare(ctx, want, c)
		}
		if err != nil {
			return fmt.Errorf("seed %d: %s: %w", first+uint64(i), w, err)
		}
	}
	return nil
}

// compare runs a world on the store in memory: with a guard, and without one if no key has PROTECT. SQLite is an
// oracle beside Django, also where Django refuses because of PROTECT. Differs says that the end with a guard is
// not that of Django.
func (w *world) compare(ctx context.Context, want end, c *counts) (differs bool, err error) {
	s := w.schema()
	sqlite, err := deleteInSQLite(ctx, s)
	if err != nil {
		return false, err
	}
	for i, by := range ways {
		of := w.classOf(by.guarded)
		if !by.guarded && w.has(djangoProtect) || by.foreground && of != classUnset {
			continue
		}
		got, err := inMemory(ctx, s, by)
		if err == nil {
			err = s.judge(got, oracle{own: map[string]end{"SQLite": sqlite}}, by)
		}
		if err == nil {
			err = w.judge(got, want, by.guarded)
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", by, err)
		}
		c.class[i][of]++
		c.runs["memory"]++
		if got.real != want {
			c.differ[i][of]++
			differs = differs || by.guarded
		}
	}
	return differs, nil
}
