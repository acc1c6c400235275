package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// shopDump has a root with a dependent, a marked object of a finalizer, and a global object.
const shopDump = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"d"}}
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"one","namespace":"shop","uid":"p","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"d"}]}}
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"two","namespace":"other","uid":"q","deletionTimestamp":"2026-01-02T03:04:05Z","finalizers":["x.io/y"]}}
{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","uid":"n"}}`

// TestLs checks the counts of each kind, the sum, and the scope of the question.
func TestLs(t *testing.T) {
	for _, c := range []struct {
		args         []string
		want, reason string
	}{
		{nil, "KIND             OBJECTS  ROOTS  OWNED  MARKED  HELD\n" +
			"Node             1        0      0      0       0\nPod              2        0      1      1       1\nDeployment.apps  1        1      0      0       0\n" +
			"3 kinds          4        1      1      1       1\n", "all scopes"},
		{[]string{"-n", "shop"}, "KIND             OBJECTS  ROOTS  OWNED  MARKED  HELD\n" +
			"Pod              1        0      1      0       0\nDeployment.apps  1        1      0      0       0\n2 kinds          2        1      1      0       0\n", "one scope"},
	} {
		if got := call(t, shopDump, append([]string{"ls", "-f", "-"}, c.args...)...); got.code != 0 || got.stdout != c.want {
			t.Errorf("%v: exit %d: %s\n%s%s", c.args, got.code, c.reason, got.stdout, got.stderr)
		}
	}
	if got := call(t, shopDump, "ls", "-f", "-", "-o", "json"); !strings.Contains(got.stdout, `"schema": "ls/v1"`) || !strings.Contains(got.stdout, `"objects": 4`) {
		t.Errorf("JSON:\n%s", got.stdout)
	}
}

// TestRoots checks that a root has its count, and that the bound counts the others.
func TestRoots(t *testing.T) {
	second := `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"shop","uid":"s"}}
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"shop","uid":"c","ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"s","uid":"s"}]}}`
	for _, c := range []struct {
		input        string
		args         []string
		want, reason string
	}{
		{shopDump, nil, "ROOT                      BELOW\nDeployment.apps/shop/web  1\n", "one root"},
		{shopDump + second, []string{"--limit", "1"}, "ROOT           BELOW\nSecret/shop/s  1\n... and 1 more root: see --limit\n", "the bound"},
		{pod("a"), nil, "no object owns another\n", "no root"},
	} {
		if got := call(t, c.input, append([]string{"roots", "-f", "-"}, c.args...)...); got.code != 0 || got.stdout != c.want {
			t.Errorf("%v: exit %d: %s\n%q%s", c.args, got.code, c.reason, got.stdout, got.stderr)
		}
	}
}

// TestTopOfDump checks the deletions of a dump, and their one blocker.
func TestTopOfDump(t *testing.T) {
	got := call(t, shopDump, "top", "-f", "-")
	if got.code != 0 || !strings.Contains(got.stdout, "ROOT           HOW         AGE") || !strings.Contains(got.stdout, "x.io/y on Pod/other/two\n") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if got := call(t, pod("a"), "top", "-f", "-"); got.stdout != "no deletion is under way\n" {
		t.Errorf("nothing: %q", got.stdout)
	}
}

// TestTopWatch checks the counts of several looks at one deletion.
func TestTopWatch(t *testing.T) {
	looks := []struct {
		objects    string // each letter is one
		after      time.Duration
		gone       int
		rate       float64
		is, reason string
	}{
		{"abcd", 0, 0, 0, "x", "the first look has seen nothing go"},
		{"abc", time.Second, 1, 1, "x", "one is gone"},
		{"abce", time.Second, 1, 0, "x", "a new one counts as left"},
		{"", 2 * time.Second, 5, 2, "x", "the rest is gone"},
		{"z", time.Second, 0, 0, "y", "another root begins at zero"},
	}
	seen, now := seenCascades{}, time.Unix(1000, 0)
	for _, l := range looks {
		c := cascade{UID: graph.UID(l.is), Left: len(l.objects)}
		for _, name := range l.objects {
			c.objects = append(c.objects, graph.Object{Key: graph.Key{UID: graph.UID(name)}})
		}
		now = now.Add(l.after)
		list := []cascade{c}
		seen.look(list, now)
		if list[0].Gone != l.gone || list[0].rate != l.rate || len(seen) != 1 {
			t.Errorf("%q: gone %d, rate %g, want %d and %g: %s", l.objects, list[0].Gone, list[0].rate, l.gone, l.rate, l.reason)
		}
	}
	for _, c := range []struct {
		done, all int
		want      string
	}{{0, 0, "-"}, {0, 3, ".......... 0%"}, {999, 1000, "#########. 99%"}, {5, 5, "########## 100%"}} {
		if got := bar(c.done, c.all); got != c.want {
			t.Errorf("bar of %d in %d: %q, want %q", c.done, c.all, got, c.want)
		}
	}
	for _, args := range [][]string{{"top", "-f", "x", "--watch"}, {"top", "--store", "sqlite:x", "--watch", "--every", "1ms"}} {
		if got := call(t, "", args...); got.code != 2 {
			t.Errorf("%v: exit %d: %s", args, got.code, got.stderr)
		}
	}
}
