package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// TestQuestions: the question has the sum of the plan. Many objects take their number as the answer, so
// no habit confirms them.
func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		goes         int
		answer       string
		declined     bool
		want, reason string
	}{
		{3, "yes\n", false, "Delete a/b? 3 objects go; 0 are held. Type yes to go on: ", "a few objects"},
		{99, "yes\n", false, "Type yes to go on", "the bound"},
		{501, "501\n", false, "Delete a/b? 501 objects go, 500 of them in prod; 0 are held. Type 501 to go on: ", "many objects"},
		{501, "yes\n", true, "Type 501", "a habit"},
		{501, "502\n", true, "Type 501", "another number"},
		{-150, "150\n", false, "0 objects go; 150 are held. The deletion changes 150 objects. Type 150 to go on: ", "a mark cannot be taken back"},
	} {
		var asked bytes.Buffer
		a := newApp(Command, strings.NewReader(c.answer), nil, &asked)
		made := plan.Plan{Totals: []plan.Total{{Kind: "pod", Removed: c.goes}}, Request: plan.Request{Delete: []plan.Target{{Key: graph.Key{Kind: "a", Name: "b", UID: "u"}}}}}
		if c.goes > 100 {
			made.Scopes = []plan.ScopeTotal{{Scope: "", Removed: 1}, {Scope: "prod", Removed: c.goes - 1}}
		}
		if c.goes < 0 {
			made.Totals = []plan.Total{{Kind: "pod", Held: -c.goes}}
		}
		err := a.confirmPlan(t.Context(), false, "Delete a/b?", &made)
		if errors.Is(err, errDeclined) != c.declined || !strings.Contains(asked.String(), c.want) {
			t.Errorf("%d objects, %q: %v, asked %q, want %q: %s", c.goes, c.answer, err, &asked, c.want, c.reason)
		}
	}
}

// TestPlanText: the sum is the last line, -v adds the cost and the fingerprint, and --limit opens and
// bounds the lines.
func TestPlanText(t *testing.T) {
	input := pod("a")
	for i := range 30 {
		input += strings.Replace(pod("b"+string(rune('a'+i))), `"uid"`, `"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"uid-a"}],"uid"`, 1)
	}
	last := func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		return lines[len(lines)-1]
	}
	got := call(t, input, "plan", "pod/a", "-f", "-")
	if got.code != 0 || !strings.HasPrefix(last(got.stdout), "31 objects go") || !strings.Contains(got.stdout, "Pod x 30") || strings.Contains(got.stdout, "fingerprint") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = call(t, input, "plan", "pod/a", "-f", "-", "-v")
	if !strings.HasPrefix(last(got.stdout), "fingerprint ") || !strings.Contains(got.stdout, "31 writes") {
		t.Errorf("-v:\n%s", got.stdout)
	}
	got = call(t, input, "plan", "pod/a", "-f", "-", "--limit", "12")
	if strings.Contains(got.stdout, "Pod x 30") || !strings.HasPrefix(last(got.stdout), "31 objects go") || strings.Count(got.stdout, "\n") > 14 {
		t.Errorf("--limit:\n%s", got.stdout)
	}
	got = call(t, input, "plan", "pod/a", "-f", "-", "--limit", "12", "-o", "json")
	if !strings.Contains(got.stdout, `"truncated": 19`) {
		t.Errorf("--limit of JSON:\n%.300s", got.stdout)
	}
}
