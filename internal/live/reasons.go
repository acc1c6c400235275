package live

import (
	"strings"
	"sync"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

// Reasons records the reason of the last write to each object. It is safe for
// concurrent use, because the collector decides on its own
// goroutines. The zero value is ready.
type Reasons struct {
	mu  sync.Mutex
	why map[graph.Key]policy.Reason
	by  map[graph.Key]string // the actors that deleted an object without the collector
}

// Note is an ownergraph.Config.OnDecision, so it must be quick.
func (r *Reasons) Note(d engine.DecisionEvent) {
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

// note records a deletion by another actor than the collector.
func (r *Reasons) note(key graph.Key, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = make(map[graph.Key]string)
	}
	r.by[key] = text
}

// Of returns the text of the reason, or that of the actor of a container. It returns "" if neither
// the collector nor such an actor wrote the object.
func (r *Reasons) Of(key graph.Key) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why, written := r.why[key]; written {
		return why.String()
	}
	return r.by[key]
}

// Code returns the reason of the last write, or ReasonUnset if the collector did not write the object.
func (r *Reasons) Code(key graph.Key) policy.Reason {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why[key]
}

// Explain returns the reason why an object is held, with the details.
func Explain(h engine.Held) string {
	s := policy.Words(h.Reason, h.Doubt)
	if len(h.Detail) == 0 {
		return s
	}
	names := spell.Causes(h.Detail[:min(len(h.Detail), spell.MaxNamed)], h.Reason.NamesFinalizers())
	if len(h.Detail) > spell.MaxNamed { // a report does not have the number of the others
		names = append(names, "...")
	}
	return s + " (" + strings.Join(names, ", ") + ")"
}
