package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/rpc"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// Request is one call of a user, which another process makes.
type Request struct {
	// Verb is Adopt for each patch.
	Verb    judge.Verb
	Object  graph.Object // of a creation
	Payload bool
	Key     graph.Key
	Pre     graph.Precondition
	Change  graph.Change
	Options graph.DeleteOptions
	Ends    bool          // a deletion with a grace period of 0, which package gob decodes as nil
	Within  time.Duration // 0: no deadline
}

// Answer is the result of a call.
type Answer struct {
	Object  graph.Object
	Outcome judge.Outcome
	Err     string
}

// answered is an error of another process. It has the outcome of the original.
type answered struct {
	outcome judge.Outcome
	text    string
}

func (e *answered) Error() string { return e.text }

// Is reports whether the error means the same as a sentinel.
func (e *answered) Is(target error) bool {
	return e.outcome == judge.Absent && target == graph.ErrNotFound || e.outcome == judge.Refused && target == graph.ErrRefused
}

// Writer makes the calls of users on one handle of the store. It is safe for concurrent
// use.
type Writer struct{ store client }

// Call makes one call. Its error is always nil, and the answer has the error of the store.
func (w *Writer) Call(q Request, a *Answer) error {
	ctx := context.Background()
	if q.Within != 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.Within)
		defer cancel()
	}
	var err error
	switch q.Verb {
	case judge.Create:
		a.Object, err = w.store.create(ctx, q.Object, q.Payload)
	case judge.Delete:
		if q.Ends {
			q.Options.GraceSeconds = new(int64)
		}
		err = w.store.Delete(ctx, q.Key, q.Options)
	case judge.Adopt:
		err = w.store.Patch(ctx, q.Key, q.Pre, q.Change)
	case judge.Read:
		a.Object, err = w.store.Get(ctx, q.Key)
	default:
		err = fmt.Errorf("verb %s: want create, delete, adopt or read", q.Verb)
	}
	if a.Outcome = judge.OutcomeOf(err); err != nil {
		a.Err = err.Error()
	}
	return nil
}

// serveWrites is the subcommand that makes the calls of users until it is killed.
func serveWrites(args []string) error {
	var t target
	flags := flag.NewFlagSet("write", flag.ContinueOnError)
	t.register(flags)
	socket := flags.String("socket", "", "the path on which it listens for one connection")
	if err := flags.Parse(args); err != nil {
		return err
	}
	store, err := t.open()
	if err != nil {
		return err
	}
	server := rpc.NewServer()
	if err := server.Register(&Writer{store}); err != nil {
		return err
	}
	listener, err := net.Listen("unix", *socket)
	if err != nil {
		return err
	}
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	server.ServeConn(conn)
	return store.close()
}
