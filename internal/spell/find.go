package spell

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// ErrAmbiguous says that several objects match a target.
var ErrAmbiguous = errors.New("ambiguous")

// Target names an object as a user types it. Scope "" means any scope. It is a comparable
// value.
type Target struct {
	Kind    string // in upper or lower case, singular or plural
	Group   string
	Grouped bool // the user typed a group; "" is then the core group
	Scope   string
	Name    string

	place graph.Key // exact, in place of all others
}

// ParseTarget reads KIND[.GROUP]/[SCOPE/]NAME. "Event." is the kind Event of the core
// group only. Text with a double quote is the exact text of graph.Key.PlaceString. An error
// is an error of usage.
//
//test:by TestFind TestFindOddNames TestParseTargetErrors
func ParseTarget(s string) (Target, error) {
	if strings.Contains(s, `"`) {
		place, err := graph.ParsePlace(s)
		if err != nil {
			return Target{}, fmt.Errorf("parse object %s: %w", Clip(s), err)
		}
		return Target{place: place}, nil
	}
	parts := strings.Split(s, "/")
	if len(parts) < 2 || len(parts) > 3 {
		return Target{}, fmt.Errorf("parse object %q: want KIND[.GROUP]/[SCOPE/]NAME", s)
	}
	var t Target
	t.Kind, t.Group, t.Grouped = strings.Cut(parts[0], ".")
	t.Name = parts[len(parts)-1]
	if len(parts) == 3 {
		t.Scope = parts[1]
		if t.Scope == "" {
			return Target{}, fmt.Errorf("parse object %q: the scope is empty: leave out its slash too", s)
		}
	}
	if t.Kind == "" || t.Name == "" {
		return Target{}, fmt.Errorf("parse object %q: kind or name is empty: want KIND[.GROUP]/[SCOPE/]NAME", s)
	}
	return t, nil
}

// String returns the input of ParseTarget.
func (t Target) String() string {
	if t.place != (graph.Key{}) {
		return t.place.PlaceString()
	}
	s := t.Kind
	if t.Grouped {
		s += "." + t.Group
	}
	if t.Scope != "" {
		s += "/" + t.Scope
	}
	return s + "/" + t.Name
}

// Find returns the one object that t names. Its errors wrap graph.ErrNotFound and name
// similar objects, or wrap ErrAmbiguous and name the candidates.
//
//test:by TestFind TestFindErrors TestEverySpellingIsFound
func Find(objects []graph.Object, t Target) (graph.Object, error) {
	if t.place != (graph.Key{}) {
		return findPlace(objects, t.place)
	}
	kinds := kindsOf(objects, t)
	var found []graph.Object
	for _, o := range objects {
		if kinds[o.Kind] && o.Name == t.Name && (t.Scope == "" || t.Scope == o.Scope) {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return graph.Object{}, fmt.Errorf("find %s: %w: %s", Clip(t.String()), graph.ErrNotFound, near(objects, t, kinds))
	}
	return graph.Object{}, fmt.Errorf("find %s: %w: %s", Clip(t.String()), ErrAmbiguous, List(found))
}

func findPlace(objects []graph.Object, place graph.Key) (graph.Object, error) {
	for _, o := range objects {
		if o.Place() == place {
			return o, nil
		}
	}
	return graph.Object{}, fmt.Errorf("find %s: %w: no such object", Clip(place.PlaceString()), graph.ErrNotFound)
}

// kindsOf returns the kinds that t may mean: the kinds with the typed name, or else
// those with the typed plural, or else the one with the typed short name.
func kindsOf(objects []graph.Object, t Target) map[graph.Kind]bool {
	all := make(map[graph.Kind]bool)
	for _, o := range objects {
		all[o.Kind] = true
	}
	for _, form := range []func(string) string{strings.ToLower, Plural} {
		kinds := make(map[graph.Kind]bool)
		for kind := range all {
			group, name := Split(kind)
			if t.Grouped && string(kind) == t.Kind+"."+t.Group { // a dot in the name of the kind
				kinds[kind] = true
			}
			if form(name) == strings.ToLower(t.Kind) && (!t.Grouped || strings.EqualFold(group, t.Group)) {
				kinds[kind] = true
			}
		}
		if len(kinds) > 0 {
			return kinds
		}
	}
	if k := kindOfShort(t.Kind); k != "" && !t.Grouped && all[k] {
		return map[graph.Kind]bool{k: true}
	}
	return nil
}

// near returns the reason why t was not found, with the most similar objects. First
// come objects of the kind and name in another scope. Then come objects of the name in
// another kind, and objects of the kind with the same prefix. Last come objects of the
// name anywhere.
func near(objects []graph.Object, t Target, kinds map[graph.Kind]bool) string {
	var ranks [3][]graph.Object
	for _, o := range objects {
		inScope := t.Scope == "" || t.Scope == o.Scope
		switch sameName := strings.EqualFold(o.Name, t.Name); {
		case sameName && kinds[o.Kind]:
			ranks[0] = append(ranks[0], o)
		case inScope && (sameName || kinds[o.Kind] && isNear(o.Name, t.Name)):
			ranks[1] = append(ranks[1], o)
		case sameName:
			ranks[2] = append(ranks[2], o)
		}
	}
	cause := "no such object"
	if len(kinds) == 0 {
		cause = "no object of that kind" + similarKinds(objects, t)
	}
	for _, closest := range ranks {
		if len(closest) > 0 {
			return cause + ", but there is " + List(closest)
		}
	}
	return cause
}

// similarKinds names the kinds that a misspelt one may mean, or returns "".
func similarKinds(objects []graph.Object, t Target) string {
	names := map[string]bool{}
	for i := range objects {
		names[objects[i].Kind.Text()] = true
	}
	short := map[string]string{} // by the part that the user may have typed
	var among []string
	for full := range names {
		name, _, _ := strings.Cut(full, ".")
		short[name] = full
		among = append(among, name, Plural(name))
		short[Plural(name)] = full
	}
	var list []string
	for _, name := range Similar(t.Kind, among) {
		list = append(list, short[name])
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) == 0 {
		return ""
	}
	return " (do you mean the kind " + Some(list) + "?)"
}

// isNear reports whether a name begins with the typed one, or differs by a letter or two.
func isNear(name, typed string) bool {
	return strings.HasPrefix(name, typed) || len(Similar(typed, []string{name})) > 0
}
