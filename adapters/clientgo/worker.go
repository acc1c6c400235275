package clientgo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	firstPause    = 500 * time.Millisecond // after a failure; doubles with each
	mostPause     = 30 * time.Second
	unlistedPause = 5 * time.Second        // the most for a kind that was never listed, since it holds what it owns
	unlistedTries = 16                     // with such a pause: a minute of them
	steadyAfter   = 10 * time.Second       // a connection that held so long was a good one
	fencePatience = 2 * time.Second        // until a page that the watch has not shown yet is shown
	pagePatience  = 250 * time.Millisecond // until a fence that a page does not pass is helped
	fencePages    = 10                     // that are read for one
	shortPatience = 8 * time.Second        // until the help is given up
	shortWatch    = int64(4)               // seconds; its server sends a bookmark two before the end
	pageTimeout   = time.Minute
	streamSilence = 20 * time.Second // a listing that streams must not be silent for longer
)

var (
	errAnew  = errors.New("the kind has to be listed anew")
	errEnded = errors.New("the server ended the watch")
	errShort = errors.New("the watch is opened once more, for a bookmark")
)

// worker watches one kind, on one goroutine, and hands what it sees to its run.
// But for its mail everything is its own.
type worker struct {
	run   *run
	ctx   context.Context
	stop  context.CancelFunc
	kind  graph.Kind
	first schema.GroupVersionResource // where it was reached at first; never changes
	mail  *mail

	at      schema.GroupVersionResource
	catalog *catalog
	means   map[schema.GroupVersionKind]meaning // as references were resolved since the last listing
	vague   bool                                // there were more than that
	pages   bool                                // the server does not stream this kind

	epoch    uint64 // of the latest listing
	complete bool   // it has ended
	listedAt time.Time
	position string // the version up to which everything was handed over
	floor    string // what comes up to this version was shown by a page
	linked   time.Time
	hasty    bool // the next watch is a short one
	brief    bool // this one is

	fences  []uint64 // that wait
	passing *passage
	alarm   *time.Timer

	doubted string // why discovery does not know the kind for certain
	failed  string // why it cannot be watched
	told    string // the reason that was told
	tries   int

	leaving, gone int64 // by which number the kind is left, and has been
}

func newWorker(r *run, at resource) *worker {
	ctx, stop := context.WithCancel(r.ctx)
	alarm := time.NewTimer(time.Hour)
	alarm.Stop()
	return &worker{
		run: r, ctx: ctx, stop: stop, kind: at.kind, first: at.at, at: at.at, mail: newMail(), alarm: alarm,
		catalog: r.catalog, doubted: r.catalog.sick[at.kind], means: map[schema.GroupVersionKind]meaning{},
	}
}

// labour watches the kind until its context ends.
func (w *worker) labour() {
	defer w.stop()
	defer w.alarm.Stop()
	for w.ctx.Err() == nil {
		err := w.obey()
		if w.leaving != 0 {
			w.leave()
			continue
		}
		if err == nil || errors.Is(err, errAnew) {
			err = w.connect()
			w.noteLoss(err)
		}
		switch {
		case w.ctx.Err() != nil:
			return
		case w.leaving != 0:
		case errors.Is(err, errAnew), errors.Is(err, errRewound):
			w.complete = false
		case expired(err) && w.complete && time.Since(w.listedAt) >= time.Second:
			w.complete = false
		case errors.Is(err, errShort):
			w.hasty = true
		case errors.Is(err, errEnded) && time.Since(w.linked) >= time.Second:
		default:
			w.rest(err)
		}
	}
}

// noteLoss notes that the server may have been lost. Nobody can tell a watch that the
// server has ended in order from one that broke, but for the short ones.
func (w *worker) noteLoss(err error) {
	if errors.Is(err, errAnew) || errors.Is(err, errRewound) || errors.Is(err, errShort) || errors.Is(err, errLeft) || w.ctx.Err() != nil {
		return
	}
	if errors.Is(err, errEnded) && w.brief || !lost(err) {
		return
	}
	w.run.store.losses.lose()
}

// connect lists the kind if it has to be, and watches it until that ends.
func (w *worker) connect() error {
	var c *connection
	var err error
	if w.complete {
		c, err = w.resume()
	} else {
		c, err = w.list()
	}
	if err != nil {
		return err
	}
	defer c.close()
	w.linked = time.Now()
	if err := w.well(); err != nil {
		return err
	}
	return w.follow(c)
}

// follow hands over what the watch says. A page that a fence reads may show sooner
// than the set of kinds that this one is not served any more: the watch is heard out.
func (w *worker) follow(c *connection) error {
	var end parting
	for {
		if end.heed(w.leaving != 0); end.cause == nil {
			if err := end.forgive(w.beginFence()); err != nil {
				return err
			}
		}
		select {
		case <-w.ctx.Done():
			return w.ctx.Err()
		case <-end.at:
			return end.cause
		case e, ok := <-c.ResultChan():
			if !ok {
				return errEnded
			}
			if err := w.hear(e); err != nil {
				return err
			}
		case <-w.mail.wake:
			if err := w.obey(); err != nil {
				return err
			}
		case <-w.alarm.C:
			if err := end.forgive(w.hurryFence()); err != nil {
				return err
			}
		}
	}
}

// obey takes the worker's orders. errAnew says that the kind has to be listed.
func (w *worker) obey() error {
	o := w.mail.take()
	w.fences = keepNewest(append(w.fences, o.fences...))
	anew := o.anew || o.epoch > w.epoch
	if o.catalog != nil && w.adopt(o.catalog) {
		anew = true
	}
	if o.leave != 0 {
		w.leaving = max(o.leave, 0)
	}
	if anew {
		w.complete = false
	}
	if anew && w.leaving == 0 { // or there is nothing to list
		return errAnew
	}
	return w.tellHealth()
}

// adopt takes what is served now, and reports whether that changes how objects
// are read.
func (w *worker) adopt(c *catalog) bool {
	before := w.catalog
	w.catalog = c
	w.doubted = c.sick[w.kind]
	changed := w.vague && len(before.means) != len(c.means)
	if r, ok := c.kinds[w.kind]; ok && r.at != w.at {
		w.at, changed = r.at, true
	}
	for gvk, m := range w.means {
		changed = changed || c.resolve(gvk) != m
	}
	return changed
}

// sick returns why the kind is not well, "" if it is.
func (w *worker) sick() string { return cmp.Or(w.failed, w.doubted) }

// well notes that the kind can be watched.
func (w *worker) well() error {
	w.failed = ""
	return w.tellHealth()
}

func (w *worker) tellHealth() error {
	why := w.sick()
	if why == w.told {
		return nil
	}
	w.told = why
	if why == "" {
		return w.emit(graph.Event{Type: graph.KindRecovered, Kind: w.kind})
	}
	return w.emit(graph.Event{Type: graph.KindSick, Kind: w.kind, Reason: why})
}

// rest tells that the kind cannot be watched, and waits until it is time to try
// again, or somebody has a reason to.
func (w *worker) rest(err error) {
	if !w.linked.IsZero() && time.Since(w.linked) >= steadyAfter && w.failed == "" {
		w.tries = 0
	}
	w.failed = w.explain(err)
	w.complete = w.complete && !expired(err)
	if w.tellHealth() != nil {
		return
	}
	if unserved(err) {
		w.run.lookSoon()
	}
	pause := min(firstPause<<min(w.tries, 10), mostPause)
	if w.listedAt.IsZero() && w.tries < unlistedTries {
		pause = min(pause, unlistedPause)
	}
	w.tries++
	pause = pause/2 + rand.N(pause/2)
	var l *later
	if errors.As(delayed(err), &l) {
		pause = max(pause, min(l.after, mostPause))
	}
	w.nap(pause)
}

// nap waits, at least a while even if there are orders, lest they make a failing
// server's life harder. Fences are no reason to try: they need a kind that is
// well.
func (w *worker) nap(pause time.Duration) {
	least, end := time.After(min(pause, firstPause)), time.After(pause)
	for rested := false; !rested || !w.mail.pressing(); {
		select {
		case <-w.ctx.Done():
			return
		case <-end:
			return
		case <-least:
			rested = true
		case <-w.mail.wake:
		}
	}
}

// explain says in words why the kind cannot be watched.
func (w *worker) explain(err error) string {
	verb := "watch"
	if !w.complete {
		verb = "list"
	}
	if forbidden(err) {
		return fmt.Sprintf("%s %s: it takes the rights to get, list and watch them, and to act to patch and delete them: %v", verb, w.at.GroupResource(), err)
	}
	return fmt.Sprintf("%s %s: %v", verb, w.at.GroupResource(), err)
}

// emit hands events to the loop, a batch at a time.
func (w *worker) emit(events ...graph.Event) error {
	for len(events) > 0 {
		n := min(len(events), mostBatch)
		batch := append(w.run.batch(), events[:n]...)
		events = events[n:]
		if err := w.hand(delivery{from: w, epoch: w.epoch, events: batch}); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) hand(d delivery) error {
	select {
	case w.run.out <- d:
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

// see notes how far the kind is, by somebody's word who must not be behind least.
func (w *worker) see(version, least string) error {
	return w.run.store.history.see(w.kind, version, least, w.epoch)
}
