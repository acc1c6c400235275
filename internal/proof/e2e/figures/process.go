package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is a side that runs, in a process of its own. It ends when its input does.
type process struct {
	name string
	pid  int
	in   io.WriteCloser
	out  *bufio.Scanner
	end  func() error
}

// spawn starts a side. It ends with ctx at the latest.
func spawn(ctx context.Context, role string, t task) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	cmd.WaitDelay = 5 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	p := &process{name: role, pid: cmd.Process.Pid, in: in, out: bufio.NewScanner(out), end: cmd.Wait}
	line, err := json.Marshal(t)
	if err == nil {
		_, err = fmt.Fprintf(in, "%s\n", line)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", role, err), p.stop())
	}
	return p, nil
}

// answer returns the side's next report.
func (p *process) answer() (report, error) {
	var r report
	if !p.out.Scan() {
		return r, fmt.Errorf("%s: ended: %w", p.name, errors.Join(io.ErrUnexpectedEOF, p.out.Err()))
	}
	if err := json.Unmarshal(p.out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("%s: %w", p.name, err)
	}
	if r.Failed != "" {
		return r, fmt.Errorf("%s: %s", p.name, r.Failed)
	}
	return r, nil
}

// tell gives the side an order and does not wait for its report.
func (p *process) tell(order string) error {
	if _, err := fmt.Fprintln(p.in, order); err != nil {
		return fmt.Errorf("%s: %s: %w", p.name, order, err)
	}
	return nil
}

// ask gives the side an order and returns its report.
func (p *process) ask(order string) (report, error) {
	if err := p.tell(order); err != nil {
		return report{}, err
	}
	return p.answer()
}

// stop ends the side and returns when it is gone.
func (p *process) stop() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	if err := p.end(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}
