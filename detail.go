package ownergraph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/handlers"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// The bounds of a report of one held object: its names, and the dependents considered for
// them.
const (
	maxDetail  = 8
	mostLooked = 1024
)

// detail names the objects and parts that a held object waits for.
func (e *Engine) detail(id observed.NodeID) []string {
	n, m := e.graph.Node(id), e.state(id)
	var out []string
	switch m.Reason {
	case policy.ObjectFlawed:
		if err := n.Flaw(); err != nil {
			out = append(out, err.Error())
		}
	case policy.NeedDependents:
		out = e.dependentNames(n)
	case policy.NeedGrace:
		out = []string{graceDetail(n.Object().GraceSeconds)}
	case policy.NeedFinalizers, policy.HandlerRuns, policy.HandlerFailed:
		out = e.finalizerNames(id, n)
	case policy.FenceHeld:
		for _, k := range e.Kinds() {
			if k.Sick != "" {
				out = append(out, string(k.Kind)+": "+k.Sick)
			}
		}
		if e.kinds.SetLost() {
			out = append(out, "the newest set of kinds was refused")
		}
	case policy.FenceLost:
		_, late := e.fence.Lost()
		out = fence.Names(late)
	case policy.HolderUnfit, policy.HolderUnguarded, policy.SweepUnserved, policy.NeedMembers, policy.NeedConfirmation, policy.NeedSelect:
		out = e.sweeps.Names(e.sweepView(), id)
	case policy.Contested:
		out = e.sweeps.Rivals(e.sweepView(), id)
	default:
		out = e.ownerNames(n)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), maxDetail)]
}

func graceDetail(seconds int64) string {
	if seconds == 0 {
		return "over: the store has to remove it"
	}
	return fmt.Sprintf("%d s", seconds)
}

func (e *Engine) dependentNames(n observed.Node) []string {
	var out []string
	looked := 0
	for d := range n.Dependents() {
		if looked++; looked > mostLooked || len(out) == maxDetail {
			break
		}
		for i := range d.Owners() {
			r := d.OwnerAt(i)
			if r.UID == n.Key().UID && (r.Block || n.Orphaning()) {
				out = append(out, d.Key().String())
			}
		}
	}
	return out
}

func (e *Engine) finalizerNames(id observed.NodeID, n observed.Node) []string {
	var out []string
	for _, f := range n.Object().Finalizers {
		if text := e.handlers.ErrorOf(handlers.Run{Node: id, Name: f}); text != "" {
			out = append(out, f+": "+text)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// ownerNames names the first owners that are in doubt, or the first of all.
func (e *Engine) ownerNames(n observed.Node) []string {
	var all, doubtful []string
	for i := 0; i < n.Owners() && len(doubtful) < maxDetail; i++ {
		c, d := n.OwnerClass(i)
		switch {
		case c == observed.Unknown && d != graph.Unobserved:
			doubtful = append(doubtful, n.OwnerAt(i).String())
		case len(all) < maxDetail:
			all = append(all, n.OwnerAt(i).String())
		}
	}
	if len(doubtful) > 0 {
		return doubtful
	}
	return all
}

// String returns the object, the reason, the details and the last error on one line.
func (h Held) String() string {
	s := h.Key.String() + ": " + h.Reason.String()
	if h.Reason == policy.OwnerUnknown {
		s = h.Key.String() + ": " + h.Doubt.String()
	}
	detail := strings.Join(h.Detail, ", ")
	if detail != "" {
		s += " (" + detail + ")"
	}
	if h.LastError != "" && !strings.Contains(detail, h.LastError) {
		s += "; last error: " + h.LastError
	}
	return s
}
