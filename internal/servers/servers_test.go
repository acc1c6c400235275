package servers

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hello is a program of this test.
func hello() Source {
	return Source{
		Name: "hello", Pins: "internal/servers/testdata/hello",
		Module: "github.com/ownergraph/ownergraph/internal/servers/testdata/hello", Package: ".",
	}
}

// TestBuild: a build makes an executable once. A failed one leaves nothing.
func TestBuild(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	wrong := hello()
	wrong.Name, wrong.Package = "wrong", "./none"
	if path, err := wrong.build(t.Context(), cache); err == nil || !strings.Contains(err.Error(), "build wrong: ") {
		t.Errorf("a package that is not there: %q, %v", path, err)
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	path, err := hello().build(t.Context(), cache)
	if err != nil {
		t.Fatal(err)
	}
	made, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := hello().build(t.Context(), cache)
	now, statErr := os.Stat(again)
	if err != nil || statErr != nil || again != path || !now.ModTime().Equal(made.ModTime()) {
		t.Errorf("a second build: %s, %v, want the first executable %s", again, errors.Join(err, statErr), path)
	}
	if list, err := os.ReadDir(cache); err != nil || len(list) != 1 || list[0].Name() != filepath.Base(path) {
		t.Errorf("the cache has %v, %v, want one executable", list, err)
	}
}

// TestLaunch: a program writes its log, and ends with Stop and with its context.
func TestLaunch(t *testing.T) {
	path, err := hello().build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, end := range []func(*Process){func(p *Process) { p.Stop() }, func(*Process) { cancel() }} {
		address, err := freeAddress()
		if err != nil {
			t.Fatal(err)
		}
		p, err := Launch(ctx, t.TempDir(), "hello", path, address)
		if err != nil {
			t.Fatal(err)
		}
		if p.PID() == 0 {
			t.Error("a process has no number")
		}
		end(p)
		select {
		case <-p.ended:
		case <-time.After(time.Minute):
			t.Fatal("the process goes on")
		}
		if p.Alive() {
			t.Error("a process that has ended is alive")
		}
	}
	if _, err := Launch(t.Context(), t.TempDir(), "none", filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestServer: a server accepts connections after Start and after a second Launch, and its
// folder goes with Stop. A program that ends at once is an error with its log.
func TestServer(t *testing.T) {
	s, err := Start(t.Context(), Settings{Source: hello(), Args: func(address string) []string { return []string{address} }})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c, err := net.Dial("tcp4", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		s.Kill()
		if err := s.Launch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder after Stop: %v", err)
	}
	_, err = Start(t.Context(), Settings{Source: hello(), Args: func(string) []string { return []string{"no address"} }})
	if err == nil || !strings.Contains(err.Error(), "hello.log") {
		t.Errorf("a program that ends at once: %v", err)
	}
}
