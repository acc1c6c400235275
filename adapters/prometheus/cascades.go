package promstats

import (
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/hook"
)

// cascades measures the time from the first delete of a cascade until the last of its objects
// has gone. It is safe for concurrent use.
//
// A cascade is over when it has had no deleted object left for a quiet time, because the
// deletes of its next objects come only after the end of their owners.
type cascades struct {
	most  int
	quiet time.Duration
	done  func(time.Duration)

	mu         sync.Mutex
	byRoot     map[ownergraph.Key]*cascade
	waiting    map[graph.UID]waiting
	listings   map[ownergraph.Kind]uint64 // under way, with their moment
	moment     uint64
	due        time.Time               // of the next look for cascades that are over
	missed     map[ownergraph.Key]bool // roots of unmeasured cascades, at most maxMissed
	unmeasured uint64
}

// maxMissed bounds the remembered roots of unmeasured cascades. Beyond it they are forgotten, and
// may count again.
const maxMissed = 10_000

// cascade is a cascade in progress.
type cascade struct {
	begun, last time.Time // last: the newest end of an object, or the beginning
	left        int       // deleted objects that have not gone
}

// waiting is a deleted object that has not gone.
type waiting struct {
	of   *cascade
	kind ownergraph.Kind
	at   uint64 // the moment of its delete, or of the newest event about it
	// unknown says that no answer tells whether the delete was accepted.
	unknown bool
}

func newCascades(most int, quiet time.Duration, done func(time.Duration)) *cascades {
	return &cascades{
		most: most, quiet: quiet, done: done,
		byRoot: map[ownergraph.Key]*cascade{}, waiting: map[graph.UID]waiting{}, listings: map[ownergraph.Kind]uint64{},
		missed: map[ownergraph.Key]bool{},
	}
}

// begin notes that the delete of an object of a cascade is about to be sent.
func (c *cascades) begin(now time.Time, k, root ownergraph.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(now)
	if _, again := c.waiting[k.UID]; again {
		return
	}
	x := c.byRoot[root]
	switch full := len(c.waiting) >= c.most; {
	case x == nil && (c.missed[root] || full || len(c.byRoot) >= c.most):
		c.miss(root)
		return
	case full: // the end of this object does not count
		return
	}
	if x == nil {
		x = &cascade{begun: now, last: now}
		c.byRoot[root] = x
	}
	c.moment++
	x.left++
	c.waiting[k.UID] = waiting{of: x, kind: k.Kind, at: c.moment}
}

// miss counts a cascade that is not measured, once. It is not measured from its middle on either.
func (c *cascades) miss(root ownergraph.Key) {
	if c.missed[root] {
		return
	}
	if len(c.missed) >= maxMissed {
		clear(c.missed)
	}
	c.missed[root] = true
	c.unmeasured++
}

// ended notes the result of a delete. An object whose delete may have been accepted is waited
// for.
func (c *cascades) ended(now time.Time, u graph.UID, r hook.Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.waiting[u]
	if !ok {
		return
	}
	switch r {
	case hook.Canceled, hook.Timeout, hook.Failed:
		w.unknown = true
	case hook.OK:
		w.unknown = false
	case hook.NotFound:
		c.left(now, u, w)
		return
	default:
		w.of.left--
		delete(c.waiting, u)
		return
	}
	c.waiting[u] = w
}

// left ends the wait for an object that has gone.
func (c *cascades) left(now time.Time, u graph.UID, w waiting) {
	w.of.left--
	w.of.last = now
	delete(c.waiting, u)
}

// gone notes the end of an object, also of a root.
func (c *cascades) gone(now time.Time, k ownergraph.Key) {
	if x := c.byRoot[k]; x != nil {
		x.last = now
	}
	if w, ok := c.waiting[k.UID]; ok {
		c.left(now, k.UID, w)
	}
}

// watched takes the ends of objects from events. An object that a listing leaves out has gone
// too.
func (c *cascades) watched(now time.Time, batch []ownergraph.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byRoot) == 0 && len(c.listings) == 0 {
		return
	}
	for i := range batch {
		switch ev := &batch[i]; ev.Type {
		case graph.Gone:
			c.gone(now, ev.Key)
		case graph.Put:
			c.seen(&ev.Object)
		case graph.ListBegun:
			c.moment++
			c.listings[ev.Kind] = c.moment
		case graph.ListEnded:
			if began, ok := c.listings[ev.Kind]; ok {
				c.leftOut(now, ev.Kind, began)
			}
			delete(c.listings, ev.Kind)
		case graph.KindVanished:
			delete(c.listings, ev.Kind)
			c.leftOut(now, ev.Kind, c.moment+1)
		}
	}
}

// seen notes that an object exists. Without a mark, a delete of unknown outcome counts as not
// accepted.
func (c *cascades) seen(o *ownergraph.Object) {
	w, ok := c.waiting[o.Key.UID]
	switch {
	case !ok:
	case w.unknown && !o.Deleting:
		w.of.left--
		delete(c.waiting, o.Key.UID)
	default:
		c.moment++
		w.at = c.moment
		c.waiting[o.Key.UID] = w
	}
}

// leftOut ends the objects of a kind with no event since a moment.
func (c *cascades) leftOut(now time.Time, kind ownergraph.Kind, since uint64) {
	for u, w := range c.waiting {
		if w.kind == kind && w.at < since {
			c.left(now, u, w)
		}
	}
}

// end takes the cascades that are over. It looks for them once in a tenth of the quiet time.
func (c *cascades) end(now time.Time) {
	if now.Before(c.due) {
		return
	}
	c.due = now.Add(c.quiet / 10)
	for root, x := range c.byRoot {
		if x.left == 0 && now.Sub(x.last) >= c.quiet {
			c.done(x.last.Sub(x.begun))
			delete(c.byRoot, root)
		}
	}
}

// figures returns the number of cascades in progress, and of those that were not measured.
func (c *cascades) figures(now time.Time) (open int, unmeasured uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = time.Time{}
	c.end(now)
	return len(c.byRoot), c.unmeasured
}
