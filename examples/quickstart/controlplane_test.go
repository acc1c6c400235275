package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/internal/terminal"
)

// TestShowPlane: the text is the same in each run and has at most 25 lines. It leaves no file, and no
// goroutine outlives the bubble. The same holds after a failure.
func TestShowPlane(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	empty := func(after string) {
		t.Helper()
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
			t.Errorf("%s: %d files are left, %v", after, len(list), err)
		}
	}
	first := ""
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			if err := showPlane(t.Context(), terminal.New(&out)); err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = out.String()
			}
			if out.String() != first || strings.Count(first, "\n") > 25 || !strings.Contains(first, "1 before, 0 after\n  as planned\n") {
				t.Errorf("wrote\n%s\nand before\n%s", &out, first)
			}
		})
	}
	empty("a run")
	synctest.Test(t, func(t *testing.T) {
		if err := showPlane(t.Context(), terminal.New(brokenWriter("pipe is closed"))); err == nil {
			t.Error("an error of writing is lost")
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := showPlane(ctx, terminal.New(&bytes.Buffer{})); err == nil {
			t.Error("the end of the context is lost")
		}
	})
	empty("a failure")
}
