package clientgo

import (
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	firstPause    = 500 * time.Millisecond // after a failure; doubles with each
	maxPause      = 30 * time.Second
	unlistedPause = 5 * time.Second        // for a kind that was never listed, because its dependents wait
	unlistedTries = 16                     // with such a pause, about one minute
	steadyAfter   = 10 * time.Second       // a connection of this age was a good one
	pageWait      = 2 * time.Second        // until reportPage reports a page that the watch has not reported
	fenceWait     = 250 * time.Millisecond // until helpFence helps a fence that its page does not pass
	fencePages    = 10                     // read for one fence
	shortWait     = 8 * time.Second        // until a fence relists the kind
	shortWatch    = int64(4)               // seconds; the server sends a bookmark two seconds before the end
	pageTimeout   = time.Minute
	streamSilence = 20 * time.Second // without an event of a streamed listing
)

var (
	errRelist = errors.New("the kind must be listed anew")
	errEnded  = errors.New("the server ended the watch")
	errShort  = errors.New("the watch is opened once more, for a bookmark")
)

// worker watches one kind on one goroutine and sends events to its run. It owns all its
// fields except its mailbox.
type worker struct {
	run     *run
	ctx     context.Context
	stop    context.CancelFunc
	kind    graph.Kind
	first   schema.GroupVersionResource // the resource of the first catalog; never changes
	mailbox *mailbox

	at           schema.GroupVersionResource
	catalog      *catalog
	meanings     map[schema.GroupVersionKind]meaning // of references since the last listing
	meaningsFull bool                                // there were more than maxMeanings
	pages        bool                                // the server does not stream this kind

	epoch       uint64 // of the latest listing
	complete    bool   // the listing has ended
	listedAt    time.Time
	position    string // every event up to this version was sent
	pageVersion string // a page has reported every event up to this version
	connectedAt time.Time
	nextShort   bool // the next watch has a short timeout
	short       bool // the running watch has a short timeout

	fences     []uint64 // waiting
	fence      *pendingFence
	fenceTimer *time.Timer

	discoveryReason string // why discovery is not certain about the kind
	failed          string // why the watch fails
	reportedReason  string // the reported reason
	tries           int

	retiring, drained int64 // the numbers of the kind's retirement and of its last reported end
}

func newWorker(r *run, at resource) *worker {
	ctx, stop := context.WithCancel(r.ctx)
	alarm := time.NewTimer(time.Hour)
	alarm.Stop()
	return &worker{
		run: r, ctx: ctx, stop: stop, kind: at.kind, first: at.at, at: at.at, mailbox: newMailbox(), fenceTimer: alarm,
		catalog: r.catalog, discoveryReason: r.catalog.sick[at.kind], meanings: map[schema.GroupVersionKind]meaning{},
	}
}

// loop watches the kind until its context ends.
func (w *worker) loop() {
	defer w.stop()
	defer w.fenceTimer.Stop()
	for w.ctx.Err() == nil {
		err := w.applyCommands()
		if w.retiring != 0 {
			w.retire()
			continue
		}
		if err == nil || errors.Is(err, errRelist) {
			err = w.connect()
			w.noteLoss(err)
		}
		switch {
		case w.ctx.Err() != nil:
			return
		case w.retiring != 0:
		case errors.Is(err, errRelist), errors.Is(err, errRewound):
			w.complete = false
		case expired(err) && w.complete && time.Since(w.listedAt) >= time.Second:
			w.complete = false
		case errors.Is(err, errShort):
			w.nextShort = true
		case errors.Is(err, errEnded) && time.Since(w.connectedAt) >= time.Second:
		default:
			w.backOff(err)
		}
	}
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
	w.connectedAt = time.Now()
	if err := w.markHealthy(); err != nil {
		return err
	}
	return w.follow(c)
}

// follow sends the events of the watch. The read of a fence may show before discovery
// that the kind is not served. Then follow reads the watch to its end.
func (w *worker) follow(c *connection) error {
	var end watchEnd
	for {
		if end.setRetired(w.retiring != 0); end.cause == nil {
			if err := end.tolerate(w.beginFence()); err != nil {
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
			if err := w.applyEvent(e); err != nil {
				return err
			}
		case <-w.mailbox.wake:
			if err := w.applyCommands(); err != nil {
				return err
			}
		case <-w.fenceTimer.C:
			if err := end.tolerate(w.helpFence()); err != nil {
				return err
			}
		}
	}
}

// applyCommands applies the worker's commands. errRelist says that the kind must be
// listed.
func (w *worker) applyCommands() error {
	o := w.mailbox.drain()
	w.fences = keepNewest(append(w.fences, o.fences...))
	anew := o.relist || o.epoch > w.epoch
	if o.catalog != nil && w.useCatalog(o.catalog) {
		anew = true
	}
	if o.retire != 0 {
		w.retiring = max(o.retire, 0)
	}
	if anew {
		w.complete = false
	}
	if anew && w.retiring == 0 { // a retired kind has no listing
		return errRelist
	}
	return w.reportHealth()
}

// useCatalog takes a new catalog. It reports whether the catalog changes the meaning of
// the kind's objects.
//
//test:by TestReferencesResolvedAnew
func (w *worker) useCatalog(c *catalog) bool {
	before := w.catalog
	w.catalog = c
	w.discoveryReason = c.sick[w.kind]
	changed := w.meaningsFull && len(before.meanings) != len(c.meanings)
	if r, ok := c.kinds[w.kind]; ok && r.at != w.at {
		w.at, changed = r.at, true
	}
	for gvk, m := range w.meanings {
		changed = changed || c.resolve(gvk) != m
	}
	return changed
}

// emit sends a few events to the loop.
func (w *worker) emit(events ...graph.Event) error {
	for few := range slices.Chunk(events, maxBatch) {
		if err := w.handEvents(append(w.run.newBatch(), few...)); err != nil {
			return err
		}
	}
	return nil
}

// emitPages sends many events to the loop, a page at a time. The loop owns them from now
// on.
func (w *worker) emitPages(events []graph.Event) error {
	for page := range slices.Chunk(events, w.run.store.config.PageSize) {
		if err := w.handEvents(page); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) handEvents(events []graph.Event) error {
	return w.hand(delivery{from: w, epoch: w.epoch, events: events})
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
func (w *worker) observe(version, least string) error {
	return w.run.store.history.observe(w.kind, version, least, w.epoch)
}
