package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Config has the settings of a server. The zero value works.
type Config struct {
	// Dir is the directory of the data and of the socket. Empty: a temporary one, which
	// Stop removes.
	Dir string
	// StandbyOf is the primary of a standby, whose data begin as a copy. Nil: a primary.
	StandbyOf *Server
	// Settings are settings of the server, such as "max_connections=300".
	Settings []string
	// Timeout bounds initdb and a start. Default: one minute.
	Timeout time.Duration
}

// Server is a server of this process, which ends with it. It is safe for concurrent use.
// Use Start.
type Server struct {
	conf Config
	bin  string
	own  bool // Dir is removed in the end
	as   account

	mu     sync.Mutex
	cmd    *exec.Cmd
	ended  chan struct{} // closed when cmd has ended
	output tail
}

// Start makes a new cluster and starts its server. The error says which program is missing.
func Start(c Config) (*Server, error) {
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	s := &Server{conf: c}
	err := s.prepare()
	if err == nil {
		err = s.Restart()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start postgres: %w", err), s.Stop())
	}
	return s, nil
}

// prepare makes the directory and the cluster in it.
func (s *Server) prepare() (err error) {
	if s.bin, err = findPrograms(); err != nil {
		return err
	}
	if s.as, err = newAccount(); err != nil {
		return err
	}
	if s.conf.Dir == "" {
		if s.conf.Dir, err = os.MkdirTemp("", "postgres"); err != nil {
			return err
		}
		s.own = true
	}
	if err := os.Chmod(s.conf.Dir, 0o755); err != nil { // the server's user enters it
		return err
	}
	if err := s.as.take(s.conf.Dir); err != nil {
		return err
	}
	if _, err := os.Stat(s.data()); err == nil {
		return nil // a cluster of before
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.conf.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", user, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
	if of := s.conf.StandbyOf; of != nil {
		cmd = exec.CommandContext(ctx, filepath.Join(s.bin, "pg_basebackup"), "-h", of.conf.Dir, "-U", user, "-D", s.data(), "-R", "-c", "fast")
	}
	cmd.Dir = s.conf.Dir
	cmd.SysProcAttr = s.as.attributes()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}

// user is the name of the superuser of the cluster.
const user = "postgres"

func (s *Server) data() string { return filepath.Join(s.conf.Dir, "data") }

// findPrograms returns the directory of the newest installed version.
func findPrograms() (string, error) {
	const pattern = "/usr/lib/postgresql/*/bin"
	list, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	version := func(dir string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir))) // 0 for other names
		return n
	}
	slices.SortFunc(list, func(a, b string) int { return version(b) - version(a) })
	for _, dir := range list {
		if _, err := os.Stat(filepath.Join(dir, "postgres")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no program in %s: install it with: apt-get install -y postgresql", pattern)
}

// DSN returns the connection string of the cluster's own database, in the form that libpq
// and pgx read.
func (s *Server) DSN() string { return s.DSNOf("postgres") }

// DSNOf returns the connection string of a database.
func (s *Server) DSNOf(database string) string {
	return fmt.Sprintf("host=%s user=%s dbname=%s sslmode=disable", s.conf.Dir, user, database)
}

// Socket returns the path of the unix socket, for a proxy in front of it.
func (s *Server) Socket() string { return filepath.Join(s.conf.Dir, ".s.PGSQL.5432") }

// Restart starts the server on its data, after Kill or Stop. A running server is killed.
func (s *Server) Restart() error {
	if err := s.Kill(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	args := []string{"-D", s.data(), "-k", s.conf.Dir, "-c", "listen_addresses="}
	for _, setting := range s.conf.Settings {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), args...)
	cmd.Dir = s.conf.Dir
	cmd.SysProcAttr = s.as.attributes()
	lines, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	ready, ended, failed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go s.run(cmd, lines, ready, ended, failed)
	if err := <-failed; err != nil {
		return err
	}
	s.cmd, s.ended = cmd, ended
	timer := time.NewTimer(s.conf.Timeout)
	defer timer.Stop()
	select {
	case <-ready:
		return nil
	case <-ended:
		return fmt.Errorf("the server has ended: %s", s.output.text())
	case <-timer.C:
		return fmt.Errorf("the server is not ready after %s: %s", s.conf.Timeout, s.output.text())
	}
}

// run stays on one thread, because the server is killed when the thread that started it
// ends.
func (s *Server) run(cmd *exec.Cmd, lines io.Reader, ready, ended chan struct{}, failed chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	failed <- err
	if err != nil {
		return
	}
	defer close(ended)
	once := sync.OnceFunc(func() { close(ready) })
	for in := bufio.NewScanner(lines); in.Scan(); {
		s.output.add(in.Text())
		if strings.Contains(in.Text(), "ready to accept") {
			once()
		}
	}
	_ = cmd.Wait() // a kill is no error
}

// Kill ends the server as a crash does (SIGKILL), with all its processes, and waits for
// that. A server that has ended stays so.
func (s *Server) Kill() error { return s.signal(syscall.SIGKILL) }

// Stop ends the server at once, and removes a temporary directory.
func (s *Server) Stop() error {
	err := s.signal(syscall.SIGQUIT)
	if s.own {
		err = errors.Join(err, os.RemoveAll(s.conf.Dir))
	}
	return err
}

// signal ends the server. The children of a killed server end by themselves, and close the
// pipe of the output then.
func (s *Server) signal(sig syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return nil
	}
	if err := s.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end postgres: %w", err)
	}
	<-s.ended
	s.cmd = nil
	return nil
}

// tail keeps the last lines of an output.
type tail struct {
	mu    sync.Mutex
	lines []string
}

const maxLines = 50

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	t.lines = t.lines[max(0, len(t.lines)-maxLines):]
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}

// Output returns the last lines that the server has printed.
func (s *Server) Output() string { return s.output.text() }
