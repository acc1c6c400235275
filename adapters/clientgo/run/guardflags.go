package run

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// protectFlag adds rules of protection.
type protectFlag struct{ rules *[]guard.Protection }

// String returns the rules, or "" without one.
func (p protectFlag) String() string {
	if p.rules == nil {
		return ""
	}
	var out []string
	for _, r := range *p.rules {
		terms := termsOf(r.Kinds, r.Scopes, r.Names)
		if r.Selector != "" {
			terms = append(terms, "selector="+r.Selector)
		}
		out = append(out, strings.Join(terms, ","))
	}
	return strings.Join(out, " ")
}

// Set adds a rule: "kind=Secret,namespace=prod,selector=keep".
func (p protectFlag) Set(text string) error {
	var r guard.Protection
	err := eachTerm(text, selecting, func(key, value string) (bool, error) {
		if key != "selector" {
			return selects(&r.Kinds, &r.Scopes, &r.Names, key, value)
		}
		r.Selector = value
		_, err := guard.ParseSelector(value)
		return true, err
	})
	if err == nil {
		*p.rules = append(*p.rules, r)
	}
	return err
}

// guardFlag adds guards.
type guardFlag struct{ guards *[]guard.Guard }

// String returns the guards, or "" without one.
func (g guardFlag) String() string {
	if g.guards == nil {
		return ""
	}
	var out []string
	for _, x := range *g.guards {
		terms := termsOf(x.Kinds, x.Scopes, x.Names)
		if x.Above != nil {
			terms = append(terms, "above="+strconv.Itoa(*x.Above))
		}
		if x.Protected {
			terms = append(terms, "protected")
		}
		if x.Always {
			terms = append(terms, "always")
		}
		out = append(out, strings.Join(terms, ","))
	}
	return strings.Join(out, " ")
}

// Set adds a guard: "kind=apps/Deployment,above=100".
func (g guardFlag) Set(text string) error {
	var x guard.Guard
	err := eachTerm(text, selecting, func(key, value string) (bool, error) {
		switch key {
		case "above":
			n, err := strconv.Atoi(value)
			x.Above = &n
			return err == nil && n >= 0, nil
		case "always":
			x.Always = true
			return value == "", nil
		case "protected":
			x.Protected = true
			return value == "", nil
		}
		return selects(&x.Kinds, &x.Scopes, &x.Names, key, value)
	})
	if err == nil {
		*g.guards = append(*g.guards, x)
	}
	return err
}

const selecting = "kind=apps/Deployment, namespace=prod or name=main"

// eachTerm calls a function for each term of a list that is separated by commas. A selector has
// commas itself, so it takes the rest.
func eachTerm(text, example string, set func(key, value string) (known bool, err error)) error {
	for rest, more := text, true; more; {
		var term string
		if strings.HasPrefix(rest, "selector=") {
			term, more = rest, false
		} else {
			term, rest, more = strings.Cut(rest, ",")
		}
		key, value, _ := strings.Cut(term, "=")
		switch known, err := set(key, value); {
		case err != nil:
			return fmt.Errorf("%q: %w", term, err)
		case !known:
			return fmt.Errorf("%q is no term of this flag, as %s", term, example)
		}
	}
	return nil
}

// selects adds a condition that protections and guards have in common. An empty namespace
// stands for the objects without one.
func selects(kinds *[]graph.Kind, scopes, names *[]string, key, value string) (known bool, err error) {
	switch key {
	case "kind":
		*kinds = append(*kinds, graph.Kind(value))
		if err := kindError(value); err != nil {
			return false, err
		}
	case "namespace":
		*scopes = append(*scopes, value)
	case "name":
		*names = append(*names, value)
		return value != "", nil
	default:
		return false, nil
	}
	return true, nil
}

// termsOf returns the terms of conditions.
func termsOf(kinds []graph.Kind, scopes, names []string) (out []string) {
	for _, k := range kinds {
		out = append(out, "kind="+string(k))
	}
	for _, s := range scopes {
		out = append(out, "namespace="+s)
	}
	for _, n := range names {
		out = append(out, "name="+n)
	}
	return out
}
