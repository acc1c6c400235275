package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// childVariable names the environment variable that makes the test program a collector.
const childVariable = "OWNERGRAPH_E2E_CHILD"

// childTask is the value of that variable, in JSON.
type childTask struct {
	Host, Token, CAFile string
	// Roots and Above are the guard: config maps with this name, and its limit.
	Root  string
	Above int
	// Killed is the number of successful deletes after which the program kills itself.
	Killed int
}

// childOrder asks the program to approve a root. It answers with a childReport.
type childOrder struct {
	Root   graph.Key
	AtMost int
}

// childReport is a line of the program's output: a write of the collector that succeeded, or the
// answer to an order.
type childReport struct {
	Write    *engine.Call `json:",omitempty"`
	Approved bool         `json:",omitempty"`
	Err      string       `json:",omitempty"`
}

// guardOf returns the settings of a guard on config maps of one name.
func guardOf(root string, above int) ownergraph.Config {
	return ownergraph.Config{Guards: []guard.Guard{{Kinds: []graph.Kind{configMap.name()}, Names: []string{root}, Above: &above}}}
}

// runChild is the main function of the program. It collects until its input ends.
func runChild(text string, in io.Reader, out io.Writer) error {
	var t childTask
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return err
	}
	store, err := clientgo.New(&rest.Config{
		Host: t.Host, BearerToken: t.Token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAFile: t.CAFile},
	}, clientgo.Config{})
	if err != nil {
		return err
	}
	reports := &teller{Store: store, say: json.NewEncoder(out), killed: t.Killed}
	c, err := ownergraph.New(reports, guardOf(t.Root, t.Above))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	orders := json.NewDecoder(in)
	for {
		var o childOrder
		if err := orders.Decode(&o); err != nil {
			cancel()
			return <-done
		}
		r := childReport{Approved: true}
		if err := c.Approve(approval(ctx), o.Root, ownergraph.Approval{AtMost: &o.AtMost}); err != nil {
			r = childReport{Err: err.Error()}
		}
		reports.tell(r)
	}
}

// teller reports each write that has succeeded and is no approval's. It kills the program after
// some deletes. The store's other powers are the store's own.
type teller struct {
	*clientgo.Store
	mu              sync.Mutex
	say             *json.Encoder
	deletes, killed int
}

// Patch is the store's, reported.
func (s *teller) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) error {
	err := s.Store.Patch(ctx, key, pre, change)
	if err == nil && !isApproval(ctx) {
		s.tell(childReport{Write: &engine.Call{Type: engine.CallPatch, Key: key, Precondition: pre, Change: change}})
	}
	return err
}

// Delete is the store's, reported.
func (s *teller) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	err := s.Store.Delete(ctx, key, opts)
	if err == nil && !isApproval(ctx) {
		s.tell(childReport{Write: &engine.Call{Type: engine.CallDelete, Key: key, Options: opts}})
	}
	return err
}

func (s *teller) tell(r childReport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.say.Encode(r)
	if r.Write != nil && r.Write.Type == engine.CallDelete {
		if s.deletes++; s.deletes == s.killed {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // no deferred call runs, and no call ends in order
			select {}
		}
	}
}

// child is a collector in a process of its own.
type child struct {
	w      *world
	cmd    *exec.Cmd
	in     io.WriteCloser
	answer chan childReport // to an order
	writes []engine.Call
	ended  chan error
}

// collectInChild starts one.
func (w *world) collectInChild(t childTask) *child {
	w.t.Helper()
	admin := w.server.Admin()
	t.Host, t.Token, t.CAFile = admin.Host, admin.BearerToken, admin.CAFile
	task, err := json.Marshal(t)
	if err != nil {
		w.t.Fatal(err)
	}
	c := &child{w: w, cmd: exec.CommandContext(w.ctx, os.Args[0]), answer: make(chan childReport, 1), ended: make(chan error, 1)}
	c.cmd.Env = append(os.Environ(), childVariable+"="+string(task))
	c.cmd.Stderr = w.t.Output()
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		w.t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() { c.ended <- errors.Join(c.read(out), c.cmd.Wait()) }()
	return c
}

func (c *child) read(out io.Reader) error {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r childReport
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("read %q: %w", lines.Text(), err)
		}
		if r.Write != nil {
			c.writes = append(c.writes, *r.Write)
		} else {
			c.answer <- r
		}
	}
	return lines.Err()
}

// approve makes the child approve a root.
func (c *child) approve(root object, atMost int) {
	c.w.t.Helper()
	if err := json.NewEncoder(c.in).Encode(childOrder{c.w.key(root), atMost}); err != nil {
		c.w.t.Fatal(err)
	}
	select {
	case r := <-c.answer:
		if !r.Approved {
			c.w.t.Fatalf("approve: %s", r.Err)
		}
	case err := <-c.ended:
		c.w.t.Fatalf("approve: the child has ended: %v", err)
	case <-c.w.ctx.Done():
		c.w.t.Fatal("approve: no answer")
	}
}

// wasKilled waits for the child's end by its own signal. Its reported writes are judged when
// the test ends.
func (c *child) wasKilled() {
	c.w.t.Helper()
	var err error
	select {
	case err = <-c.ended:
	case <-c.w.ctx.Done():
		c.w.t.Fatal("the child was not killed")
	}
	if s, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
		c.w.t.Fatalf("the child has ended with %v, %v, want a kill", c.cmd.ProcessState, err)
	}
	_ = c.in.Close()
	c.w.others = append(c.w.others, c.writes...)
}

// key returns the engine's key of an object.
func (w *world) key(o object) graph.Key {
	return graph.Key{Kind: o.kind.name(), Scope: o.ns, Name: o.name, UID: graph.UID(o.uid)}
}

// TestChild: the program of the test is a collector if its environment says so. A wrong task is
// an error.
func TestChild(t *testing.T) {
	if err := runChild("no task", nil, io.Discard); err == nil {
		t.Error("a wrong task is taken")
	}
}
