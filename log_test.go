package ownergraph_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
)

// lineCounter counts the lines of a log by level and text.
type lineCounter struct {
	mu    sync.Mutex
	lines map[string]int
	named int // lines of level info with an attribute of an object
}

func (l *lineCounter) Enabled(context.Context, slog.Level) bool { return true }
func (l *lineCounter) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *lineCounter) WithGroup(string) slog.Handler            { return l }

func (l *lineCounter) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines[r.Level.String()+" "+r.Message]++
	r.Attrs(func(a slog.Attr) bool {
		if r.Level == slog.LevelInfo && (a.Key == "key" || a.Key == "root") {
			l.named++
		}
		return true
	})
	return nil
}

// count returns how many lines have the level and the text.
func (l *lineCounter) count(line string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines[line]
}

// TestLogOfCascade: a cascade writes as many lines for a thousand objects as for ten. A pause in
// the middle, and the shutdown of handlers, have no line of level info for each object.
func TestLogOfCascade(t *testing.T) {
	logged := func(n int) map[string]int {
		log := &lineCounter{lines: map[string]int{}}
		synctest.Test(t, func(t *testing.T) {
			objects, begun := "a; b -> a", make(chan struct{}, 1)
			for i := range n {
				objects += fmt.Sprintf("; c/%d -> b", i)
			}
			s := newTap(t, objects+"; d; e/1 -> d; e/2 -> d; f")
			r := collect(t, s, ownergraph.Config{Logger: slog.New(log), HandlerWorkers: 1, Handlers: map[string]finalizer.Handler{
				"example.org/slow": func(ctx context.Context, _ ownergraph.Object) error {
					begun <- struct{}{}
					<-ctx.Done()
					return ctx.Err()
				},
			}})
			r.idle()
			s.delete(t, "a", ownergraph.Background)
			if _, err := r.Pause(t.Context(), engine.Extent{All: true}); err != nil {
				t.Fatal(err)
			}
			pass(time.Second)
			if err := r.Resume(t.Context(), engine.Extent{All: true}); err != nil {
				t.Fatal(err)
			}
			r.idle()
			s.delete(t, "d", ownergraph.Foreground)
			r.idle()
			s.contains(t, "f")
			s.create(t, "f/slow[example.org/slow]")
			s.delete(t, "f/slow", ownergraph.Background)
			<-begun
			if err := r.stop(); err != nil {
				t.Error(err)
			}
		})
		if log.named > 0 {
			t.Errorf("%d lines of level info are about an object: %v", log.named, log.lines)
		}
		return log.lines
	}
	few, many := logged(10), logged(1000)
	if fmt.Sprint(few) != fmt.Sprint(many) {
		t.Errorf("ten objects have the lines %v, and a thousand %v", few, many)
	}
	for _, want := range []string{"INFO paused", "INFO resumed", "DEBUG handler ended by shutdown"} {
		if few[want] != 1 {
			t.Errorf("%q is written %d times: %v", want, few[want], few)
		}
	}
}

// deafStore is a store whose watch breaks at once, each time.
type deafStore struct{ ownergraph.Store }

func (deafStore) Watch(context.Context, func([]ownergraph.Event) error) error {
	return fmt.Errorf("no route to host, try of %s", time.Now())
}

// TestLogOfLastingFault: a watch that breaks for an hour has at most one line in a minute.
func TestLogOfLastingFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &lineCounter{lines: map[string]int{}}
		c, err := ownergraph.New(deafStore{}, ownergraph.Config{Logger: slog.New(log)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_ = c.Run(ctx)
		if n := log.count("WARN watch broke"); n < 30 || n > 61 {
			t.Errorf("%d lines in an hour, want about one a minute", n)
		}
	})
}

// TestLogCountsOthers: a failure without a line is counted in a line, although no failure follows.
func TestLogCountsOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log journal
		objects, tries := "a/0~[x.io/h]", 0
		for i := range 19 {
			objects += fmt.Sprintf("; a/%d~[x.io/h]", i+1)
		}
		s := newTap(t, objects)
		r := collect(t, s, ownergraph.Config{Logger: log.logger(), HandlerWorkers: 1, Handlers: map[string]finalizer.Handler{
			"x.io/h": func(context.Context, ownergraph.Object) error {
				if tries++; tries > 20 {
					return nil
				}
				return fmt.Errorf("request %c: throttled", 'a'+tries)
			},
		}})
		pass(10 * time.Minute)
		got := log.lines("handler failed")
		if len(got) != 9 || !strings.HasSuffix(strings.TrimSpace(got[8]), "others=12") {
			t.Errorf("%d lines, want 8 and one that counts the 12 others:\n%s", len(got), strings.Join(got, "\n"))
		}
		s.contains(t, "")
		_ = r.stop()
	})
}
