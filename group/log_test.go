package group_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/share"
)

// journal collects the lines of a logger without their times.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(line)
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "stack" {
			return slog.Attr{}
		}
		return a
	}}))
}

// take returns the lines since the last take.
func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.buf.Reset()
	return strings.ReplaceAll(j.buf.String(), " member=a", "")
}

// TestLog: a line for each change of the set, and for each change of the cause of a wait.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j journal
		r := newRig(t, newStore(t), &leases{}, group.Config{Name: "a", Logger: j.logger()}).start()
		logs := func(after time.Duration, reason string, want ...string) {
			t.Helper()
			<-time.After(after)
			synctest.Wait()
			if got := j.take(); got != strings.Join(append(want, ""), "\n") {
				t.Errorf("%s:\n%swant:\n%s", reason, got, strings.Join(want, "\n"))
			}
		}
		logs(0, "it joins", `level=INFO msg="members changed" count=1 share=all`)
		logs(time.Hour, "no change")
		var n atomic.Int32
		r.co.hold(func(context.Context) error { return fmt.Errorf("request %d: %w", n.Add(1), errTest) }, nil)
		logs(lease+time.Hour, "one cause, with a number that changes",
			`level=WARN msg="lease is not renewed" err="request 1: made by the test"`,
			`level=INFO msg="members changed" count=0 share=none`)
		r.co.hold(func(context.Context) error { return group.ErrTaken }, nil)
		logs(time.Hour, "another cause", `level=WARN msg="lease is not renewed" err="another collector has this name"`)
		release := make(chan struct{})
		r.co.hold(nil, nil)
		logs(time.Hour, "it joins again", `level=INFO msg="members changed" count=1 share=all`, `level=INFO msg="lease is renewed again"`)
		r.co.hold(func(context.Context) error { <-release; return nil }, nil)
		logs(lease, "a coordinator that does not return", `level=INFO msg="members changed" count=0 share=none`,
			`level=WARN msg="lease is not renewed" err="the lease has ended, and its renewal has no answer"`)
		r.co.hold(nil, nil)
		close(release)
		logs(time.Hour, "it returns", `level=INFO msg="members changed" count=1 share=all`, `level=INFO msg="lease is renewed again"`)
		if _, err := r.c.Pause(t.Context(), engine.Extent{All: true}); err != nil {
			t.Fatal(err)
		}
		logs(time.Hour, "a pause", `level=INFO msg="members changed" count=0 share=none`,
			`level=INFO msg="collector is not ready for a share" cause="everything is paused"`)
		r.co.hold(nil, func(context.Context) error { panic("boom") })
		if err := r.c.Resume(t.Context(), engine.Extent{All: true}); err != nil {
			t.Fatal(err)
		}
		logs(time.Minute, "a resume", `level=INFO msg="members changed" count=1 share=all`)
		_ = r.stop()
		logs(0, "the end", `level=INFO msg="members changed" count=0 share=none`,
			`level=INFO msg="collector is not ready for a share" cause="the membership has ended"`,
			`level=ERROR msg="coordinator panicked" call=leave panic=boom`)
	})
}

// badHandler is a logger that panics.
type badHandler struct{ slog.Handler }

func (badHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (badHandler) Handle(context.Context, slog.Record) error { panic("no disk") }
func (h badHandler) WithAttrs([]slog.Attr) slog.Handler      { return h }

// TestLoggerPanics: a logger that panics does not end the membership.
func TestLoggerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newStore(t), &leases{}, group.Config{Name: "a", Logger: slog.New(badHandler{})}).start()
		r.expect(0, group.StateMember, share.All(), "the line of the new set panics")
		r.co.hold(failing, nil)
		r.expect(lease, group.StateLost, share.None(), "the line of the error panics")
	})
}
