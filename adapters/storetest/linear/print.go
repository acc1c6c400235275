package linear

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/ownergraph/ownergraph/graph"
)

// errPending stands for the outcome of a call that had none yet.
var errPending = errors.New("not answered yet")

// String returns the history, one line for each call: its begin and end, its
// client, the call, and its answer. Objects, keys and references are in the
// notation of package graph.
func (h history) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range h {
		fmt.Fprintf(w, "  %d..%s\tclient %d\t%s\t= %s\n", c.begun, c.end(), c.client, c.question(), c.answer())
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

func (c call) end() string {
	if c.unknown() {
		return ""
	}
	return fmt.Sprint(c.ended)
}

func (c call) question() string {
	text := c.verb.String() + " "
	switch c.verb {
	case create, update:
		return text + withoutUID(c.sent)
	}
	text += withoutUID(graph.Object{Key: c.place})
	if c.pre.UID != "" {
		text += fmt.Sprintf(" if @%s", c.pre.UID)
	}
	if c.pre.Version != "" {
		text += fmt.Sprintf("#%s", c.pre.Version)
	}
	switch c.verb {
	case patch:
		text += ":" + describe(c.change)
	case erase, userDelete:
		text += ": " + c.options.Propagation.String()
	}
	return text
}

// withoutUID prints an object without a UID, as a user would write it.
func withoutUID(o graph.Object) string { return strings.Replace(o.String(), `@""`, "", 1) }

func describe(c graph.Change) string {
	var text string
	for _, r := range c.DropOwners {
		text += fmt.Sprintf(" drop -> %s", r)
	}
	for _, r := range c.Unblock {
		text += fmt.Sprintf(" unblock -> %s", r)
	}
	if c.AddOwner != nil {
		text += fmt.Sprintf(" add -> %s", c.AddOwner)
	}
	if c.DropFinalizer != "" {
		text += " drop " + c.DropFinalizer
	}
	if c.AddFinalizer != "" {
		text += " add " + c.AddFinalizer
	}
	return text
}

func (c call) answer() string {
	switch {
	case c.err == nil && c.got.UID != "":
		return c.got.String()
	case c.err == nil:
		return "done"
	case c.unknown():
		return "unknown: " + c.err.Error()
	}
	return c.err.Error()
}
