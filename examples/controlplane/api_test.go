package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestModel goes through the whole model: owners, a backup with two owners, and each
// propagation.
func TestModel(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		p := start(t, at)
		p.create("/teams", "blue")
		p.create("/teams/blue/projects", "web")
		p.create("/teams/blue/projects", "archive")
		uid := p.create("/teams/blue/databases", "main", "projects/web")
		p.create("/teams/blue/backups", "monday", "databases/main", "projects/archive")
		p.create("/teams/blue/backups", "tuesday", "databases/main")
		if got := p.want(http.StatusOK, "GET", "/teams/blue/databases/main", ""); !strings.Contains(got, `"spec":{"of":"main"}`) {
			t.Errorf("the database without its spec: %s", got)
		}
		if _, err := os.Stat(filepath.Join(at.data, uid)); err != nil {
			t.Errorf("the directory of a database: %v", err)
		}
		p.want(http.StatusAccepted, "DELETE", "/teams/blue/projects/web?propagation=foreground", "")
		p.waitGone("/teams/blue/projects/web")
		if got := p.names("/teams/blue/backups"); !slices.Equal(got, []string{"monday"}) {
			t.Errorf("backups %v, want the one that the archive owns", got)
		}
		if got := directoriesOf(t, at); len(got) > 0 {
			t.Errorf("directories %v of no database", got)
		}
		p.want(http.StatusAccepted, "DELETE", "/teams/blue/projects/archive?propagation=orphan", "")
		p.waitGone("/teams/blue/projects/archive")
		if got := p.want(http.StatusOK, "GET", "/teams/blue/backups/monday", ""); strings.Contains(got, "owners") {
			t.Errorf("an orphan with owners: %s", got)
		}
		p.stop()
	})
}

// directoriesOf returns the names in the folder, but for the marker and the trash.
func directoriesOf(t *testing.T, at place) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(at.data)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestErrors has the status of every refusal. None of them changes anything.
func TestErrors(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		p := start(t, at)
		p.create("/teams", "blue")
		p.create("/teams", "green")
		p.create("/teams/blue/projects", "web")
		p.create("/teams/green/projects", "shop")
		for _, c := range []struct {
			method, path, body string
			status             int
			text, reason       string
		}{
			{"POST", "/teams", `{`, 400, "body", "broken JSON"},
			{"POST", "/teams", ``, 400, "body", "no JSON"},
			{"POST", "/teams", `{"name":"red"} x`, 400, "text after the value", "more than one value"},
			{"POST", "/teams", `{"nam":"red"}`, 400, "unknown field", "a misspelt field"},
			{"POST", "/teams", `{"name":"red","spec":"` + strings.Repeat("x", maxBody) + `"}`, 400, "too large", "a body beyond the bound"},
			{"POST", "/teams", `{"name":"Red"}`, 422, "name", "a capital letter"},
			{"POST", "/teams", `{"name":"a/b"}`, 422, "name", "a name that no path can have"},
			{"POST", "/teams", `{"name":"` + strings.Repeat("x", 64) + `"}`, 422, "name", "a long name"},
			{"POST", "/teams", `{"name":"red","owners":["teams/blue"]}`, 422, "owners", "a team with an owner"},
			{"POST", "/teams", `{"name":"blue"}`, 409, "taken", "a name that is taken"},
			{"POST", "/teams/red/projects", `{"name":"web"}`, 422, "does not exist", "a project of no team"},
			{"POST", "/teams/blue/projects", `{"name":"x","owners":["teams/green"]}`, 422, "teams/green", "a project of another team"},
			{"POST", "/teams/blue/databases", `{"name":"x"}`, 422, "owners: 0", "a database without an owner"},
			{"POST", "/teams/blue/databases", `{"name":"x","owners":["projects/shop"]}`, 422, "does not exist", "an owner in another team"},
			{"POST", "/teams/blue/databases", `{"name":"x","owners":["teams/blue"]}`, 422, "may not own", "a kind that may not own it"},
			{"POST", "/teams/blue/databases", `{"name":"x","owners":["web"]}`, 422, "may not own", "an owner without a kind"},
			{"POST", "/teams/blue/databases", `{"name":"x","owners":["projects/web","projects/web"]}`, 422, "owners", "an owner twice"},
			{"POST", "/teams/blue/tables", `{"name":"x"}`, 404, "kind", "an unknown kind"},
			{"GET", "/teams/red", ``, 404, "not found", "no such team"},
			{"GET", "/teams/red/explain", ``, 404, "not found", "no such team"},
			{"GET", "/teams/red/progress", ``, 404, "not found", "no such team"},
			{"GET", "/teams/blue/teams/web", ``, 404, "kind", "a team is no part of a team"},
			{"PUT", "/teams/blue", ``, 405, "", "a method that the server does not have"},
			{"DELETE", "/teams/red", ``, 404, "not found", "no such team"},
			{"DELETE", "/teams/blue?propagation=all", ``, 400, "propagation", "an unknown propagation"},
			{"DELETE", "/teams/blue?propagation=", ``, 400, "propagation", "an empty propagation"},
			{"DELETE", "/teams/blue?plam=true", ``, 400, "plam", "a misspelt parameter must not delete"},
			{"DELETE", "/teams/blue?plan=%zz", ``, 400, "escape", "a broken parameter must not delete"},
			{"DELETE", "/teams/blue?propagation=foreground;plan=true", ``, 400, "semicolon", "a broken parameter must not delete"},
			{"DELETE", "/teams/blue?plan=yes", ``, 400, "plan", "a wrong value must not delete"},
			{"DELETE", "/teams/blue?plan=true&plan=false", ``, 400, "twice", "a contradiction must not delete"},
			{"DELETE", "/teams/blue?propagation=unset", ``, 400, "propagation", "no propagation"},
			{"DELETE", "/teams/blue?gracePeriodSeconds=", ``, 400, "gracePeriodSeconds", "an empty period"},
			{"DELETE", "/teams/blue?gracePeriodSeconds=-1", ``, 400, "gracePeriodSeconds", "a negative period"},
			{"DELETE", "/teams/blue?gracePeriodSeconds=1.5", ``, 400, "gracePeriodSeconds", "no whole number"},
			{"DELETE", "/teams/blue?gracePeriodSeconds=2147483648", ``, 400, "want 0 to 2147483647", "a period beyond the bound"},
			{"DELETE", "/teams/blue?gracePeriodSeconds=1&gracePeriodSeconds=2", ``, 400, "gracePeriodSeconds", "two periods"},
			{"DELETE", "/teams/blue?gracePeriodSeconds=5&plan=true", ``, 400, "gracePeriodSeconds", "a plan has no period"},
			{"DELETE", "/teams/blue?gracePeriodSeconds=5&fingerprint=00", ``, 400, "gracePeriodSeconds", "nor has a planned deletion"},
			{"DELETE", "/teams/blue?fingerprint=", ``, 400, "fingerprint", "no fingerprint"},
			{"DELETE", "/teams/blue?fingerprint=" + strings.Repeat("0", 64), ``, 409, "plan", "the fingerprint of no plan"},
		} {
			status, text := p.call(c.method, c.path, c.body)
			if status != c.status || !strings.Contains(text, c.text) {
				t.Errorf("%s %s %.80s: status %d, want %d with %q: %s\n%s", c.method, c.path, c.body, status, c.status, c.text, c.reason, text)
			}
			if status != http.StatusMethodNotAllowed && !json.Valid([]byte(text)) {
				t.Errorf("%s %s: no JSON: %s", c.method, c.path, text)
			}
		}
		if got := p.names("/teams"); !slices.Equal(slices.Sorted(slices.Values(got)), []string{"blue", "green"}) {
			t.Errorf("teams %v", got)
		}
		if got := p.names("/teams/blue/databases"); len(got) > 0 {
			t.Errorf("databases %v, none was created", got)
		}
	})
}

// TestOtherOrigin checks that a page of another site cannot delete.
func TestOtherOrigin(t *testing.T) {
	p := start(t, onSQLite(t))
	p.create("/teams", "blue")
	r, err := http.NewRequest("DELETE", p.url+"/teams/blue", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("status %d of a request from another site, want 403", answer.StatusCode)
	}
	p.want(http.StatusOK, "GET", "/teams/blue", "")
}
