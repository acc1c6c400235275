package handlers

import (
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// Commit queues the missing runs for a marked object with these finalizers, after a judgement that no
// reason blocked. After a failed run it asks for a decision when the next one is due.
func (r *Runs) Commit(id graph.NodeID, finalizers []string, now time.Time, out *effect.List) {
	for _, name := range finalizers {
		if !r.handles(name) {
			continue
		}
		run := Run{id, name}
		switch s := r.states[run]; {
		case s.phase == done: // its finalizer goes first
			return
		case s.isDue(now):
			r.enqueue(run, s)
		case s.phase == failed:
			out.LookAt(id, queue.Normal, s.due())
		}
	}
}

// isDue reports whether a run has to be queued.
func (s *state) isDue(now time.Time) bool {
	return s.phase == unset || s.phase == failed && !now.Before(s.due())
}

// Judge returns the decision about a marked object with these finalizers, and changes
// nothing: see Commit. The decision releases a finalizer whose handler has succeeded. Otherwise it is
// d. If only finalizers hold the object, the state of a handler becomes the reason. Block
// is the reason why no write may go out to the object.
func (r *Runs) Judge(id graph.NodeID, finalizers []string, d policy.Decision, block policy.Reason, now time.Time) policy.Decision {
	for _, name := range finalizers {
		if !r.handles(name) {
			continue
		}
		if block != policy.ReasonUnset {
			setReason(&d, block)
			return d
		}
		switch s := r.states[Run{id, name}]; {
		case s.phase == done:
			return policy.Decision{Action: policy.Release, Reason: policy.HandlerDone, Finalizer: name}
		case s.phase == failed && !s.isDue(now):
			setReason(&d, policy.HandlerFailed)
		}
		setReason(&d, policy.HandlerRuns)
	}
	return d
}

// setReason names the reason why finalizers hold an object. The first reason stays.
func setReason(d *policy.Decision, why policy.Reason) {
	if d.Reason == policy.NeedFinalizers {
		d.Reason = why
	}
}

func (r *Runs) enqueue(run Run, s state) {
	s.phase = queued
	r.waiting++
	r.states[run] = s
	r.queues[run.Name] = append(r.queues[run.Name], run.Node)
}

// Next takes the next run out of its queue, if the bound of its name allows another one.
// The caller begins it with Start or forgets it with Cancel.
func (r *Runs) Next() (Run, bool) {
	for _, name := range r.names {
		for len(r.queues[name]) > 0 && r.running[name] < r.limit {
			run := Run{r.queues[name][0], name}
			r.queues[name] = fifo.Rest(r.queues[name])
			if r.states[run].phase == queued { // else the entry is of a former node with this id
				r.waiting--
				return run, true
			}
		}
	}
	return Run{}, false
}

// Start notes that a run has begun, as this call.
func (r *Runs) Start(run Run, call uint64, now time.Time) {
	s := r.states[run]
	s.phase, s.call, s.since = running, call, now
	r.states[run] = s
	r.running[run.Name]++
}

// Return puts a run back into its queue whose call no worker has begun.
func (r *Runs) Return(run Run, call uint64) {
	r.running[run.Name]--
	if s := r.states[run]; s.call == call && s.phase == running {
		s.call = 0
		r.enqueue(run, s)
	}
}

// Cancel forgets a run from Next whose object no longer needs it, or not yet.
func (r *Runs) Cancel(run Run) { delete(r.states, run) }

// Outcome is the result of a run. It is a value.
type Outcome struct {
	Run    Run
	Call   uint64
	Key    graph.Key
	Former bool // the run began in a former history
	Err    error
	Final  bool // after the error the handler does not run again
}

// forGood is longer than an engine runs.
const forGood = 100 * 365 * 24 * time.Hour

// Done takes the result of a run, and asks for a decision of its object. The result counts for nothing
// if the object or the finalizer has gone.
func (r *Runs) Done(o Outcome, now time.Time, out *effect.List) {
	r.running[o.Run.Name]--
	s := r.states[o.Run]
	if s.call != o.Call || s.phase != running {
		return
	}
	switch {
	case o.Former: // its deletion may have been undone (R5)
		delete(r.states, o.Run)
	case o.Err != nil:
		r.failures++
		out.Warn("handler failed", "reason", policy.HandlerFailed.Code(), "finalizer", o.Run.Name, "key", o.Key.String(), "err", o.Err)
		if s.err == "" {
			s.failing = now
		}
		s.phase, s.since, s.err = failed, now, record.ErrorText(o.Err)
		s.tries++
		if o.Final {
			s.since = now.Add(forGood)
		}
		r.states[o.Run] = s
	default:
		s.phase, s.err = done, ""
		r.states[o.Run] = s
	}
	out.Look(o.Run.Node, queue.Normal)
}

// Rewind forgets the results and the queues. The runs under way go on, because two runs
// for one object must not overlap.
func (r *Runs) Rewind() {
	maps.DeleteFunc(r.states, func(_ Run, s state) bool { return s.phase != running })
	clear(r.queues)
	r.waiting = 0
}

// Drop forgets the runs for a node. A run under way goes on, and its result counts for
// nothing.
func (r *Runs) Drop(id graph.NodeID) {
	for _, name := range r.names {
		if r.states[Run{id, name}].phase == queued {
			r.waiting--
		}
		delete(r.states, Run{id, name})
		if ids := r.queues[name]; len(ids) > 2*len(r.states)+maxFreed {
			r.queues[name] = slices.DeleteFunc(ids, func(id graph.NodeID) bool { return r.states[Run{id, name}].phase != queued })
		}
	}
}

// maxFreed bounds the ids of freed nodes in a queue, beside twice the number of runs.
const maxFreed = 64
