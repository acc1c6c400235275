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
	unlistedPause = 5 * time.Second        // for a kind that was never listed, because its dependents wait
	unlistedTries = 16                     // with such a pause, about one minute
	steadyAfter   = 10 * time.Second       // a connection of this age was a good one
	fencePatience = 2 * time.Second        // until reportPage reports a page that the watch has not reported
	pagePatience  = 250 * time.Millisecond // until helpFence helps a fence that its page does not pass
	fencePages    = 10                     // read for one fence
	shortPatience = 8 * time.Second        // until a fence relists the kind
	shortWatch    = int64(4)               // seconds; the server sends a bookmark two seconds before the end
	pageTimeout   = time.Minute
	streamSilence = 20 * time.Second // without an event of a streamed listing
)

var (
	errAnew  = errors.New("the kind must be listed anew")
	errEnded = errors.New("the server ended the watch")
	errShort = errors.New("the watch is opened once more, for a bookmark")
)

// worker watches one kind on one goroutine and sends events to its run. It owns all its
// fields except its mailbox.
type worker struct {
	run   *run
	ctx   context.Context
	stop  context.CancelFunc
	kind  graph.Kind
	first schema.GroupVersionResource // the resource of the first catalog; never changes
	mail  *mail

	at      schema.GroupVersionResource
	catalog *catalog
	means   map[schema.GroupVersionKind]meaning // of references since the last listing
	vague   bool                                // there were more than maxMeanings
	pages   bool                                // the server does not stream this kind

	epoch    uint64 // of the latest listing
	complete bool   // the listing has ended
	listedAt time.Time
	position string // every event up to this version was sent
	floor    string // a page has reported every event up to this version
	linked   time.Time
	hasty    bool // the next watch has a short timeout
	brief    bool // the running watch has a short timeout

	fences  []uint64 // waiting
	passing *passage
	alarm   *time.Timer

	doubted string // why discovery is not certain about the kind
	failed  string // why the watch fails
	told    string // the reported reason
	tries   int

	leaving, gone int64 // the numbers of the kind's retirement and of its last reported end
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

// loop watches the kind until its context ends.
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

// noteLoss records a sign that the server was lost. A regular end of a watch looks like
// a broken connection, except the end of a short watch.
func (w *worker) noteLoss(err error) {
	if errors.Is(err, errAnew) || errors.Is(err, errRewound) || errors.Is(err, errShort) || errors.Is(err, errLeft) || w.ctx.Err() != nil {
		return
	}
	if errors.Is(err, errEnded) && w.brief || !lost(err) {
		return
	}
	w.run.store.losses.lose()
}

// connect lists the kind if it must, and watches it until the watch ends.
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

// follow sends the events of the watch. The read of a fence may show before discovery
// that the kind is not served. Then follow reads the watch to its end.
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

// applyCommands applies the worker's commands. errRelist says that the kind must be
// listed.
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
	if anew && w.leaving == 0 { // a retired kind has no listing
		return errAnew
	}
	return w.tellHealth()
}

// useCatalog takes a new catalog. It reports whether the catalog changes the meaning of
// the kind's objects.
//
// Held by TestReferencesResolvedAnew.
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

// sickReason returns the reason why the kind is out of service, or "".
func (w *worker) sick() string { return cmp.Or(w.failed, w.doubted) }

// markHealthy records that the watch works.
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

// backOff reports that the watch fails, and waits for the next try.
//
// Held by TestWatchSick and TestUnlistedOwner.
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

// pause waits. Even with urgent commands it waits for firstPause, to spare a failing
// server. Fences are not urgent, because they need a kind in service.
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

// explain returns the reason why the watch fails.
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

// emit sends events to the loop in batches.
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

// observe records the version of the kind. The version must not be below least.
func (w *worker) see(version, least string) error {
	return w.run.store.history.see(w.kind, version, least, w.epoch)
}
