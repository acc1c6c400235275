package guard

import "github.com/ownergraph/ownergraph/internal/core/selector"

// Selector matches labels, in the notation of Kubernetes: "app=web,tier in (a,b),!canary".
// A store with the power to select by labels matches the labels of its objects with it. It
// is an immutable value, and safe for concurrent use. The zero Selector matches all labels.
// Use ParseSelector.
type Selector struct{ of selector.Selector }

// ParseSelector reads a selector, which is a list of requirements with commas between
// them. A requirement is "key", "!key", "key=value", "key==value", "key!=value",
// "key in (a,b)" or "key notin (a,b)". As in Kubernetes, "!=" and "notin" match objects
// without the label, too. Comparisons of numbers ("<" and ">") are not supported. The error
// wraps graph.ErrInvalid and quotes the wrong part.
func ParseSelector(text string) (Selector, error) {
	s, err := selector.Parse(text)
	return Selector{s}, err
}

// Matches reports whether the labels match.
func (s Selector) Matches(labels map[string]string) bool { return s.of.Matches(labels) }

// String returns a text that ParseSelector reads as the same selector, and "" for the zero
// Selector.
func (s Selector) String() string { return s.of.String() }
