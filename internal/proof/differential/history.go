package main

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// history is the input of both sides: the objects of the store before they begin, and
// the actions of a user, each when both are quiet. Treat it as read-only.
type history struct {
	start   []graph.Object
	actions []oracle.Action
}

// String returns the history in one line, as parseHistory reads it: objects in the
// notation of package graph, "|", and actions in that of package oracle.
func (h history) String() string {
	text := make([]string, len(h.actions))
	for i, a := range h.actions {
		text[i] = a.String()
	}
	return graph.Format(h.start) + " | " + strings.Join(text, "; ")
}

// parseHistory reads the form of String. An error wraps graph.ErrInvalid.
func parseHistory(s string) (history, error) {
	start, actions, ok := strings.Cut(s, "|")
	if !ok {
		return history{}, fmt.Errorf("parse history: no %q: %w", "|", graph.ErrInvalid)
	}
	var h history
	var err error
	if h.start, err = graph.Parse(start); err != nil {
		return history{}, fmt.Errorf("parse history: %w", err)
	}
	if h.actions, err = oracle.ParseActions(actions); err != nil {
		return history{}, fmt.Errorf("parse history: %w", err)
	}
	return h, nil
}
