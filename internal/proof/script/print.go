package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/policy"
)

// maxHeld bounds the number of printed held objects.
const maxHeld = 64

func eventText(e graph.Event) string {
	switch e.Type {
	case graph.Put:
		return "put " + e.Object.String()
	case graph.Gone:
		return "gone " + e.Key.String()
	case graph.ListBegun:
		return "list"
	case graph.ListEnded:
		return "listed"
	case graph.FencePassed:
		return fmt.Sprintf("fence %d", e.Fence)
	}
	return e.Type.String()
}

// callText returns a call in one line, with the version that a write demands.
func callText(c engine.Call) string {
	switch c.Type {
	case engine.CallFence:
		return "fence"
	case engine.CallList:
		if c.Kind == "" {
			return "list the kinds"
		}
		return "list " + string(c.Kind)
	case engine.CallSelect:
		text := "select " + string(c.Select.Kind) + " " + c.Select.Selector
		if c.Select.After != "" {
			text += " after " + c.Select.After
		}
		return text
	case engine.CallHandle:
		return "handle " + c.Finalizer + " of " + c.Key.String()
	case engine.CallDelete:
		return fmt.Sprintf("delete %s#%s %s", c.Key, c.Options.Precondition.Version, c.Options.Propagation)
	case engine.CallPatch:
		return fmt.Sprintf("patch %s#%s %s", c.Key, c.Precondition.Version, changeText(c.Change))
	}
	return c.Type.String() + " " + c.Key.String()
}

func changeText(c graph.Change) string {
	switch {
	case c.AddFinalizer != "":
		return "add " + c.AddFinalizer
	case c.DropFinalizer != "":
		return "release " + c.DropFinalizer
	case len(c.Unblock) > 0:
		return "unblock " + refsText(c.Unblock)
	}
	return "drop " + refsText(c.DropOwners)
}

func refsText(refs []graph.Owner) string {
	texts := make([]string, len(refs))
	for i, r := range refs {
		texts[i] = "->" + r.Key.String()
	}
	return strings.Join(texts, " ")
}

func resultText(c engine.Call, res engine.Result) string {
	for _, e := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused} {
		if errors.Is(res.Err, e) {
			return e.Error()
		}
	}
	switch {
	case res.Err != nil:
		return res.Err.Error()
	case c.Type == engine.CallRead:
		return res.Object.String()
	case c.Type == engine.CallSelect:
		return selectedText(res.Selected)
	case c.Type == engine.CallJudge:
		return res.Verdict.String()
	}
	return "ok"
}

// state returns the objects of the store on one line.
func (r *runner) state() string { return oracle.Line(r.w.Store.Objects()) }

func (r *runner) held(string) error {
	r.printHeld(r.side)
	return nil
}

func (r *runner) printHeld(side int) {
	name := "held"
	if len(r.w.Sides) > 1 {
		name = fmt.Sprintf("held@%d", side+1)
	}
	for _, h := range r.w.Sides[side].Engine.Held(maxHeld) {
		r.printf("%s %s", name, heldLine(h))
	}
}

// heldLine returns a held object in the notation of package graph, with its UIDs. The output has the failed
// step, so the line has no error.
func heldLine(h engine.Held) string {
	s := h.Key.String() + ": " + policy.Words(h.Reason, h.Doubt)
	if len(h.Detail) > 0 {
		s += " (" + strings.Join(h.Detail, ", ") + ")"
	}
	return s
}

// requests returns the number of completed calls since its last call, by type.
func (r *runner) requests() string {
	var out []string
	for t, n := range r.w.Requests {
		if n -= r.printed[t]; n > 0 {
			out = append(out, fmt.Sprintf("%s %d", engine.CallType(t), n))
		}
	}
	r.printed = r.w.Requests
	effort := uint64(0)
	for _, s := range r.w.Sides {
		effort += s.Engine.Stats().Writes.BestEffort
	}
	if effort > r.effort {
		out = append(out, fmt.Sprintf("best effort %d", effort-r.effort))
	}
	r.effort = effort
	if out == nil {
		return "none"
	}
	return strings.Join(out, ", ")
}

func (r *runner) graph(string) error {
	if r.w.Sides[r.side].Engine.Stats().Rewinds > 0 {
		return errors.New("graph: not available after a rewind")
	}
	for n := range r.shadows[r.side].Nodes() {
		line := n.Object().String()
		if n.State() != graph.Observed {
			line = n.Key().String() + " " + n.State().String()
		}
		var deps []string
		for d := range n.Dependents() {
			deps = append(deps, d.Key().String())
		}
		if slices.Sort(deps); deps != nil {
			line += "  <- " + strings.Join(deps, ", ")
		}
		r.printf("%s", line)
	}
	return nil
}

func (r *runner) decide(arg string) error {
	k, err := graph.ParseKey(arg)
	if err != nil {
		return err
	}
	d, ok := r.decided[k]
	if !ok {
		r.printf("%s: not decided", k)
		return nil
	}
	words := []string{k.String() + ":", d.Action.String()}
	switch d.Action {
	case policy.Delete:
		words = append(words, d.Propagation.String())
	case policy.Release:
		words = append(words, d.Finalizer)
	default:
		if len(d.Owners) > 0 {
			words = append(words, refsText(d.Owners))
		}
	}
	why := d.Reason.String()
	if d.Reason == policy.OwnerUnknown {
		why = d.Doubt.String()
	}
	if d.BestEffort {
		why += " (best effort)"
	}
	if d.Barred != policy.ReasonUnset {
		why += " (not done: " + d.Barred.String() + ")"
	}
	r.printf("%s, %s", strings.Join(words, " "), why)
	return nil
}
