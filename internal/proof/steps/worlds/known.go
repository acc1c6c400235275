package main

import (
	"strings"

	"github.com/ownergraph/ownergraph/internal/proof/steps/meter"
)

// known are the loops that may exceed the bound. An empty step or site stands for all.
var known = []struct{ step, site, reason string }{
	{"rewound", "", "a rewind walks everything: see Engine"},
	{"kinds-known", "", "a set of kinds is the content of its event, and takes every fence back: see Engine"},
	{"Engine.Kinds", "", "its result has every kind"},
	{"Engine.Held", "", "it looks at all held objects, and no lock is held: Collector.Held has slices"},
	{"", "internal/core/kinds/rewind.go", "the beginning of a fence opens every kind: see Engine"},
	{"", "internal/core/fence/fence.go", "a fence that passes copies the list of its waiters at once: see Engine"},
	{"", "internal/core/effect/effect.go", "the same"},
	{"", "effects.go", "the same"},
	{"", "internal/core/record/table.go", "the same"},
	{"", "internal/core/observed/merge.go", "16 ids count as one node"},
	{"", "internal/core/observed/ring.go", "8 ids count as one node"},
	{"", "internal/core/observed/pack.go", "the text of a node counts once for each part of the node"},
	{"", "internal/core/order/open.go", "a kind that leaves, and a fence, look at all orders, without their objects"},
	{"", "internal/core/brake/", "the brake remembers 4,096 cascades, and wakes the objects of one together"},
	{"", "internal/core/guard/machine.go", "a list of ids"},
	{"", "internal/core/history/ring.go", "the memory of ends grows by doubling"},
	{"", "internal/core/queue/", "keys that become due together"},
	{"", "internal/core/reads/", "a list of ids"},
	{"", "decide.go", "a list of at most 1,024 ids for each decision"},
	{"Engine.Idle", "", "it asks every kind and every run of a handler"},
	{"Engine.Stats", "", "it asks every cascade and every run of a handler"},
	{"Engine.Pause", "", "its report has the calls under way, and the writes of unknown outcome"},
	{"kind-recovered", "", "the writes that wait for a kind are tried again together"},
	{"", "internal/core/inflight/", "the same, at the end of a listing"},
	{"", "kinds.go", "the same"},
	{"", "internal/core/history/machine.go", "each delete is forgotten once"},
	{"", "internal/core/swar/swar.go", "the content of an event"},
	{"", "internal/core/observed/index.go", "a decision looks at each reference of its object, at most 1,024"},
}

func isKnown(f meter.Finding) bool {
	for _, k := range known {
		if strings.Contains(f.Step, k.step) && strings.HasPrefix(f.Site, k.site) {
			return true
		}
	}
	return false
}
