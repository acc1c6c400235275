package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	lookEvery = 10 * time.Second // at the kinds
	mostHeld  = 1000             // objects at which is looked at once
	idleShare = 1000             // for so many times as long as the engine was busy with that it is left alone
)

// mind looks at the collector now and then, and logs and tells what there is.
func (p *Program) mind(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	sick := map[graph.Kind]string{}
	held := map[graph.Key]holding{}
	pause := max(p.config.HeldAfter/5, lookEvery)
	due := time.Now().Add(pause)
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			sick = p.tellKinds(sick, p.collector.Kinds())
			if p.teller != nil && !now.Before(due) {
				begun := time.Now()
				list := p.collector.Held(mostHeld)
				due = now.Add(max(pause, time.Since(begun)*idleShare))
				held = p.tellHeld(held, list, now)
			}
		}
	}
}

// tellKinds logs which kinds have become sick or well, and returns the sick.
func (p *Program) tellKinds(before map[graph.Kind]string, kinds []ownergraph.KindStatus) map[graph.Kind]string {
	now := map[graph.Kind]string{}
	var ill []fmt.Stringer
	for _, k := range kinds {
		if k.Sick == "" {
			continue
		}
		now[k.Kind] = k.Sick
		if before[k.Kind] != k.Sick {
			ill = append(ill, sickness{k.Kind, k.Sick})
		}
	}
	if len(ill) > 0 {
		p.log.Warn("kinds cannot be watched", "count", len(ill), "kinds", listed(ill))
	}
	var well []string
	for _, k := range slices.Sorted(maps.Keys(before)) {
		if now[k] == "" {
			well = append(well, string(k))
		}
	}
	if len(well) > 0 {
		p.log.Info("kinds are watched again, or not served any more", "count", len(well), "kinds", well[:min(len(well), mostTold)])
	}
	return now
}

type sickness struct {
	kind graph.Kind
	why  string
}

// String returns the kind with what is wrong with it.
func (s sickness) String() string { return string(s.kind) + ": " + s.why }

// holding is since when an object has been seen held for a reason.
type holding struct {
	reason policy.Reason
	since  time.Time
}

// tellHeld tells of what has been held for long, and returns since when the
// rest is. A flaw does not pass, so it is told of at once.
func (p *Program) tellHeld(before map[graph.Key]holding, held []ownergraph.Held, now time.Time) map[graph.Key]holding {
	out := make(map[graph.Key]holding, len(held))
	for _, h := range held {
		s, ok := before[h.Key]
		if !ok || s.reason != h.Reason {
			s = holding{h.Reason, now}
		}
		out[h.Key] = s
		if nameOf(h.Reason) != "" && (h.Reason == policy.ObjectFlawed || now.Sub(s.since) >= p.config.HeldAfter) {
			p.teller.offer(statement{key: h.Key, saying: saying{h.Key.UID, h.Reason, h.Doubt}, detail: h.Detail})
		}
	}
	return out
}
