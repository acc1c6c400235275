package ownergraph

import (
	"fmt"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	// healthPause is how long the log waits for more to say when the health of a kind
	// has changed: what changes at one moment is one line.
	healthPause = time.Second
	// relistPause is how long a new watch has for listing a kind before the log says
	// that it has not.
	relistPause = 10 * time.Second
	// stuckPause is how long objects have to be stuck before the log says so.
	stuckPause = 10 * time.Second
)

// health is what the log has said of the kinds. The collector's lock guards it.
type health struct {
	due  time.Time       // when to look at the kinds again, zero if nothing has changed
	down time.Time       // when the watch broke last
	sick map[Kind]string // by what the log says
}

// noteHealth has the log look at the kinds soon.
func (c *Collector) noteHealth(now time.Time) {
	c.health.due = soonest(c.health.due, now.Add(healthPause))
}

// tellHealth logs which kinds have become sick or well since the last time, if it is
// due, and returns when it is due again. Held by TestCollectorLogsKinds and
// TestCollectorLogsUnlistedKinds.
func (c *Collector) tellHealth(now time.Time) (at time.Time) {
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
		if why != "" && c.relisting(k.Kind, now) { // the next watch has just begun
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
		c.log.Warn("kinds cannot be watched", "count", len(worse), "kinds", some(worse))
	}
	if len(well) > 0 {
		c.log.Info("kinds are watched again", "count", len(well), "kinds", some(well))
	}
	if len(gone) > 0 {
		c.log.Info("kinds are not served any more", "count", len(gone), "kinds", some(gone))
	}
	return h.due
}

// relisting reports whether a kind is sick because the watch broke a moment ago: the
// next one lists it, as a rule.
func (c *Collector) relisting(name Kind, now time.Time) bool {
	return c.sick[name] && (c.watch == nil || !c.watch.sick[name]) && now.Before(c.health.down.Add(relistPause))
}

// stuckness is what the log has said of objects that are stuck. The collector's lock
// guards it.
type stuckness struct {
	due  time.Time // when to say more, zero if there is nothing new
	told int       // objects, by what the log says
}

// tellStuck logs how many objects are stuck, if the first ones are, or more than twice as
// many as the log says, or none any more. It returns when it is due. Held by
// TestCollectorLogsStuck.
func (c *Collector) tellStuck(now time.Time) (at time.Time) {
	held := &c.engine.held
	s, n := &c.stuckAt, held.count[StatusStuck]+len(held.tried) // a try alone changes nothing
	switch {
	case (n == 0) == (s.told == 0) && n <= 2*s.told:
		s.due = time.Time{}
		return s.due
	case s.due.IsZero():
		s.due = now.Add(stuckPause)
		return s.due
	case now.Before(s.due):
		return s.due
	}
	s.due, s.told = time.Time{}, n
	if n == 0 {
		c.log.Info("no object is stuck any more")
		return s.due
	}
	x := c.stats()
	c.log.Warn("objects are stuck: see Held", "stuck", n, "waiting", x.Waiting, "blocked", x.Blocked, "queued", x.Queued, "working", x.Working)
	return s.due
}

// some returns the first names, not more than a reader looks at.
func some(names []string) string {
	text := strings.Join(names[:min(len(names), mostNamed)], ", ")
	if more := len(names) - mostNamed; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// waitsFor says what keeps a WaitIdle from its end, beside calls and queues.
func (c *Collector) waitsFor(now time.Time) (why []string) {
	switch {
	case c.watch == nil && c.broke != nil:
		why = append(why, fmt.Sprintf("the watch is down (%v)", c.broke))
	case c.watch == nil:
		why = append(why, "the watch is down")
	case !c.watch.told:
		why = append(why, "the watch has not said which kinds there are")
	}
	var unlisted []string
	for _, k := range c.engine.Kinds() {
		if own := c.watch != nil && c.watch.sick[k.Kind]; !k.Listed && k.Sick == "" || c.sick[k.Kind] && !own {
			unlisted = append(unlisted, string(k.Kind))
		}
	}
	if len(unlisted) > 0 {
		why = append(why, "not listed: "+some(unlisted))
	}
	if f := c.engine.fenceStatus(); f.Open > 0 {
		names := fence.Names(f.Kinds)
		if more := f.Open - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		why = append(why, fmt.Sprintf("fence not passed by %s for %v", strings.Join(names, ", "), now.Sub(f.Since)))
	}
	return why
}
