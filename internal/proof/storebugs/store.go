package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Store is a level 2 ownergraph.Store in one SQLite file. Any number of handles and
// processes may share the file. It is a Fencer, a Lister and a VersionComparer.
// Every write is one immediate transaction, which also draws its number and appends
// to the log of changes. All methods are safe for concurrent use. Use Open.
type Store struct {
	db   *sql.DB
	bug  Bug
	disk *disk
	memo memo

	tokens atomic.Uint64 // for a planted bug

	mu   sync.Mutex
	wake chan struct{} // closed by this handle's next write
	cut  chan struct{} // closed by Break
}

// Open opens the database in the file, or creates it with the kinds. It plants the
// bug, if one is given. The caller calls Close.
func Open(file string, kinds []graph.KindInfo, bug Bug, d *disk) (*Store, error) {
	params := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(OFF)"}}
	db, err := sql.Open("sqlite", "file:"+file+"?"+params.Encode())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	db.SetMaxOpenConns(12)
	db.SetMaxIdleConns(12)
	s := &Store{db: db, bug: bug, disk: d, wake: make(chan struct{}), cut: make(chan struct{})}
	if _, err := db.Exec(s.schema()); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: schema: %w", file, err), db.Close())
	}
	for _, k := range kinds {
		if _, err := db.Exec("INSERT OR IGNORE INTO kinds VALUES (?, ?, ?, 1, '')", k.Kind, k.Scoped, k.NoOwner); err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: kinds: %w", file, err), db.Close())
		}
	}
	if s.memo.kinds, err = s.readKinds(context.Background()); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: kinds: %w", file, err), db.Close())
	}
	return s, nil
}

// Close closes the handle.
func (s *Store) Close() error { return s.db.Close() }

func (s *Store) has(b Bug) bool { return s.bug == b }

// schema creates the missing tables. A text column compares by its bytes.
func (s *Store) schema() string {
	name, scope := "TEXT NOT NULL", "TEXT NOT NULL"
	switch s.bug {
	case FoldedNames:
		name += " COLLATE NOCASE"
	case TrimmedNames:
		name += " COLLATE RTRIM"
	case FoldedScopes:
		scope += " COLLATE NOCASE"
	case NumericNames:
		name = "NUMERIC NOT NULL"
	case EmptyIsNull:
		scope = "TEXT"
	}
	return `
CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL,
	log_start INTEGER NOT NULL, epoch TEXT NOT NULL, reason TEXT NOT NULL);
INSERT OR IGNORE INTO state VALUES (1, 0, 0, '', '');
CREATE TABLE IF NOT EXISTS kinds (kind TEXT PRIMARY KEY, scoped INTEGER NOT NULL, no_owner INTEGER NOT NULL,
	served INTEGER NOT NULL, sick TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS objects (kind TEXT NOT NULL, scope ` + scope + `, name ` + name + `, uid TEXT NOT NULL,
	version INTEGER NOT NULL, deleting INTEGER NOT NULL, grace INTEGER NOT NULL, generation INTEGER NOT NULL,
	observed INTEGER NOT NULL, owners TEXT NOT NULL, finalizers TEXT NOT NULL, UNIQUE (kind, scope, name));
CREATE TABLE IF NOT EXISTS changes (seq INTEGER PRIMARY KEY, type INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fences (seq INTEGER PRIMARY KEY, id TEXT NOT NULL);`
}

// Get returns the object at key's coordinates. The same snapshot shows whether the
// kind is served.
func (s *Store) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	o, err := s.get(ctx, key)
	switch {
	case err == nil && s.has(AliasedGet):
		o = s.memo.cached(o)
	case s.has(StaleReads):
		return s.memo.stale(key, o, err)
	case err != nil && s.has(BusyIsNotFound) && errors.Is(err, errBusy):
		err = missing("get", key)
	case err != nil && s.has(CancelledIsNotFound) && ctx.Err() != nil:
		err = missing("get", key)
	case err == nil && s.has(EndedReadIsNotFound) && ctx.Err() != nil:
		return graph.Object{}, missing("get", key)
	case s.has(AbsentScopeIsError) && errors.Is(err, graph.ErrNotFound) && key.Scope != "":
		return o, s.scopeError(ctx, key, err)
	case s.has(UnservedIsNotFound) && errors.Is(err, graph.ErrKindUnknown):
		err = missing("get", key)
	}
	return o, err
}

func (s *Store) get(ctx context.Context, key graph.Key) (graph.Object, error) {
	if err := ctx.Err(); err != nil {
		return graph.Object{}, fmt.Errorf("get %s: %w", key, err)
	}
	// A read outside of a transaction sees the open transaction of its connection.
	if s.has(OpenTransaction) {
		conn, err := s.db.Conn(ctx)
		if err != nil {
			return graph.Object{}, fmt.Errorf("get %s: %w", key, err)
		}
		defer conn.Close()
		return (&tx{s: s, ctx: ctx, conn: conn}).find("get", key)
	}
	t, err := s.begin(ctx, "DEFERRED")
	if err != nil {
		return graph.Object{}, fmt.Errorf("get %s: %w", key, err)
	}
	defer t.close()
	return t.find("get", key)
}

// Fence appends the fence to the log. Every watch of every handle passes it in its
// place. The token is random, because the log's numbers fall with a restore.
func (s *Store) Fence(ctx context.Context) (token uint64, err error) {
	err = s.change(ctx, "fence", func(t *tx) error {
		seq, err := t.drawNumber()
		if err != nil {
			return err
		}
		if token = newToken(); s.has(TokensPerProcess) {
			token = s.tokens.Add(1)
		}
		stored := token
		if s.has(SignedFences) {
			stored &= 1<<63 - 1
		}
		return t.exec("INSERT INTO fences VALUES (?, ?)", seq, strconv.FormatUint(stored, 10))
	})
	return token, err
}

// List asks every watch for a new listing of the kind, through the log.
func (s *Store) List(ctx context.Context, kind graph.Kind) error {
	return s.change(ctx, "list", func(t *tx) error { return t.log(graph.ListBegun, kind, "") })
}

// CompareVersions orders two versions: they are numbers.
func (s *Store) CompareVersions(_ graph.Kind, a, b graph.Version) int {
	if s.has(TextVersions) {
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	}
	x, _ := strconv.ParseInt(string(a), 10, 64)
	y, _ := strconv.ParseInt(string(b), 10, 64)
	return int(min(1, max(-1, x-y)))
}

// change runs one write in an immediate transaction, and wakes the watches.
func (s *Store) change(ctx context.Context, verb string, do func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	drawn, err := s.drawBeforehand(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	t, err := s.begin(ctx, "IMMEDIATE")
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	defer t.close()
	t.drawnBefore = drawn
	if err := do(t); err != nil {
		return err
	}
	defer s.notify() // also after an error: the write may be done
	if err := t.commit(); err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	if s.has(NoticesOutOfOrder) {
		s.memo.announce(t.number)
	}
	return s.answer(ctx, verb)
}

// answer is the answer to a write that was done. The planted bugs look at the context once
// more.
func (s *Store) answer(ctx context.Context, verb string) error {
	switch {
	case s.has(EndedIsNotFound) && ctx.Err() != nil:
		return fmt.Errorf("%s: %w", verb, graph.ErrNotFound)
	case s.has(EndedIsConflict) && ctx.Err() != nil:
		return conflict(verb, ctx.Err())
	}
	return nil
}

// notify wakes the watches of this handle. The watches of other handles poll.
func (s *Store) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.wake)
	s.wake = make(chan struct{})
}

func (s *Store) signals() (wake, cut <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wake, s.cut
}

// scopeError is the answer of AbsentScopeIsError.
func (s *Store) scopeError(ctx context.Context, key graph.Key, absent error) error {
	t, err := s.begin(ctx, "DEFERRED")
	if err != nil {
		return err
	}
	defer t.close()
	var count int
	if err := t.row("SELECT count(*) FROM objects WHERE scope = ?", []any{key.Scope}, &count); err != nil || count > 0 {
		return errors.Join(absent, err)
	}
	return fmt.Errorf("get %s: no such scope", key)
}

// Break ends every watch of this handle, as a lost connection does.
func (s *Store) Break(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.cut)
	s.cut = make(chan struct{})
	return nil
}

// newToken returns a number that the store has never returned, also in another process.
func newToken() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return max(1, binary.NativeEndian.Uint64(b[:]))
}

func newUID() graph.UID { return graph.UID(rand.Text()) }

func missing(verb string, key graph.Key) error {
	return fmt.Errorf("%s %s: %w", verb, key, graph.ErrNotFound)
}

func conflict(verb string, cause error) error {
	return fmt.Errorf("%s: %w: %v", verb, graph.ErrConflict, cause)
}

var _ interface {
	ownergraph.Store
	ownergraph.Fencer
	ownergraph.Lister
	ownergraph.VersionComparer
} = (*Store)(nil)
