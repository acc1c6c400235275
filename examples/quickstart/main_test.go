package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/dump"
)

func TestRun(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.json")
	file := filepath.Join(t.TempDir(), "one.json")
	if err := os.WriteFile(file, []byte(pod("b")), 0o644); err != nil {
		t.Fatal(err)
	}
	const want = "want KIND[.GROUP]/[SCOPE/]NAME"
	owned := strings.Replace(pod("d"), `"uid"`, `"ownerReferences":[{"apiVersion":"%","kind":"%","name":"o","uid":"u"}],"uid"`, 1)
	of := func(apiVersion, kind string) string {
		return strings.Replace(strings.Replace(owned, "%", apiVersion, 1), "%", kind, 1)
	}
	tests := []struct {
		name, reason string
		args         []string
		stdin        string
		code         int
		stdout       string // contains this
		stderr       string // contains this
	}{
		{"plain", "the recorded cluster and its first Deployment", nil, "", 0, "\nthe plan\n  - Deployment.apps/shop/frontend\n    - ReplicaSet.apps/", ""},
		{"tree", "only the tree", []string{"-tree", "cronjob/cleanup"}, "", 0, "CronJob.batch/batch/cleanup\n└── ", ""},
		{"file", "a file of the user", []string{"-f", file}, "", 0, "gone: 0 of 1 object, 1 stays\n  requests: 0 of the user; of the collector 0 reads, 0 deletes", ""},
		{"several documents", "a pipe of several lists", []string{"-f", "-", "-delete", "pod/a"}, pod("a") + "\n" + pod("b"), 0, "gone: 1 of 2 objects, 1 stays\n", ""},
		{"three levels", "a finalizer keeps one branch; where two owners go together, how many writes that takes is a matter of time", []string{"-delete", "cluster/orders"}, "", 0,
			"gone: 13 of 286 objects, 273 stay\n", ""},
		{"owner not there", "its kind is there, so it is proven absent", []string{"-f", "-"}, pod("a") + of("v1", "Pod"), 0,
			"gone: 1 of 2 objects, 1 stays\n        1  Pod: all owners are gone\n", ""},
		{"owner of a kind not there", "a file says nothing of other kinds, and unknown deletes nothing", []string{"-f", "-"}, of("apps/v1", "Deployment"), 0,
			"Pod/n/d: owner's kind not listed yet (Deployment.apps/n/o)", ""},
		{"standard input", "a pipe", []string{"-f", "-", "-tree", "pod/a"}, pod("a"), 0, "Pod/n/a\n", ""},
		{"help", "help is no mistake", []string{"-h"}, "", 0, "", "OBJECT is KIND[.GROUP]/[SCOPE/]NAME"},
		{"no file", "the run fails", []string{"-f", missing}, "", 1, "", "missing.json"},
		{"a directory", "the run fails", []string{"-f", filepath.Dir(missing)}, "", 1, "", "quickstart: read " + filepath.Dir(missing) + ": document 1, byte 0: "},
		{"broken input", "the run fails, and says where", []string{"-f", "-"}, pod("a") + "{", 1, "", "quickstart: read standard input: document 2, byte 87: truncated"},
		{"missing object", "the object is not there", []string{"-tree", "pod/cart"}, "", 1, "", "quickstart: find pod/cart: not found"},
		{"ambiguous object", "the words are right, the cluster decides", []string{"-tree", "serviceaccount/default"}, "", 1, "", "ambiguous: ServiceAccount/batch/default"},
		{"bad object", "wrong usage", []string{"-tree", "pod"}, "", 2, "", want},
		{"empty object", "an unset variable of a shell is not no flag", []string{"-tree", ""}, "", 2, "", want},
		{"missing object to delete", "the object is not there", []string{"-delete", "deployment/shop/frontent"}, "", 1, "", "quickstart: find deployment/shop/frontent: not found: no such object, but there is Deployment.apps/shop/frontend\n"},
		{"ambiguous object to delete", "nothing is deleted by a guess", []string{"-delete", "serviceaccount/default"}, "", 1, "", "ambiguous: ServiceAccount/batch/default"},
		{"bad object to delete", "wrong usage", []string{"-delete", "/x"}, "", 2, "", want},
		{"two objects", "the second would hide the first", []string{"-delete", "pod/a", "-delete", "pod/b"}, "", 2, "", `invalid value "pod/b" for flag -delete: given twice`},
		{"tree and delete", "one or the other", []string{"-delete", "pod/a", "-tree", "pod/a"}, "", 2, "", "-tree and -delete: want one of them"},
		{"propagation alone", "it belongs to a deletion", []string{"-propagation", "orphan"}, "", 2, "", "-propagation: -delete is missing"},
		{"bad propagation", "wrong usage", []string{"-delete", "pod/a", "-propagation", "cascade"}, "", 2, "", "want background, foreground or orphan"},
		{"unset propagation", "the flag is there to choose one", []string{"-delete", "pod/a", "-propagation", "unset"}, "", 2, "", "want background, foreground or orphan"},
		{"unknown flag", "wrong usage", []string{"-x"}, "", 2, "", "-x"},
		{"argument", "wrong usage", []string{"pod/a"}, "", 2, "", `unexpected argument "pod/a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), tt.args, strings.NewReader(tt.stdin), &stdout, &stderr)
			if code != tt.code || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("exit %d, want %d: %s\nstandard output:\n%s\nstandard error:\n%s", code, tt.code, tt.reason, &stdout, &stderr)
			}
			if code != 0 && stdout.Len() > 0 {
				t.Errorf("a failed run wrote %q", &stdout)
			}
		})
	}
}

func TestRunReportsWriteError(t *testing.T) {
	for _, args := range [][]string{nil, {"-tree", "cronjob/cleanup"}} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, nil, brokenWriter("pipe is closed"), &stderr); code != 1 || stderr.String() != "quickstart: pipe is closed\n" {
			t.Errorf("%v: exit %d, standard error %q", args, code, &stderr)
		}
	}
}

// TestRunDeletesGarbage: an object may be in the file and gone at its deletion.
func TestRunDeletesGarbage(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"-delete", "configmap/left-behind"}, nil, &stdout, &stderr)
	want := "quickstart: delete ConfigMap/batch/left-behind: not found: it has gone before: all owners are gone\n"
	if code != 1 || stderr.String() != want {
		t.Errorf("exit %d, standard error %q, want 1 and %q", code, &stderr, want)
	}
}

// interrupter ends a run when the run writes a text.
type interrupter struct {
	bytes.Buffer
	at   string
	stop context.CancelFunc
}

func (w *interrupter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.at) {
		w.stop()
	}
	return w.Buffer.Write(p)
}

func TestRunInterrupted(t *testing.T) {
	tests := []struct{ at, last, reason string }{
		{"plan: delete", "0 are held\n", "before the deletion in the control plane"},
		{"287 objects", "287 objects of 27 kinds", "before anything was done"},
		{"the plan\n", "- Deployment.apps/shop/frontend\n", "before the first deletion"},
	}
	for _, tt := range tests {
		ctx, stop := context.WithCancel(t.Context())
		out, stderr := interrupter{at: tt.at, stop: stop}, bytes.Buffer{}
		code := run(ctx, nil, nil, &out, &stderr)
		if code != 1 || stderr.String() != "quickstart: interrupted: context canceled\n" {
			t.Errorf("exit %d, standard error %q: %s", code, &stderr, tt.reason)
		}
		if got := out.String(); !strings.Contains(got, tt.last) || strings.Contains(got, "in the background") || strings.Contains(got, "at the end") {
			t.Errorf("wrote\n%s\n%s", got, tt.reason)
		}
	}
}

// pod is an object in the shortest notation.
func pod(name string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","namespace":"n","uid":"uid-` + name + `"}}`
}

// brokenWriter fails with its text.
type brokenWriter string

func (w brokenWriter) Write([]byte) (int, error) { return 0, errors.New(string(w)) }

func loadRecorded(t *testing.T) dump.Content {
	t.Helper()
	c, err := options{}.read(nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
