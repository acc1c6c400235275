package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// tailLines is the number of lines of a log that an error shows.
const tailLines = 15

// Process is a program that runs. It is safe for concurrent use.
type Process struct {
	name, log string
	pid       int
	kill      context.CancelFunc
	ended     chan struct{} // closed when the program is gone
}

// Launch starts a program in a folder. It lives until Stop, or until ctx ends. Its output is
// added to the log file of its name.
//
//test:by TestLaunch TestDiesWithParent
func Launch(ctx context.Context, dir, name, path string, args ...string) (*Process, error) {
	ctx, kill := context.WithCancel(ctx)
	p := &Process{name: name, log: filepath.Join(dir, name+".log"), kill: kill, ended: make(chan struct{})}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		kill()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.WaitDelay = time.Second
	dieWithParent(cmd)
	started := make(chan error)
	go func() {
		// On Linux the program dies with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.ended)
		defer kill()
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			_ = cmd.Wait() // the log has its result
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

// Stop kills the program with SIGKILL, and returns when it is gone.
func (p *Process) Stop() {
	p.kill()
	<-p.ended
}

// Name returns the name that Launch was given.
func (p *Process) Name() string { return p.name }

// PID returns the program's process number.
func (p *Process) PID() int { return p.pid }

// Alive reports whether the program runs.
func (p *Process) Alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Tail returns the end of the program's log, for an error.
func (p *Process) Tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return p.name + ".log:\n" + strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
