package main

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestGrace: a deletion with a grace period marks its object, and the agent ends the period. The end
// keeps the propagation, so the project waits for its database. With -propagate-grace each object of the
// cascade that has a period gets its end from the agent, too.
func TestGrace(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		p := start(t, at, "-propagate-grace", "projects,databases,backups")
		p.create("/teams", "blue")
		const project, database, backup = "/teams/blue/projects/web", "/teams/blue/databases/main", "/teams/blue/backups/monday"
		p.create("/teams/blue/projects", "web")
		p.create("/teams/blue/databases", "main", "projects/web")
		p.create("/teams/blue/backups", "monday", "databases/main")
		p.want(http.StatusAccepted, "DELETE", project+"?propagation=foreground&gracePeriodSeconds=30", "")
		if o, there := p.object(project); !there || !o.Deleting || o.GraceSeconds != 30 {
			t.Errorf("the project is %v, want a mark with its period", o)
		}
		for _, path := range []string{backup, database} {
			if seconds := p.agent(path); seconds != 30 {
				t.Errorf("the cascade gives %s a period of %d seconds, want that of the project", path, seconds)
			}
		}
		if o, there := p.object(project); !there || o.GraceSeconds != 30 {
			t.Errorf("the project is %v, there %t: its agent has not ended its period", o, there)
		}
		p.agent(project)
		p.stop()
	})
}

// TestGraceEndKeepsPropagation: the end of a period is no deletion in the background. The project still
// waits for its database, whose agent is slow.
func TestGraceEndKeepsPropagation(t *testing.T) {
	p := start(t, onSQLite(t))
	p.create("/teams", "blue")
	const project = "/teams/blue/projects/web"
	p.create("/teams/blue/projects", "web")
	p.create("/teams/blue/backups", "slow", "projects/web")
	p.want(http.StatusAccepted, "DELETE", "/teams/blue/backups/slow?gracePeriodSeconds=30", "")
	p.want(http.StatusAccepted, "DELETE", project+"?propagation=foreground&gracePeriodSeconds=30", "")
	p.want(http.StatusAccepted, "DELETE", project+"?gracePeriodSeconds=0", "")
	if o, there := p.object(project); !there || o.Propagation() != graph.Foreground || o.GraceSeconds != 0 {
		t.Errorf("the project is %v, there %t: want it in the foreground, without a period", o, there)
	}
	p.want(http.StatusAccepted, "DELETE", "/teams/blue/backups/slow?gracePeriodSeconds=0", "")
	p.waitGone(project)
	p.stop()
}

// TestGraceKinds: a misspelt kind is an error before any work.
func TestGraceKinds(t *testing.T) {
	for _, c := range []struct{ kinds, want, reason string }{
		{"projects,database", `"database" is no kind`, "a misspelt kind would pass no period on"},
		{"", `"" is no kind`, "no kind"},
	} {
		out, err := exec.CommandContext(t.Context(), binary, "-propagate-grace", c.kinds).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "for flag -propagate-grace: "+c.want) {
			t.Errorf("-propagate-grace %q: error %v: %.200s: %s", c.kinds, err, out, c.reason)
		}
	}
}

// object reads an object, and reports whether it is there.
func (p *program) object(path string) (graph.Object, bool) {
	p.t.Helper()
	status, text := p.call("GET", path, "")
	if status == http.StatusNotFound {
		return graph.Object{}, false
	}
	var r record
	if err := json.Unmarshal([]byte(text), &r); err != nil || status != http.StatusOK {
		p.t.Fatalf("GET %s: status %d, %v: %s", path, status, err, text)
	}
	return r.Object, true
}

// agent ends the grace period of an object, and returns that period when the object is gone. It is 0 for
// an object that gets none.
func (p *program) agent(path string) (seconds int64) {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		o, there := p.object(path)
		if !there {
			return seconds
		}
		if seconds = max(seconds, o.GraceSeconds); o.Deleting && o.GraceSeconds > 0 {
			if status, text := p.call("DELETE", path+"?gracePeriodSeconds=0", ""); status != http.StatusAccepted && status != http.StatusNotFound {
				p.t.Fatalf("the end of the period of %s: status %d: %s", path, status, text)
			}
		}
	}
	p.t.Fatalf("%s stays\n%s", path, p.log.String())
	return seconds
}
