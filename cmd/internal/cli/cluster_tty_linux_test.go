package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/pty"
)

// TestPluginProgressOnTerminal: the progress of a wait is one line, redrawn in place.
func TestPluginProgressOnTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	a := newCluster()
	flags := a.serve(t)
	screen, tty := pty.Open(t)
	var seen output
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&seen, screen) // Linux ends a pseudo terminal with EIO
	}()
	code := make(chan int, 1)
	go func() {
		code <- Run(t.Context(), Plugin, append([]string{"wait", "deploy/web"}, flags...), strings.NewReader(""), tty, io.Discard)
	}()
	eventually(t, "two drawings", func() bool { return strings.Count(seen.String(), "0 of 2 gone, 2 left") > 1 })
	a.remove("pods", "shop/web-x")
	a.remove("deployments", "shop/web")
	if got := <-code; got != printing.ExitDone {
		t.Errorf("exit %d", got)
	}
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	<-read
	lines := strings.Split(strings.TrimSpace(seen.String()), "\n")
	if last := lines[len(lines)-1]; len(lines) != 1 || !strings.Contains(last, "\r\x1b[Kdelete Deployment.apps/shop/web: 2 of 2 gone; ") {
		t.Errorf("the lines are %q", lines)
	}
}

// TestPluginColour: colour shows on a terminal alone, and not with NO_COLOR.
func TestPluginColour(t *testing.T) {
	flags := newCluster().serve(t)
	t.Setenv("TERM", "xterm")
	for noColour, want := range map[string]bool{"": true, "1": false} {
		t.Setenv("NO_COLOR", noColour)
		screen, tty := pty.Open(t)
		var seen output
		read := make(chan struct{})
		go func() {
			defer close(read)
			_, _ = io.Copy(&seen, screen)
		}()
		Run(t.Context(), Plugin, append([]string{"lint"}, flags...), nil, tty, io.Discard)
		if err := tty.Close(); err != nil {
			t.Fatal(err)
		}
		<-read
		if got := strings.Contains(seen.String(), "\x1b[31merror"); got != want {
			t.Errorf("NO_COLOR=%q: colour is %v\n%s", noColour, got, &seen)
		}
	}
}
