package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/servers/postgres"
	"github.com/ownergraph/ownergraph/plan"
)

var (
	firstSeed = flag.Uint64("keys.seed", 1, "the first seed of TestForeignKeys")
	seedCount = flag.Uint64("keys.seeds", 120, "the number of seeds of TestForeignKeys")
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

// TestForeignKeys: schemas at random end as in Postgres and SQLite, on the store in memory and on those of
// both. The plan of each deletion has that end, too.
func TestForeignKeys(t *testing.T) {
	t.Logf("-keys.seed=%d -keys.seeds=%d", *firstSeed, *seedCount)
	c, err := compareSeeds(t.Context(), server, *firstSeed, *seedCount, shares{sqlite: 10, postgres: 10})
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
		for name, run := range map[string]runner{"memory": inMemory, "sqlite": onSQLite, "postgres": onPostgres(server)} {
			got, err := run(t.Context(), c.s, way{guarded: c.guarded})
			if err != nil || got.planned.end != got.real || (got.real != want) != c.differs {
				t.Errorf("%s on %s: %s, planned %s, %v, SQLite has %s, want a difference: %t: %s", c.s, name, got.real, got.planned, err, want, c.differs, c.reason)
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
	free := keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 1}: setNull})
	refused := gone(1)
	refused.refused = true
	for _, c := range []struct {
		s      schema
		e      end
		safe   bool
		reason string
	}{
		{s, s.whole(), true, "a refusal"},
		{free, gone(1), true, "the cascade reaches it"},
		{s, gone(1), false, "a row keeps the root"},
		{s, gone(2), false, "the cascade does not reach it"},
		{s, gone(0, 1), false, "a row restricts the root"},
		{s, refused, false, "a refusal that deletes"},
	} {
		if err := c.s.isSafe(c.e); (err == nil) != c.safe {
			t.Errorf("%s: %s: %v: %s", c.s, c.e, err, c.reason)
		}
	}
}

func forecastOf(e end) forecast { return forecast{end: e} }

// TestJudge: a plan that differs from the real end is a fault in each class. A class permits its own differences
// alone.
func TestJudge(t *testing.T) {
	plain := keysOf(2, map[[2]int]action{{1, 0}: cascade})
	own := keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 1}: cascade, {2, 0}: noAction})
	waits := keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 0}: cascade, {1, 2}: noAction, {2, 1}: noAction})
	under := keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 1}: noAction})
	path := keysOf(3, map[[2]int]action{{1, 0}: cascade, {2, 0}: cascade, {1, 2}: restrict})
	gone := end{}
	stops := under.whole()
	stops.refused, stops.left[0], stops.refs[1] = false, false, set{}
	part := waits.whole()
	part.refused, part.left[0], part.refs[1][0], part.refs[2][0] = false, false, false, false
	both := func(e end) map[string]end { return map[string]end{"SQLite": e, "Postgres": e} }
	for _, c := range []struct {
		s       schema
		guarded bool
		got     outcome
		want    oracle
		right   bool
		reason  string
	}{
		{plain, false, outcome{forecastOf(gone), gone}, oracle{own: both(gone)}, true, "all ends are the same"},
		{plain, false, outcome{forecastOf(plain.whole()), gone}, oracle{own: both(gone)}, false, "the plan forecasts another end"},
		{plain, false, outcome{forecastOf(plain.whole()), plain.whole()}, oracle{own: both(gone)}, false, "no class permits the difference"},
		{own, false, outcome{forecastOf(own.whole()), own.whole()}, oracle{own: both(gone)}, true, "the own cascade restricts the root"},
		{own, false, outcome{forecastOf(own.whole()), gone}, oracle{own: both(gone)}, false, "the plan forecasts another end in a class"},
		{waits, true, outcome{forecastOf(waits.whole()), waits.whole()}, oracle{own: both(gone)}, true, "the guard refuses a ring"},
		{waits, true, outcome{forecastOf(part), part}, oracle{own: both(gone)}, false, "the guard lets a part of a ring go"},
		{waits, false, outcome{forecastOf(part), part}, oracle{own: both(gone)}, true, "a ring stays below a plain root"},
		{under, false, outcome{forecastOf(stops), stops}, oracle{own: both(under.whole())}, true, "the cascade stops below a plain root"},
		{under, true, outcome{forecastOf(stops), stops}, oracle{own: both(under.whole())}, false, "the guard lets a part of a cascade go"},
		{path, false, outcome{forecastOf(gone), gone}, oracle{own: both(path.whole()), noAction: both(gone)}, true, "RESTRICT refuses, and NO ACTION does not"},
		{path, false, outcome{forecastOf(path.whole()), path.whole()}, oracle{own: both(path.whole()), noAction: both(gone)}, false, "the end is that of RESTRICT, which depends on its order"},
		{path, false, outcome{forecastOf(gone), gone}, oracle{own: both(stops), noAction: both(gone)}, false, "a database has a third end"},
	} {
		if err := c.s.judge(c.got, c.want, way{guarded: c.guarded}); (err == nil) != c.right {
			t.Errorf("%s: planned %s, got %s: %v: %s", c.s, c.got.planned, c.got.real, err, c.reason)
		}
	}
}

// TestShrink: a difference keeps the keys that it needs.
func TestShrink(t *testing.T) {
	wrong := func(ctx context.Context, s schema, w way) (outcome, error) {
		o, err := inMemory(ctx, s, w)
		if s.keys[1][0] == cascade && s.keys[2][1] == setNull { // the reference stays
			o.real.refs[2][1], o.planned.refs[2][1] = true, true
		}
		return o, err
	}
	s := keysOf(4, map[[2]int]action{{1, 0}: cascade, {2, 1}: setNull, {3, 0}: setNull, {3, 1}: cascade, {3, 2}: setNull})
	b := &bench{postgres: server, stores: map[string]runner{"wrong": wrong}, counts: counts{runs: map[string]int{}}}
	err := b.compare(t.Context(), s)
	if err == nil {
		t.Fatal("the wrong store is not found")
	}
	want := keysOf(4, map[[2]int]action{{1, 0}: cascade, {2, 1}: setNull}).String()
	if err := b.shrink(t.Context(), s, err); !strings.Contains(err.Error(), want+":") {
		t.Errorf("got %v, want the schema %s", err, want)
	}
}

// TestEndOfPlan: the end of a plan has its refusals.
func TestEndOfPlan(t *testing.T) {
	s := keysOf(2, map[[2]int]action{{1, 0}: cascade})
	keys := []graph.Key{{Kind: "t0", Name: "row", UID: "a"}, {Kind: "t1", Name: "row", UID: "b"}}
	removed := []plan.Object{{Key: keys[0], Outcome: plan.Removed}, {Key: keys[1], Outcome: plan.Removed}}
	for _, c := range []struct {
		p      plan.Plan
		want   end
		right  bool
		reason string
	}{
		{plan.Plan{Objects: removed}, end{}, true, "both rows go"},
		{plan.Plan{Objects: removed, Verdicts: []plan.Verdict{{Restricted: keys[1:]}}}, s.whole(), true, "the guard refuses the deletion"},
		{plan.Plan{Refusals: []plan.Refusal{{Target: keys[0]}}}, s.whole(), true, "the store refuses the deletion"},
		{plan.Plan{Objects: removed, Refusals: []plan.Refusal{{Target: keys[0]}}}, end{}, false, "a refused deletion removes a row"},
	} {
		if got, err := s.endOfPlan(c.p, keys); (err == nil) != c.right || err == nil && got != forecastOf(c.want) {
			t.Errorf("got %s, %v, want %s: %s", got, err, c.want, c.reason)
		}
	}
}

// TestOpenRows: a plan may leave a row open only below a foreground deletion of a ring.
func TestOpenRows(t *testing.T) {
	line := keysOf(2, map[[2]int]action{{1, 0}: cascade})
	circle := keysOf(2, map[[2]int]action{{1, 0}: cascade, {0, 1}: cascade})
	outside := keysOf(3, map[[2]int]action{{1, 2}: cascade, {2, 1}: cascade})
	f := forecast{end: end{left: set{false, true}}, open: set{false, true}}
	for _, c := range []struct {
		s          schema
		foreground bool
		real       end
		right      bool
		reason     string
	}{
		{circle, true, end{}, true, "the ring breaks by the order of its writes"},
		{circle, false, end{}, false, "a background deletion breaks no ring"},
		{line, true, end{}, false, "the cascade has no ring"},
		{outside, true, end{}, true, "a reference may lead from the ring to the cascade"},
		{circle, true, end{left: set{true}}, false, "a row that is not open stays"},
	} {
		if err := f.judge(c.s, c.real, c.foreground); (err == nil) != c.right {
			t.Errorf("%s: %v: %s", c.s, err, c.reason)
		}
	}
}
