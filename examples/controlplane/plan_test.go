package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/plan"
)

// planOf asks for a plan and returns it with its fingerprint.
func (p *program) planOf(path string) plan.Plan {
	p.t.Helper()
	var made plan.Plan
	if err := json.Unmarshal([]byte(p.want(http.StatusOK, "DELETE", path+"&plan=true", "")), &made); err != nil {
		p.t.Fatal(err)
	}
	return made
}

// TestPlan checks that a plan deletes nothing, that a plan that is no longer valid is refused
// with the difference, and that one that is still valid is carried out.
func TestPlan(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		p := start(t, at)
		p.create("/teams", "blue")
		p.create("/teams/blue/projects", "web")
		p.create("/teams/blue/databases", "main", "projects/web")
		const path = "/teams/blue?propagation=foreground"
		old := p.planOf(path)
		if len(old.Objects) != 3 {
			t.Errorf("a plan of %d objects, want 3:\n%s", len(old.Objects), old.Text())
		}
		p.want(http.StatusOK, "GET", "/teams/blue/databases/main", "")

		p.create("/teams/blue/backups", "monday", "databases/main")
		if got := p.want(http.StatusConflict, "DELETE", path+"&fingerprint="+old.Fingerprint, ""); !strings.Contains(got, " is new (removed)") {
			t.Errorf("the difference is missing: %s", got)
		}
		now := p.planOf(path)
		p.want(http.StatusConflict, "DELETE", "/teams/blue?propagation=orphan&fingerprint="+now.Fingerprint, "")
		p.want(http.StatusOK, "GET", "/teams/blue/databases/main", "")

		p.want(http.StatusAccepted, "DELETE", path+"&fingerprint="+now.Fingerprint, "")
		p.waitGone("/teams/blue")
		p.want(http.StatusNotFound, "GET", "/teams/blue", "")
		p.want(http.StatusNotFound, "GET", "/teams/blue/databases/main", "")
	})
}

// TestPlansAreBounded checks that the program forgets old plans, and not the newest one.
func TestPlansAreBounded(t *testing.T) {
	p := start(t, onSQLite(t))
	p.create("/teams", "blue")
	p.create("/teams", "green")
	const path = "/teams/blue?propagation=foreground"
	first := p.planOf(path).Fingerprint
	for range maxPlans {
		p.planOf("/teams/green?propagation=orphan")
	}
	p.want(http.StatusConflict, "DELETE", path+"&fingerprint="+first, "")
	p.want(http.StatusAccepted, "DELETE", path+"&fingerprint="+p.planOf(path).Fingerprint, "")
}

// TestExplain checks that an object is explained while it is there and after its end.
func TestExplain(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		p := start(t, at)
		p.create("/teams", "blue")
		p.create("/teams/blue/projects", "web")
		for _, c := range []struct {
			state  explain.State
			reason string
		}{{explain.Exists, "it is new"}, {explain.Gone, "the team is deleted"}} {
			if c.state == explain.Gone {
				p.want(http.StatusAccepted, "DELETE", "/teams/blue", "")
				p.waitGone("/teams/blue")
			}
			var x explain.Explanation
			text := p.want(http.StatusOK, "GET", "/teams/blue/projects/web/explain", "")
			if err := json.Unmarshal([]byte(text), &x); err != nil || x.State != c.state {
				t.Errorf("state %v, error %v, want %v: %s\n%s", x.State, err, c.state, c.reason, text)
			}
		}
	})
}
