package ownergraph

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/follow"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/run"
)

const (
	// followSlice is the number of objects and references that one step of a follower looks at.
	followSlice = 512
	// followPause is the shortest time between two reports of Follow.
	followPause = 100 * time.Millisecond
	// maxFollows bounds the calls of Follow and Await that are under way. Each event visits
	// each of them.
	maxFollows = 1024
)

// following is the deletions that one caller follows.
type following struct {
	*follow.Follower
	wake   chan struct{} // there may be something to report
	since  time.Time
	stats  engine.Stats // at the beginning
	gone   int          // at the beginning
	unseen int          // kinds at the last report
}

// Follow reports the progress of the deletion of an object: at the beginning, after
// changes at most every 100 ms, and at the end. The last Progress is Done, or it comes with
// an error. The caller may break off at any time. Each iteration begins anew.
//
// The key may leave out the UID. It then stands for the object at that place. Two objects at
// one place are an error that wraps ErrInvalid and lists the UIDs. References that name
// other UIDs do not count beside an object. With no object at the place, the key stands for
// the one whose end is the newest in the history. Only without an end in the history do
// other objects count that the engine knows to be gone.
//
// Follow waits for the deletion of an object that is not marked: see Progress.Begun. It answers for
// a deletion that has ended before, as long as the engine remembers the end of the root. A root
// that only references name counts as gone once a read has not found it. A root that the engine has
// not observed is an error that wraps ErrNotFound: call Synced before.
//
// Members that went before the call are not counted, except for the root. The objects below
// them are. The engine tells them by the roots and the owners that it keeps of each end: see
// Config.History. If it has forgotten whether an object went with the root, or has not
// observed the root, it counts the objects below. Then Follow may wait for other deletions
// in the scope of the root, and does not report Done too early. There are two gaps. The engine
// may have observed the root and begun after the end of a member. It then does not count the
// objects that hang below that member alone. And an owner of the root counts as gone before it.
//
// At most 1,024 calls of Follow and Await can be under way. A further call is an error that
// wraps ErrInvalid, and so are a nil context and a key without a kind or name. Other errors
// wrap ErrClosed after the end of the collector, and the cause of a context that ends.
//
// Follow makes no request. It works while another collector acts and this one only observes.
// The engine looks at a slice of the objects at a time, and goes on in between. The memory
// is in proportion to the members. After a rewind of the store the engine finds the members anew, and
// members that come back are no longer gone.
//
//test:by TestFollow TestFollowErrors TestFollowObserveOnly TestFollowRestart TestFollowRewind
//test:by TestFollowUnderWay TestFollowUnderWayRestart TestFollowComesLate
//test:by TestFollowOthersReferences TestFollowReusedName TestFollowScopes TestFollowBound
//test:by TestFollowNoContext
func (c *Collector) Follow(ctx context.Context, key Key) iter.Seq2[engine.Progress, error] {
	return func(yield func(engine.Progress, error) bool) {
		x, err := c.beginFollow(ctx, key)
		if err != nil {
			yield(engine.Progress{Root: key}, fmt.Errorf("follow: %w", err))
			return
		}
		defer c.endFollow(x)
		for {
			p, err := c.nextProgress(ctx, x)
			if !yield(p, err) || err != nil || p.Done {
				return
			}
			if err := c.pauseFollow(ctx, x); err != nil {
				yield(p, err)
				return
			}
		}
	}
}

// beginFollow finds the roots and begins to follow them. Its errors leave out the verb.
func (c *Collector) beginFollow(ctx context.Context, keys ...Key) (*following, error) {
	if ctx == nil {
		return nil, fmt.Errorf("context: nil: %w", ErrInvalid)
	}
	for _, k := range keys {
		if k.Kind == "" || k.Name == "" {
			return nil, fmt.Errorf("the key has no kind or no name: %w", ErrInvalid)
		}
	}
	if c.over() {
		return nil, fmt.Errorf("%s: %w", seed.PlaceText(keys[0]), ErrClosed)
	}
	if !c.follows.TryAcquire(1) {
		return nil, fmt.Errorf("%s: %d calls of Follow and Await are under way: %w", seed.PlaceText(keys[0]), maxFollows, ErrInvalid)
	}
	x := &following{Follower: follow.New(keys...), wake: make(chan struct{}, 1)}
	c.locked(func(e engine.Driver, now time.Time) {
		e.Follow(x.Follower)
		x.since, x.stats = now, c.stats()
	})
	err := c.findRoots(ctx, x, keys)
	if err != nil {
		c.endFollow(x)
		return nil, err
	}
	return x, nil
}

// findRoots looks for the roots without a UID, slice by slice. Then it begins with one root
// at a time.
func (c *Collector) findRoots(ctx context.Context, x *following, keys []Key) (err error) {
	if len(keys) > 0 {
		err = c.inSlices(ctx, func(e engine.Driver) (bool, error) { return x.StepSearch(e.FollowView(), seed.ScanSlice), nil })
	}
	if len(keys) > 0 && err == nil {
		err = c.inSlices(ctx, func(e engine.Driver) (bool, error) {
			err := e.BeginFollow(x.Follower, keys[0])
			keys = keys[1:]
			return len(keys) == 0, err
		})
	}
	if err == nil {
		c.locked(func(e engine.Driver, _ time.Time) {
			x.EndSearch()
			x.gone = x.Counts(e.FollowView()).Gone
			c.following = append(c.following, x)
		})
	}
	return err
}

func (c *Collector) endFollow(x *following) {
	c.locked(func(e engine.Driver, _ time.Time) {
		e.Unfollow(x.Follower)
		c.following = slices.DeleteFunc(c.following, func(y *following) bool { return x == y })
	})
	c.follows.Release(1)
}

// nextProgress walks for as long as a pause, or to the end, and reports.
func (c *Collector) nextProgress(ctx context.Context, x *following) (p engine.Progress, err error) {
	until := time.Now().Add(followPause)
	for done := false; !done; {
		c.locked(func(e engine.Driver, now time.Time) {
			if err = e.Err(); err != nil {
				done = true
				return
			}
			walked := x.Step(e.FollowView(), followSlice)
			if done = walked || ctx.Err() != nil || !time.Now().Before(until); done {
				p = c.progress(x, now)
			}
		})
	}
	if err == nil && ctx.Err() != nil && !p.Done {
		err = context.Cause(ctx)
	}
	if err != nil {
		err = fmt.Errorf("follow %s: %w", x.Root(), err)
	}
	return p, err
}

// pauseFollow waits for a pause, and then for a change.
func (c *Collector) pauseFollow(ctx context.Context, x *following) error {
	waitFor(ctx, c.ended, nil, followPause)
	if err := c.until(ctx, x.wake); err != nil {
		return fmt.Errorf("follow %s: %w", x.Root(), err)
	}
	return nil
}

// wakeFollowing wakes the followers that have something to report.
func (c *Collector) wakeFollowing() {
	for _, x := range c.following {
		if x.Changed(c.engine.FollowView()) || x.unseen != c.engine.Unseen() {
			select {
			case x.wake <- struct{}{}:
			default:
			}
		}
	}
}

// countFollow counts the members. It reports whether the deletion is over: no member is
// left, the watch is up, and every kind that is well is listed.
func (c *Collector) countFollow(x *following) (n follow.Counts, over bool) {
	e := c.engine
	n, x.unseen = x.Counts(e.FollowView()), e.Unseen()
	return n, n.Over && e.ListedWell() && c.watchListed()
}

// progress reports a deletion as it is now.
func (c *Collector) progress(x *following, now time.Time) engine.Progress {
	e := c.engine
	n, over := c.countFollow(x)
	p := engine.Progress{
		Root: x.Root(), Begun: n.Begun, Known: n.Gone + n.Left, Gone: n.Gone, Left: n.Left, Held: n.Held, Blocked: n.Blocked, References: n.References, Dropped: n.Dropped,
		Growing: !n.Complete || !n.Begun || x.unseen > 0 && !over, Since: x.since, Done: over,
	}
	for _, id := range x.Sample(e.FollowView(), run.MaxNames, false) {
		p.By = append(p.By, e.HeldAt(id))
	}
	slices.SortFunc(p.By, func(a, b engine.Held) int { return a.Key.Compare(b.Key) })
	calls := c.stats().Calls
	since := func(t engine.CallType) uint64 { return calls.Of(t) - x.stats.Calls.Of(t) }
	p.Reads, p.Fences = since(engine.CallRead), since(engine.CallFence)
	p.Writes = since(engine.CallPatch) + since(engine.CallDelete)
	if d := now.Sub(x.since); d > 0 {
		p.Rate = float64(n.Gone-x.gone) / d.Seconds()
	}
	return p
}
