package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// errCut ends the watches that Break cuts.
var errCut = errors.New("watch: connection lost")

// poll is how often a watch looks for what other processes have written.
const poll = 5 * time.Millisecond

// page is how many changes a watch reads at once.
const page = 200

// watch is one running Watch. One goroutine uses it.
type watch struct {
	s       *Store
	started bool
	pos     int64 // everything up to here is reported
	fence   int64 // fences up to here are passed
	epoch   string
	kinds   map[graph.Kind]*shown
	known   []graph.KindInfo
	out     []graph.Event
}

const unlisted = -1

// shown is what the watch has told of a kind.
type shown struct {
	listed int64 // the number at which it was last listed, or unlisted
	sick   bool
	owed   []uint64 // fences that passed while it was sick
}

// Watch reads the log from one snapshot after another, and calls sink from the
// caller's goroutine. It ends with ctx, with an error of the sink or the
// database, or by Break.
func (s *Store) Watch(ctx context.Context, sink func(graph.Event) error) error {
	w := &watch{s: s, kinds: map[graph.Kind]*shown{}}
	_, cut := s.signals()
	for {
		wake, _ := s.signals()
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.read(ctx); err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		for _, e := range w.out {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := sink(e); err != nil {
				return fmt.Errorf("watch: sink: %w", err)
			}
		}
		select {
		case <-cut:
			if s.has(BreakIsNil) {
				return nil
			}
			return errCut
		default:
		}
		if len(w.out) == 0 {
			w.idle(ctx, wake, cut)
		}
	}
}

// idle waits for a write of this handle, or a while, for those of others.
func (w *watch) idle(ctx context.Context, wake, cut <-chan struct{}) {
	if w.s.has(OthersUnobserved) || w.s.has(WakeLost) {
		if w.s.has(WakeLost) { // asks for the next signal after having looked
			wake, _ = w.s.signals()
		}
		select {
		case <-ctx.Done():
		case <-cut:
		case <-wake:
		}
		return
	}
	timer := time.NewTimer(poll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-cut:
	case <-wake:
	case <-timer.C:
	}
}

// moment is what one snapshot of the database says.
type moment struct {
	*tx
	seq, floor    int64
	epoch, reason string
	kinds         []kind
	anew          map[graph.Kind]bool
}

// read fills w.out with what is new. One snapshot shows all of it: the position
// that the watch goes on from, the listings, and the fences that have begun.
func (w *watch) read(ctx context.Context) error {
	w.out = w.out[:0]
	t, err := w.s.begin(ctx, "DEFERRED")
	if err != nil {
		return err
	}
	defer func() { t.close() }()
	m := &moment{tx: t, anew: map[graph.Kind]bool{}}
	if err := t.row("SELECT seq, floor, epoch, reason FROM state", nil, &m.seq, &m.floor, &m.epoch, &m.reason); err != nil {
		return err
	}
	if m.kinds, err = w.s.kindsOf(t); err != nil {
		return err
	}
	w.tellHistory(m)
	w.tellKinds(m)
	if err := w.tellChanges(m); err != nil {
		return err
	}
	if err := w.tellListings(m); err != nil {
		return err
	}
	if w.s.has(FencesAfterRead) {
		t.close()
		next, err := w.s.begin(ctx, "DEFERRED")
		if err != nil {
			return err
		}
		t = next
		m.tx = t
	}
	if err := w.tellFences(m); err != nil {
		return err
	}
	w.tellProgress(m)
	w.started = true
	return nil
}

func (s *Store) kindsOf(t *tx) ([]kind, error) {
	if s.has(KindsAtStart) {
		return s.memo.kinds, nil
	}
	return t.kinds()
}

func (w *watch) tell(e graph.Event) { w.out = append(w.out, e) }

// of returns what the watch has told of a kind, nil if it has not told it.
func (w *watch) of(name graph.Kind) *shown { return w.kinds[name] }

// tellHistory compares where the watch was with what the store still knows.
func (w *watch) tellHistory(m *moment) {
	switch {
	case !w.started:
		w.pos = m.seq
		if m.epoch != "" && !w.s.has(RewindUntoldLater) {
			w.rewound(m)
		}
	case m.epoch != w.epoch:
		if !w.s.has(RewindUntoldNow) {
			w.rewound(m)
		}
		w.listAll(m)
	case w.pos < m.floor:
		w.listAll(m)
	}
	w.epoch = m.epoch
}

func (w *watch) rewound(m *moment) {
	e := graph.Event{Type: graph.Rewound, Epoch: m.epoch, Reason: m.reason}
	switch w.s.bug {
	case NoEpoch:
		e.Epoch = ""
	case FreshEpoch:
		e.Epoch = string(newUID())
	}
	w.tell(e)
}

// listAll lists everything anew, instead of the changes.
func (w *watch) listAll(m *moment) {
	for name := range w.kinds {
		m.anew[name] = true
	}
	w.pos = m.seq
}

// version is how a number is shown.
func version(number int64) graph.Version { return graph.Version(strconv.FormatInt(number, 10)) }
