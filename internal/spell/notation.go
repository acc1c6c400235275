package spell

import (
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// maxText is the longest text of a cause, in bytes.
const maxText = 512

// Text returns a text of a decision as people read it, such as a cause. A key or an owner reference
// in the notation of package graph becomes a name without its UID and marks. Any other text stays,
// up to 512 bytes. Characters that could control a terminal are replaced.
//
//test:by TestText
func Text(s string) string {
	if place, _, has := strings.Cut(s, "@"); has && len(s) <= maxText && strings.Contains(place, "/") {
		if k, err := graph.ParseKey(strings.TrimRight(s, "!^?")); err == nil {
			return k.Text()
		}
	}
	if len(s) > maxText {
		s = s[:maxText] + "..."
	}
	return Line(s)
}

// Causes returns the text of each cause. Finalizers stay as they are, because one may look like a key.
//
//test:by ownergraph.TestHeldText
func Causes(list []string, finalizers bool) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		if finalizers {
			out = append(out, Line(s))
		} else {
			out = append(out, Text(s))
		}
	}
	return out
}
