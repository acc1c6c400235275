package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// maxNames is the number of keys or numbers that one line of StepsText names.
const maxNames = 8

// StepsText returns the steps for a reader, one line for each: its number, wave, actor and
// action, its reason, and the steps before it. Each line ends with a line break, and equal
// steps give equal text. A plan without steps gives one line, too.
//
// The text is bounded. It has the first 1,000 steps, and a line counts the others. Another
// line counts the steps that Request.Limit left out.
//
//test:by TestStepsText TestStepsTextBounded
func (p Plan) StepsText() string {
	var w strings.Builder
	for i := range p.Steps[:min(len(p.Steps), maxLines)] {
		s := &p.Steps[i]
		fmt.Fprintf(&w, "%d. wave %d: %s%s\n", i+1, s.Wave, s.words(), s.waits())
	}
	if n := len(p.Steps) - maxLines; n > 0 {
		fmt.Fprintf(&w, "... and %s\n", number(n, "more step"))
	}
	if p.StepsTruncated > 0 {
		fmt.Fprintf(&w, "... and %s left out by the limit\n", number(p.StepsTruncated, "more step"))
	}
	if w.Len() == 0 {
		return "no steps\n"
	}
	return w.String()
}

// words has the actor, the action, the reason and the end of the object.
func (s *Step) words() string {
	out := s.Actor.words() + " " + s.act()
	if s.Actor == Grace {
		out = "the grace period of " + name(s.Key) + " ends"
	}
	if s.Removes {
		out += ", which removes it"
	}
	switch {
	case s.Reason == policy.ReasonUnset:
	case s.Action == policy.Delete && len(s.Owners) > 0:
		out += " (" + s.Reason.String() + named(": ", s.Owners) + ")"
	default:
		out += " (" + s.Reason.String() + ")"
	}
	return out
}

func (a Actor) words() string {
	switch a {
	case Controller:
		return "a controller"
	case Container:
		return "the actor of the container"
	}
	return "the " + a.String()
}

func (s *Step) act() string {
	key := name(s.Key)
	switch {
	case s.Handler:
		return "runs the handler of " + word(s.Finalizer) + " for " + key
	case s.Action == policy.Delete:
		return "deletes " + key + manner(s.Propagation)
	case s.Action == policy.Release:
		return "takes the finalizer " + word(s.Finalizer) + " off " + key
	case s.Action == policy.Attach:
		return "puts the finalizer " + word(s.Finalizer) + " on " + key
	case s.Action == policy.Orphan:
		return "orphans " + key + named(" from ", s.Owners)
	case s.Action == policy.Trim:
		return "trims the references of " + key + named(" to ", s.Owners)
	case s.Action == policy.Unblock:
		return "unblocks the references of " + key + named(" to ", s.Owners)
	}
	return "takes the action " + s.Action.String() + " on " + key
}

func manner(p graph.Propagation) string {
	switch p {
	case graph.Background:
		return " in the background"
	case graph.Foreground:
		return " in the foreground"
	case graph.Orphan:
		return " and orphans its dependents"
	}
	return ""
}

// named lists keys behind a preposition.
func named(before string, list []graph.Key) string {
	if len(list) == 0 {
		return ""
	}
	out := before + strings.Join(names(list[:min(len(list), maxNames)]), ", ")
	if n := len(list) - maxNames; n > 0 {
		out += fmt.Sprintf(" and %d more", n)
	}
	return out
}

// waits names the steps before this one, and the fence.
func (s *Step) waits() (out string) {
	after := s.After[:min(len(s.After), maxNames)]
	more := s.AfterMore + len(s.After) - len(after)
	list := make([]string, len(after), len(after)+1)
	for i, n := range after {
		list[i] = strconv.Itoa(n)
	}
	if more > 0 {
		list = append(list, strconv.Itoa(more)+" more")
	}
	switch n := len(list); n {
	case 0:
	case 1:
		out = ", after " + list[0]
	default:
		out = ", after " + strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	if s.Fence {
		out += ", behind a fence"
	}
	return out
}
