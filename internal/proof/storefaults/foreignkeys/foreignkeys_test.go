package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

var (
	firstSeed = flag.Uint64("keys.seed", 1, "the first seed of TestForeignKeys")
	seedCount = flag.Uint64("keys.seeds", 60, "the number of seeds of TestForeignKeys")
)

// server is the Postgres of the tests.
var server *sql.DB

func TestMain(m *testing.M) { os.Exit(withServer(m)) }

func withServer(m *testing.M) int {
	s, err := postgres.Start(postgres.Config{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := s.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	if server, err = sql.Open("pgx", s.DSN()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer server.Close()
	return m.Run()
}

// TestForeignKeys: schemas at random end as in Postgres and SQLite, on the store in memory and on that of
// SQLite.
func TestForeignKeys(t *testing.T) {
	t.Logf("-keys.seed=%d -keys.seeds=%d", *firstSeed, *seedCount)
	c, err := compareSeeds(t.Context(), server, *firstSeed, *seedCount, 10)
	if err != nil {
		t.Errorf("%v: the policies of references end as the actions of foreign keys", err)
	}
	t.Logf("\n%s", c)
}

// keysOf makes a schema of keys.
func keysOf(tables int, keys map[[2]int]action) schema {
	s := schema{tables: tables}
	for k, a := range keys {
		s.keys[k[0]][k[1]] = a
	}
	return s
}

// TestClasses: each class has a schema whose end differs, and the judge would report it without the class. A
// schema of no class has equal ends.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		s       schema
		guarded bool
		class   class
		differs bool
		reason  string
	}{
		{keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 1}: setNull}), false, classUnset, false, "a cascade, and a reference that is released"},
		{keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 0}: noAction}), false, classUnset, false, "the root is restricted from outside"},
		{keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 1}: noAction}), true, classUnset, false, "the guard refuses what SQL refuses"},
		{keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 0}: cascade, {2, 1}: noAction}), false, classUnset, false, "the restricting row goes first"},
		{keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 1}: noAction}), false, below, true, "the cascade stops at the row below"},
		{keysOf(2, map[[2]int]action{{1, 0}: cascade, {0, 1}: noAction}), false, classUnset, false, "a root that restricts what goes with it"},
		{keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 1}: cascade, {2, 0}: noAction}), false, ownCascade, true, "SQL deletes the root with all below"},
		{keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 0}: cascade, {1, 2}: noAction, {2, 1}: noAction}), true, ring, true, "both wait"},
		{keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 0}: cascade, {1, 2}: restrict}), false, byAnotherPath, true, "SQL meets the restricted row first"},
	} {
		if got := c.s.classOf(c.guarded); got != c.class {
			t.Errorf("%s is of the class %s, want %s: %s", c.s, got, c.class, c.reason)
		}
		want, err := deleteInSQLite(t.Context(), c.s)
		if err != nil {
			t.Fatal(err)
		}
		for name, run := range map[string]func(context.Context, schema, bool) (end, error){"memory": inMemory, "sqlite": onSQLite} {
			got, err := run(t.Context(), c.s, c.guarded)
			if err != nil || (got != want) != c.differs {
				t.Errorf("%s on %s: %s, %v, SQLite has %s, want a difference: %t: %s", c.s, name, got, err, want, c.differs, c.reason)
			}
		}
	}
}

// TestUnsafeEnds: the judge of all ends finds a row that goes by mistake, and a reference that outlives its row.
func TestUnsafeEnds(t *testing.T) {
	s := keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 0}: restrict})
	gone := func(tables ...int) (e end) {
		e = s.whole()
		for e.refused = false; len(tables) > 0; tables = tables[1:] {
			e.left[tables[0]], e.refs[tables[0]] = false, set{}
		}
		return e
	}
	refused := gone(1)
	refused.refused = true
	for _, c := range []struct {
		e      end
		safe   bool
		reason string
	}{
		{s.whole(), true, "a refusal"},
		{gone(1), true, "the cascade reaches it"},
		{gone(2), false, "the cascade does not reach it"},
		{gone(0, 1), false, "a row restricts the root"},
		{refused, false, "a refusal that deletes"},
	} {
		if err := s.isSafe(c.e); (err == nil) != c.safe {
			t.Errorf("%s: %v: %s", c.e, err, c.reason)
		}
	}
}
