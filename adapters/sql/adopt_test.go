package sqlstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestAdopt adopts tables in each order of their declarations, in batches of several sizes. The result
// is the same. The progress never falls.
func TestAdopt(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for _, batch := range []int{1, 2, 0} {
			onEach(t, func(t *testing.T, d *database) {
				a := d.mustHandle(t, func(c *Config) { c.Strict = strict }).withOld(t)
				a.fill()
				tables := a.tables()
				if batch == 2 {
					slices.Reverse(tables)
				}
				var last AdoptProgress
				r, err := a.Adopt(t.Context(), tables, AdoptConfig{Batch: batch, OnProgress: func(p AdoptProgress) {
					if p.Created < last.Created || p.Pass < last.Pass {
						t.Errorf("progress: %v after %v", p, last)
					}
					last = p
				}})
				if err != nil || !r.Complete || r.Created != 10 || r.Rows != 10 || r.Deleted != 0 || last.Created != 10 {
					t.Errorf("batch %d: %+v, %v, progress %+v", batch, r, err, last)
				}
				a.check("after the run")
				all := a.objects(t.Context(), t)
				team := all[graph.UID(a.one(`SELECT uid FROM {teams} WHERE id = 1`))]
				if !slices.Equal(team.Finalizers, []string{"example.com/hold"}) {
					t.Errorf("finalizers of a team: %v", team.Finalizers)
				}
				photo := all[graph.UID(a.one(`SELECT uid FROM {photos} WHERE code = 'd'`))]
				if i := slices.IndexFunc(photo.Owners, func(o graph.Owner) bool { return o.Kind == "bucket" }); len(photo.Owners) != 2 || !photo.Owners[i].Block || !photo.Owners[i].Controller {
					t.Errorf("two columns with one bucket: %v, want one reference with the flags of both", photo.Owners)
				}
			})
		}
	}
}

// TestAdoptTwice: a second run writes nothing. Neither does one by another process, or with another
// size of the batches, or in another order.
func TestAdoptTwice(t *testing.T) {
	all := map[string]func() *database{}
	for name, open := range furtherDrivers {
		all[name] = func() *database { return open(t) }
	}
	for name, open := range newDatabases {
		all[name] = func() *database { return open(t) }
	}
	for _, name := range sortedNames(all) {
		t.Run(name, func(t *testing.T) {
			d := all[name]()
			a := d.mustHandle(t, nil).withOld(t)
			a.fill()
			a.adopt(AdoptConfig{Batch: 3})
			before := a.state()
			other := &old{handle: d.mustHandle(t, nil), t: t, in: a.in}
			tables := a.tables()
			slices.Reverse(tables)
			r, err := other.Adopt(t.Context(), tables, AdoptConfig{})
			if err != nil || r.Passes != 1 || r.Created+r.Changed+r.Deleted != 0 {
				t.Errorf("the second run: %+v, %v", r, err)
			}
			if after := a.state(); after != before {
				t.Errorf("the second run has changed\n%s\nto\n%s", before, after)
			}
		})
	}
}

// TestAdoptFollows: between two runs old code inserts, moves, deletes and replaces rows, and changes a
// key. The next run follows each of them.
func TestAdoptFollows(t *testing.T) {
	for _, tc := range []struct {
		reason string
		do     []string
	}{
		{"a new row", []string{`INSERT INTO {photos} (code, bucket, title) VALUES ('n', 12, 'new')`}},
		{"a row moves", []string{`UPDATE {photos} SET bucket = 12 WHERE code = 'b'`}},
		{"a row moves to a new owner", []string{`INSERT INTO {buckets} (no, space, title) VALUES (90, 's', 'new')`, `UPDATE {photos} SET bucket = 90 WHERE code = 'b'`}},
		{"a row loses its owners", []string{`UPDATE {photos} SET bucket = NULL, second = NULL, parent = NULL WHERE code = 'b'`}},
		{"a row goes", []string{`DELETE FROM {photos} WHERE code = 'b'`}},
		{"a row goes with its dependents", []string{`DELETE FROM {buckets} WHERE no = 10`}},
		{"an owner goes, and its dependents stay", []string{`UPDATE {photos} SET bucket = 11 WHERE bucket = 10`, `DELETE FROM {buckets} WHERE no = 10`}},
		{"a row is made anew", []string{`DELETE FROM {photos} WHERE code = 'e''"'`, `INSERT INTO {photos} (code, bucket, title) VALUES ('e''"', 10, 'p e')`}},
		{"a key changes", []string{`UPDATE {photos} SET code = 'z' WHERE code = 'b'`}},
		{"a row gives its key to a new row", []string{`UPDATE {photos} SET code = 'z' WHERE code = 'b'`, `INSERT INTO {photos} (code, bucket, title) VALUES ('b', 12, 'new')`}},
		{"a key that was free for a moment changes its row", []string{`DELETE FROM {photos} WHERE code = 'e''"'`, `UPDATE {photos} SET code = 'e''"', bucket = 12 WHERE code = 'b'`}},
		{"all keys change", []string{`UPDATE {photos} SET bucket = NULL, second = NULL`, `UPDATE {buckets} SET no = no + 100`, `UPDATE {buckets} SET no = no - 99`, `UPDATE {photos} SET bucket = 12 WHERE code = 'b'`}},
		{"a row loses its UID", []string{`UPDATE {photos} SET uid = '' WHERE code = 'b'`}},
		{"all rows go", []string{`DELETE FROM {photos}`, `DELETE FROM {buckets}`}},
	} {
		onEach(t, func(t *testing.T, d *database) {
			a := d.mustHandle(t, nil).withOld(t)
			a.fill()
			a.adopt(AdoptConfig{})
			for _, text := range tc.do {
				a.do(text)
			}
			a.adopt(AdoptConfig{Batch: 2})
			c := a.collect(t, guardTeams())
			c.idle()
			c.stop()
			a.check(tc.reason)
			before := a.state()
			if r := a.adopt(AdoptConfig{}); r.Passes != 1 || a.state() != before {
				t.Errorf("%s: the run after that: %+v, or another state", tc.reason, r)
			}
		})
	}
}

// TestAdoptMeanwhile: in the first pass, behind the tables that it has read, old code inserts, moves and
// deletes rows. The same run follows each of them. No object of a row that remains has gone meanwhile.
func TestAdoptMeanwhile(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		c := a.collect(t, guardTeams())
		defer c.stop()
		done := false
		a.adopt(AdoptConfig{Batch: 2, OnProgress: func(p AdoptProgress) {
			if p.Kind == "team" && !done {
				done = true
				a.do(`INSERT INTO {buckets} (no, "team id", space, title) VALUES (20, 2, 's', 'b20')`)
				a.do(`INSERT INTO {photos} (code, bucket, parent, title) VALUES ('n', 20, 'a', 'pn')`)
				a.do(`UPDATE {photos} SET bucket = 20 WHERE bucket = 10`)
				a.do(`DELETE FROM {buckets} WHERE no = 10`)
				a.do(`DELETE FROM {photos} WHERE code = 'e''"'`)
			}
		}})
		c.idle()
		a.check("after the run")
		if n := a.one(a.conf.names().Replace(`SELECT count(*) FROM {log} WHERE type = 2 AND name NOT IN ('b10', 'p e')`)); n != "0" {
			t.Errorf("%s objects of rows that remain have gone", n)
		}
	})
}

// TestAdoptLeavesOthers: a row of new code has the UID of an object that Adopt has not created. Adopt
// changes neither, and it deletes no such object when the row has gone.
func TestAdoptLeavesOthers(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		team := a.mustCreate(t, object("team", "", "new"))
		a.do(`INSERT INTO {teams} (id, title, uid) VALUES (3, 'another name', '` + string(team.UID) + `')`)
		photo := object("photo", "s", "x")
		photo.Owners = []graph.Owner{{Key: team.Key}}
		photo = a.mustCreate(t, photo)
		a.do(`INSERT INTO {photos} (code, bucket, title, uid) VALUES ('x', 10, 'x', '` + string(photo.UID) + `')`)
		a.do(`INSERT INTO {buckets} (no, "team id", space, title) VALUES (13, 3, 's', 'b13')`)
		a.adopt(AdoptConfig{})
		bucket := a.objects(t.Context(), t)[graph.UID(a.one(`SELECT uid FROM {buckets} WHERE no = 13`))]
		if len(bucket.Owners) != 1 || bucket.Owners[0].Key != team.Key {
			t.Errorf("a bucket of a team of new code has the owners %v", bucket.Owners)
		}
		a.do(`DELETE FROM {photos} WHERE code = 'x'`)
		a.do(`DELETE FROM {teams} WHERE id = 3`)
		r := a.adopt(AdoptConfig{})
		all := a.objects(t.Context(), t)
		for _, o := range []graph.Object{team, photo} {
			if is := all[o.UID]; is.Version != o.Version {
				t.Errorf("%s: version %q, want %q", o.Key, is.Version, o.Version)
			}
		}
		if r.Deleted != 1 {
			t.Errorf("%d objects deleted, want the bucket", r.Deleted)
		}
	})
}

// TestAdoptKeepsFurtherOwners: new code has added an owner of another kind. Adopt keeps it, also when
// the row moves.
func TestAdoptKeepsFurtherOwners(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		a.adopt(AdoptConfig{})
		uid := graph.UID(a.one(`SELECT uid FROM {photos} WHERE code = 'b'`))
		team := a.mustCreate(t, object("team", "", "further"))
		if err := a.Patch(t.Context(), a.objects(t.Context(), t)[uid].Key, graph.Precondition{}, graph.Change{AddOwner: &graph.Owner{Key: team.Key}}); err != nil {
			t.Fatal(err)
		}
		a.do(`UPDATE {photos} SET bucket = 12, second = NULL, parent = NULL WHERE code = 'b'`)
		a.adopt(AdoptConfig{})
		var has []string
		for _, o := range a.objects(t.Context(), t)[uid].Owners {
			has = append(has, o.PlaceString())
		}
		slices.Sort(has)
		if got := strings.Join(has, ", "); got != "bucket/s/b12, team/further" {
			t.Errorf("owners: %s", got)
		}
	})
}

// TestAdoptKeyAgain: a row goes, and another row takes its key. The run is broken off before it deletes the
// object of the former row, and the row loses its UID. It gets the UID of its own object back.
func TestAdoptKeyAgain(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		a.adopt(AdoptConfig{})
		a.do(`UPDATE {photos} SET parent = NULL`)
		for _, of := range []string{"b", "c", "d"} { // some of their UIDs are below that of the row that goes
			uid := a.one(`SELECT uid FROM {photos} WHERE code = '` + of + `'`)
			a.do(`DELETE FROM {photos} WHERE code = 'a'`)
			a.do(`UPDATE {photos} SET code = 'a' WHERE code = '` + of + `'`)
			ctx, cancel := context.WithCancel(t.Context())
			_, err := a.Adopt(ctx, a.tables(), AdoptConfig{OnProgress: func(p AdoptProgress) {
				if p.Kind == "team" {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("broken off: %v", err)
			}
			a.do(`UPDATE {photos} SET uid = NULL WHERE code = 'a'`)
			a.adopt(AdoptConfig{})
			if got := a.one(`SELECT uid FROM {photos} WHERE code = 'a'`); got != uid {
				t.Errorf("the UID is %s, was %s", got, uid)
			}
			a.check("the key of " + of)
		}
	})
}
