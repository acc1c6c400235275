package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/internal/proof/processes"
)

// TestGroupProcesses: three processes on Postgres divide the objects. One is killed, one is stopped
// for longer than its lease, and one comes. The log of the database is the judge.
func TestGroupProcesses(t *testing.T) {
	processes.Prove(t, newProcessSite(t), processes.SizeOfTests())
}

// TestGroupBesideOther: a process without a share works beside two members.
func TestGroupBesideOther(t *testing.T) {
	processes.Beside(t, newProcessSite(t), processes.Size{Cascades: 10, Dependents: 30, Lease: 2 * time.Second, Patience: 2 * time.Minute})
}

// serveTask is the main function of a process.
func serveTask(task processes.Task) (err error) {
	// A process may be stopped in the middle of a transaction, which delays the watches of the others.
	// The timeout is longer than a busy machine stalls: then it ends the transaction of no other process.
	db, err := openPostgres(task.Address+" idle_in_transaction_session_timeout=20000", &faults{})
	if err != nil {
		return err
	}
	store, err := New(db, Config{Dialect: Postgres, Schema: task.Space, Kinds: kindsOfTests()})
	if err != nil {
		return errors.Join(err, db.Close())
	}
	defer func() { err = errors.Join(err, store.Close(), db.Close()) }()
	return task.ServeNoted(store, func() (group.Coordinator, error) { return store.Group(context.Background(), "gc") })
}

// processSite is a schema of Postgres with processes.
type processSite struct {
	*handle
	t      *testing.T
	dir    string
	before []graph.Object
	rows   int // of the log, before the history begins
}

func newProcessSite(t *testing.T) *processSite {
	t.Helper()
	return &processSite{handle: newPostgresDatabase(t).mustHandle(t, nil), t: t, dir: t.TempDir()}
}

// Kinds returns the kinds of the objects, and their scope.
func (s *processSite) Kinds() (owner, dependent graph.Kind, scope string) {
	return "bucket", "photo", "processes"
}

// Delete deletes as a user does.
func (s *processSite) Delete(ctx context.Context, key graph.Key, how graph.Propagation) error {
	return s.Store.Delete(ctx, key, graph.DeleteOptions{Propagation: how, Precondition: graph.Precondition{UID: key.UID}})
}

// Start starts a process.
func (s *processSite) Start(ctx context.Context, name string, r processes.Role, z processes.Size) (*processes.Process, error) {
	return processes.Launch(ctx, processes.Task{Address: server.DSN(), Space: s.d.conf.Schema, Name: name, Dir: s.dir, Role: r, Size: z})
}

// Writes returns the writes of the processes.
func (s *processSite) Writes(context.Context) ([]processes.Write, error) {
	return processes.ReadWrites(s.dir)
}

// List returns all objects.
func (s *processSite) List(ctx context.Context) (out []graph.Object, err error) {
	for _, o := range s.objects(ctx, s.t) {
		out = append(out, o)
	}
	return out, nil
}

// Mark notes the objects and the rows of the log.
func (s *processSite) Mark(ctx context.Context) (err error) {
	s.before, err = s.List(ctx)
	return errors.Join(err, s.db.QueryRowContext(ctx, s.conf.names().Replace(`SELECT count(*) FROM {log}`)).Scan(&s.rows))
}

// Past reads the log, which no test cuts before.
func (s *processSite) Past(ctx context.Context) (before []graph.Object, changes []graph.Event, err error) {
	err = s.transact(ctx, func(ses *session) error {
		kinds, err := s.readKinds(ctx, &ses.c)
		if err != nil {
			return err
		}
		changes = nil
		text := s.conf.names().Replace(`SELECT type, kind, uid, scope, name, body FROM {log} ORDER BY pos, seq OFFSET $1`)
		return ses.c.each(ctx, text, []any{s.rows}, func(rows *sql.Rows) error {
			var what int
			var kind int64
			var body sql.RawBytes
			var o graph.Object
			if err := rows.Scan(&what, &kind, &o.UID, &o.Scope, &o.Name, &body); err != nil {
				return err
			}
			o.Kind = kinds.byID[kind].info.Kind
			switch what {
			case logPut:
				changes = append(changes, graph.Event{Type: graph.Put, Object: o})
				return decodeBody(body, &changes[len(changes)-1].Object)
			case logGone:
				changes = append(changes, graph.Event{Type: graph.Gone, Key: o.Key})
			}
			return nil
		})
	})
	return s.before, changes, err
}
