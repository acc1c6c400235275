package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// errAmbiguous says that several objects match a target.
var errAmbiguous = errors.New("ambiguous")

// target names an object as a user types it. Scope "" means any scope.
type target struct {
	kind    string // in upper or lower case, singular or plural
	group   string
	grouped bool // the user typed a group; "" is then the core group
	scope   string
	name    string
}

// parseTarget reads KIND[.GROUP]/[SCOPE/]NAME. "Event." is the kind Event of the core
// group only. An error is an error of usage.
func parseTarget(s string) (target, error) {
	parts := strings.Split(s, "/")
	if len(parts) < 2 || len(parts) > 3 {
		return target{}, fmt.Errorf("parse object %q: want KIND[.GROUP]/[SCOPE/]NAME", s)
	}
	var t target
	t.kind, t.group, t.grouped = strings.Cut(parts[0], ".")
	t.name = parts[len(parts)-1]
	if len(parts) == 3 {
		t.scope = parts[1]
		if t.scope == "" {
			return target{}, fmt.Errorf("parse object %q: the scope is empty: leave out its slash too", s)
		}
	}
	if t.kind == "" || t.name == "" {
		return target{}, fmt.Errorf("parse object %q: kind or name is empty: want KIND[.GROUP]/[SCOPE/]NAME", s)
	}
	return t, nil
}

// String returns the input of parseTarget.
func (t target) String() string {
	s := t.kind
	if t.grouped {
		s += "." + t.group
	}
	if t.scope != "" {
		s += "/" + t.scope
	}
	return s + "/" + t.name
}

// find returns the one object that t names. Its errors wrap graph.ErrNotFound and name
// similar objects, or wrap errAmbiguous and name the candidates.
func (c cluster) find(t target) (graph.Object, error) {
	kinds := c.kindsOf(t)
	var found []graph.Object
	for _, o := range c.objects {
		if kinds[o.Kind] && o.Name == t.name && (t.scope == "" || t.scope == o.Scope) {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return graph.Object{}, fmt.Errorf("find %s: %w: %s", clip(t.String()), graph.ErrNotFound, c.near(t, kinds))
	}
	return graph.Object{}, fmt.Errorf("find %s: %w: %s", clip(t.String()), errAmbiguous, enumerate(found))
}

// kindsOf returns the kinds that t may mean: the kinds with the typed name, or else
// those with the typed plural.
func (c cluster) kindsOf(t target) map[graph.Kind]bool {
	for _, form := range []func(string) string{strings.ToLower, plural} {
		kinds := make(map[graph.Kind]bool)
		for _, info := range c.kinds {
			group, name := splitKind(info.Kind)
			if form(name) == strings.ToLower(t.kind) && (!t.grouped || strings.EqualFold(group, t.group)) {
				kinds[info.Kind] = true
			}
		}
		if len(kinds) > 0 {
			return kinds
		}
	}
	return nil
}

// near returns the reason why t was not found, with the most similar objects. First
// come objects of the kind and name in another scope. Then come objects of the name in
// another kind, and objects of the kind with the same prefix. Last come objects of the
// name anywhere.
func (c cluster) near(t target, kinds map[graph.Kind]bool) string {
	var ranks [3][]graph.Object
	for _, o := range c.objects {
		inScope := t.scope == "" || t.scope == o.Scope
		switch sameName := strings.EqualFold(o.Name, t.name); {
		case sameName && kinds[o.Kind]:
			ranks[0] = append(ranks[0], o)
		case inScope && (sameName || kinds[o.Kind] && strings.HasPrefix(o.Name, t.name)):
			ranks[1] = append(ranks[1], o)
		case sameName:
			ranks[2] = append(ranks[2], o)
		}
	}
	cause := "no such object"
	if len(kinds) == 0 {
		cause = "no object of that kind"
	}
	for _, closest := range ranks {
		if len(closest) > 0 {
			return cause + ", but there is " + enumerate(closest)
		}
	}
	return cause
}
