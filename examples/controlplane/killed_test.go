package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

var (
	seed   = flag.Uint64("seed", 0, "the seed of the kills; 0 draws one")
	rounds = flag.Int("rounds", 4, "the rounds of each test with kills")
)

// team is a team with all its objects. Each database has a directory.
type team struct {
	name  string
	paths []string
	uids  []string // of the databases
}

// createTeam creates a team of 1 + projects * (1 + each * 3) objects.
func (p *program) createTeam(name string, projects, each int) team {
	p.t.Helper()
	made := team{name: name, paths: []string{"/teams/" + name}}
	add := func(kind, name string, owners ...string) string {
		path := "/teams/" + made.name + "/" + kind
		made.paths = append(made.paths, path+"/"+name)
		return p.create(path, name, owners...)
	}
	p.create("/teams", name)
	for i := range projects {
		project := fmt.Sprintf("p%d", i)
		add("projects", project)
		for j := range each {
			database := fmt.Sprintf("%s-d%d", project, j)
			made.uids = append(made.uids, add("databases", database, "projects/"+project))
			add("backups", database+"-own", "databases/"+database)
			add("backups", database+"-kept", "databases/"+database, "projects/"+project)
		}
	}
	return made
}

// directories counts the directories of a team.
func (m team) directories(at place) (n int) {
	entries, err := os.ReadDir(at.data)
	if err != nil {
		return -1
	}
	for _, e := range entries {
		if slices.Contains(m.uids, e.Name()) {
			n++
		}
	}
	return n
}

// mustBeGone waits until nothing of the team is left.
func (p *program) mustBeGone(at place, m team) {
	p.t.Helper()
	for _, kind := range []string{"projects", "databases", "backups"} {
		for until := time.Now().Add(patience); ; {
			left := p.names("/teams/" + m.name + "/" + kind)
			if len(left) == 0 {
				break
			}
			if time.Now().After(until) {
				p.t.Fatalf("%s of a deleted team: %v\n%s", kind, left, p.log.String())
			}
		}
	}
	for _, path := range m.paths {
		p.want(http.StatusNotFound, "GET", path, "")
	}
	if n := m.directories(at); n > 0 {
		p.t.Errorf("%d directories of a deleted team", n)
	}
}

// mustBeWhole checks that the team has all its objects, specs and directories.
func (p *program) mustBeWhole(at place, m team) {
	p.t.Helper()
	for _, path := range m.paths {
		p.want(http.StatusOK, "GET", path, "")
	}
	if n := m.directories(at); n != len(m.uids) {
		p.t.Errorf("%d directories of a live team, want %d", n, len(m.uids))
	}
}

// checkSpecs checks that every object has its spec, and every spec its object, on SQL.
func checkSpecs(t *testing.T, at place, use use) {
	t.Helper()
	opened, err := openRecords(t.Context(), at.store, use)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.close()
	s, ok := opened.(*sqlRecords)
	if !ok {
		return // on etcd they are one value
	}
	var objects, both, specs int
	err = s.db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM og_objects), (SELECT count(*) FROM og_objects o JOIN specs s ON s.uid = o.uid),
		(SELECT count(*) FROM specs)`).Scan(&objects, &both, &specs)
	if err != nil || objects == 0 || objects != both || specs != both {
		t.Errorf("%d objects, %d specs, %d of them together, error %v", objects, specs, both, err)
	}
}

// random prints the seed of a test.
func random(t *testing.T) *rand.Rand {
	t.Helper()
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("to repeat the draws: -seed %d", s)
	return rand.New(rand.NewPCG(s, 0))
}

// blocker is a backup that a finalizer of another controller holds. So the cascade cannot end
// before it is killed.
type blocker struct {
	store ownergraph.Store
	key   graph.Key
}

const holding = "test.example/hold"

// holdOne holds a random backup of the team.
func holdOne(t *testing.T, draw *rand.Rand, at place, m team) blocker {
	t.Helper()
	opened, err := openRecords(t.Context(), at.store, use{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.close() })
	backups := slices.DeleteFunc(slices.Clone(m.paths), func(path string) bool { return !strings.Contains(path, "/backups/") })
	h := blocker{opened.store(), graph.Key{Kind: "backups", Scope: m.name, Name: filepath.Base(backups[draw.IntN(len(backups))])}}
	h.patch(t, graph.Change{AddFinalizer: holding})
	return h
}

func (h blocker) patch(t *testing.T, change graph.Change) {
	t.Helper()
	if err := h.store.Patch(t.Context(), h.key, graph.Precondition{}, change); err != nil {
		t.Fatal(err)
	}
}

// heldBranch is the number of objects that one held backup can keep, with its owners. One of
// them is a database.
const heldBranch = 4

// killDuring kills the victim at a random point of the deletion: after an event of the
// progress, or when only so many directories are left.
func killDuring(t *testing.T, draw *rand.Rand, watcher, victim *program, at place, m team) {
	t.Helper()
	events, left := draw.IntN(3), 1+draw.IntN(len(m.uids))
	point := fmt.Sprintf("after event %d", events)
	if draw.IntN(3) > 0 {
		point = fmt.Sprintf("at %d directories", left)
		for until := time.Now().Add(patience); m.directories(at) > left; {
			if time.Now().After(until) {
				t.Fatalf("%d directories stay", m.directories(at))
			}
		}
	} else {
		watcher.follow("/teams/"+m.name, func(e progressEvent) bool { events--; return events >= 0 && e.Left > heldBranch })
	}
	victim.kill()
	t.Logf("killed %s, with %d of %d directories left", point, m.directories(at), len(m.uids))
}

// propagation draws one of a cascade.
func propagation(draw *rand.Rand) string {
	return []graph.Propagation{graph.Background, graph.Foreground}[draw.IntN(2)].String()
}

// TestKilled kills the program in the middle of a cascade, at random points and once or
// twice. The next program ends the cascade.
func TestKilled(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		draw := random(t)
		p := start(t, at)
		green := p.createTeam("green", 2, 3)
		for round := range *rounds {
			blue := p.createTeam(fmt.Sprintf("blue-%d", round), 4, 20)
			held := holdOne(t, draw, at, blue)
			p.want(http.StatusAccepted, "DELETE", "/teams/"+blue.name+"?propagation="+propagation(draw), "")
			for range 1 + draw.IntN(2) {
				killDuring(t, draw, p, p, at, blue)
				p = start(t, at)
			}
			held.patch(t, graph.Change{DropFinalizer: holding})
			p.waitGone("/teams/" + blue.name)
			p.mustBeGone(at, blue)
			p.mustBeWhole(at, green)
		}
		p.stop()
		checkSpecs(t, at, use{})
	})
}

// TestKilledBesideAnother kills one of two programs on one store. The other one ends the
// cascade without a restart.
func TestKilledBesideAnother(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		draw := random(t)
		two := []*program{start(t, at), start(t, at)}
		green := two[0].createTeam("green", 2, 3)
		for round := range *rounds {
			blue := two[draw.IntN(2)].createTeam(fmt.Sprintf("blue-%d", round), 4, 20)
			held := holdOne(t, draw, at, blue)
			two[draw.IntN(2)].want(http.StatusAccepted, "DELETE", "/teams/"+blue.name+"?propagation="+propagation(draw), "")
			victim := draw.IntN(2)
			other := two[1-victim]
			killDuring(t, draw, other, two[victim], at, blue)
			held.patch(t, graph.Change{DropFinalizer: holding})
			other.waitGone("/teams/" + blue.name)
			other.mustBeGone(at, blue)
			other.mustBeWhole(at, green)
			two[victim] = start(t, at)
		}
		two[0].stop()
		two[1].stop()
		checkSpecs(t, at, use{})
	})
}
