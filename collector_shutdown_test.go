package ownergraph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
)

// journal collects what a logger writes.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(line)
}

// lines returns the lines so far that have the text.
func (j *journal) lines(text string) (out []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for line := range strings.Lines(j.buf.String()) {
		if strings.Contains(line, text) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// TestCollectorShutdownTimeout has a handler that ignores its context. Run returns
// after ShutdownTimeout at most, and what the handler says later counts for nothing.
func TestCollectorShutdownTimeout(t *testing.T) {
	for _, c := range []struct {
		timeout, takes, want time.Duration
		stuck                bool
		reason               string
	}{
		{0, 8 * time.Second, 8 * time.Second, false, "by default a handler has 10 s to return"},
		{0, time.Minute, 10 * time.Second, true, "one that takes longer is left behind"},
		{2 * time.Second, 8 * time.Second, 2 * time.Second, true, "a setting says how long"},
		{20 * time.Second, 8 * time.Second, 8 * time.Second, false, "no longer than it takes"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, log := newTap(t, "a~[x]"), &journal{}
				cfg := handlers(map[string]finalizer.Handler{"x": func(context.Context, ownergraph.Object) error {
					pass(c.takes)
					return errors.New("too late")
				}})
				cfg.ShutdownTimeout, cfg.Logger = c.timeout, log.logger()
				r := collect(t, s, cfg)
				synctest.Wait()
				began := time.Now()
				err := r.stop()
				if d := time.Since(began); d != c.want {
					t.Errorf("Run returned after %v, want %v", d, c.want)
				}
				if errors.Is(err, ownergraph.ErrStuck) != c.stuck || c.stuck && fmt.Sprint(err) != `stop collector: handle "x" of a: does not return` {
					t.Errorf("Run: %v", err)
				}
				pass(c.takes)
				if st := r.Stats(); st.FailedHandlers != 0 {
					t.Errorf("%d failed runs: the result of one that is left behind is dropped", st.FailedHandlers)
				}
				if warned := log.lines("level=WARN"); len(warned) > 0 {
					t.Errorf("a shutdown is no warning: %q", warned)
				}
			})
		})
	}
}

// TestCollectorShutdownIsNoWarning has every call under way as Run ends, and each
// ends with its context.
func TestCollectorShutdownIsNoWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := newTap(t, "a~[x]; b~[foreground]; c -> c/gone"), &journal{}
		s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "watch" {
				return do()
			}
			<-ctx.Done()
			return ctx.Err()
		}
		cfg := handlers(map[string]finalizer.Handler{"x": func(ctx context.Context, _ ownergraph.Object) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		cfg.Logger = log.logger()
		r := collect(t, s, cfg)
		synctest.Wait()
		if st := r.Stats(); st.Calls != 3 {
			t.Fatalf("%d calls under way, want a handler, a fence and a read", st.Calls)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if warned := log.lines("level=WARN"); len(warned) > 0 {
			t.Errorf("a shutdown is no warning: %q", warned)
		}
	})
}
