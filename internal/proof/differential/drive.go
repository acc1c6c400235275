package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// pause is longer than either side waits before it tries again. The queues of
// Kubernetes wait 1,000 s at most, and our audit 10 minutes.
const pause = 1100 * time.Second

// collect is one of the two sides. It collects in a store until ctx ends.
type collect func(ctx context.Context, store *memory.Store) error

// runOurs runs our collector over the store, in the reading of Kubernetes.
func runOurs(ctx context.Context, store *memory.Store) error {
	c, err := ownergraph.New(store, ownergraph.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent})
	if err != nil {
		return err
	}
	return c.Run(ctx)
}

// lane is one side with its store, at work.
type lane struct {
	store *memory.Store
	stop  context.CancelFunc
	done  sync.WaitGroup
	err   error // valid when done
}

func begin(ctx context.Context, run collect, start []graph.Object) (*lane, error) {
	store, err := memory.New(memory.Config{Kinds: served(), Objects: start, UIDPrefix: "u"})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	l := &lane{store: store, stop: stop}
	l.done.Go(func() { l.err = run(ctx, store) })
	return l, nil
}

func (l *lane) end() error {
	l.stop()
	l.done.Wait()
	return l.err
}

func (l *lane) state() string { return oracle.Line(l.store.Objects()) }

// awaitQuiet waits until no store has changed for a pause. Time is that of the bubble
// of the sides.
func awaitQuiet(lanes ...*lane) {
	for before := ""; ; {
		now := ""
		for _, l := range lanes {
			now += graph.Format(l.store.Objects()) + "\n"
		}
		if now == before {
			return
		}
		before = now
		<-time.After(pause)
	}
}

// outcome says how far the two sides agreed while both were quiet.
type outcome struct {
	done         []oracle.Action // those that had an effect, up to here
	ours, theirs string          // in the form of oracle.Line
}

func (o outcome) equal() bool { return o.ours == o.theirs }

// drive gives two sides the history. It returns the first difference of their states,
// or their ends.
func drive(ctx context.Context, ours, theirs collect, h history) (out outcome, err error) {
	us, err := begin(ctx, ours, h.start)
	if err != nil {
		return out, err
	}
	them, err := begin(ctx, theirs, h.start)
	if err != nil {
		return out, errors.Join(err, us.end())
	}
	defer func() {
		if ended := errors.Join(us.end(), them.end()); ended != nil {
			err = errors.Join(err, fmt.Errorf("end of a run: %w", ended))
		}
	}()
	awaitQuiet(us, them)
	for _, a := range h.actions {
		if us.state() != them.state() {
			break
		}
		done, err := act(ctx, us.store, a)
		done2, err2 := act(ctx, them.store, a)
		if err = errors.Join(err, err2); err != nil {
			return out, err
		}
		if done != done2 {
			return out, fmt.Errorf("user: %s: done %t and %t in equal states", a, done, done2)
		}
		if done {
			out.done = append(out.done, a)
		}
		awaitQuiet(us, them)
	}
	out.ours, out.theirs = us.state(), them.state()
	return out, nil
}
