package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.json")
	file := filepath.Join(t.TempDir(), "one.json")
	if err := os.WriteFile(file, []byte(pod("b")), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, reason string
		args         []string
		stdin        string
		code         int
		stdout       string // holds this
		stderr       string // holds this
	}{
		{"plain", "the recorded cluster and its first Deployment", nil, "", 0, "29 objects with finalizers\nDeployment.apps/shop/frontend\n├── ", ""},
		{"tree", "what was asked for alone", []string{"-tree", "cronjob/cleanup"}, "", 0, "CronJob.batch/batch/cleanup\n└── ", ""},
		{"file", "a file of the user", []string{"-f", file}, "", 0, "1 objects of 1 kinds", ""},
		{"standard input", "a pipe", []string{"-f", "-", "-tree", "pod/a"}, pod("a"), 0, "Pod/n/a\n", ""},
		{"help", "help is no mistake", []string{"-h"}, "", 0, "", "-tree KIND[.GROUP]/[SCOPE/]NAME"},
		{"no file", "the run fails", []string{"-f", missing}, "", 1, "", "missing.json"},
		{"a directory", "the run fails", []string{"-f", filepath.Dir(missing)}, "", 1, "", "quickstart: read " + filepath.Dir(missing) + ": document 1, byte 0: "},
		{"broken input", "the run fails, and says where", []string{"-f", "-"}, pod("a") + "{", 1, "", "quickstart: read standard input: document 2, byte 87: truncated"},
		{"missing object", "the object is not there", []string{"-tree", "pod/cart"}, "", 1, "", "quickstart: find pod/cart: not found"},
		{"ambiguous object", "the words are right, the cluster decides", []string{"-tree", "serviceaccount/default"}, "", 1, "", "ambiguous: ServiceAccount/batch/default"},
		{"bad object", "wrong usage", []string{"-tree", "pod"}, "", 2, "", "want KIND[.GROUP]/[SCOPE/]NAME"},
		{"empty object", "an unset variable of a shell is not no flag", []string{"-tree", ""}, "", 2, "", "want KIND[.GROUP]/[SCOPE/]NAME"},
		{"unknown flag", "wrong usage", []string{"-x"}, "", 2, "", "-x"},
		{"argument", "wrong usage", []string{"pod/a"}, "", 2, "", `unexpected argument "pod/a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(tt.args, strings.NewReader(tt.stdin), &stdout, &stderr)
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
	var stderr bytes.Buffer
	if code := run(nil, nil, brokenWriter("pipe is closed"), &stderr); code != 1 || stderr.String() != "quickstart: pipe is closed\n" {
		t.Errorf("exit %d, standard error %q", code, &stderr)
	}
}
