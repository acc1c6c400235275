package storetest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

const redStore = "STORETEST_RED_STORE"

// TestRedStore is TestMemory, unless TestRed asks for a store that fails.
func TestRedStore(t *testing.T) {
	c := Config{New: memorySubject}
	if os.Getenv(redStore) != "" {
		c = Config{New: newForgetful, Patience: shortPatience}
	}
	testLaws(t, c)
}

// TestRed: what go test prints of a store that breaks a law.
func TestRed(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRedStore$")
	cmd.Env = append(os.Environ(), redStore+"=yes")
	out, err := cmd.CombinedOutput()
	text := string(out)
	if _, failed := err.(*exec.ExitError); !failed {
		t.Fatalf("go test: %v, want it to fail:\n%s", err, text)
	}
	for _, c := range []struct {
		want   string
		there  bool
		reason string
	}{
		{"--- FAIL: TestRedStore/read/marked (", true, "the law that is broken"},
		{"law read/marked is broken\n", true, "and what it says"},
		{"            why it matters: an object that is being deleted", true, "and why"},
		{"--- FAIL: TestRedStore/watch/compaction (", true, "a law without its hook is not passed"},
		{"not proven: no Compact hook", true, "and says so"},
		{"TestRedStore/delete/marks", false, "what rests on a broken law has no red line of its own"},
		{"not proven: they rest on read/marked, which is not kept: patch/version-precondition, ", true, "but stands in the report"},
		{"level 2, ", true, "which ends the output"},
	} {
		if strings.Contains(text, c.want) != c.there {
			t.Errorf("%q is there: %t, want %t: %s\n%s", c.want, !c.there, c.there, c.reason, text)
		}
	}
}
