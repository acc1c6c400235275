package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// asCommand makes the test program run as the command.
const asCommand = "OWNERGRAPH_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		Main(Command)
	}
	os.Exit(m.Run())
}

// process returns the command as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// TestProcess: the exit code is that of the process, and an end of the reader is an error.
func TestProcess(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"tree", "-f", cluster, "deployment/shop/cart"}, 0}, {[]string{"lint", "-f", "none"}, 1}, {[]string{"lint"}, 2}, {[]string{"lint", "-f", cluster}, 3},
	} {
		err := process(t, c.args...).Run()
		var exit *exec.ExitError
		code := 0
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		if code != c.code {
			t.Errorf("%v: exit %d, want %d: %v", c.args, code, c.code, err)
		}
	}
}

// TestInterrupt: the first interrupt ends a wait in order.
func TestInterrupt(t *testing.T) {
	d := newSQLite(t)
	cmd := process(t, "delete", "team/blue", "--yes", "--patience", "1h", "--store", d.flag)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the team is gone", func() bool { _, exists := d.get(t, "blue"); return !exists })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != printing.ExitFailed || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("%v\n%s", err, &stderr)
	}
}

// TestTmux: a person sees the plan, and one line of progress, in a terminal of 60 columns.
func TestTmux(t *testing.T) {
	d := newSQLite(t)
	d.program(t, ownergraph.Config{})
	if err := d.Patch(t.Context(), d.made["todo"].Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "tmux")
	tmux := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	quoted := fmt.Sprintf("%s=1 exec '%s' delete team/blue --cascade foreground --patience 1h --store '%s'", asCommand, os.Args[0], d.flag)
	tmux("new-session", "-d", "-x", "60", "-y", "40", quoted)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })
	shows := func(text string) func() bool { // also a text that the terminal wraps
		return func() bool { return strings.Contains(tmux("capture-pane", "-p", "-J"), text) }
	}
	eventually(t, "the question", shows("Delete team/blue in the foreground? 1 object goes in s; 3 are held. Type yes to go on:"))
	tmux("send-keys", "yes", "Enter")
	eventually(t, "the progress", shows("1 of 4 gone"))
	screen := tmux("capture-pane", "-p")
	if n := strings.Count(screen, "of 4 gone"); n != 1 {
		t.Errorf("%d lines of progress:\n%s", n, screen)
	}
	tmux("set-option", "remain-on-exit", "on")
	if err := d.Patch(t.Context(), d.made["todo"].Key, graph.Precondition{}, graph.Change{DropFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end", shows("delete team/blue: 4 of 4 gone"))
}
