package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// line is what a program reads of a line of JSON.
type line struct {
	Schema string
	Plan   *struct{ Fingerprint string }
	Known  int
	Left   int
	End    string
	By     []struct {
		Key    struct{ Name string }
		Reason string
		Causes []string
	}
}

func linesOf(t *testing.T, text string) (list []line) {
	t.Helper()
	for text := range strings.Lines(text) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		list = append(list, l)
	}
	return list
}

// TestDeleteLines: each line of a deletion is a JSON value of its own. The first one has the plan, and
// the last one has the end.
func TestDeleteLines(t *testing.T) {
	d := newSQLite(t)
	d.program(t, ownergraph.Config{})
	got := call(t, "", "delete", "team/blue", "--store", d.flag, "--yes", "-o", "json")
	list := linesOf(t, got.stdout)
	if n := len(list); got.code != 0 || n < 2 || list[0].Schema != "delete/v1" || list[0].Plan.Fingerprint == "" || list[n-1].Schema != "follow/v1" || list[n-1].End != "done" || list[n-1].Left != 0 {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestFollowLines: the last line of a held deletion names the reason by its code.
func TestFollowLines(t *testing.T) {
	d := newSQLite(t)
	d.program(t, ownergraph.Config{})
	if err := d.Patch(t.Context(), d.made["todo"].Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	if err := d.Delete(t.Context(), d.made["blue"].Key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"follow", "--patience"}, {"wait", "--timeout"}} {
		if got, ok := inTime(func(limit string) result {
			return call(t, "", args[0], "team/blue", "--store", d.flag, "-o", "json", args[1], limit)
		}, func(got result) bool {
			list := linesOf(t, got.stdout)
			if got.code != 3 || len(list) == 0 || got.stderr != "" {
				return false
			}
			last := list[len(list)-1]
			return last.End != "" && len(last.By) > 0 && last.By[0].Reason == "NeedFinalizers" && last.By[0].Causes[0] == "example.com/x"
		}); !ok {
			t.Errorf("%v: exit %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	got := call(t, "", "wait", "team/none", "--store", d.flag, "-o", "json")
	if got.code != 0 || !strings.Contains(got.stdout, `"end":"absent"`) {
		t.Errorf("an object that is not there: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}
