package storetest

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const maxEvents = 12

// formatEvents prints the latest events.
func formatEvents(events []ownergraph.Event) string {
	b := &strings.Builder{}
	if n := len(events) - maxEvents; n > 0 {
		fmt.Fprintf(b, "%d events and ", n)
		events = events[n:]
	}
	for i, e := range events {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(formatEvent(e))
	}
	return b.String()
}

// formatEvent prints an event in a few words.
func formatEvent(e ownergraph.Event) string {
	switch e.Type {
	case graph.Put:
		return fmt.Sprintf("put %s", e.Object)
	case graph.Gone:
		return fmt.Sprintf("gone %s", e.Key)
	case graph.KindsKnown:
		var names []string
		for _, i := range e.Kinds {
			names = append(names, string(i.Kind))
		}
		return fmt.Sprintf("kinds-known %s", strings.Join(names, ", "))
	case graph.FencePassed:
		return fmt.Sprintf("fence-passed %d %q", e.Fence, e.Kind)
	}
	text := strings.TrimSpace(fmt.Sprintf("%s %s", e.Type, e.Kind))
	if e.Version != "" {
		text += fmt.Sprintf(" #%s", e.Version)
	}
	if e.Reason != "" {
		text += fmt.Sprintf(" (%s)", e.Reason)
	}
	return text
}

// formatChange prints a change in a few words.
func formatChange(c ownergraph.Change) string {
	text := ""
	add := func(format string, args ...any) {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf(format, args...)
	}
	for _, r := range c.DropOwners {
		add("drop owner %s", r)
	}
	if c.AddOwner != nil {
		add("add owner %s", *c.AddOwner)
	}
	for _, r := range c.Relink {
		add("relink %s", fmt.Sprint(r.From, " to ", r.To))
	}
	for _, r := range c.Unblock {
		add("unblock %s", r)
	}
	if c.DropFinalizer != "" {
		add("drop finalizer %s", c.DropFinalizer)
	}
	if c.AddFinalizer != "" {
		add("add finalizer %s", c.AddFinalizer)
	}
	if text == "" {
		return "nothing"
	}
	return text
}
