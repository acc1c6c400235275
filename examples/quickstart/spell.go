package main

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// maxNamed bounds the names of one sort in a line.
const maxNamed = 5

// plural returns the plural of a kind, in lower case, by simple rules.
func plural(kind string) string {
	s := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(s, "s"), strings.HasSuffix(s, "x"), strings.HasSuffix(s, "ch"):
		return s + "es"
	case strings.HasSuffix(s, "y") && !strings.HasSuffix(s, "ey") && !strings.HasSuffix(s, "ay"):
		return s[:len(s)-1] + "ies"
	}
	return s + "s"
}

// numbered returns "1 read", "2 reads".
func numbered(n uint64, noun string) string {
	if n != 1 {
		noun = plural(noun)
	}
	return fmt.Sprint(n, " ", noun)
}

func splitKind(k graph.Kind) (group, name string) {
	if group, name, ok := strings.Cut(string(k), "/"); ok {
		return group, name
	}
	return "", string(k)
}

// spellKind returns KIND[.GROUP].
func spellKind(k graph.Kind) string {
	group, name := splitKind(k)
	if group == "" {
		return name
	}
	return name + "." + group
}

// spell returns a key in the form that parseTarget reads.
func spell(k graph.Key) string {
	if k.Scope == "" {
		return spellKind(k.Kind) + "/" + k.Name
	}
	return spellKind(k.Kind) + "/" + k.Scope + "/" + k.Name
}

// enumerate names some of the objects, in a form that the user can type.
func enumerate(objects []graph.Object) string {
	first := make(map[string]graph.Kind) // kind by its name without group
	clash := false
	for _, o := range objects {
		_, name := splitKind(o.Kind)
		if kind, ok := first[name]; ok && kind != o.Kind {
			clash = true
		}
		first[name] = o.Kind
	}
	var names []string
	for _, o := range objects {
		s := spell(o.Key)
		if group, name := splitKind(o.Kind); clash && group == "" {
			s = name + "." + strings.TrimPrefix(s, name)
		}
		names = append(names, s)
	}
	return joinSome(names)
}

// joinSome joins the first names of list and counts the others.
func joinSome(list []string) string {
	if rest := len(list) - maxNamed; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:maxNamed], ", "), rest)
	}
	return strings.Join(list, ", ")
}
