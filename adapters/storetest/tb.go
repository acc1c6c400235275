package storetest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
)

// notes is a TB in front of another one, or of none, that keeps what is said of
// a failure. A law runs on one goroutine, and no other calls it.
type notes struct {
	TB
	failed bool
	lines  []string
}

func (n *notes) Errorf(format string, args ...any) {
	n.Helper()
	n.note(format, args)
	n.TB.Errorf(format, args...)
}

func (n *notes) Fatalf(format string, args ...any) {
	n.Helper()
	n.note(format, args)
	n.TB.Fatalf(format, args...)
}

func (n *notes) note(format string, args []any) {
	n.failed = true
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notes) text() string { return strings.Join(n.lines, "\n") }

// plainTB is a TB outside of go test. As there, all but Cleanup's functions runs
// on one goroutine, which Fatalf ends.
type plainTB struct {
	name     string
	ctx      context.Context
	cancel   context.CancelFunc
	cleanups []func()
	panicked any
}

func newPlainTB(ctx context.Context, name string) *plainTB {
	ctx, cancel := context.WithCancel(ctx)
	return &plainTB{name: name, ctx: ctx, cancel: cancel}
}

func (p *plainTB) Helper()                  {}
func (p *plainTB) Name() string             { return p.name }
func (p *plainTB) Cleanup(f func())         { p.cleanups = append(p.cleanups, f) }
func (p *plainTB) Context() context.Context { return p.ctx }
func (p *plainTB) Logf(string, ...any)      {}
func (p *plainTB) Errorf(string, ...any)    {}
func (p *plainTB) Fatalf(string, ...any)    { runtime.Goexit() }

// run runs f and then the clean-up, on a goroutine of its own, and returns when
// both have ended. What panicked is returned, and ends nothing else.
func (p *plainTB) run(f func()) (panicked any) {
	p.apart(f)
	p.cancel()
	for len(p.cleanups) > 0 {
		last := len(p.cleanups) - 1
		cleanup := p.cleanups[last]
		p.cleanups = p.cleanups[:last]
		p.apart(cleanup)
	}
	return p.panicked
}

// apart runs f on a goroutine of its own, which it may end.
func (p *plainTB) apart(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil && p.panicked == nil {
				p.panicked = v
			}
		}()
		f()
	}()
	<-done
}
