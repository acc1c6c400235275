package selector

import (
	"slices"
	"strings"
)

// Selector matches labels, in the notation of Kubernetes: "app=web,tier in
// (a,b),!canary". It is an immutable value, and safe for concurrent use. The zero
// Selector matches all labels. Use Parse.
type Selector struct {
	list []requirement
}

// requirement is one part of a selector. A match meets all of them.
type requirement struct {
	key    string
	op     operator
	values []string // sorted, each once
}

type operator uint8

const (
	exists operator = iota
	absent
	in
	notIn // or without the label
)

// Matches reports whether the labels match.
//
//test:by TestMatches
func (s Selector) Matches(labels map[string]string) bool {
	return !slices.ContainsFunc(s.list, func(r requirement) bool { return !r.matches(labels) })
}

func (r requirement) matches(labels map[string]string) bool {
	value, has := labels[r.key]
	switch r.op {
	case absent:
		return !has
	case in:
		return has && slices.Contains(r.values, value)
	case notIn:
		return !has || !slices.Contains(r.values, value)
	}
	return has
}

// String returns a text that Parse reads as the same selector, and "" for the
// zero Selector.
//
//test:by TestRoundTrip FuzzParse
func (s Selector) String() string {
	parts := make([]string, len(s.list))
	for i, r := range s.list {
		parts[i] = r.text()
	}
	return strings.Join(parts, ",")
}

func (r requirement) text() string {
	values := strings.Join(r.values, ",")
	switch r.op {
	case absent:
		return "!" + r.key
	case in:
		return r.key + " in (" + values + ")"
	case notIn:
		return r.key + " notin (" + values + ")"
	}
	return r.key
}

// Impossible returns a label of which no value satisfies the selector, "" without one.
// A selector with such a label matches no object.
func (s Selector) Impossible() (label string) {
	for _, r := range s.list {
		if r.op == exists || r.op == in {
			if !s.allows(r) {
				return r.key
			}
		}
	}
	return ""
}

// allows reports whether an object that meets r could match, as far as the label of r
// goes.
func (s Selector) allows(r requirement) bool {
	of := slices.DeleteFunc(slices.Clone(s.list), func(x requirement) bool { return x.key != r.key })
	if r.op == exists { // any value will do, so only a ban of the label counts
		return !slices.ContainsFunc(of, func(x requirement) bool { return x.op == absent })
	}
	return slices.ContainsFunc(r.values, func(v string) bool { return Selector{of}.Matches(map[string]string{r.key: v}) })
}

// ValidName reports whether text is a valid name of a label. A name has at most 63
// letters, digits, '-', '_' and '.', and begins and ends with a letter or digit. A domain
// and a slash may stand before it.
func ValidName(text string) bool {
	domain, name, cut := strings.Cut(text, "/")
	if !cut {
		domain, name = "", text
	}
	if cut && (domain == "" || len(domain) > 253) {
		return false
	}
	for _, part := range strings.Split(domain, ".") {
		if cut && (!worded(part, "-") || strings.ToLower(part) != part) {
			return false
		}
	}
	return len(name) <= 63 && worded(name, "-_.")
}

// ValidValue reports whether text is a valid value of a label: empty, or a label's
// name without a domain.
func ValidValue(text string) bool {
	return text == "" || len(text) <= 63 && worded(text, "-_.")
}

// worded reports whether a text has only letters and digits, and the other characters
// between them.
func worded(text, others string) bool {
	for i := range len(text) {
		c := text[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !plain && (i == 0 || i == len(text)-1 || strings.IndexByte(others, c) < 0) {
			return false
		}
	}
	return text != ""
}
