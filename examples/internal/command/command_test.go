package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		ctx    context.Context
		args   []string
		status int
		stderr string
		reason string
	}{
		{t.Context(), nil, 0, "", "it runs"},
		{t.Context(), []string{"-h"}, 0, "usage: example ", "the user wants help"},
		{t.Context(), []string{"now"}, 2, `unexpected argument "now"`, "an argument is not ignored"},
		{t.Context(), []string{"-f", "x"}, 2, "flag provided but not defined: -f", "a flag is not ignored"},
		{t.Context(), []string{"--", "-f"}, 2, `unexpected argument "-f"`, "an argument is not ignored"},
		{ended, nil, 1, "example: context canceled", "the error of the program"},
	} {
		var stdout, stderr bytes.Buffer
		status := Run(tc.ctx, "example", tc.args, &stdout, &stderr, func(ctx context.Context, out io.Writer) error {
			fmt.Fprint(out, "run")
			return ctx.Err()
		})
		if status != tc.status || !strings.HasPrefix(stderr.String(), tc.stderr) || (stdout.String() == "run") != (tc.args == nil) {
			t.Errorf("Run(%q) = %d, printed %q and %q, want %d and %q: %s",
				tc.args, status, stdout.String(), stderr.String(), tc.status, tc.stderr, tc.reason)
		}
	}
}
