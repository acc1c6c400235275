package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// store is a store of level 3 with its users.
type store interface {
	ownergraph.Store
	Create(ctx context.Context, o graph.Object) (graph.Object, error)
	Update(ctx context.Context, o graph.Object) (graph.Object, error)
}

func kindsOf(s schema) (list []graph.KindInfo) {
	for i := range s.tables {
		list = append(list, graph.KindInfo{Kind: kindOf(i)})
	}
	return list
}

func kindOf(table int) graph.Kind { return graph.Kind(fmt.Sprintf("t%d", table)) }

// inMemory runs a deletion on the store in memory.
func inMemory(ctx context.Context, s schema, w way) (outcome, error) {
	m, err := memory.New(memory.Config{Kinds: kindsOf(s), Strict: true})
	if err != nil {
		return outcome{}, err
	}
	return run(ctx, m, s, w)
}

// onSQLite runs a deletion on the store of SQLite, in a database in memory.
func onSQLite(ctx context.Context, s schema, w way) (o outcome, err error) {
	db, err := sql.Open("sqlite", "file::memory:?_txlock=immediate&_pragma=foreign_keys(1)")
	if err != nil {
		return o, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	return onSQL(ctx, db, sqlstore.Config{}, s, w)
}

// space is the schema of the tables of the store on Postgres.
const space = "store"

// onPostgres runs deletions on the store of Postgres, each on new tables.
func onPostgres(db *sql.DB) runner {
	return func(ctx context.Context, s schema, w way) (o outcome, err error) {
		defer func() { err = errors.Join(err, drop(ctx, db)) }()
		return onSQL(ctx, db, sqlstore.Config{Dialect: sqlstore.Postgres, Schema: space}, s, w)
	}
}

// drop drops the tables. A call that was cancelled may still have locks for a moment, so that the drop meets a
// deadlock.
func drop(ctx context.Context, db *sql.DB) (err error) {
	for range 10 {
		_, err = db.ExecContext(ctx, `DROP SCHEMA IF EXISTS `+space+` CASCADE`)
		var state interface{ SQLState() string }
		if !errors.As(err, &state) || state.SQLState() != "40P01" {
			break
		}
	}
	if err != nil {
		err = fmt.Errorf("drop the tables of the store: %w", err)
	}
	return err
}

// onSQL runs a deletion on a store of level 3 with the settings. A process of its own would look at the log each
// 100 ms.
func onSQL(ctx context.Context, db *sql.DB, c sqlstore.Config, s schema, w way) (o outcome, err error) {
	c.Kinds, c.Strict, c.Policies, c.Poll = kindsOf(s), true, true, 5*time.Millisecond
	q, err := sqlstore.New(db, c)
	if err != nil {
		return o, err
	}
	if err := q.Migrate(ctx); err != nil {
		return o, errors.Join(err, q.Close())
	}
	o, err = run(ctx, q, s, w)
	return o, errors.Join(err, q.Close())
}

// policies are those of the actions.
var policies = map[action]graph.OnDelete{cascade: graph.OnDeleteCascade, setNull: graph.OnDeleteRelease, noAction: graph.OnDeleteRestrict, restrict: graph.OnDeleteRestrict}

// outcome has the forecast of a deletion and its end.
type outcome struct {
	planned forecast
	real    end
}

// run makes the world, plans the deletion of the root, deletes it, and waits for the end.
func run(ctx context.Context, st store, s schema, w way) (o outcome, err error) {
	keys, err := populate(ctx, st, s, w.foreground)
	if err != nil {
		return o, err
	}
	conf := ownergraph.Config{Policies: true}
	if above := maxTables; w.guarded {
		conf.Guards = []guard.Guard{{Name: "root", Kinds: []graph.Kind{kindOf(0)}, Above: &above}}
	}
	c, err := ownergraph.New(st, conf)
	if err != nil {
		return o, err
	}
	how := graph.Background
	if w.foreground {
		how = graph.Foreground
	}
	err = collect(ctx, c, func() (err error) {
		if o.planned, err = planned(ctx, c, st, keys, s, how); err != nil {
			return err
		}
		err = st.Delete(ctx, keys[0], graph.DeleteOptions{Propagation: how})
		refused := errors.Is(err, graph.ErrRestricted)
		if err == nil {
			_, err = c.WaitIdle(ctx)
		}
		if err == nil || refused {
			o.real, err = endOf(ctx, st, keys, refused)
		}
		return err
	})
	return o, err
}

// collect calls use while the collector runs, which is idle before: each root has the finalizers of its guard.
func collect(ctx context.Context, c *ownergraph.Collector, use func() error) (err error) {
	runs, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- c.Run(runs) }()
	defer func() {
		stop()
		if ended := <-done; !errors.Is(ended, context.Canceled) {
			err = errors.Join(err, ended)
		}
	}()
	if _, err := c.WaitIdle(ctx); err != nil {
		return err
	}
	return use()
}

// populate creates the objects, and then their references, because these may have rings.
func populate(ctx context.Context, st store, s schema, block bool) (keys []graph.Key, err error) {
	for i := range s.tables {
		o, err := st.Create(ctx, graph.Object{Key: graph.Key{Kind: kindOf(i), Name: "row"}})
		if err != nil {
			return nil, err
		}
		keys = append(keys, o.Key)
	}
	for from, key := range keys {
		o := graph.Object{Key: key}
		for to, a := range s.keys[from] {
			if a != actionUnset {
				o.Owners = append(o.Owners, graph.Owner{Key: keys[to], OnDelete: policies[a], Block: block})
			}
		}
		if _, err := st.Update(ctx, o); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// endOf reads the objects that are left. A root whose guard refuses the deletion stays with its hold.
func endOf(ctx context.Context, st store, keys []graph.Key, refused bool) (e end, err error) {
	e.refused = refused
	for i, key := range keys {
		o, err := st.Get(ctx, key)
		switch {
		case errors.Is(err, graph.ErrNotFound):
			continue
		case err != nil:
			return e, err
		case o.Deleting && i == 0 && o.MarkWithheld():
			e.refused = true
		case o.Deleting:
			return e, fmt.Errorf("%s is marked, and no guard holds it", o)
		}
		e.left[i] = true
		for _, r := range o.Owners {
			for to := range keys {
				e.refs[i][to] = e.refs[i][to] || keys[to] == r.Key
			}
		}
	}
	return e, nil
}
