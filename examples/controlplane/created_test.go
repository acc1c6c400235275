package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// createUntilKilled creates databases until the program is killed, after so many answers. It
// returns the names whose creation was answered.
func (p *program) createUntilKilled(prefix string, answers int) (names []string) {
	client := &http.Client{Timeout: patience}
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s-%d", prefix, i)
		body := fmt.Sprintf(`{"name":%q,"owners":["projects/web"],"spec":{"of":%q}}`, name, name)
		if i == answers {
			go func() { _ = p.cmd.Process.Kill() }() // at the same time as the next request
		}
		answer, err := client.Post(p.url+"/teams/blue/databases", "application/json", strings.NewReader(body))
		if err != nil {
			<-p.ended
			return names
		}
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusCreated {
			names = append(names, name)
		}
	}
}

// TestKilledWhileCreating kills the program between the steps of a creation. After the next
// start each database has its spec and its directory, and no directory is left over.
func TestKilledWhileCreating(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		draw := random(t)
		p := start(t, at)
		p.create("/teams", "blue")
		p.create("/teams/blue/projects", "web")
		answered := map[string]bool{}
		for round := range 2 * *rounds {
			for _, name := range p.createUntilKilled(fmt.Sprintf("r%d", round), draw.IntN(20)) {
				answered[name] = true
			}
			p = start(t, at)
		}
		stored := p.names("/teams/blue/databases")
		for _, name := range stored {
			var found record
			if err := json.Unmarshal([]byte(p.want(http.StatusOK, "GET", "/teams/blue/databases/"+name, "")), &found); err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf(`{"of":%q}`, name); string(found.Spec) != want {
				t.Errorf("spec %s of %s, want %s", found.Spec, name, want)
			}
			if _, err := os.Stat(filepath.Join(at.data, string(found.Object.UID))); err != nil {
				t.Errorf("the directory of %s: %v", name, err)
			}
			delete(answered, name)
		}
		if len(answered) > 0 {
			t.Errorf("answered and not stored: %v", answered)
		}
		if got := directoriesOf(t, at); len(got) != len(stored) {
			t.Errorf("%d directories of %d databases", len(got), len(stored))
		}
	})
}
