package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfHistory() []mutant {
	return []mutant{
		{name: "a restore is not reported", law: rewindReported, reason: "a restore of the files, which the store does not notice", plant: watching(unaware)},
		{name: "a later watch does not report a restore", law: "rewind/late-watch", reason: "only running watches report it",
			plant: losing(func() func(ownergraph.Event) bool {
				first := true
				return func(e ownergraph.Event) bool {
					lost := first && e.Type == graph.Rewound
					first = false
					return lost
				}
			})},
		{name: "a restore is not followed by listings", law: "rewind/listed", reason: "the stream goes on where it is", plant: watching(restoredAndGoingOn)},
		{name: "a restore takes the UID counter back", law: "rewind/uids", reason: "the counter is in the backup", plant: countingUIDs(true, false)},
		{name: "a restore takes the version counter back", law: "rewind/versions", reason: "the counter is in the backup", plant: countingVersions},
		{name: "marks are not durable", law: restartKeeps, reason: "a column that is not saved", plant: restarting(func(tb TB, s Subject) Subject {
			return reading(func(_ ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error) {
				o.Deleting = false
				return o, err
			})(tb, s)
		})},
		{name: "a restart takes the UID counter back", law: "restart/uids", reason: "the counter is in memory", plant: countingUIDs(false, true)},
		{name: "a restart takes the version counter back", law: "restart/versions", reason: "the counter is in memory", plant: versionsAnew},
		{name: "a restart lists nothing", law: "restart/watch", reason: "only later writes are in the cache", plant: restarting(
			losing(func() func(ownergraph.Event) bool {
				in := newListings()
				return func(e ownergraph.Event) bool {
					in.applyEvent(e)
					return e.Type == graph.Put && !in.change(e)
				}
			}))},
	}
}

// unaware drops a restore and the listings after it. The watch goes on as if no
// restore had happened.
func unaware() func(ownergraph.Event, sinkFunc) error {
	in, reported, due := newListings(), false, map[ownergraph.Kind]bool{}
	return func(e ownergraph.Event, sink sinkFunc) error {
		in.applyEvent(e)
		switch {
		case e.Type == graph.Rewound && reported:
			for kind := range in.ended {
				due[kind] = true
			}
			return nil
		case len(due) == 0:
			reported = true
			return sink(e)
		case e.Type == graph.ListEnded:
			delete(due, e.Kind)
		}
		return nil
	}
}

// restoredAndGoingOn reports a restore, and drops the listings after it.
func restoredAndGoingOn() func(ownergraph.Event, sinkFunc) error {
	in, due := newListings(), map[ownergraph.Kind]bool{}
	return func(e ownergraph.Event, sink sinkFunc) error {
		in.applyEvent(e)
		kind := e.Of()
		switch {
		case e.Type == graph.Rewound:
			for kind := range in.ended {
				due[kind] = true
			}
		case due[kind] && e.Type == graph.ListEnded:
			delete(due, kind)
			return nil
		case due[kind] && (e.Type == graph.ListBegun || e.Type == graph.Put && !in.change(e)):
			return nil
		}
		return sink(e)
	}
}

// restarting adds a bug to the restarted store.
func restarting(plant func(TB, Subject) Subject) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		restart := s.Restart
		s.Restart = func(ctx context.Context) (Subject, error) {
			next, err := restart(ctx)
			if err != nil {
				return next, err
			}
			return plant(tb, next), nil
		}
		return s
	}
}

// hashed makes a UID of a number. Without the secret it cannot be foreseen.
func hashed(n int) graph.UID {
	h := sha256.Sum256(fmt.Appendf(nil, "secret %d", n))
	return graph.UID(hex.EncodeToString(h[:16]))
}

// counter makes UIDs by counting, and hides the numbers.
type counter struct {
	mu    sync.Mutex
	made  map[graph.UID]graph.UID // the shown UID for the sound store's UID
	count int
	plain bool // the numbers are not hidden
}

func (c *counter) uid(o ownergraph.Object) graph.UID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.made[o.UID]; !ok {
		c.count++
		c.made[o.UID] = hashed(c.count)
		if c.plain {
			c.made[o.UID] = graph.UID(fmt.Sprintf("uid-%d", c.count))
		}
	}
	return c.made[o.UID]
}

func (c *counter) at() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

func (c *counter) back(to int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count = to
}

// countingUIDs makes UIDs by a counter that goes back with a restore, or starts
// again with a restart.
func countingUIDs(restores, restarts bool) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		c := &counter{made: map[graph.UID]graph.UID{}}
		backup, restart := s.Backup, s.Restart
		shown := renaming(func(n *renamed) { n.uid = c.uid })
		s = seconds(shown)(tb, shown(tb, s))
		if restores {
			s.Backup = func(ctx context.Context) (func(context.Context) error, error) {
				to := c.at()
				restore, err := backup(ctx)
				return func(ctx context.Context) error { c.back(to); return restore(ctx) }, err
			}
		}
		s.Restart = func(ctx context.Context) (Subject, error) {
			next, err := restart(ctx)
			if restarts {
				c.back(0)
			}
			if err != nil {
				return next, err
			}
			return shown(tb, next), nil
		}
		return s
	}
}

// clock gives versions. After a restore, it shows the sound store's versions lower,
// as if the counter had gone back.
type clock struct {
	mu      sync.Mutex
	highest uint64
	since   uint64 // versions above it are shown lower
	lower   uint64
}

func (c *clock) version(o ownergraph.Object) ownergraph.Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, err := strconv.ParseUint(string(o.Version), 10, 64)
	if err != nil {
		return o.Version
	}
	c.highest = max(c.highest, v)
	if v > c.since {
		v -= c.lower
	}
	return ownergraph.Version(strconv.FormatUint(v, 10))
}

// back takes the counter back to a version.
func (c *clock) back(to uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since, c.lower = c.highest, c.highest-to
}

// versionsAnew starts the version counter again with a restart.
func versionsAnew(tb TB, s Subject) Subject {
	c, restart := &clock{}, s.Restart
	shown := renaming(func(n *renamed) { n.version = c.version })
	s = seconds(shown)(tb, shown(tb, s))
	s.Restart = func(ctx context.Context) (Subject, error) {
		next, err := restart(ctx)
		if err != nil {
			return next, err
		}
		c.back(0)
		return shown(tb, next), nil
	}
	return s
}

// countingVersions takes the version counter back with a restore.
func countingVersions(tb TB, s Subject) Subject {
	c := &clock{}
	backup := s.Backup
	shown := renaming(func(n *renamed) { n.version = c.version })
	s = seconds(shown)(tb, shown(tb, s))
	s.Backup = func(ctx context.Context) (func(context.Context) error, error) {
		restore, err := backup(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		to := c.highest
		return func(ctx context.Context) error {
			c.back(to)
			return restore(ctx)
		}, err
	}
	return s
}

// reusingUIDs gives a new object the UID of a removed one, if eight are removed.
func reusingUIDs(tb TB, s Subject) Subject {
	type list struct {
		free  []graph.UID
		shown map[graph.UID]graph.UID
	}
	var uids guarded[list]
	uids.v.shown = map[graph.UID]graph.UID{}
	s = renaming(func(n *renamed) {
		n.uid = func(o ownergraph.Object) (uid graph.UID) {
			uids.with(func(l *list) {
				if _, seen := l.shown[o.UID]; !seen {
					l.shown[o.UID] = o.UID
					if len(l.free) >= 8 {
						l.shown[o.UID], l.free = l.free[0], l.free[1:]
					}
				}
				uid = l.shown[o.UID]
			})
			return uid
		}
	})(tb, s)
	u, sound := &wrappedClient{Client: s.Client}, s.Store
	u.delete = func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		was, err := sound.Get(ctx, key)
		if err := errors.Join(err, u.Client.Delete(ctx, key, opts)); err != nil {
			return err
		}
		if _, err := sound.Get(ctx, key); errors.Is(err, graph.ErrNotFound) {
			uids.with(func(l *list) { l.free = append(l.free, was.UID) })
		}
		return nil
	}
	s.Client = u
	return s
}
