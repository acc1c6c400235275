package run

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	heldEvery = 10 * time.Second // at least
	maxHeld   = 1000             // held objects in one read
	idleShare = 1000             // the reader pauses this many times longer than its read took
)

// watchHeld reads the held objects periodically, and reports them.
//
// Held by TestHeldEvents.
func (p *Program) watchHeld(ctx context.Context) {
	tick := time.NewTicker(heldEvery)
	defer tick.Stop()
	pause := max(p.config.HeldAfter/5, heldEvery)
	due := time.Now().Add(pause)
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if !now.Before(due) {
				begun := time.Now()
				list := p.collector.Held(maxHeld)
				due = now.Add(max(pause, time.Since(begun)*idleShare))
				p.reportHeld(list, now)
			}
		}
	}
}

// reportHeld reports the objects that have been held for HeldAfter. It reports a flawed
// object at once, because a flaw does not pass by itself.
func (p *Program) reportHeld(held []ownergraph.Held, now time.Time) {
	for _, h := range held {
		if nameOf(h.Reason) == "" || h.Reason != policy.ObjectFlawed && now.Sub(h.Since) < p.config.HeldAfter {
			continue
		}
		detail := h.Detail
		if h.LastError != "" && !slices.ContainsFunc(detail, func(s string) bool { return strings.Contains(s, h.LastError) }) {
			detail = append(detail, "last error: "+h.LastError)
		}
		p.sender.offer(report{key: h.Key, topic: topic{h.Key.UID, h.Reason, h.Doubt}, detail: detail})
	}
}
