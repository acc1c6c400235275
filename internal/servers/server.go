package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// Settings are the settings of a Server. The zero value of all but Source and Args works.
type Settings struct {
	Source Source
	// Args returns the program's arguments for its address.
	Args func(address string) []string
	// Lifetime bounds the life of the process, by default 30 minutes.
	Lifetime time.Duration
	// ReadyWithin bounds the wait until the server accepts connections, by default two
	// minutes.
	ReadyWithin time.Duration
}

// Server is a program that serves on 127.0.0.1. It is safe for concurrent use, except for
// the methods that stop or start the process. They are called one at a time.
type Server struct {
	settings  Settings
	path, dir string
	address   string
	life      context.Context
	end       context.CancelFunc
	mu        sync.Mutex // guards process
	process   *Process
}

// Start builds the program if the cache has none, starts it, and returns when it accepts
// connections. After an error no process is left.
//
//test:by TestServer
func Start(ctx context.Context, settings Settings) (*Server, error) {
	if settings.Lifetime == 0 {
		settings.Lifetime = 30 * time.Minute
	}
	if settings.ReadyWithin == 0 {
		settings.ReadyWithin = 2 * time.Minute
	}
	path, err := Build(ctx, settings.Source)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ownergraph-"+settings.Source.Name+"-")
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", settings.Source.Name, err)
	}
	s := &Server{settings: settings, path: path, dir: dir}
	s.life, s.end = context.WithTimeout(context.Background(), settings.Lifetime)
	for range maxPorts { // another program may take the port first
		if s.address, err = freeAddress(); err != nil {
			break
		}
		if err = s.Launch(ctx); err == nil {
			return s, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("start %s: %w", settings.Source.Name, err), s.Stop())
}

const maxPorts = 3 // that are tried

// freeAddress returns an address on which no program listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// Launch starts the process again after Kill, at the same address and with the same data.
// It returns when the server accepts connections.
func (s *Server) Launch(ctx context.Context) error {
	p, err := Launch(s.life, s.dir, s.settings.Source.Name, s.path, s.settings.Args(s.address)...)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.process = p
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, s.settings.ReadyWithin)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp4", s.address)
		switch {
		case err == nil:
			return c.Close()
		case !p.Alive():
			return fmt.Errorf("wait until ready: it has ended\n%s", p.Tail())
		}
		select {
		case <-ctx.Done():
			p.Stop()
			return fmt.Errorf("wait until ready: %w: %w\n%s", context.Cause(ctx), err, p.Tail())
		case <-tick.C:
		}
	}
}

// Kill ends the process with SIGKILL, and its data stay.
func (s *Server) Kill() {
	if p := s.Process(); p != nil {
		p.Stop()
	}
}

// Stop ends the process and removes its folder. A second call has no effect.
func (s *Server) Stop() error {
	s.end()
	s.Kill()
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("stop %s: %w", s.settings.Source.Name, err)
	}
	return nil
}

// Process returns the process that was started last.
func (s *Server) Process() *Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// Address returns the host and the port of the server.
func (s *Server) Address() string { return s.address }

// Dir returns the server's folder, with its log and its data.
func (s *Server) Dir() string { return s.dir }
