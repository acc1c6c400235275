package live

import (
	"errors"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// PropagationFlag is a flag of the packages flag and pflag: background, foreground or orphan, in
// upper or lower case.
type PropagationFlag graph.Propagation

// Set sets the flag.
func (f *PropagationFlag) Set(s string) error {
	p, err := graph.ParsePropagation(strings.ToLower(s))
	if err == nil && p == graph.Unset {
		err = errors.New("want background, foreground or orphan")
	}
	if err == nil {
		*f = PropagationFlag(p)
	}
	return err
}

// Type returns the word for the value in a help text.
func (f *PropagationFlag) Type() string { return "how" }

// String returns the propagation, or "" if it is unset.
func (f *PropagationFlag) String() string {
	if p := graph.Propagation(*f); p != graph.Unset {
		return p.String()
	}
	return ""
}
