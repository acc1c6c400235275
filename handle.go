package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/policy"
)

// handlers follows what runs for marked objects before they may vanish. Each
// finalizer name has its own line and its own bound, so that one that hangs
// holds up nobody else's.
type handlers struct {
	names   []string // sorted
	most    int      // of one name at once
	timeout time.Duration
	states  map[handlerKey]handling
	lines   map[string][]graph.NodeID // ready to run, by name
	running map[string]int
	lined   int // states that wait in a line
}

type handlerKey struct {
	node graph.NodeID
	name string
}

// handling is how far a handler is with one object. Done means that it has
// succeeded and that the finalizer has still to go.
type handling struct {
	phase phase
	tries int
	call  CallID
	since time.Time // when it was started, or failed
	err   string    // what the last run failed with
	// failing is when the first of the runs failed that have failed in a row.
	failing time.Time
}

type phase uint8

const (
	lined phase = iota + 1
	running
	failed
	done
)

func newHandlers(cfg Config) handlers {
	return handlers{
		names: slices.Sorted(maps.Keys(cfg.Handlers)), most: cfg.HandlerWorkers, timeout: cfg.HandlerTimeout,
		states: map[handlerKey]handling{}, lines: map[string][]graph.NodeID{}, running: map[string]int{},
	}
}

// handle sees to the handlers of a marked object: it starts what has to run,
// and returns the decision to release a finalizer whose handler has succeeded.
// Otherwise the decision is as it was, with what a handler does as its reason
// where nothing else holds the object.
func (e *Engine) handle(id graph.NodeID, o Object, d policy.Decision) policy.Decision {
	h := &e.handlers
	if len(h.names) == 0 {
		return d
	}
	bar := e.bar(e.graph.Node(id)) // the mark may be of a former history, say
	for _, name := range o.Finalizers {
		if _, ours := slices.BinarySearch(h.names, name); !ours {
			continue
		}
		if bar != policy.ReasonUnset {
			if bar == policy.NeedAnswer {
				e.awaitAnswer(id)
			}
			if d.Reason == policy.NeedFinalizers {
				d.Reason = bar
			}
			return d
		}
		s := h.states[handlerKey{id, name}]
		switch {
		case s.phase == done:
			return policy.Decision{Action: policy.Release, Reason: policy.HandlerDone, Finalizer: name}
		case s.phase == 0 || s.phase == failed && !e.now.Before(h.due(s)):
			s.phase = lined
			h.lined++
			h.states[handlerKey{id, name}] = s
			h.lines[name] = append(h.lines[name], id)
		case s.phase == failed:
			e.work.AddAt(id, queue.Normal, h.due(s))
			if d.Reason == policy.NeedFinalizers {
				d.Reason = policy.HandlerFailed
			}
		}
		if d.Reason == policy.NeedFinalizers {
			d.Reason = policy.HandlerRuns
		}
	}
	return d
}

// due returns when a failed handler runs again: after 1 s, doubled with each
// failure, at most 5 minutes.
func (h *handlers) due(s handling) time.Time {
	return s.since.Add(min(time.Second<<min(s.tries-1, 9), 5*time.Minute))
}

// nextHandler makes c the next run of a handler, if one is ready and its name
// has room.
func (e *Engine) nextHandler(c *Call) bool {
	h := &e.handlers
	for _, name := range h.names {
		for len(h.lines[name]) > 0 && h.running[name] < h.most {
			id := h.lines[name][0]
			h.lines[name] = fifo.Rest(h.lines[name])
			k := handlerKey{id, name}
			s := h.states[k]
			if s.phase != lined { // of a former node with this id
				continue
			}
			h.lined--
			if !e.handles(id, name) {
				delete(h.states, k)
				if e.graph.InUse(id) { // it may do so later
					e.work.Add(id, queue.Normal)
				}
				continue
			}
			n := e.graph.Node(id)
			*c = Call{Type: CallHandle, Key: n.Key(), Finalizer: name, Object: n.Object(), Timeout: h.timeout}
			e.launch(c, flight{node: id, key: n.Key(), handler: name})
			s.phase, s.call, s.since = running, c.ID, e.now
			h.states[k] = s
			h.running[name]++
			return true
		}
	}
	return false
}

// handlerDone takes the result of a run.
func (e *Engine) handlerDone(id CallID, f flight, err error) {
	h := &e.handlers
	h.running[f.handler]--
	k := handlerKey{f.node, f.handler}
	s := h.states[k]
	if s.call != id || s.phase != running { // the object is gone, or somebody removed the finalizer
		return
	}
	if f.began <= e.kinds.Rewound() { // it ran for a deletion that may not have been (R5)
		delete(h.states, k)
		e.work.Add(f.node, queue.Normal)
		return
	}
	if err != nil {
		e.counts.FailedHandlers++
		e.cfg.Logger.Warn("handler failed", "finalizer", f.handler, "object", f.key.String(), "err", err)
		if s.err == "" {
			s.failing = e.now
		}
		s.phase, s.since, s.err = failed, e.now, cutText(err.Error(), mostError)
		s.tries++
	} else {
		s.phase, s.err = done, ""
	}
	h.states[k] = s
	e.work.Add(f.node, queue.Normal)
}

// abandon forgets a call: what came of it counts for nothing.
func (e *Engine) abandon(id CallID) {
	f := e.flights[id]
	delete(e.flights, id)
	if f.call != CallHandle {
		return
	}
	e.handlers.running[f.handler]--
	if k := (handlerKey{f.node, f.handler}); e.handlers.states[k].call == id {
		delete(e.handlers.states, k)
	}
}

// handles reports whether a handler has still to run for a node, and may.
func (e *Engine) handles(id graph.NodeID, name string) bool {
	if !e.graph.InUse(id) || e.bar(e.graph.Node(id)) != policy.ReasonUnset {
		return false
	}
	o := e.graph.Node(id).Object()
	return o.Deleting && o.HasFinalizer(name)
}

// rewind forgets what handlers have done and have to do. Runs that are under way
// go on, lest two run at once for one object.
func (h *handlers) rewind() {
	maps.DeleteFunc(h.states, func(_ handlerKey, s handling) bool { return s.phase != running })
	clear(h.lines)
	h.lined = 0
}

// drop forgets the handlers of a node. A run that is under way goes on, and its
// result counts for nothing.
func (h *handlers) drop(id graph.NodeID) {
	for _, name := range h.names {
		if k := (handlerKey{id, name}); h.states[k].phase == lined {
			h.lined--
		}
		delete(h.states, handlerKey{id, name})
		if line := h.lines[name]; len(line) > 2*len(h.states)+mostLeft {
			h.lines[name] = slices.DeleteFunc(line, func(id graph.NodeID) bool { return h.states[handlerKey{id, name}].phase != lined })
		}
	}
}

// mostLeft is how many ids of objects that are gone a line may hold, beside as
// many as there are others.
const mostLeft = 64

func (h *handlers) clone() handlers {
	c := *h
	c.states, c.running = maps.Clone(h.states), maps.Clone(h.running)
	c.lines = make(map[string][]graph.NodeID, len(h.lines))
	for name, line := range h.lines {
		if len(line) > 0 {
			c.lines[name] = slices.Clone(line)
		}
	}
	return c
}
