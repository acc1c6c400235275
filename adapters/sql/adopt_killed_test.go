package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"modernc.org/sqlite"

	"github.com/ownergraph/ownergraph/graph"
)

// adoptVariable names the environment variable that makes the test program a run of Adopt.
const adoptVariable = "OWNERGRAPH_SQL_ADOPT"

// adoptTask is the value of that variable, in JSON. The program kills itself before a statement.
type adoptTask struct {
	Dialect         Dialect
	DSN, Schema     string
	KilledAt, Batch int
}

// runAdoptTask is the main function of the program.
func runAdoptTask(text string) error {
	var task adoptTask
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		return err
	}
	n := 0
	die := func(string) error {
		if n++; n == task.KilledAt {
			dieNow()
		}
		return nil
	}
	f := &faults{}
	f.fail.Store(&die)
	var db *sql.DB
	if db = openFaulty(dsnConnector{&sqlite.Driver{}, task.DSN}, f); task.Dialect == Postgres {
		var err error
		if db, err = openPostgres(task.DSN, f); err != nil {
			return err
		}
	}
	s, err := New(db, Config{Dialect: task.Dialect, Schema: task.Schema, Kinds: kindsOfTests()})
	if err != nil {
		return err
	}
	_, err = s.Adopt(context.Background(), oldTables(task.Schema), AdoptConfig{Batch: task.Batch})
	return err
}

// adoptAndDie runs the task in a process of its own, and reports whether that has killed itself.
func (a *old) adoptAndDie(task adoptTask) (killed bool) {
	a.t.Helper()
	text, err := json.Marshal(task)
	if err != nil {
		a.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), adoptVariable+"="+string(text))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false
	case errors.As(err, &exit) && ctx.Err() == nil:
		if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signal() == syscall.SIGKILL {
			return true
		}
	}
	a.t.Fatalf("the program has ended with %v, %v, %s", err, ctx.Err(), out)
	return false
}

// TestAdoptKilled kills processes with kill -9 in the middle of Adopt, each one some statements after
// the start, until one ends. After each kill a row has the UID of its object, or neither exists. The
// end is as that of one run.
func TestAdoptKilled(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		for i := range 20 {
			a.do(fmt.Sprintf(`INSERT INTO {photos} (code, bucket, parent, title) VALUES ('n%d', %d, 'a', 'n%d')`, i, 10+i%3, i))
		}
		task := adoptTask{Dialect: d.conf.Dialect, DSN: server.DSN(), Schema: d.conf.Schema, Batch: 4}
		if d.conf.Dialect == SQLite {
			file := a.one(`SELECT file FROM pragma_database_list WHERE name = 'main'`)
			task.DSN = "file:" + file + "?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)&_txlock=immediate"
		}
		kills := 0
		for task.KilledAt = 10; a.adoptAndDie(task); task.KilledAt += 23 {
			kills++
			a.atomic()
		}
		if kills < 5 {
			t.Errorf("%d kills: the statements between them are too many", kills)
		}
		a.check("after the last process")
		before := a.state()
		if r := a.adopt(AdoptConfig{}); r.Passes != 1 || a.state() != before {
			t.Errorf("a run after the last process: %+v", r)
		}
	})
}

// atomic checks that rows and objects name each other, and that each object has its proof.
func (a *old) atomic() {
	a.t.Helper()
	all := a.objects(a.t.Context(), a.t)
	for _, table := range []string{"{teams}", "{buckets}", "{photos}"} {
		rows, err := a.db.QueryContext(a.t.Context(), a.text(`SELECT uid FROM `+table+` WHERE uid IS NOT NULL`))
		if err != nil {
			a.t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var uid graph.UID
			if err := rows.Scan(&uid); err != nil {
				a.t.Fatal(err)
			}
			if _, is := all[uid]; !is {
				a.t.Errorf("a row of %s has the UID %s of no object", table, uid)
			}
			delete(all, uid)
		}
		if err := rows.Err(); err != nil {
			a.t.Fatal(err)
		}
	}
	if len(all) > 0 {
		a.t.Errorf("no row has the UIDs of %v", all)
	}
}
