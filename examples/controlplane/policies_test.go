package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestPolicies: before the step each policy is refused. After it a deletion of a restricted object is
// answered with 409 and the dependents, on SQL. A cascade and a release act on each store.
func TestPolicies(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		p := start(t, at)
		p.create("/teams", "blue")
		p.create("/teams/blue/projects", "web")
		p.create("/teams/blue/databases", "main", "projects/web")
		for _, policy := range []string{"release", "restrict", "cascade"} {
			text := p.want(http.StatusUnprocessableEntity, "POST", "/teams/blue/backups", `{"name":"b","owners":["databases/main:`+policy+`"]}`)
			if !strings.Contains(text, "owners[0].onDelete") {
				t.Errorf("%s before the step: %s, want the field", policy, text)
			}
		}
		p.stop()
		p = start(t, at, "-policies")
		p.create("/teams/blue/projects", "archive")
		p.create("/teams/blue/backups", "restricting", "databases/main:restrict", "projects/archive")
		p.create("/teams/blue/backups", "released", "databases/main:release")
		p.create("/teams/blue/backups", "cascading", "databases/main:cascade", "projects/archive")
		for _, body := range []string{`{"name":"b","owners":["databases/main:later"]}`, `{"name":"b","owners":["databases/main:restrict","databases/main:cascade"]}`} {
			p.want(http.StatusUnprocessableEntity, "POST", "/teams/blue/backups", body)
		}
		const database = "/teams/blue/databases/main"
		if !strings.HasPrefix(at.store, "etcd:") {
			for _, propagation := range []string{"background", "foreground", "orphan"} {
				var f failure
				text := p.want(http.StatusConflict, "DELETE", database+"?propagation="+propagation, "")
				if err := json.Unmarshal([]byte(text), &f); err != nil || !slices.Equal(f.Dependents, []string{"backups/blue/restricting"}) || f.More != 0 {
					t.Errorf("the deletion (%s) of a restricted database: %s, want its dependent, %v", propagation, text, err)
				}
			}
		}
		p.want(http.StatusAccepted, "DELETE", "/teams/blue/backups/restricting", "")
		p.waitGone("/teams/blue/backups/restricting")
		p.want(http.StatusAccepted, "DELETE", database+"?propagation=foreground", "")
		p.waitGone(database)
		p.waitGone("/teams/blue/backups/cascading")
		if got := p.names("/teams/blue/backups"); !slices.Equal(got, []string{"released"}) {
			t.Errorf("backups %v, want the released one", got)
		}
		p.stop()
	})
}
