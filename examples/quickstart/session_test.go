package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

// The number of fences depends on timing, because one fence may serve several needs.
// Times differ too.
var (
	anyTime   = regexp.MustCompile(`(, |time: )[0-9.hm]*[0-9](s|ms|µs)\n`)
	anyFences = regexp.MustCompile(`[0-9]+ fences?\b`)
)

// plainOutput returns the output of a successful run, without the parts that differ
// between runs.
func plainOutput(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit %d, standard error %q", code, &stderr)
	}
	text := anyTime.ReplaceAllString(stdout.String(), "${1}TIME\n")
	return anyFences.ReplaceAllString(text, "N fences")
}

func TestWholeRun(t *testing.T) { checkGolden(t, "run", plainOutput(t, "")) }

func TestDelete(t *testing.T) {
	tests := []struct {
		golden, reason string
		args           []string
	}{
		{"delete-foreground-held", "the pods' finalizers hold them, and they their Job: nothing failed",
			[]string{"-delete", "job/batch/reindex", "-propagation", "foreground"}},
		{"delete-foreground", "the dependents go first", []string{"-delete", "deployment/shop/cart", "-propagation", "Foreground"}},
		{"delete-background", "the default; the Job goes ahead of its pods, which their finalizers hold", []string{"-delete", "CRONJOB/cleanup"}},
		{"delete-shared", "an object with another owner stays, and loses the deleted owner", []string{"-delete", "secret/data/orders-credentials", "-propagation", "background"}},
		{"delete-orphan", "claims, a revision and pods stay", []string{"-delete", "statefulset.apps/data/kafka", "-propagation", "orphan"}},
	}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) { checkGolden(t, tt.golden, plainOutput(t, "", tt.args...)) })
	}
}

func TestTree(t *testing.T) {
	tests := []struct{ golden, root, reason string }{
		{"tree-frontend", "deployment/shop/frontend", "three revisions; deleted in the background"},
		{"tree-search", "deployment/shop/search", "two revisions; deleted in the foreground"},
		{"tree-checkout", "deployment/payments/checkout", "two revisions; orphans its dependents"},
		{"tree-cart", "deployment/shop/cart", "two references to it are wrong, each in its way"},
		{"tree-orders", "cluster/orders", "a global root, an object with two owners, finalizers"},
		{"tree-kafka", "statefulset/data/kafka", "claims with finalizers"},
	}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) { checkGolden(t, tt.golden, plainOutput(t, "", "-tree", tt.root)) })
	}
}

// TestDeleteFlawed reads objects that no store would accept as new ones.
func TestDeleteFlawed(t *testing.T) {
	owner := `{"apiVersion":"v1","kind":"Pod","name":"a","uid":"uid-a"}`
	with := func(name, field string) string {
		return strings.Replace(pod(name), `"uid"`, field+`,"uid"`, 1)
	}
	input := with("a", `"resourceVersion":"2026-01-02T03:04:05Z"`) +
		with("twice", `"finalizers":["x/y","x/y"]`) +
		with("both", `"finalizers":["orphan","foregroundDeletion"],"deletionTimestamp":""`) +
		with("graced", `"deletionTimestamp":"","deletionGracePeriodSeconds":30`) +
		with("itself", `"resourceVersion":"99999999999999999999","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"itself","uid":"uid-itself"}]`) +
		with("claims", `"resourceVersion":"007","ownerReferences":[`+owner+`,`+owner+`]`) +
		with("sound", `"ownerReferences":[`+owner+`]`)
	checkGolden(t, "delete-flawed", plainOutput(t, input, "-f", "-", "-delete", "pod/a"))
	checkGolden(t, "delete-again", plainOutput(t, input, "-f", "-", "-delete", "pod/graced"))
}

// TestManyHeld: all held objects are counted, in any number.
func TestManyHeld(t *testing.T) {
	const n = 1100
	var input strings.Builder
	for i := range n {
		owned := `"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"r"}],"uid"`
		input.WriteString(strings.Replace(pod(fmt.Sprintf("p%04d", i)), `"uid"`, owned, 1))
	}
	got := plainOutput(t, input.String(), "-f", "-")
	if !strings.Contains(got, "\n  held: 1100\n    Pod/n/p0000: owner's kind not listed yet (ReplicaSet.apps/n/r)\n") || !strings.Contains(got, "... and 1060 more Pod\n") {
		t.Errorf("wrote\n%s", got)
	}
}

// TestManyGo: the tree before a large deletion is short, and the total is printed.
func TestManyGo(t *testing.T) {
	below := func(name, owner string) string {
		owned := `"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"o","uid":"uid-` + owner + `"}],"uid"`
		return strings.Replace(pod(name), `"uid"`, strings.Replace(owned, `"o"`, `"`+owner+`"`, 1), 1)
	}
	flat, wide := pod("r"), pod("r")
	for i := range 50 {
		flat += below(fmt.Sprintf("p%02d", i), "r")
	}
	for i := range 10 {
		owner := fmt.Sprint("p", i)
		wide += below(owner, "r")
		for j := range 4 {
			wide += below(fmt.Sprint(owner, j), owner)
		}
	}
	const sum = "  51 objects go, all of them in n; 0 are held\n"
	for _, c := range []struct{ input, want, reason string }{
		{flat, "\n    - Pod x 50: p00, p01, p02 and 47 more\n" + sum, "like pods share a line"},
		{wide, "\n    ... and 10 more objects: 10 go\n" + sum, "the tree has 40 lines"},
	} {
		got := plainOutput(t, c.input, "-f", "-", "-delete", "pod/r")
		if !strings.Contains(got, c.want) || !strings.Contains(got, "in the background: 51 of at most 51 gone; ") {
			t.Errorf("wrote\n%s\nwant in it %q: %s", got, c.want, c.reason)
		}
	}
}

// TestShowLeavesNothing runs in a bubble, which no goroutine may outlive.
func TestShowLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := loadRecorded(t)
		todo, err := live.Find(c, showcase())
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := show(t.Context(), c, todo, terminal.New(&out), time.Now()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "at the end\n") {
			t.Errorf("wrote\n%s", &out)
		}
		// A failure leaves no goroutine either.
		if err := show(t.Context(), c, todo, terminal.New(brokenWriter("pipe is closed")), time.Now()); err == nil {
			t.Error("an error of writing is lost")
		}
	})
}
