package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
	"github.com/ownergraph/ownergraph/internal/servers"
	"github.com/ownergraph/ownergraph/restore"
)

// of returns the target in a round of a seed. A SQL store with policies keeps an archive.
func (t target) of(seed uint64, strict bool) target {
	t.Strict, t.Policies, t.Grace = strict, hasPolicies(seed), hasGrace(seed)
	t.Archive = t.Policies && t.Store != "etcd"
	return t
}

// config is that of a SQL store. Objects of each kind may have a row in the table of the user.
func (t target) config(d sqlstore.Dialect) sqlstore.Config {
	c := sqlstore.Config{Dialect: d, Strict: t.Strict, Policies: t.Policies}
	if d == sqlstore.Postgres {
		c.Schema = t.Space
	}
	if t.Archive {
		c.Archive = &sqlstore.ArchiveConfig{Tables: map[graph.Kind]sqlstore.Table{}}
		for _, k := range kinds() {
			c.Archive.Tables[k.Kind] = sqlstore.Table{Schema: c.Schema, Name: "payload", UID: "uid"}
		}
	}
	return c
}

// configOf is the configuration of a program that works on the tables of a site.
func configOf(s site, seed uint64) sqlstore.Config {
	t := s.target().of(seed, false)
	if t.Store == "sqlite" {
		return t.config(sqlstore.SQLite)
	}
	return t.config(sqlstore.Postgres)
}

// entries reads the archive, if there is one.
func (t tables) entries(ctx context.Context) (list []judge.Entry, err error) {
	var version int
	if err := t.db.QueryRowContext(ctx, t.text(`SELECT version FROM {t}og_meta WHERE id = 1`)).Scan(&version); err != nil || version < 4 {
		return nil, err
	}
	err = t.each(ctx, `SELECT uid, explicit, shape, restored FROM {t}og_archive ORDER BY uid`, func(rows *sql.Rows) error {
		var e judge.Entry
		var shape sql.NullString
		err := rows.Scan(&e.UID, &e.Explicit, &shape, &e.Restored)
		e.Row = shape.Valid
		list = append(list, e)
		return err
	})
	return list, err
}

// restoreRoot is the subcommand that restores one object with its set. A refusal is an end, too.
func restoreRoot(args []string) error {
	var t target
	flags := flag.NewFlagSet("restore", flag.ContinueOnError)
	t.register(flags)
	root := flags.String("root", "", "the UID of the root")
	if err := flags.Parse(args); err != nil {
		return err
	}
	store, err := t.open()
	if err != nil {
		return err
	}
	collector, err := ownergraph.New(bare(store), collectorConfig(t, ""))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	running := make(chan error, 1)
	go func() { running <- collector.Run(ctx) }()
	_, err = restore.Run(ctx, collector, archive.Request{Roots: []graph.UID{graph.UID(*root)}}, nil)
	var refused *archive.RefusedError
	if errors.As(err, &refused) {
		fmt.Println("refused:", err)
		err = nil
	}
	if err == nil {
		fmt.Println(restoreEnded)
	}
	cancel()
	return errors.Join(err, <-running, store.close())
}

// restoreEnded is the last line of a process that has ended its restore.
const restoreEnded = "the restore has ended"

// restores restores some objects under faults, and judges the end. Two processes restore each root. One of them is killed, a fault
// of the database comes and goes, and a third process ends the restore.
func (r *round) restores(ctx context.Context, rnd *rand.Rand) ([]judge.Breach, error) {
	before, err := r.contentSoon(ctx)
	if err != nil {
		return nil, err
	}
	var roots []graph.UID
	for _, e := range before.Entries {
		if e.Explicit {
			roots = append(roots, e.UID)
		}
	}
	const most = 6
	rnd.Shuffle(len(roots), func(i, j int) { roots[i], roots[j] = roots[j], roots[i] })
	list := r.extent.faults(r.site)
	for _, root := range roots[:min(len(roots), most)] {
		f := list[rnd.IntN(len(list))]
		pair := [2]*servers.Process{}
		for i := range pair {
			if pair[i], err = r.startRestore(ctx, root, fmt.Sprintf("restore-%s-%d", root, i)); err != nil {
				return nil, err
			}
		}
		pause(ctx, rnd, 100)
		end, err := f.begin(ctx, rnd)
		if err != nil {
			return nil, fmt.Errorf("fault %s: begin: %w", f.name, err)
		}
		r.counts[f.name]++
		pause(ctx, rnd, 200)
		pair[0].Stop()
		if err := end(ctx); err != nil {
			return nil, fmt.Errorf("fault %s: end: %w", f.name, err)
		}
		last, err := r.startRestore(ctx, root, fmt.Sprintf("restore-%s-last", root))
		if err != nil {
			return nil, err
		}
		until := func(p *servers.Process) { _ = persist(ctx, func() error { return alive(p) }) }
		until(pair[1])
		if until(last); !strings.Contains(last.Tail(), restoreEnded) {
			return []judge.Breach{{Rule: "restore", Text: fmt.Sprintf("the restore of %s has not ended: %s", root, last.Tail())}}, nil
		}
	}
	after, err := r.contentSoon(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range after.Entries {
		if e.Restored != "" {
			r.counts["restored"]++
		}
	}
	return restored(before, after), nil
}

// contentSoon reads the database. The connections of before may have ended with the server.
func (r *round) contentSoon(ctx context.Context) (c *judge.Content, err error) {
	err = persist(ctx, func() (err error) { c, err = r.site.content(ctx); return err })
	return c, err
}

func (r *round) startRestore(ctx context.Context, root graph.UID, name string) (*servers.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	of := r.target(r.strict())
	args := append([]string{"restore", "-root", string(root)}, of.arguments()...)
	return servers.Launch(ctx, r.dir, name, self, args...)
}

func alive(p *servers.Process) error {
	if p.Alive() {
		return errors.New("the process has not ended")
	}
	return nil
}

// restored judges a database after restores. Each object of before is there, or has its entry. Each new object is that of one entry, with
// its row, and its references name living owners.
func restored(before, after *judge.Content) (found []judge.Breach) {
	add := func(format string, args ...any) {
		found = append(found, judge.Breach{Rule: "restore", Text: fmt.Sprintf(format, args...)})
	}
	live, rows, made := map[graph.UID]graph.Object{}, map[graph.UID]bool{}, map[graph.UID]judge.Entry{}
	for _, o := range after.Objects {
		live[o.UID] = o
	}
	for _, x := range after.Rows {
		rows[x.UID] = true
	}
	entries := map[graph.UID]judge.Entry{}
	for _, e := range after.Entries {
		entries[e.UID] = e
		if o, lives := live[e.UID]; lives {
			add("%s lives, and has an entry", o)
		}
		if other, twice := made[e.Restored]; e.Restored != "" && twice {
			add("the entries %s and %s have the object %s", other.UID, e.UID, e.Restored)
		}
		made[e.Restored] = e
	}
	for _, o := range before.Objects {
		if _, there := live[o.UID]; !there {
			add("%s was there before the restores", o)
		}
	}
	for _, e := range before.Entries {
		if _, kept := entries[e.UID]; !kept {
			add("the entry %s was there before the restores", e.UID)
		}
	}
	for uid, e := range made {
		o, there := live[uid]
		switch _, ended := entries[uid]; {
		case uid == "":
		case !there && !ended:
			add("the object %s of the entry %s is gone without an entry", uid, e.UID)
		case there && rows[uid] != e.Row:
			add("%s has a row: %t, and its entry: %t", o, rows[uid], e.Row)
		}
		for _, r := range o.Owners {
			if owner, lives := live[r.UID]; !lives || owner.Key != r.Key {
				add("%s names %s, which is not there", o, r)
			}
		}
	}
	for _, o := range after.Objects {
		_, is := made[o.UID]
		if was := slices.ContainsFunc(before.Objects, func(x graph.Object) bool { return x.UID == o.UID }); was == is {
			add("%s was there: %t, and an entry has it: %t", o, was, is)
		}
	}
	for _, text := range after.Faults {
		add("%s", text)
	}
	return found
}
