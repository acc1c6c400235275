package storetest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
)

// recordingTB is a TB in front of another TB. It keeps the messages of failures. A
// law runs on one goroutine, and no other goroutine calls it.
type recordingTB struct {
	TB
	failed bool
	lines  []string
}

func (r *recordingTB) Errorf(format string, args ...any) {
	r.Helper()
	r.record(format, args)
	r.TB.Errorf(format, args...)
}

func (r *recordingTB) Fatalf(format string, args ...any) {
	r.Helper()
	r.record(format, args)
	r.TB.Fatalf(format, args...)
}

func (r *recordingTB) record(format string, args []any) {
	r.failed = true
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recordingTB) text() string { return strings.Join(r.lines, "\n") }

// plainTB is a TB outside of go test. Each function runs on a goroutine that Fatalf
// ends, as in go test.
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

// run runs f and then the clean-up, on goroutines of their own, and returns when
// both have ended. It returns the value of a panic, which ends nothing else.
func (p *plainTB) run(f func()) (panicked any) {
	p.onGoroutine(f)
	p.cancel()
	for len(p.cleanups) > 0 {
		last := len(p.cleanups) - 1
		cleanup := p.cleanups[last]
		p.cleanups = p.cleanups[:last]
		p.onGoroutine(cleanup)
	}
	return p.panicked
}

// onGoroutine runs f on a goroutine of its own, which f may end.
func (p *plainTB) onGoroutine(f func()) {
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
