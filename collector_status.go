package ownergraph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/observed"
)

const (
	// heldDetails is the number of held objects that Held describes under one lock.
	heldDetails = 8
	// healthPause is the time from a change of the health of a kind to the line of the
	// log, so that the changes of one moment share a line.
	healthPause = time.Second
	// relistPause is the time that a new watch has for the listing of a kind before the log
	// reports the kind.
	relistPause = 10 * time.Second
	// stuckPause is the time that objects are stuck before the log reports them.
	stuckPause = 10 * time.Second
)

// Stats returns the engine's figures. It does not walk the graph. A prefetched call that
// no worker has begun is neither under way nor counted.
//
// Held by TestCollectorPrefetch and TestCollectorPrefetchCounts.
func (c *Collector) Stats() (s Stats) {
	c.locked(func(*Engine, time.Time) { s = c.stats() })
	return s
}

func (c *Collector) stats() Stats {
	s := c.engine.Stats()
	calls, results := c.prefetch.State()
	for i := range calls {
		s.count(calls[i].Type, -1)
	}
	idle := len(calls) + results
	s.Calls, s.Working = s.Calls-idle, s.Working-idle
	return s
}

// Kinds returns the health of every kind that takes part, by name. A kind is sick while the
// watch is down, and until the watch has listed it anew. The reason is the error of the
// watch.
//
// Held by TestCollectorRecoveredUnlisted.
func (c *Collector) Kinds() []KindStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.engine.Kinds()
}

// Running returns the runs of handlers under way, by key and finalizer.
func (c *Collector) Running() []HandlerRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.engine.Running()
}

// Held returns at most limit of the objects that are held, by key, with the reason. They
// are blocked, waiting or stuck (see Status). Blocked ones are not in Stats.Held. Held
// looks at a slice of the objects at a time and lets the engine go on in between. With
// many objects its result is of no one moment.
//
// Held by TestHeldInSlices.
func (c *Collector) Held(limit int) []Held {
	limit = max(limit, 0)
	var found []heldNode
	for from, more := observed.NodeID(0), true; more; {
		c.locked(func(e *Engine, _ time.Time) { found, from, more = e.heldFrom(found, from) })
		if !more || len(found) >= 2*limit+heldSlice {
			found = firstByKey(found, limit)
		}
	}
	return c.describe(found)
}

// HeldIn is Held for the objects of one scope.
//
// Held by TestWaitIdleInHeld.
func (c *Collector) HeldIn(scope string, limit int) []Held {
	var found []heldNode
	for from, more := observed.NodeID(0), true; more; {
		c.locked(func(e *Engine, _ time.Time) { found, from, more = e.heldFrom(found, from) })
		found = slices.DeleteFunc(found, func(n heldNode) bool { return n.key.Scope != scope })
	}
	return c.describe(firstByKey(found, max(limit, 0)))
}

func firstByKey(found []heldNode, limit int) []heldNode {
	slices.SortFunc(found, func(a, b heldNode) int { return a.key.Compare(b.key) })
	return found[:min(limit, len(found))]
}

func (c *Collector) describe(found []heldNode) []Held {
	out := make([]Held, 0, len(found))
	for nodes := range slices.Chunk(found, heldDetails) {
		c.locked(func(e *Engine, _ time.Time) { out = e.describe(out, nodes) })
	}
	return out
}

// health is the health of the kinds by the log. The collector's lock guards it.
type health struct {
	due  time.Time       // of the next look at the kinds, zero if nothing has changed
	down time.Time       // of the end of the last watch
	sick map[Kind]string // with the reasons
}

// noteHealth has the log look at the kinds soon.
func (c *Collector) noteHealth(now time.Time) {
	c.health.due = soonest(c.health.due, now.Add(healthPause))
}

// logHealth logs the kinds that have become sick or well since the last time. It returns
// the time of its next look, and does nothing before.
//
// Held by TestCollectorLogsKinds and TestCollectorLogsUnlistedKinds.
func (c *Collector) logHealth(now time.Time) (at time.Time) {
	h := &c.health
	if h.due.IsZero() || now.Before(h.due) {
		return h.due
	}
	h.due = time.Time{}
	sick, served := map[Kind]string{}, map[Kind]bool{}
	var worse []string
	for _, k := range c.engine.Kinds() {
		was, why := h.sick[k.Kind], k.Sick
		served[k.Kind] = true
		if why != "" && c.relisting(k.Kind, now) { // the next watch has begun a moment ago
			h.due, why = h.down.Add(relistPause), was
		}
		if why != "" {
			sick[k.Kind] = why
		}
		if why != "" && why != was {
			worse = append(worse, string(k.Kind)+": "+why)
		}
	}
	var well, gone []string
	for _, name := range slices.Sorted(maps.Keys(h.sick)) {
		if sick[name] == "" && served[name] {
			well = append(well, string(name))
		} else if sick[name] == "" {
			gone = append(gone, string(name))
		}
	}
	h.sick = sick
	if len(worse) > 0 {
		c.log.Warn("kinds cannot be watched", "count", len(worse), "kinds", firstNames(worse))
	}
	if len(well) > 0 {
		c.log.Info("kinds are watched again", "count", len(well), "kinds", firstNames(well))
	}
	if len(gone) > 0 {
		c.log.Info("kinds are not served any more", "count", len(gone), "kinds", firstNames(gone))
	}
	return h.due
}

// relisting reports whether a kind is sick because the watch broke a moment ago. As a
// rule the next watch lists it.
func (c *Collector) relisting(name Kind, now time.Time) bool {
	return c.sick[name] && (c.watch == nil || !c.watch.sick[name]) && now.Before(c.health.down.Add(relistPause))
}

// stuckLog is the state of the log about objects that are stuck. The collector's lock
// guards it.
type stuckLog struct {
	due    time.Time // of the next line, zero if there is nothing new
	logged int       // the number of objects in the last line
}

// logStuck logs the number of objects that are stuck. It does so for the first ones, for
// more than twice as many as in the last line, and when the last one has gone. It returns
// the time of its next line.
//
// Held by TestCollectorLogsStuck.
func (c *Collector) logStuck(now time.Time) (at time.Time) {
	s, n := &c.stuckLog, c.engine.stuck()
	switch {
	case (n == 0) == (s.logged == 0) && n <= 2*s.logged:
		s.due = time.Time{}
		return s.due
	case s.due.IsZero():
		s.due = now.Add(stuckPause)
		return s.due
	case now.Before(s.due):
		return s.due
	}
	s.due, s.logged = time.Time{}, n
	if n == 0 {
		c.log.Info("no object is stuck any more")
		return s.due
	}
	x := c.stats()
	c.log.Warn("objects are stuck: see Held", "stuck", n, "waiting", x.Waiting, "blocked", x.Blocked, "queued", x.Queued, "working", x.Working)
	return s.due
}

// firstNames returns the first names, and the number of the others.
func firstNames(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}
