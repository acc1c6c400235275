package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	heldEvery = 10 * time.Second // at least
	maxHeld   = 1000             // held objects in one read
	idleShare = 1000             // the reader pauses this many times longer than its read took
)

// watchBraked logs each cascade that the brake holds, once while it holds the cascade.
//
//test:by TestCommandAnswers
func (p *Program) watchBraked(ctx context.Context) {
	tick := time.NewTicker(heldEvery)
	defer tick.Stop()
	known := map[graph.UID]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			now := map[graph.UID]bool{}
			for _, b := range p.collector.Braked(maxHeld) {
				if now[b.Key.UID] = true; !known[b.Key.UID] && b.Refused == engine.RefusalUnset {
					p.log.Warn("the brake holds a cascade: let it go by -approve, keep it by -refuse, or change the limit by -brake",
						"root", b.Key.String(), "uid", string(b.Key.UID), "count", b.Held, "limit", b.Limit, "kinds", uncounted(b),
						"services", strings.Join(behind(b.Uncounted, p.services()), ", "), "record", p.recordText())
				}
			}
			known = now
		}
	}
}

// uncounted names the kinds that the count of a cascade has left out.
func uncounted(b engine.BrakedCascade) string {
	var names []string
	for _, k := range b.Uncounted {
		if k == "" {
			k = "those of a set that was refused"
		}
		names = append(names, string(k))
	}
	if b.MoreUncounted > 0 {
		names = append(names, fmt.Sprintf("%d more", b.MoreUncounted))
	}
	return strings.Join(names, ", ")
}

// watchHeld reads the held objects periodically, and reports them.
//
//test:by TestHeldEvents
func (p *Program) watchHeld(ctx context.Context) {
	tick := time.NewTicker(heldEvery)
	defer tick.Stop()
	pause := max(p.config.HeldAfter/5, heldEvery)
	due, next := time.Now().Add(pause), graph.Key{}
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if !now.Before(due) {
				begun := time.Now()
				list := p.collector.Held(maxHeld)
				due = now.Add(max(pause, time.Since(begun)*idleShare))
				next = p.reportHeld(list, next, now)
			}
		}
	}
}

// reportHeld reports the objects that have been held for HeldAfter. It reports some reasons at
// once, because they do not pass by themselves: see mentionOf. A full queue takes no further object.
// The next pass begins with that object, so that each one has its turn. It returns the place of the
// object.
//
//test:by TestHeldEvents TestHeldEventsOfMany
func (p *Program) reportHeld(held []engine.Held, from graph.Key, now time.Time) (next graph.Key) {
	first := max(0, slices.IndexFunc(held, func(h engine.Held) bool { return h.Key.Compare(from) >= 0 }))
	for i := range held {
		h := &held[(first+i)%len(held)]
		switch m := mentionOf(h.Reason); {
		case m != mentionHeld && m != mentionLater, m == mentionLater && now.Sub(h.Since) < p.config.HeldAfter:
			continue
		}
		detail := slices.Concat(h.Detail, causes(h, p.services()))
		if h.LastError != "" && !slices.ContainsFunc(detail, func(s string) bool { return strings.Contains(s, h.LastError) }) {
			detail = append(detail, "last error: "+h.LastError)
		}
		if !p.sender.offerOneOfMany(report{key: h.Key, topic: topic{uid: h.Key.UID, reason: h.Reason, doubt: h.Doubt}, detail: detail}) {
			return h.Key
		}
	}
	return graph.Key{}
}
