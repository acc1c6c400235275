package main

import (
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// runOld runs the command of the folder old.
func runOld(t *testing.T, at place, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), binary+"-old", append([]string{"-store", at.store}, args...)...).CombinedOutput()
	return string(out), err
}

// TestOld adopts the rows of an application from before, twice. The second time nothing is new. The
// program then has them as objects with their owners and contents, and deletes them. Etcd has no rows.
func TestOld(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		if strings.HasPrefix(at.store, "etcd:") {
			if out, err := runOld(t, at); err == nil || !strings.Contains(out, "want sqlite:FILE or postgres://") {
				t.Errorf("%v: %s", err, out)
			}
			return
		}
		if out, err := runOld(t, at, "-make"); err != nil {
			t.Fatal(err, out)
		}
		for _, want := range []string{"10 rows: 10 objects are new, 0", "10 rows: 0 objects are new, 0"} {
			if out, err := runOld(t, at); err != nil || !strings.HasPrefix(out, want) {
				t.Errorf("%v: %s, want %s", err, out, want)
			}
		}
		p := start(t, at)
		if names := p.names("/teams/green/databases"); !slices.Equal(names, []string{"orders", "users"}) {
			t.Errorf("databases: %v", names)
		}
		if text := p.want(http.StatusOK, "GET", "/teams/green/backups/monday", ""); strings.Count(text, `"block":true`) != 2 {
			t.Errorf("a backup with two owners: %s", text)
		}
		p.want(http.StatusAccepted, "DELETE", "/teams/green/projects/shop?propagation=foreground", "")
		p.want(http.StatusOK, "GET", "/teams/green/projects/shop/progress", "")
		if names := p.names("/teams/green/backups"); !slices.Equal(names, []string{"monday"}) {
			t.Errorf("backups: %v, want the one that another project keeps", names)
		}
		p.stop()
	})
}
