package selector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// maxSelector bounds the length of a selector's text, in bytes.
const maxSelector = 16 << 10

// Parse reads a selector, which is a list of requirements with commas between
// them. A requirement is "key", "!key", "key=value", "key==value", "key!=value", "key in
// (a,b)" or "key notin (a,b)". As in Kubernetes, "!=" and "notin" match objects without
// the label, too. Comparisons of numbers ("<" and ">") are not supported. The error wraps
// graph.ErrInvalid and quotes the wrong part.
//
//test:by TestParseRefuses FuzzParse
func Parse(text string) (Selector, error) {
	bad := func(part, cause string) (Selector, error) {
		return Selector{}, fmt.Errorf("selector %q: %q: %s: %w", text[:min(len(text), 80)], part[:min(len(part), 80)], cause, graph.ErrInvalid)
	}
	if len(text) > maxSelector {
		return bad("", fmt.Sprintf("longer than %d bytes", maxSelector))
	}
	var s Selector
	for _, part := range requirements(text) {
		r, cause := parseRequirement(strings.TrimSpace(part))
		if cause != "" {
			return bad(strings.TrimSpace(part), cause)
		}
		s.list = append(s.list, r)
	}
	return s, nil
}

// requirements splits a selector at the commas outside of parentheses.
func requirements(text string) (out []string) {
	within, from := false, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			within = true
		case ')':
			within = false
		case ',':
			if !within {
				out = append(out, text[from:i])
				from = i + 1
			}
		}
	}
	return append(out, text[from:])
}

// parseRequirement returns a requirement, or its fault.
func parseRequirement(text string) (r requirement, cause string) {
	switch {
	case text == "":
		return r, "empty"
	case strings.ContainsAny(text, "<>"):
		return r, "numbers are not compared"
	case strings.HasSuffix(text, ")"):
		r, cause = parseSet(text)
	case strings.HasPrefix(text, "!"):
		r = requirement{key: strings.TrimSpace(text[1:]), op: absent}
	default:
		r = parseEquality(text)
	}
	switch i := slices.IndexFunc(r.values, func(v string) bool { return !ValidValue(v) }); {
	case cause != "":
		return r, cause
	case !ValidName(r.key):
		return r, fmt.Sprintf("%q is no label", r.key)
	case i >= 0:
		return r, fmt.Sprintf("%q is no label's value", r.values[i])
	}
	slices.Sort(r.values)
	r.values = slices.Compact(r.values)
	return r, ""
}

func parseEquality(text string) requirement {
	for _, x := range [...]struct {
		sign string
		op   operator
	}{{"!=", notIn}, {"==", in}, {"=", in}} {
		if key, value, ok := strings.Cut(text, x.sign); ok {
			return requirement{strings.TrimSpace(key), x.op, []string{strings.TrimSpace(value)}}
		}
	}
	return requirement{key: text}
}

func parseSet(text string) (requirement, string) {
	head, list, ok := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	words := strings.Fields(head)
	if !ok || len(words) != 2 {
		return requirement{}, "not of the form \"key in (a,b)\""
	}
	r := requirement{key: words[0]}
	switch words[1] {
	case "in":
		r.op = in
	case "notin":
		r.op = notIn
	default:
		return r, fmt.Sprintf("%q is neither in nor notin", words[1])
	}
	for _, v := range strings.Split(list, ",") {
		r.values = append(r.values, strings.TrimSpace(v))
	}
	return r, ""
}
