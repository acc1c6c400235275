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
	lookEvery = 10 * time.Second // at least
	mostHeld  = 1000             // objects at which is looked at once
	idleShare = 1000             // for so many times as long as the engine was busy with that it is left alone
)

// mind looks now and then at what the collector holds, and tells of it.
func (p *Program) mind(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	pause := max(p.config.HeldAfter/5, lookEvery)
	due := time.Now().Add(pause)
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if !now.Before(due) {
				begun := time.Now()
				list := p.collector.Held(mostHeld)
				due = now.Add(max(pause, time.Since(begun)*idleShare))
				p.tellHeld(list, now)
			}
		}
	}
}

// tellHeld tells of what has been held for long. A flaw does not pass, so it is told
// of at once.
func (p *Program) tellHeld(held []ownergraph.Held, now time.Time) {
	for _, h := range held {
		if nameOf(h.Reason) == "" || h.Reason != policy.ObjectFlawed && now.Sub(h.Since) < p.config.HeldAfter {
			continue
		}
		detail := h.Detail
		if h.LastError != "" && !slices.ContainsFunc(detail, func(s string) bool { return strings.Contains(s, h.LastError) }) {
			detail = append(detail, "last error: "+h.LastError)
		}
		p.teller.offer(statement{key: h.Key, saying: saying{h.Key.UID, h.Reason, h.Doubt}, detail: detail})
	}
}
