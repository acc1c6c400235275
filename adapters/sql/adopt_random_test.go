package sqlstore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

var (
	adoptSeed  = flag.Uint64("adopt.seed", 1, "the seed of TestAdoptRandom; 0 draws one")
	adoptSteps = flag.Int("adopt.steps", 120, "the steps of each program of TestAdoptRandom")
)

// TestAdoptRandom: programs of before insert, move, delete and replace rows, while Adopt runs again and
// again, and a collector beside it. After the last run the objects are exactly those that the rows
// demand. One more run writes nothing. The seed chooses the steps, and not their interleaving.
func TestAdoptRandom(t *testing.T) {
	seed := *adoptSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	for _, strict := range []bool{false, true} {
		onEach(t, func(t *testing.T, d *database) {
			t.Logf("-adopt.seed=%d", seed)
			a := d.mustHandle(t, func(c *Config) { c.Strict = strict }).withOld(t)
			c := a.collect(t, ownergraph.Config{})
			defer c.stop()
			tables := a.tables()
			tables[2].Finalizers = nil // no handler would end the deletion of a team
			programs := make([]*program, 3)
			var running sync.WaitGroup
			for i := range programs {
				programs[i] = &program{a: a, r: rand.New(rand.NewPCG(seed, uint64(i)))}
				running.Go(func() { programs[i].run(t.Context(), *adoptSteps) })
			}
			over := make(chan struct{})
			go func() { running.Wait(); close(over) }()
			for last := false; !last; {
				select {
				case <-over:
					last = true
				default:
				}
				// A row may be right only at the end of the programs.
				if r, err := a.Adopt(t.Context(), tables, AdoptConfig{Batch: 1 + int(seed%7)}); last && (err != nil || !r.Complete) {
					t.Errorf("the last run: %+v, %v", r, err)
				} else if !last && err != nil && !errors.Is(err, graph.ErrInvalid) && !isNotDone(err) {
					t.Errorf("a run beside the programs: %v", err)
				}
			}
			for _, p := range programs {
				t.Logf("steps done: %v, failed: %d", p.done, p.failed)
			}
			if held := c.idle(); held != "" {
				t.Errorf("held: %s", held)
			}
			a.check("after the last run")
			before := a.state()
			if r, err := a.Adopt(t.Context(), tables, AdoptConfig{}); err != nil || r.Passes != 1 || a.state() != before {
				t.Errorf("one more run: %+v, %v", r, err)
			}
		})
	}
}

// program is an application without this package.
type program struct {
	a      *old
	r      *rand.Rand
	done   map[string]int
	failed int // a constraint, or a deadlock
}

func (p *program) run(ctx context.Context, steps int) {
	p.done = map[string]int{}
	for range steps {
		name, texts := p.step()
		if err := p.together(ctx, texts); err != nil {
			p.failed++
			continue
		}
		p.done[name]++
	}
}

// step draws the statements of one transaction. The keys are few, so that they come back.
func (p *program) step() (name string, texts []string) {
	team, bucket, code := p.r.IntN(6), 10+p.r.IntN(12), fmt.Sprint("k", p.r.IntN(30))
	other, photo := 10+p.r.IntN(12), fmt.Sprint("k", p.r.IntN(30))
	owner := func(of string) string {
		if p.r.IntN(4) == 0 {
			return "NULL"
		}
		return of
	}
	switch p.r.IntN(20) {
	case 0, 11, 12:
		return "new team", []string{fmt.Sprintf(`INSERT INTO {teams} (id, title) VALUES (%d, 'team %d')`, team, team)}
	case 1, 13, 14, 15:
		return "new bucket", []string{fmt.Sprintf(`INSERT INTO {buckets} (no, "team id", space, title) VALUES (%d, %s, 's', 'bucket %d')`, bucket, owner(fmt.Sprint(team)), bucket)}
	case 2, 3, 16, 17, 18, 19:
		parent := owner("'" + photo + "'")
		if photo == code {
			parent = "NULL"
		}
		return "new photo", []string{fmt.Sprintf(`INSERT INTO {photos} (code, bucket, second, parent, title) VALUES ('%s', %s, %s, %s, 'photo %s')`,
			code, owner(fmt.Sprint(bucket)), owner(fmt.Sprint(other)), parent, code)}
	case 4:
		return "move a bucket", []string{fmt.Sprintf(`UPDATE {buckets} SET "team id" = %s WHERE no = %d`, owner(fmt.Sprint(team)), bucket)}
	case 5:
		return "move a photo", []string{fmt.Sprintf(`UPDATE {photos} SET bucket = %s, second = %s WHERE code = '%s'`, owner(fmt.Sprint(bucket)), owner(fmt.Sprint(other)), code)}
	case 6:
		return "delete a photo", []string{fmt.Sprintf(`DELETE FROM {photos} WHERE code = '%s'`, code)}
	case 7:
		return "delete a bucket", []string{fmt.Sprintf(`DELETE FROM {buckets} WHERE no = %d`, bucket)}
	case 8:
		return "empty and delete a bucket", []string{fmt.Sprintf(`UPDATE {photos} SET bucket = %d WHERE bucket = %d`, other, bucket), fmt.Sprintf(`DELETE FROM {buckets} WHERE no = %d AND no <> %d`, bucket, other)}
	case 9:
		return "delete a team", []string{fmt.Sprintf(`UPDATE {buckets} SET "team id" = NULL WHERE "team id" = %d`, team), fmt.Sprintf(`DELETE FROM {teams} WHERE id = %d`, team)}
	}
	return "replace a photo", []string{fmt.Sprintf(`DELETE FROM {photos} WHERE code = '%s'`, code),
		fmt.Sprintf(`INSERT INTO {photos} (code, bucket, title) VALUES ('%s', %s, 'photo %s')`, code, owner(fmt.Sprint(bucket)), code)}
}

func (p *program) together(ctx context.Context, texts []string) error {
	tx, err := p.a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	for _, text := range texts {
		if _, err := tx.ExecContext(ctx, p.a.text(text)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// TestAdoptBesideNewCode: while Adopt runs, new code creates objects with their rows, in one transaction
// each. Adopt leaves them alone.
func TestAdoptBesideNewCode(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		var running sync.WaitGroup
		made := make([]graph.Object, 40)
		running.Go(func() {
			for i := range made {
				if err := a.createWithRow(t.Context(), 100+i, &made[i]); err != nil {
					t.Error(err)
				}
			}
		})
		for range 3 {
			if _, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{Batch: 3}); err != nil {
				t.Error(err)
			}
		}
		running.Wait()
		a.adopt(AdoptConfig{})
		a.check("beside new code")
		all := a.objects(t.Context(), t)
		for _, o := range made {
			if is := all[o.UID]; is.Version != o.Version {
				t.Errorf("%s: version %q, want %q", o.Key, is.Version, o.Version)
			}
		}
	})
}

// createWithRow creates a team with its row.
func (a *old) createWithRow(ctx context.Context, id int, made *graph.Object) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	if *made, err = a.Tx(tx).Create(ctx, object("team", "", fmt.Sprint("team ", id))); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, a.text(`INSERT INTO {teams} (id, title, uid) VALUES ($1, $2, $3)`), id, made.Name, string(made.UID)); err != nil {
		return err
	}
	return tx.Commit()
}
