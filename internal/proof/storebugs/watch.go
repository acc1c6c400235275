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

// poll is the interval at which a watch looks for the writes of other processes.
const poll = 5 * time.Millisecond

// page is the number of changes that a watch reads at once.
const page = 200

// watch is one running Watch. One goroutine uses it.
type watch struct {
	s       *Store
	started bool
	pos     int64 // the watch has reported all changes up to here
	fence   int64 // the watch has passed all fences up to here
	epoch   string
	kinds   map[graph.Kind]*kindState
	known   []graph.KindInfo
	buffer  []graph.KindInfo // for a planted bug
	out     []graph.Event
	changes int // for a planted bug
}

const unlisted = -1

// kindState is the reported state of a kind.
type kindState struct {
	listed int64 // the number of its last listing, or unlisted
	sick   bool
	owed   []uint64 // fences that passed while it was sick
}

// Watch reads the log from one snapshot after another, and calls sink from the
// caller's goroutine. It ends with ctx, with an error of the sink or the database,
// or by Break.
func (s *Store) Watch(ctx context.Context, sink func(batch []graph.Event) error) error {
	w := &watch{s: s, kinds: map[graph.Kind]*kindState{}}
	_, cut := s.signals()
	for {
		wake, _ := s.signals()
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.read(ctx); err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(w.out) > 0 {
			if err := sink(w.out); err != nil {
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

// idle waits for a write of this handle. It waits at most for poll, to see the
// writes of other processes.
func (w *watch) idle(ctx context.Context, wake, cut <-chan struct{}) {
	if w.s.has(OthersUnobserved) || w.s.has(WakeLost) {
		if w.s.has(WakeLost) { // it takes the next signal after the read
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

// snapshot is one snapshot of the database.
type snapshot struct {
	*tx
	seq, logStart int64
	epoch, reason string
	kinds         []kind
	relist        map[graph.Kind]bool
}

// read fills w.out with the new events. One snapshot shows all of them: the next
// position of the watch, the listings, and the fences that have begun.
func (w *watch) read(ctx context.Context) error {
	w.out = w.out[:0]
	t, err := w.s.begin(ctx, "DEFERRED")
	if err != nil {
		return err
	}
	defer func() { t.close() }()
	m := &snapshot{tx: t, relist: map[graph.Kind]bool{}}
	if err := t.row("SELECT seq, log_start, epoch, reason FROM state", nil, &m.seq, &m.logStart, &m.epoch, &m.reason); err != nil {
		return err
	}
	if m.kinds, err = w.s.kindsOf(t); err != nil {
		return err
	}
	w.reportHistory(m)
	w.reportKinds(m)
	if err := w.reportChanges(m); err != nil {
		return err
	}
	if err := w.reportListings(m); err != nil {
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
	if err := w.reportFences(m); err != nil {
		return err
	}
	w.reportProgress(m)
	w.started = true
	return nil
}

func (s *Store) kindsOf(t *tx) ([]kind, error) {
	if s.has(KindsAtStart) {
		return s.memo.kinds, nil
	}
	return t.kinds()
}

func (w *watch) report(e graph.Event) { w.out = append(w.out, e) }

// losesNext is for a planted bug.
func (w *watch) losesNext() bool {
	w.changes++
	return w.s.has(EventsLost) && w.changes%53 == 0
}

// state returns the reported state of a kind, or nil.
func (w *watch) state(name graph.Kind) *kindState { return w.kinds[name] }

// reportHistory compares the position of the watch with the start of the log.
func (w *watch) reportHistory(m *snapshot) {
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
	case w.pos < m.logStart:
		w.listAll(m)
	}
	w.epoch = m.epoch
}

func (w *watch) rewound(m *snapshot) {
	e := graph.Event{Type: graph.Rewound, Epoch: m.epoch, Reason: m.reason}
	switch w.s.bug {
	case NoEpoch:
		e.Epoch = ""
	case FreshEpoch:
		e.Epoch = string(newUID())
	}
	w.report(e)
}

// listAll lists every kind again, instead of the changes.
func (w *watch) listAll(m *snapshot) {
	for name := range w.kinds {
		m.relist[name] = true
	}
	w.pos = m.seq
}

// version returns a number as a version.
func version(number int64) graph.Version { return graph.Version(strconv.FormatInt(number, 10)) }
