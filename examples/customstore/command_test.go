package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	for _, tc := range []struct {
		args   []string
		status int
		stderr string
		reason string
	}{
		{nil, 0, "", "it runs"},
		{[]string{"-h"}, 0, "usage: customstore ", "help was asked for"},
		{[]string{"now"}, 2, `unexpected argument "now"`, "it would be ignored in silence"},
		{[]string{"-f", "x"}, 2, "flag provided but not defined: -f", "it would be ignored in silence"},
		{[]string{"--", "-f"}, 2, `unexpected argument "-f"`, "so would this"},
	} {
		var stdout, stderr bytes.Buffer
		status := command(t.Context(), tc.args, &stdout, &stderr)
		if status != tc.status || !strings.HasPrefix(stderr.String(), tc.stderr) || (stdout.Len() > 0) != (tc.args == nil) {
			t.Errorf("command(%q) = %d, printed %q and %q, want %d and %q: %s",
				tc.args, status, stdout.String(), stderr.String(), tc.status, tc.stderr, tc.reason)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if status := command(ended, nil, &stdout, &stderr); status != 1 || !strings.HasPrefix(stderr.String(), "customstore: ") {
		t.Errorf("command with a context that has ended = %d, printed %q, want 1 and the error", status, stderr.String())
	}
}
