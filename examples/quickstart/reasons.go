package main

import (
	"strings"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// reasons remembers why each object was written last. It is safe for concurrent
// use: the collector decides on goroutines of its own.
type reasons struct {
	mu  sync.Mutex
	why map[graph.Key]policy.Reason
}

// note is an ownergraph.Config.OnDecision: it must be quick.
func (r *reasons) note(d ownergraph.DecisionEvent) {
	if !d.Action.Writes() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == nil {
		r.why = make(map[graph.Key]policy.Reason)
	}
	r.why[d.Key] = d.Reason
}

// of returns the reason in words, "" if the collector did not write the object.
func (r *reasons) of(key graph.Key) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why, written := r.why[key]; written {
		return why.String()
	}
	return ""
}

// explainHeld says why an object is held, and by whom.
func explainHeld(h ownergraph.Held) string {
	s := h.Reason.String()
	if h.Reason == policy.OwnerUnknown {
		s = h.Doubt.String()
	}
	if len(h.Detail) == 0 {
		return s
	}
	var names []string
	for i, text := range h.Detail {
		if i == maxNamed { // how many more there are, a report does not say
			names = append(names, "...")
			break
		}
		names = append(names, respell(h.Reason, text))
	}
	return s + " (" + strings.Join(names, ", ") + ")"
}

// respell puts a dependent or an owner reference, which a report names in the
// notation of package graph, as it is typed here. Other details stay.
func respell(r policy.Reason, text string) string {
	switch r {
	case policy.ObjectFlawed, policy.NeedFinalizers, policy.NeedGrace, policy.HandlerRuns, policy.HandlerFailed, policy.FenceHeld:
		return text
	}
	o, err := graph.ParseObject("dependent -> " + text)
	if err != nil || len(o.Owners) != 1 {
		return text
	}
	return spell(o.Owners[0].Key)
}
