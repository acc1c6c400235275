package main

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// waitMember waits until a process is a member of a group of some size without a gap.
func (p *program) waitMember(size string) {
	p.t.Helper()
	for until := time.Now().Add(patience); ; {
		_, text := p.call("GET", "/group", "")
		if strings.Contains(text, size) && !strings.Contains(text, "without a working member") {
			return
		}
		if time.Now().After(until) {
			p.t.Fatalf("want %q: %s%s", size, text, p.log.String())
		}
	}
}

// deleted returns the objects of a team that the process has deleted.
func (p *program) deleted(m team) map[string]bool {
	p.t.Helper()
	out := map[string]bool{}
	for _, path := range m.paths {
		if text := p.want(http.StatusOK, "GET", path+"/explain", ""); strings.Contains(text, "this engine") {
			out[path] = true
		}
	}
	return out
}

// TestShare: two processes divide the objects of a cascade. After the regular end of one, the other
// has all objects.
func TestShare(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		two := []*program{start(t, at, "-share", "auto"), start(t, at, "-share", "auto")}
		for _, p := range two {
			p.waitMember("(1 of 2)")
		}
		blue := two[0].createTeam("blue", 4, 8)
		two[0].want(http.StatusAccepted, "DELETE", "/teams/blue?propagation=foreground", "")
		for _, p := range two {
			p.waitGone("/teams/blue")
		}
		two[0].mustBeGone(at, blue)
		first, second := two[0].deleted(blue), two[1].deleted(blue)
		for path := range first {
			if second[path] {
				t.Errorf("both have deleted %s", path)
			}
		}
		if len(first) == 0 || len(second) == 0 || len(first)+len(second) < len(blue.uids) {
			t.Errorf("of %d objects one has deleted %d, and the other %d", len(blue.paths), len(first), len(second))
		}
		two[0].stop()
		two[1].waitMember("(1 of 1): all")
		green := two[1].createTeam("green", 1, 2)
		two[1].want(http.StatusAccepted, "DELETE", "/teams/green", "")
		two[1].waitGone("/teams/green")
		two[1].mustBeGone(at, green)
		two[1].stop()
	})
}

// TestShareAlone: without the flag a process is in no group. A wrong part is an error before any work.
func TestShareAlone(t *testing.T) {
	at := onSQLite(t)
	if text := start(t, at).want(http.StatusOK, "GET", "/group", ""); text != "no group: this process works on all objects\n" {
		t.Error(text)
	}
	out, err := exec.CommandContext(t.Context(), binary, "-share", "half").CombinedOutput()
	if err == nil || !strings.HasPrefix(string(out), `invalid value "half" for flag -share: "half" is no part: write auto or all`) {
		t.Errorf("error %v: %s", err, out)
	}
}
