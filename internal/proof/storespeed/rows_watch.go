package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/database"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/tree"
)

// writers is the number of goroutines that write for a watch.
const writers = 16

// writesPerSecond is the pace of the writers.
const writesPerSecond = 1000

const channel = "storespeed"

// watchRow measures the time from the end of a write until a watch has its event.
func (b *bed) watchRow(name string) row {
	r := row{name: name + ", watch latency", n: int(b.watch.Seconds() * writesPerSecond)}
	r.sides = []side{
		{"the same store", b.latency(name, r.n, false, false)},
		{"another process, polling", b.latency(name, r.n, true, false)},
	}
	if name == postgresName {
		r.sides = append(r.sides, side{"another process, NOTIFY", b.latency(name, r.n, true, true)})
	}
	return r
}

// latency writes objects with a pace. With another, the writer has a store and a handle of
// its own.
func (b *bed) latency(name string, n int, another, notify bool) func(context.Context) (sample, error) {
	return func(ctx context.Context) (got sample, err error) {
		d, err := b.empty(ctx, name)
		if err != nil {
			return got, err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		before, err := count(ctx, d.DB)
		if err != nil {
			return got, err
		}
		conf, end, err := listening(ctx, d, notify)
		if err != nil {
			return got, err
		}
		defer func() { err = errors.Join(err, end()) }()
		err = withConfig(ctx, d.DB, conf, func(s *sqlstore.Store) (err error) {
			if !another {
				got, err = paced(ctx, s, s, n)
				return err
			}
			db, err := d.Open()
			if err != nil {
				return err
			}
			conf := conf
			conf.Wait = nil
			err = withConfig(ctx, db, conf, func(w *sqlstore.Store) (err error) {
				got, err = paced(ctx, s, w, n)
				return err
			})
			return errors.Join(err, db.Close())
		})
		return got, errors.Join(err, expect(ctx, d.DB, counts{objects: n, log: before.log + n}))
	}
}

// listening returns the settings of a store, with a connection that listens if notify is
// true.
func listening(ctx context.Context, d *database.Database, notify bool) (c sqlstore.Config, end func() error, err error) {
	c.Kinds = tree.Kinds()
	if !notify {
		return c, func() error { return nil }, nil
	}
	conn, err := pgx.Connect(ctx, d.DSN)
	if err != nil {
		return c, nil, err
	}
	if _, err := conn.Exec(ctx, `LISTEN "`+channel+`"`); err != nil {
		return c, nil, errors.Join(err, conn.Close(ctx))
	}
	c.Channel = channel
	c.Wait = func(ctx context.Context) error {
		_, err := conn.WaitForNotification(ctx)
		return err
	}
	return c, func() error { return conn.Close(context.WithoutCancel(ctx)) }, nil
}

func withConfig(ctx context.Context, db *sql.DB, c sqlstore.Config, use func(*sqlstore.Store) error) error {
	s, err := sqlstore.New(db, c)
	if err != nil {
		return err
	}
	if err = s.Migrate(ctx); err == nil {
		err = use(s)
	}
	return errors.Join(err, s.Close())
}

// paced creates n objects through writer, while a watch of reader sees them. It returns when the
// watch has seen all.
func paced(ctx context.Context, reader, writer *sqlstore.Store, n int) (got sample, err error) {
	seen := newSightings(n)
	stop, err := seen.watch(ctx, reader)
	if err != nil {
		return got, err
	}
	begun := time.Now()
	got, err = timed(n, func() error {
		return seen.write(ctx, writer, n, func(i int) time.Time { return begun.Add(time.Duration(i) * time.Second / writesPerSecond) })
	})
	if err == nil {
		err = seen.wait(ctx)
	}
	got.p50, got.p99 = seen.latencies()
	return got, errors.Join(err, stop())
}

// blockedRow shows that no writer waits for a watch.
func (b *bed) blockedRow(name string) row {
	const without, running, blocked = "no watch", "a watch runs", "the sink of a watch blocks"
	r := row{name: name + ", writes beside a watch", n: b.single}
	for _, how := range []string{without, running, blocked} {
		r.sides = append(r.sides, side{how, func(ctx context.Context) (got sample, err error) {
			d, err := b.empty(ctx, name)
			if err != nil {
				return got, err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			before, err := count(ctx, d.DB)
			if err != nil {
				return got, err
			}
			err = withStore(ctx, d.DB, func(s *sqlstore.Store) (err error) {
				seen := newSightings(r.n)
				seen.blocks = how == blocked
				stop := func() error { return nil }
				if how != without {
					if stop, err = seen.watch(ctx, s); err != nil {
						return err
					}
				}
				got, err = timed(r.n, func() error { return seen.write(ctx, s, r.n, nil) })
				return errors.Join(err, stop())
			})
			return got, errors.Join(err, expect(ctx, d.DB, counts{objects: r.n, log: before.log + r.n}))
		}})
	}
	r.goals = []goal{{side: blocked, beside: without, atLeast: 0.85}, {side: running, beside: without}}
	return r
}

func objectName(i int) string { return fmt.Sprintf("backup-%08d", i) }
