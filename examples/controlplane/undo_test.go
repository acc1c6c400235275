package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// onEachSQL runs a test on each store that has an archive.
func onEachSQL(t *testing.T, test func(*testing.T, place)) {
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) { test(t, places()[name](t)) })
	}
}

// undo undoes deletions, with a status, and returns the answer.
func (p *program) undo(status int, body string) (u undone) {
	p.t.Helper()
	path := "/undo"
	if rest, plans := strings.CutPrefix(body, "plan "); plans {
		path, body = path+"?plan=true", rest
	}
	if err := json.Unmarshal([]byte(p.want(status, "POST", path, body)), &u); err != nil {
		p.t.Fatal(err)
	}
	return u
}

// uids are roots by UID.
func uids(list ...string) string {
	text, _ := json.Marshal(map[string]any{"uids": list})
	return string(text)
}

// remove deletes an object, waits for its end, and returns its UID.
func (p *program) remove(path, propagation string) string {
	p.t.Helper()
	var answer struct{ UID string }
	if err := json.Unmarshal([]byte(p.want(http.StatusAccepted, "DELETE", path+"?propagation="+propagation, "")), &answer); err != nil || answer.UID == "" {
		p.t.Fatalf("the answer names no UID to undo with: %v", err)
	}
	p.waitGone(path)
	return answer.UID
}

// uidOf returns the UID of a live object.
func (p *program) uidOf(path string) string {
	p.t.Helper()
	o, there := p.object(path)
	if !there || o.Deleting {
		p.t.Fatalf("%s is not live: %v", path, o)
	}
	return string(o.UID)
}

// write writes a file of a database.
func (at place) write(t *testing.T, uid string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(at.data, uid, "file"), []byte(uid), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mustHave checks that the files of a database are in the place of a UID, and nowhere else.
func (at place) mustHave(t *testing.T, uid, written string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(at.data, uid, "file"))
	if err != nil || string(text) != written {
		t.Errorf("the file of the database %s: %q, %v, want %q", uid, text, err, written)
	}
	if found := at.copies(t, written); len(found) != 1 {
		t.Errorf("the files of %s are in %v", written, found)
	}
}

// copies returns the files with a content, in all directories.
func (at place) copies(t *testing.T, written string) (found []string) {
	t.Helper()
	for _, pattern := range []string{"*/file", ".trash/*/file", ".trash/.*/file"} {
		paths, err := filepath.Glob(filepath.Join(at.data, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if text, _ := os.ReadFile(path); string(text) == written && !slices.Contains(found, path) {
				found = append(found, path)
			}
		}
	}
	return found
}

// shop is a team with a project of two databases. One of them has a backup that another project keeps.
func (p *program) shop(at place) (database string) {
	p.t.Helper()
	p.create("/teams", "blue")
	p.create("/teams/blue/projects", "web")
	p.create("/teams/blue/projects", "vault")
	database = p.create("/teams/blue/databases", "main", "projects/web")
	p.create("/teams/blue/databases", "other", "projects/web")
	p.create("/teams/blue/backups", "monday", "databases/main", "projects/vault")
	p.create("/teams/blue/backups", "tuesday", "databases/main")
	at.write(p.t, database)
	return database
}

const web, main1, other, monday, tuesday = "/teams/blue/projects/web", "/teams/blue/databases/main", "/teams/blue/databases/other", "/teams/blue/backups/monday", "/teams/blue/backups/tuesday"

// TestUndo deletes a project, plans the undo and carries it out, twice. The objects come back with new UIDs, their
// contents, their owners, their finalizers and their files. A client has deleted one database itself, and that stays gone.
func TestUndo(t *testing.T) {
	onEachSQL(t, func(t *testing.T, at place) {
		p := start(t, at, "-undo", "720h")
		database := p.shop(at)
		alone := p.remove(other, "background")
		root := p.remove(web, "foreground")
		plan := p.undo(http.StatusOK, "plan "+uids(root))
		if plan.Restored != 3 || len(plan.Objects) != 3 || plan.Objects[2].Former != graph.UID(root) || plan.Objects[2].UID != "" {
			t.Errorf("the plan is %+v, want the project, its database and a backup", plan)
		}
		if len(plan.Stays) != 1 || plan.Stays[0].UID != graph.UID(alone) || plan.Stays[0].Why != "a user deleted it" {
			t.Errorf("left are %+v, want the database that a client deleted", plan.Stays)
		}
		p.want(http.StatusNotFound, "GET", web, "")

		first := p.undo(http.StatusOK, `{"objects":["projects/blue/web"]}`)
		if !first.Done || first.Restored != 3 || len(first.Stays) != 1 {
			t.Errorf("the undo is %+v", first)
		}
		if second := p.undo(http.StatusOK, uids(root)); fmt.Sprint(second.Objects) != fmt.Sprint(first.Objects) {
			t.Errorf("a second undo has %v, the first %v", second.Objects, first.Objects)
		}
		p.mustBeBack(at, database)
		p.want(http.StatusNotFound, "GET", other, "")
		p.undo(http.StatusOK, uids(alone))
		p.uidOf(other)
		p.stop()
		checkSpecs(t, at, use{policies: true, undo: time.Hour})
	})
}

// mustBeBack checks the objects of a shop after an undo of its project, and deletes and undoes the database once more.
func (p *program) mustBeBack(at place, database string) {
	t := p.t
	t.Helper()
	now := p.uidOf(main1)
	at.mustHave(t, now, database)
	text := p.want(http.StatusOK, "GET", main1, "")
	if now == database || !strings.Contains(text, `"spec":{"of":"main"}`) || !strings.Contains(text, directoryFinalizer) || !strings.Contains(text, p.uidOf(web)) {
		t.Errorf("the database is %s", text)
	}
	if text := p.want(http.StatusOK, "GET", tuesday, ""); !strings.Contains(text, now) {
		t.Errorf("the backup %s does not name the database %s", text, now)
	}
	again := p.remove(main1, "foreground")
	if again != now || len(directoriesOf(t, at)) > 1 {
		t.Errorf("the deletion of %s leaves %v", again, directoriesOf(t, at))
	}
	p.undo(http.StatusOK, uids(again))
	at.mustHave(t, p.uidOf(main1), database)
}

// TestUndoRefused has the status of each refusal. None of them changes anything.
func TestUndoRefused(t *testing.T) {
	onEachSQL(t, func(t *testing.T, at place) {
		p := start(t, at, "-undo", "720h")
		database := p.shop(at)
		if text := p.want(http.StatusConflict, "POST", "/undo", uids(database)); !strings.Contains(text, "it is not deleted") {
			t.Errorf("a live root: %s", text)
		}
		root := p.remove(web, "foreground")
		for _, c := range []struct {
			body   string
			status int
			text   string
			reason string
		}{
			{`{`, 400, "body", "broken JSON"},
			{`{"uid":"x"}`, 400, "unknown field", "a misspelt field"},
			{`{}`, 400, "uids, objects: 0", "no root"},
			{uids(make([]string, maxRoots+1)...), 400, "uids, objects: 101", "too many roots"},
			{uids(gone), 404, "purged", "an unknown UID"},
			{`{"objects":["projects/blue/none"]}`, 404, "none of that name", "an unknown name"},
			{`{"objects":["projects/web"]}`, 400, "want KIND/TEAM/NAME", "a project without a team"},
			{`{"objects":["teams/blue/x"]}`, 400, "want KIND/TEAM/NAME", "a team in a team"},
			{`{"objects":["tables/blue/x"]}`, 400, "want KIND/TEAM/NAME", "an unknown kind"},
			{`{"objects":["web"]}`, 400, "objects", "no name of an object"},
			{uids(database), 409, `"owner":"projects/blue/web"`, "the owner comes back first"},
		} {
			status, text := p.call("POST", "/undo", c.body)
			if status != c.status || !strings.Contains(text, c.text) || !json.Valid([]byte(text)) {
				t.Errorf("%.80s: status %d, want %d with %q: %s\n%s", c.body, status, c.status, c.text, c.reason, text)
			}
		}
		p.want(http.StatusBadRequest, "POST", "/undo?plan=yes", uids(root))
		p.want(http.StatusBadRequest, "POST", "/undo?plam=true", uids(root))
		if plan := p.undo(http.StatusOK, "plan "+uids(database)); len(plan.Refused) != 1 || plan.Refused[0].OwnerUID != graph.UID(root) {
			t.Errorf("a plan of a refused root is %+v, want its owner %s", plan, root)
		}
		newer := p.create("/teams/blue/projects", "web")
		taken := p.want(http.StatusConflict, "POST", "/undo", uids(root))
		if !strings.Contains(taken, `"taken":[{"object":"projects/blue/web","by":"`+newer+`"}]`) {
			t.Errorf("a name that is taken since: %s", taken)
		}
		p.want(http.StatusNotFound, "GET", main1, "")
		p.remove(web, "background")
		p.undo(http.StatusOK, uids(root))
		at.mustHave(t, p.uidOf(main1), database)
		p.remove(web, "foreground")
		if text := p.want(http.StatusConflict, "POST", "/undo", uids(root)); !strings.Contains(text, "it came back, and a user deleted it once more") {
			t.Errorf("a root that came back and ended: %s", text)
		}
	})
}

// TestUndoChild restores a backup alone, while its project stays deleted: another project keeps it.
func TestUndoChild(t *testing.T) {
	onEachSQL(t, func(t *testing.T, at place) {
		p := start(t, at, "-undo", "720h")
		p.shop(at)
		root, kept := p.remove(web, "foreground"), p.remove(monday, "background")
		answer := p.undo(http.StatusOK, uids(kept))
		if answer.Restored != 1 || strings.Contains(p.want(http.StatusOK, "GET", monday, ""), "databases") {
			t.Errorf("the undo is %+v, want the backup, with the owner that is there alone", answer)
		}
		p.want(http.StatusNotFound, "GET", web, "")
		p.undo(http.StatusOK, uids(root))
		if text := p.want(http.StatusOK, "GET", tuesday, ""); !strings.Contains(text, p.uidOf(main1)) {
			t.Errorf("the backup is %s", text)
		}
	})
}

// TestUndoUnderWay undoes a deletion while its cascade still runs, because another controller holds a backup. The answer
// names it, and the next one is complete. So does an undo whose root itself still goes. Programs beside each other do that
// for each other.
func TestUndoUnderWay(t *testing.T) {
	onEachSQL(t, func(t *testing.T, at place) {
		first, second := start(t, at, "-undo", "720h"), start(t, at, "-undo", "720h")
		database := first.shop(at)
		opened, err := openRecords(t.Context(), at.store, use{policies: true, undo: 720 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.close() })
		held := blocker{opened.store(), graph.Key{Kind: "backups", Scope: "blue", Name: "tuesday"}}
		held.patch(t, graph.Change{AddFinalizer: holding})
		root := first.uidOf(web)
		first.want(http.StatusAccepted, "DELETE", web, "")
		first.want(http.StatusNotFound, "GET", web, "")
		if answer := second.undo(http.StatusAccepted, uids(root)); answer.Done || len(answer.Waits) != 1 || !strings.Contains(answer.Waits[0], holding) {
			t.Errorf("the undo is %+v, want the backup that it waits for", answer)
		}
		held.patch(t, graph.Change{DropFinalizer: holding})
		if answer := second.undo(http.StatusOK, uids(root)); !answer.Done {
			t.Errorf("the undo is %+v", answer)
		}
		at.mustHave(t, second.uidOf(main1), database)
		if text := first.want(http.StatusOK, "GET", tuesday, ""); !strings.Contains(text, second.uidOf(main1)) {
			t.Errorf("the backup is %s", text)
		}
		held.patch(t, graph.Change{AddFinalizer: holding})
		root = first.uidOf(web)
		first.want(http.StatusAccepted, "DELETE", web+"?propagation=foreground", "")
		for _, body := range []string{uids(root), `{"objects":["projects/blue/web"]}`, "plan " + uids(root)} {
			if answer := second.undo(http.StatusAccepted, body); len(answer.Waits) != 1 || !strings.HasPrefix(answer.Waits[0], "projects/blue/web (") {
				t.Errorf("the undo of a root that still goes is %+v", answer)
			}
		}
		held.patch(t, graph.Change{DropFinalizer: holding})
		first.waitGone(web)
		second.undo(http.StatusOK, uids(root))
		at.mustHave(t, second.uidOf(main1), database)
	})
}

// TestArchive lists the entries, the newest end first. After the time of the undo, entries and files are gone.
func TestArchive(t *testing.T) {
	onEachSQL(t, func(t *testing.T, at place) {
		p := start(t, at, "-undo", "720h")
		database := p.shop(at)
		root := p.remove(web, "foreground")
		var page struct{ Entries []entry }
		text := p.want(http.StatusOK, "GET", "/archive", "")
		if err := json.Unmarshal([]byte(text), &page); err != nil || len(page.Entries) != 4 || strings.Contains(text, "small") {
			t.Fatalf("the archive is %s, %v, want four entries", text, err)
		}
		if e := page.Entries[0]; e.Object != "projects/blue/web" || !e.Explicit || e.UID != graph.UID(root) || e.Until.Sub(e.Ended) != 720*time.Hour {
			t.Errorf("the newest entry is %+v", e)
		}
		p.want(http.StatusUnprocessableEntity, "GET", "/archive?after=x", "")
		p.stop()
		p = start(t, at, "-undo", "720h", "-trash", "0")
		p.want(http.StatusOK, "GET", "/archive", "")
		if found := at.copies(t, database); len(found) != 1 {
			t.Errorf("the files of a database with an entry: %v", found)
		}
		p.stop()
		at.mustExpire(t, database)
	})
}

// mustExpire lets the entries of a place expire, and checks that a start removes them with the files.
func (at place) mustExpire(t *testing.T, database string) {
	t.Helper()
	opened, err := openRecords(t.Context(), at.store, use{policies: true, undo: 720 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.close()
	if _, err := opened.(*sqlRecords).db.ExecContext(t.Context(), `UPDATE og_archive SET until = 1 WHERE until > 0`); err != nil {
		t.Fatal(err)
	}
	p := start(t, at, "-undo", "720h", "-trash", "0")
	for end := time.Now().Add(patience); len(at.copies(t, database)) > 0; {
		if time.Now().After(end) {
			t.Fatalf("the files stay: %v\n%s", at.copies(t, database), p.log.String())
		}
	}
	if text := p.want(http.StatusOK, "GET", "/archive", ""); !strings.Contains(text, `"entries":[]`) {
		t.Errorf("the archive is %s, want no entry", text)
	}
	p.undo(http.StatusNotFound, uids(database))
	p.stop()
}

// TestWithoutUndo: without the flag there is nothing to undo. The store of etcd has no archive. A program without the flag,
// and the one from before, are shut out of a store with an archive, also if they run already.
func TestWithoutUndo(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		older := start(t, at)
		older.create("/teams", "blue")
		older.want(http.StatusUnprocessableEntity, "POST", "/undo", uids(gone))
		if text := older.want(http.StatusUnprocessableEntity, "GET", "/archive", ""); !strings.Contains(text, "without -undo") {
			t.Errorf("the archive is %s", text)
		}
		if strings.HasPrefix(at.store, "etcd:") {
			out, err := exec.CommandContext(t.Context(), binary, "-store", at.store, "-data", at.data, "-undo", "1h").CombinedOutput()
			if err == nil || !strings.Contains(string(out), "-undo: etcd has no archive") {
				t.Errorf("error %v: %s", err, out)
			}
			return
		}
		start(t, at, "-undo", "1h").create("/teams", "green")
		for _, method := range []string{"POST", "DELETE"} {
			path := map[string]string{"POST": "/teams", "DELETE": "/teams/blue"}[method]
			if status, text := older.call(method, path, `{"name":"red"}`); status/100 == 2 || !strings.Contains(text, "Config.Archive") {
				t.Errorf("%s by an older program: status %d: %s", method, status, text)
			}
		}
		mustRefuse(t, at, "Config.Archive")
		if out, err := runOld(t, at); err == nil || !strings.Contains(out, "Config.Archive") {
			t.Errorf("the program from before: %v: %s", err, out)
		}
	})
	out, err := exec.CommandContext(t.Context(), binary, "-undo", "-1h").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "-undo: negative") {
		t.Errorf("error %v: %s", err, out)
	}
}
