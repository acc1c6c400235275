package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"modernc.org/sqlite"

	"github.com/ownergraph/ownergraph"
	etcdstore "github.com/ownergraph/ownergraph/adapters/etcd"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
)

// The kinds of the objects.
const (
	kindTeam   = graph.Kind("team")
	kindBucket = graph.Kind("bucket")
	kindPhoto  = graph.Kind("photo")
	kindNote   = graph.Kind("note")
)

func kinds() []graph.KindInfo {
	return []graph.KindInfo{{Kind: kindTeam}, {Kind: kindBucket, Scoped: true}, {Kind: kindPhoto, Scoped: true}, {Kind: kindNote, Scoped: true}}
}

// target names a database, so that another process can open it.
type target struct {
	// Store is sqlite, postgres or etcd.
	Store string
	// Address is the path of the file, the directory of the socket, or the host and port.
	Address string
	// Space is the schema of Postgres, or the prefix of etcd.
	Space string
	// Strict makes a SQL store refuse references to owners that are gone or that end, and deletions
	// of restricted objects.
	Strict bool
	// Policies lets the policies of references act. The database has taken the step to them.
	Policies bool
	// Grace lets foreground deletions pass the grace periods of their owners on, for all kinds.
	Grace bool
	// Archive keeps entries of all objects that end, with the rows of the user.
	Archive bool
}

// register adds the flags that name the target to those of a subcommand.
func (t *target) register(flags *flag.FlagSet) {
	flags.StringVar(&t.Store, "store", "", "sqlite, postgres or etcd")
	flags.StringVar(&t.Address, "address", "", "the database")
	flags.StringVar(&t.Space, "space", "", "the schema or the prefix")
	flags.BoolVar(&t.Strict, "strict", false, "the store is of level 3")
	flags.BoolVar(&t.Policies, "policies", false, "the policies of references act")
	flags.BoolVar(&t.Grace, "grace", false, "foreground deletions pass grace periods on")
	flags.BoolVar(&t.Archive, "archive", false, "the store keeps entries of objects that end")
}

// place returns the flags that name the database, and arguments all of register.
func (t *target) place() []string {
	return []string{"-store", t.Store, "-address", t.Address, "-space", t.Space}
}

func (t *target) arguments() []string {
	return append(t.place(), fmt.Sprintf("-strict=%t", t.Strict), fmt.Sprintf("-policies=%t", t.Policies), fmt.Sprintf("-grace=%t", t.Grace), fmt.Sprintf("-archive=%t", t.Archive))
}

// client is one handle of the store under test.
type client interface {
	ownergraph.Store
	// create adds an object. With payload it adds a row or a payload of the user as well.
	create(ctx context.Context, o graph.Object, payload bool) (graph.Object, error)
	close() error
}

// open opens the store of a database that is there.
func (t target) open() (client, error) {
	switch t.Store {
	case "sqlite":
		return newSQLClient(openSQLite(t.Address), t.config(sqlstore.SQLite))
	case "postgres":
		db, err := openPostgres(t.Address)
		if err != nil {
			return nil, err
		}
		return newSQLClient(db, t.config(sqlstore.Postgres))
	case "etcd":
		return t.openEtcd()
	}
	return nil, fmt.Errorf("store %q: want sqlite, postgres or etcd", t.Store)
}

const sqliteSettings = "?_pragma=busy_timeout(100)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_txlock=immediate"

// openSQLite opens a file. The connections obey the read-only periods of the tests.
func openSQLite(path string) *sql.DB {
	db := sql.OpenDB(&guarded{inner: &sqlite.Driver{}, dsn: "file:" + path + sqliteSettings, marker: readOnlyMarker(path)})
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	return db
}

func readOnlyMarker(path string) string { return filepath.Join(filepath.Dir(path), "readonly") }

func openPostgres(dir string) (*sql.DB, error) {
	c, err := pgx.ParseConfig("host=" + dir + " user=postgres dbname=postgres sslmode=disable connect_timeout=3")
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(stdlib.GetConnector(*c))
	db.SetMaxOpenConns(12)
	db.SetMaxIdleConns(12)
	return db, nil
}

// sqlClient is a handle on SQLite or Postgres.
type sqlClient struct {
	*sqlstore.Store
	db     *sql.DB
	insert string
}

func newSQLClient(db *sql.DB, c sqlstore.Config) (client, error) {
	c.Kinds = kinds()
	s, err := sqlstore.New(db, c)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	table := "payload"
	if c.Schema != "" {
		table = `"` + c.Schema + `".payload`
	}
	return &sqlClient{s, db, "INSERT INTO " + table + " (uid, name) VALUES ($1, $2)"}, nil
}

// errUndone is the error of a transaction that was rolled back before its commit.
type errUndone struct{ cause error }

func (e *errUndone) Error() string           { return "rolled back: " + e.cause.Error() }
func (e *errUndone) Unwrap() error           { return e.cause }
func (*errUndone) RetryAfter() time.Duration { return 0 }

func (c *sqlClient) create(ctx context.Context, o graph.Object, payload bool) (graph.Object, error) {
	if !payload {
		return c.Create(ctx, o)
	}
	tx, err := c.db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return o, &errUndone{err}
	}
	made, err := c.Tx(tx).Create(ctx, o)
	if err == nil {
		_, err = tx.ExecContext(ctx, c.insert, string(made.UID), made.Name)
	}
	if err != nil {
		_ = tx.Rollback()
		return o, &errUndone{err}
	}
	if err := tx.Commit(); err != nil {
		return o, fmt.Errorf("commit of the user: %w", err)
	}
	c.Wake()
	return made, nil
}

func (c *sqlClient) close() error { return errors.Join(c.Store.Close(), c.db.Close()) }

// etcdClient is a handle on etcd.
type etcdClient struct {
	*etcdstore.Store
	etcd *clientv3.Client
}

func dialEtcd(address string) (*clientv3.Client, error) {
	quick := backoff.Config{BaseDelay: 10 * time.Millisecond, Multiplier: 1.5, MaxDelay: 200 * time.Millisecond}
	return clientv3.New(clientv3.Config{
		Logger: zap.NewNop(), Endpoints: []string{address},
		DialOptions: []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{Backoff: quick, MinConnectTimeout: time.Second})},
	})
}

func (t target) openEtcd() (client, error) {
	c, err := dialEtcd(t.Address)
	if err != nil {
		return nil, err
	}
	s, err := etcdstore.New(c, etcdstore.Config{Kinds: kinds(), Prefix: t.Space, PageSize: 20, Policies: t.Policies})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &etcdClient{s, c}, nil
}

func (c *etcdClient) create(ctx context.Context, o graph.Object, payload bool) (graph.Object, error) {
	r := etcdstore.Record{Object: o}
	if payload {
		r.Payload = []byte(o.Name)
	}
	made, err := c.Store.Create(ctx, r)
	return made.Object, err
}

func (c *etcdClient) close() error { return c.etcd.Close() }
