package handlers

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Queued returns the number of runs that wait in a queue.
func (r *Runs) Queued() int { return r.waiting }

// QueuedNodes returns the nodes of the queued runs, in the order of the queues. A node may be there
// for each of its handlers.
func (r *Runs) QueuedNodes() (ids []graph.NodeID) {
	for _, name := range r.names {
		for _, id := range r.queues[name] {
			if r.states[Run{id, name}].phase == queued {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Failed returns the number of failed runs so far.
func (r *Runs) Failed() uint64 { return r.failures }

// Status describes a run under way. It is a value.
type Status struct {
	Run   Run
	Since time.Time // it began
	Tries int       // failed runs before it
}

// Progress describes a handler with one object. It is a value.
type Progress struct {
	Running, Failed bool      // neither while it is queued, or has succeeded
	Since           time.Time // it began, or failed for the first time in a row
	Next            time.Time // of the next try of a failed one
	Tries           int       // failed runs
	Err             string    // of the last run
}

// ProgressOf returns the progress of a handler, and reports whether the finalizer has one.
func (r *Runs) ProgressOf(run Run) (p Progress, ok bool) {
	s := r.states[run]
	p = Progress{Running: s.phase == running, Failed: s.phase == failed, Tries: s.tries, Err: s.err}
	switch s.phase {
	case running:
		p.Since = s.since
	case failed:
		p.Since, p.Next = s.failing, s.due()
	}
	return p, r.handles(run.Name)
}

// Running returns the runs under way, by node and name.
func (r *Runs) Running() []Status {
	var out []Status
	for run, s := range r.states {
		if s.phase == running {
			out = append(out, Status{run, s.since, s.tries})
		}
	}
	slices.SortFunc(out, func(a, b Status) int {
		return cmp.Or(cmp.Compare(a.Run.Node, b.Run.Node), strings.Compare(a.Run.Name, b.Run.Name))
	})
	return out
}

// IsRunning reports whether a handler runs for a node.
func (r *Runs) IsRunning(id graph.NodeID) bool {
	return slices.ContainsFunc(r.names, func(name string) bool { return r.states[Run{id, name}].phase == running })
}

// ErrorOf returns the error text of the last run, "" if it did not fail.
func (r *Runs) ErrorOf(run Run) string { return r.states[run].err }

// Error returns the error text of the first failing handler of a node, "" without one.
func (r *Runs) Error(id graph.NodeID) string {
	for _, name := range r.names {
		if text := r.ErrorOf(Run{id, name}); text != "" {
			return text
		}
	}
	return ""
}

// FailingSince returns the first time at which a handler of a node failed that still fails.
// It is the zero time without one.
func (r *Runs) FailingSince(id graph.NodeID) (at time.Time) {
	for _, name := range r.names {
		if s := r.states[Run{id, name}]; s.err != "" && (at.IsZero() || s.failing.Before(at)) {
			at = s.failing
		}
	}
	return at
}

// Names names finalizers of a node, each with the error text of its last run, if that
// failed.
func (r *Runs) Names(id graph.NodeID, finalizers []string) []string {
	out := make([]string, len(finalizers))
	for i, f := range finalizers {
		if out[i] = f; r.ErrorOf(Run{id, f}) != "" {
			out[i] += ": " + r.ErrorOf(Run{id, f})
		}
	}
	return out
}
