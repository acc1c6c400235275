package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/rpc"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
	"github.com/ownergraph/ownergraph/internal/servers"
)

// killWriter is the fault of a writer.
const killWriter = "kill-writer"

// writers is a store of users that makes its calls in several other processes. The history
// of the calls stays here. It is safe for concurrent use.
type writers struct {
	client // of this process
	target target
	dir    string

	mu     sync.Mutex
	list   []*writer // nil: it is killed
	starts int
	next   int
}

// writer is one process.
type writer struct {
	process *servers.Process
	calls   *rpc.Client
	busy    atomic.Int32 // calls that have no answer yet
}

// startWriters starts n processes, each with a handle of its own.
func startWriters(ctx context.Context, here client, t target, dir string, n int) (*writers, error) {
	w := &writers{client: here, target: t, dir: dir, list: make([]*writer, n)}
	for i := range n {
		if err := w.start(ctx, i); err != nil {
			return nil, errors.Join(err, w.stop())
		}
	}
	return w, nil
}

func (w *writers) start(ctx context.Context, i int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.starts++
	socket := filepath.Join(w.dir, fmt.Sprintf("writer%d.sock", w.starts))
	w.mu.Unlock()
	args := append([]string{"write"}, w.target.arguments()...)
	p, err := servers.Launch(ctx, w.dir, fmt.Sprintf("writer%d", i), self, append(args, "-socket", socket)...)
	if err != nil {
		return err
	}
	var conn net.Conn
	if err := persist(ctx, func() (err error) { conn, err = net.Dial("unix", socket); return err }); err != nil {
		p.Stop()
		return fmt.Errorf("%w: %s", err, p.Tail())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list[i] = &writer{process: p, calls: rpc.NewClient(conn)}
	return os.Remove(socket)
}

// kill kills a writer during a call, if one soon has a call. Its end starts it again.
func (w *writers) kill(ctx context.Context, rnd *rand.Rand) (func(context.Context) error, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	i := rnd.IntN(len(w.list))
	victim := w.list[i] // only this goroutine changes the list
	tick := time.NewTicker(100 * time.Microsecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Second); victim.busy.Load() == 0 && time.Now().Before(end); {
		<-tick.C
	}
	victim.process.Stop()
	_ = victim.calls.Close() // its connection may be closed already
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list[i] = nil
	return func(ctx context.Context) error { return w.start(ctx, i) }, nil
}

func (w *writers) faults() []fault { return []fault{{killWriter, w.kill}} }

// check returns an error if a writer has ended by itself.
func (w *writers) check() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.list {
		if one != nil && !one.process.Alive() {
			return fmt.Errorf("a writer has ended: %s", one.process.Tail())
		}
	}
	return nil
}

func (w *writers) stop() error {
	err := w.check()
	for _, one := range w.list {
		if one != nil {
			one.process.Stop()
			_ = one.calls.Close() // its connection may be closed already
		}
	}
	return err
}

// pick returns the next writer that is there, or nil.
func (w *writers) pick() *writer {
	w.mu.Lock()
	defer w.mu.Unlock()
	for range w.list {
		w.next = (w.next + 1) % len(w.list)
		if one := w.list[w.next]; one != nil {
			return one
		}
	}
	return nil
}

// answerWithin bounds the wait for an answer after which the writer must have seen the
// deadline of the call.
const answerWithin = 30 * time.Second

// call makes one call in a writer. Without an answer its outcome is unknown.
func (w *writers) call(ctx context.Context, q Request) (graph.Object, error) {
	one := w.pick()
	if one == nil {
		return graph.Object{}, &errUndone{errors.New("no writer is there")}
	}
	if end, ok := ctx.Deadline(); ok {
		q.Within = time.Until(end)
	}
	one.busy.Add(1)
	defer one.busy.Add(-1)
	timer := time.NewTimer(answerWithin)
	defer timer.Stop()
	var a Answer
	select {
	case done := <-one.calls.Go("Writer.Call", q, &a, make(chan *rpc.Call, 1)).Done:
		if done.Error != nil {
			return graph.Object{}, fmt.Errorf("writer: %w", done.Error)
		}
	case <-timer.C:
		return graph.Object{}, errors.New("writer: no answer")
	}
	if a.Outcome != judge.Done {
		return graph.Object{}, &answered{a.Outcome, a.Err}
	}
	return a.Object, nil
}

func (w *writers) create(ctx context.Context, o graph.Object, payload bool) (graph.Object, error) {
	return w.call(ctx, Request{Verb: judge.Create, Object: o, Payload: payload})
}

func (w *writers) Delete(ctx context.Context, key graph.Key, o graph.DeleteOptions) error {
	_, err := w.call(ctx, Request{Verb: judge.Delete, Key: key, Options: o, Ends: o.GraceSeconds != nil && *o.GraceSeconds == 0})
	return err
}

func (w *writers) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	_, err := w.call(ctx, Request{Verb: judge.Adopt, Key: key, Pre: pre, Change: change})
	return err
}

func (w *writers) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	return w.call(ctx, Request{Verb: judge.Read, Key: key})
}
