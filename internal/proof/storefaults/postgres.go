package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/disk"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/proxy"
	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

// postgresSite has each database in a schema of one server, behind a proxy. The data of the
// server are on a small disk.
type postgresSite struct {
	disk   *disk.Disk
	clock  *fakeClock
	server *postgres.Server
	proxy  *proxy.Proxy
	socket string // the directory of the proxy's socket
	schema string
	direct *sql.DB
	seed   uint64
}

func newPostgresSite(size int64) (site, error) {
	s := &postgresSite{}
	if err := s.start(size); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *postgresSite) start(size int64) (err error) {
	if s.disk, err = disk.Mount(size); err != nil {
		return err
	}
	if s.socket, err = os.MkdirTemp("", "storefaults-socket"); err != nil {
		return err
	}
	if s.clock, err = newFakeClock(filepath.Join(s.socket, "clock")); err != nil {
		return err
	}
	if err := os.Chmod(s.socket, 0o755); err != nil { // the server's user reads the clock
		return err
	}
	data := filepath.Join(s.disk.Dir(), "server")
	if err := os.Mkdir(data, 0o755); err != nil {
		return err
	}
	err = s.clock.during(func() (err error) {
		s.server, err = postgres.Start(postgres.Config{Dir: data, Settings: []string{
			"max_connections=100", "shared_buffers=16MB", "max_wal_size=64MB", "min_wal_size=32MB",
		}})
		return err
	})
	if err != nil {
		return err
	}
	s.proxy, err = proxy.Listen("unix", filepath.Join(s.socket, ".s.PGSQL.5432"), s.server.Socket(), 1)
	return err
}

func postgresHistory(schema string) []string {
	in := func(text string) string { return fmt.Sprintf(text, `"`+schema+`".`) }
	return []string{
		in(`CREATE TABLE %[1]spayload (uid text COLLATE "C" PRIMARY KEY REFERENCES %[1]sog_objects (uid) ON DELETE CASCADE, name text NOT NULL)`),
		in(`CREATE TABLE %[1]sjudged (n bigint GENERATED ALWAYS AS IDENTITY, pos bigint, seq bigint, type smallint, kind integer, uid text, scope text, name text, body bytea)`),
		in(`CREATE FUNCTION %[1]sjudges() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO %[1]sjudged (pos, seq, type, kind, uid, scope, name, body) VALUES (new.pos, new.seq, new.type, new.kind, new.uid, new.scope, new.name, new.body);
			RETURN NULL; END $$`),
		in(`CREATE TRIGGER judges AFTER INSERT ON %[1]sog_log FOR EACH ROW EXECUTE FUNCTION %[1]sjudges()`),
	}
}

func (s *postgresSite) fresh(ctx context.Context, seed uint64) (err error) {
	s.schema, s.seed = fmt.Sprintf("round%d", seed), seed
	if s.direct, err = openPostgres(filepath.Dir(s.server.Socket())); err != nil {
		return err
	}
	return prepare(ctx, s.direct, configOf(s, seed), postgresHistory(s.schema))
}

func (s *postgresSite) target() target {
	return target{Store: "postgres", Address: s.socket, Space: s.schema}
}

func (s *postgresSite) tables() tables {
	return tables{db: s.direct, prefix: `"` + s.schema + `".`, seq: true}
}

func (s *postgresSite) objects(ctx context.Context) ([]graph.Object, error) {
	return s.tables().objects(ctx)
}

func (s *postgresSite) content(ctx context.Context) (*judge.Content, error) {
	return s.tables().content(ctx, s.direct)
}

func (s *postgresSite) faults() []fault {
	return []fault{
		{"kill-server", s.kill}, {"full-disk", s.fill}, {"cut", s.cut}, {"lose-answers", s.lose},
		{"read-only", s.readOnly}, {"clock", s.jump},
	}
}

func (s *postgresSite) kill(context.Context, *rand.Rand) (func(context.Context) error, error) {
	return s.restart, s.server.Kill()
}

func (s *postgresSite) restart(context.Context) error {
	return s.clock.during(s.server.Restart)
}

// fill fills the disk and forces the server to write. The server may end from that, and is
// started again then.
func (s *postgresSite) fill(context.Context, *rand.Rand) (func(context.Context) error, error) {
	return func(ctx context.Context) error {
		if err := s.disk.Free(); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		if err := s.serves(ctx); err != nil {
			return s.restart(ctx)
		}
		return nil
	}, s.disk.Fill()
}

// serves waits until the server takes a write.
func (s *postgresSite) serves(ctx context.Context) error {
	return persist(ctx, func() error { _, err := s.direct.ExecContext(ctx, `SELECT pg_current_xact_id()`); return err })
}

func (s *postgresSite) cut(_ context.Context, rnd *rand.Rand) (func(context.Context) error, error) {
	s.proxy.Cut(200 + rnd.IntN(8000))
	return func(context.Context) error { s.proxy.Calm(); return nil }, nil
}

func (s *postgresSite) lose(context.Context, *rand.Rand) (func(context.Context) error, error) {
	s.proxy.Lose()
	return func(context.Context) error { s.proxy.Calm(); return nil }, nil
}

// readOnly makes every later transaction of the cluster a read-only one.
func (s *postgresSite) readOnly(ctx context.Context, _ *rand.Rand) (func(context.Context) error, error) {
	set := func(ctx context.Context, text string) error {
		return persist(ctx, func() error {
			_, err := s.direct.ExecContext(ctx, text)
			if err == nil {
				_, err = s.direct.ExecContext(ctx, `SELECT pg_reload_conf()`)
			}
			return err
		})
	}
	return func(ctx context.Context) error { return set(ctx, `ALTER SYSTEM RESET default_transaction_read_only`) },
		set(ctx, `ALTER SYSTEM SET default_transaction_read_only = on`)
}

// jump changes the clock of the server, and the times of some logged changes, as writers
// whose clocks jump do. Then the store cuts its log by these times.
func (s *postgresSite) jump(ctx context.Context, rnd *rand.Rand) (func(context.Context) error, error) {
	hours := (rnd.IntN(5) - 3) * 2
	if err := s.clock.set(hours); err != nil {
		return nil, err
	}
	text := fmt.Sprintf(`UPDATE "%s".og_log SET at = at %+d WHERE seq %% 3 = %d`, s.schema, hours*hour, rnd.IntN(3))
	if err := persist(ctx, func() error { _, err := s.direct.ExecContext(ctx, text); return err }); err != nil {
		return nil, err
	}
	return func(context.Context) error { return s.clock.set(0) },
		compact(ctx, s.direct, configOf(s, s.seed))
}

func (s *postgresSite) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s.proxy.Calm()
	if err := s.serves(ctx); err != nil {
		return errors.Join(err, s.direct.Close())
	}
	err := persist(ctx, func() error {
		_, err := s.direct.ExecContext(ctx, `DROP SCHEMA IF EXISTS "`+s.schema+`" CASCADE`)
		return err
	})
	return errors.Join(err, s.direct.Close())
}

func (s *postgresSite) close() (err error) {
	if s.proxy != nil {
		err = s.proxy.Close()
	}
	if s.server != nil {
		err = errors.Join(err, s.server.Stop())
	}
	if s.socket != "" {
		err = errors.Join(err, os.RemoveAll(s.socket))
	}
	if s.disk != nil {
		err = errors.Join(err, s.disk.Unmount())
	}
	return err
}

// endSessions ends one session after another, until the end of the fault.
func (s *postgresSite) endSessions(ctx context.Context, rnd *rand.Rand) (func(context.Context) error, error) {
	const one = `SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1) AS one`
	own := rand.New(rand.NewPCG(rnd.Uint64(), 1))
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_, _ = s.direct.ExecContext(ctx, one) // a session that is gone already is no fault of the round
			pause(ctx, own, 30)
		}
	}()
	return func(context.Context) error { cancel(); <-ended; return nil }, nil
}
