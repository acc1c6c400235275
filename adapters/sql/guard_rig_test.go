package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// guardVariable names the environment variable that makes the test program a collector.
const guardVariable = "OWNERGRAPH_SQL_GUARD"

// guardTask is the value of that variable, in JSON. The program approves the root, and kills
// itself after a number of deletes.
type guardTask struct {
	DSN, Schema string
	Root        graph.Key
	AtMost      int
	Killed      int64
}

// guardTeams refuses a deletion of a team that ends more than 100 objects beside it.
func guardTeams() ownergraph.Config {
	limit := 100
	return ownergraph.Config{Guards: []guard.Guard{{Kinds: []graph.Kind{"team"}, Above: &limit}}}
}

// runGuardTask is the main function of the program. It returns only after an error.
func runGuardTask(text string) error {
	var t guardTask
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return err
	}
	db, err := openPostgres(t.DSN, &faults{})
	if err != nil {
		return err
	}
	s, err := New(db, Config{Dialect: Postgres, Schema: t.Schema, Kinds: kindsOfTests()})
	if err != nil {
		return err
	}
	c, err := ownergraph.New(&dying{Store: s, killed: t.Killed}, guardTeams())
	if err != nil {
		return err
	}
	ctx := context.Background()
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	if err := c.Synced(ctx); err != nil {
		return err
	}
	if _, err := c.WaitIdle(ctx); err != nil { // it has seen the refusal of the other process
		return err
	}
	if err := c.Approve(ctx, t.Root, ownergraph.Approval{AtMost: &t.AtMost}); err != nil {
		return err
	}
	return <-done
}

// dying kills the program after a number of deletes, alone or in batches. It lets one call at a
// time through, so that no other call ends the cascade meanwhile.
type dying struct {
	*Store
	mu      sync.Mutex
	deletes int64
	killed  int64
}

// Delete is the store's.
func (s *dying) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.Store.Delete(ctx, key, opts)
	if err == nil {
		s.note(1)
	}
	return err
}

// Batch is the store's.
func (s *dying) Batch(ctx context.Context, writes []graph.Write) ([]error, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out, err := s.Store.Batch(ctx, writes)
	if err == nil {
		s.note(int64(len(writes)))
	}
	return out, err
}

// MaxBatch is the store's.
func (s *dying) MaxBatch(ownergraph.Store) int { return s.Store.MaxBatch(s.Store) }

func (s *dying) note(n int64) {
	if s.deletes += n; s.deletes >= s.killed {
		dieNow()
	}
}

// approveAndDie runs the task in a process of its own, until that kills itself.
func (h *handle) approveAndDie(t *testing.T, task guardTask) {
	t.Helper()
	task.DSN, task.Schema = server.DSN(), h.d.conf.Schema
	if !killsItself(t, guardVariable, task) {
		t.Fatal("the program has ended, want a kill")
	}
}

// killsItself runs a task in a process of its own, and reports whether that has killed itself.
func killsItself(t *testing.T, variable string, task any) bool {
	t.Helper()
	text, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signal() == syscall.SIGKILL {
			return true
		}
	}
	if err != nil {
		t.Fatalf("the program has ended with %v, %v, %s", err, ctx.Err(), out)
	}
	return false
}

// collector is a collector in this process.
type collector struct {
	*ownergraph.Collector
	t    *testing.T
	kill context.CancelFunc
	done chan error
}

func (h *handle) collect(t *testing.T, cfg ownergraph.Config) *collector {
	t.Helper()
	c, err := ownergraph.New(h.Store, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	out := &collector{c, t, cancel, make(chan error, 1)}
	go func() { out.done <- c.Run(ctx) }()
	t.Cleanup(cancel)
	if err := c.Synced(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out
}

// idle waits until the collector has no work left, and returns the held objects.
func (c *collector) idle() string {
	c.t.Helper()
	held, err := c.WaitIdle(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	text := ""
	for _, h := range held {
		text += fmt.Sprintf("%s %s; ", h.Key.Name, h.Reason.Code())
	}
	return text
}

func (c *collector) stop() {
	c.t.Helper()
	c.kill()
	if err := <-c.done; err != nil {
		c.t.Error(err)
	}
}
