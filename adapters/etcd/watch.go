package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Watch reports the present objects and every later change to sink. It calls sink from the
// caller's goroutine. It ends when ctx ends or sink returns an error. It returns the
// context's error as it is, and wraps the sink's error. Any number of watches may run at
// once.
//
// After a restore, every watch begins with Rewound and the epoch of the restore. Then come
// the kinds, a listing of each kind at one revision, and the changes in the order of their
// revisions. Package documentation describes resumption,
// compaction and values that cannot be read, under "Watch" and "Unreadable objects".
//
//test:by TestKit TestWatchResumes TestSharedRevision TestOriginRewritten
//test:by TestCompactionBesideSlowWatch TestPagedListing TestUnreadableAlone
func (s *Store) Watch(ctx context.Context, sink func(batch []graph.Event) error) error {
	if sink == nil {
		return fmt.Errorf("watch: sink: nil: %w", graph.ErrRefused)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	start, cancel := context.WithTimeout(ctx, defaultResume)
	defer cancel()
	if err := s.checkAll(start); err != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("watch: %w", err))
	}
	w := s.enter(outbox{ctx: ctx, sink: sink})
	defer s.leave(w)
	for {
		err := w.session(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case w.out.err != nil:
			return w.out.err
		case errors.Is(err, errCompacted):
			w.anew = true
		case errors.Is(err, errNewEpoch):
		case errors.Is(err, errNewer):
			return fmt.Errorf("watch: %w", err)
		case !w.waitToResume(ctx):
			return fmt.Errorf("watch: %w", err)
		}
	}
}

// errNewEpoch ends a session whose history has another epoch now.
var errNewEpoch = errors.New("the epoch has changed")

// watch is one running Watch. Only its own goroutine uses it, except for the fields that
// say otherwise.
type watch struct {
	store *Store
	out   outbox
	kinds map[graph.Kind]*kindState // fixed; of a kindState, others use known
	list  []*kindState              // the same, in order

	orders orders        // guarded by the store's lock
	wake   chan struct{} // has space for one signal

	started  bool   // the kinds were reported
	epoch    string // of the last restore, as announced
	revision int64  // all changes up to it are reported
	anew     bool   // every kind is to be listed
	begun    bool   // every kind was listed once
	fences   []fence
	reported int64     // the progress that was reported last
	broken   time.Time // the connection broke, and has brought nothing since
	tries    int
	blind    map[string]*blinds // by scope
	stale    bool               // the owners that end have changed
	recalls  int                // reads of former values since the last answer of the stream
}

// kindState is the state of one kind in the reports of a watch.
type kindState struct {
	kindLayout
	known  knowns               // safe for concurrent use
	listed int64                // the revision of the last listing, which contains all earlier changes
	unread map[string]*unread   // the objects that cannot be read, by their keys
	ending map[string]graph.Key // the objects that end by a foreground or an orphan deletion
}

func (s *Store) enter(out outbox) *watch {
	w := &watch{store: s, out: out, kinds: map[graph.Kind]*kindState{}, wake: make(chan struct{}, 1), anew: true}
	for _, info := range s.conf.Kinds {
		k := &kindState{kindLayout: s.kinds[info.Kind], ending: map[string]graph.Key{}}
		w.kinds[info.Kind], w.list = k, append(w.list, k)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches[w] = struct{}{}
	return w
}

func (s *Store) leave(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watches, w)
	s.keepUIDs(w)
}

// session lists what has to be listed, and reports changes until the stream ends.
func (w *watch) session(ctx context.Context) error {
	start, cancel := context.WithTimeout(ctx, w.startWithin())
	defer cancel()
	now, err := w.store.identify(start)
	if err != nil {
		return err
	}
	w.announce(now)
	w.rebase(now)
	if w.anew {
		if err := w.listAll(ctx, now.revision); err != nil {
			return err
		}
	}
	start, cancel = context.WithTimeout(ctx, w.startWithin())
	defer cancel()
	st, err := w.store.open(ctx, start, w.revision+1)
	if err != nil {
		return err
	}
	defer st.cancel()
	// A restore may have come between the first read and the stream. A stream that begins
	// after it has a later read than the restore.
	if now, err = w.store.identify(start); err != nil {
		return err
	}
	if now.Epoch != w.epoch {
		return errNewEpoch
	}
	return w.follow(ctx, st)
}

// startWithin returns the time in which a session has to begin. Etcd's client would wait
// for a connection for ever.
func (w *watch) startWithin() time.Duration {
	if w.broken.IsZero() {
		return defaultResume
	}
	return max(time.Millisecond, w.store.conf.ResumeWithin-time.Since(w.broken))
}

// announce reports the epoch of the newest restore if it is another one than before, and
// the kinds of a watch that begins.
func (w *watch) announce(now identity) {
	if w.started && now.Epoch == w.epoch {
		return
	}
	if now.Epoch != "" {
		w.out.report(graph.Event{Type: graph.Rewound, Reason: "the keys were restored from a backup", Epoch: now.Epoch})
	}
	if !w.started {
		w.reportKinds()
	}
	if w.started {
		w.store.forget()
		w.revision = 0 // a version of the former history is no bound for one of this
		for _, k := range w.list {
			k.listed, k.unread, k.ending = 0, nil, map[string]graph.Key{}
		}
		w.blind = nil
	}
	w.started, w.epoch, w.anew = true, now.Epoch, true
}

// rebase gives the fences of another history a revision of the present one, which was read
// after they began. A revision of another history means nothing.
func (w *watch) rebase(now identity) {
	for i := range w.fences {
		if f := &w.fences[i]; f.epoch != now.Epoch {
			f.epoch, f.revision = now.Epoch, now.revision
		}
	}
}

func (w *watch) reportKinds() {
	infos := make([]graph.KindInfo, len(w.list))
	for i, k := range w.list {
		infos[i] = k.info
	}
	w.out.report(graph.Event{Type: graph.KindsKnown, Kinds: infos})
}

const (
	firstWait = 10 * time.Millisecond // until the first try to resume
	maxWait   = 500 * time.Millisecond
)

// waitToResume waits before the next session. It reports whether there is to be one.
func (w *watch) waitToResume(ctx context.Context) bool {
	if w.out.flush(); w.out.err != nil || !w.begun {
		return false
	}
	if w.broken.IsZero() {
		w.broken, w.tries = time.Now(), 0
	}
	if time.Since(w.broken) >= w.store.conf.ResumeWithin {
		return false
	}
	timer := time.NewTimer(min(maxWait, firstWait<<min(w.tries, 10)))
	defer timer.Stop()
	w.tries++
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
