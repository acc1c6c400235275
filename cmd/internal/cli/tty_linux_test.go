package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/pty"
)

// onTTY returns the output of a run on a terminal.
func onTTY(t *testing.T, args ...string) string {
	t.Helper()
	screen, tty := pty.Open(t)
	read := make(chan string)
	go func() {
		got, err := io.ReadAll(screen)
		if err != nil && !errors.Is(err, syscall.EIO) { // Linux ends a pseudo terminal with EIO
			t.Error(err)
		}
		read <- string(got)
	}()
	var stderr bytes.Buffer
	Run(t.Context(), Command, args, strings.NewReader(""), tty, &stderr)
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	return <-read
}

// TestColour: colour shows on a terminal alone, and not with NO_COLOR or on a dumb one.
func TestColour(t *testing.T) {
	args := []string{"lint", "-f", cluster}
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	if got := onTTY(t, args...); !strings.HasPrefix(got, "OG001 \x1b[31merror\x1b[0m: owner missing (1)\r\n  ConfigMap/batch/left-behind  ") {
		t.Errorf("on a terminal: %.100q", got)
	}
	if got := call(t, "", args...); strings.Contains(got.stdout, "\x1b") {
		t.Errorf("elsewhere: %.100q", got.stdout)
	}
	if got := onTTY(t, append(args, "-o", "json")...); strings.Contains(got, "\x1b") {
		t.Errorf("as JSON: %.100q", got)
	}
	t.Setenv("NO_COLOR", "1")
	if got := onTTY(t, args...); strings.Contains(got, "\x1b") {
		t.Errorf("with NO_COLOR: %.100q", got)
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	if got := onTTY(t, args...); strings.Contains(got, "\x1b") {
		t.Errorf("on a dumb terminal: %.100q", got)
	}
}

// TestProgressOnTerminal: the progress of a deletion is one line, redrawn in place.
func TestProgressOnTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	d := newSQLite(t)
	got := onTTY(t, "delete", "team/blue", "--yes", "--act", "--store", d.flag)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, "\r\x1b[K") || !strings.Contains(last, "delete team/blue: 4 of 4 gone; ") {
		t.Errorf("the last line is %q", last)
	}
}

// TestFollow: the wait ends with the deletion, whose progress shows before.
func TestFollow(t *testing.T) {
	t.Setenv("TERM", "xterm")
	d := newSQLite(t)
	d.program(t, ownergraph.Config{})
	held := d.made["todo"].Key
	if err := d.Patch(t.Context(), held, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	if err := d.Delete(t.Context(), d.made["blue"].Key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	screen, tty := pty.Open(t)
	ended := make(chan int)
	go func() {
		ended <- Run(t.Context(), Command, []string{"follow", "team/blue", "--store", d.flag, "--patience", "1h"}, nil, tty, io.Discard)
	}()
	shown, some := "", make([]byte, 1024)
	for !strings.Contains(shown, "delete team/blue: ") {
		n, err := screen.Read(some)
		if err != nil {
			t.Fatal(err)
		}
		shown += string(some[:n])
	}
	if err := d.Patch(t.Context(), held, graph.Precondition{}, graph.Change{DropFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	if code := <-ended; code != printing.ExitDone {
		t.Errorf("exit %d", code)
	}
}

// TestInterruptedFollow: an interrupt ends the line of the progress before its error.
func TestInterruptedFollow(t *testing.T) {
	t.Setenv("TERM", "xterm")
	d := newSQLite(t)
	screen, tty := pty.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, Command, []string{"follow", "team/blue", "--store", d.flag, "--patience", "1h"}, nil, tty, tty)
	}()
	shown, some := "", make([]byte, 1024)
	for !strings.Contains(shown, "interrupted") {
		n, err := screen.Read(some)
		if err != nil {
			t.Fatal(err)
		}
		if shown += string(some[:n]); strings.Contains(shown, "delete team/blue: ") {
			cancel()
		}
	}
	if code := <-ended; code != printing.ExitFailed || !strings.Contains(shown, "\nownergraph: interrupted") {
		t.Errorf("exit %d\n%q", code, shown)
	}
}
