package oracle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Ends returns every end state that is permitted for a store that begins with
// these objects while users do these actions, in this order, at any time: the
// quiet states of all interleavings with the collector's steps. They have the
// form of Line, sorted, each once; "" is the empty store.
func Ends(start []graph.Object, actions []Action, cfg Config) []string {
	all, quiet := explore([]State{NewState(start)}, cfg)
	for _, a := range actions {
		all, quiet = explore(apply(a, all), cfg)
	}
	return lines(quiet)
}

// EndsQuiet is Ends where every action waits until the state is quiet and no
// write is under way. It is a subset, and often has one element. Held by
// TestLaws.
func EndsQuiet(start []graph.Object, actions []Action, cfg Config) []string {
	_, quiet := explore([]State{NewState(start)}, cfg)
	for _, a := range actions {
		_, quiet = explore(apply(a, quiet), cfg)
	}
	return lines(quiet)
}

// explore returns all states that steps of the collector lead to, the given
// ones among them; and those that are quiet, with no step under way. Every step
// removes a reference, a Block, a finalizer or an object, or sets a mark, so
// there is an end.
func explore(todo []State, cfg Config) (all, quiet []State) {
	seen := map[string]bool{}
	for len(todo) > 0 {
		s, settled := todo[len(todo)-1].observe(cfg)
		todo = todo[:len(todo)-1]
		id := s.identity()
		if seen[id] {
			continue
		}
		seen[id] = true
		all = append(all, s)
		if settled {
			quiet = append(quiet, s.forget())
		}
		for i, o := range s.objects {
			for _, f := range o.judged {
				todo = append(todo, s.step(i, f))
			}
		}
	}
	return all, quiet
}

// observe adds what the collector judges by this state to what it judged before
// (J1), and reports whether it has nothing left that it has to do.
func (s State) observe(cfg Config) (State, bool) {
	settled := true
	s.objects = slices.Clone(s.objects)
	for i := range s.objects {
		must := s.must(i, cfg)
		settled = settled && len(must) == 0
		for _, o := range append(must, s.may(i, cfg)...) {
			s.objects[i].judged = insert(s.objects[i].judged, newForm(o))
		}
	}
	return s, settled
}

func insert(forms []form, f form) []form {
	i, found := slices.BinarySearchFunc(forms, f, func(a, b form) int { return strings.Compare(a.text, b.text) })
	if found {
		return forms
	}
	return slices.Insert(slices.Clip(forms), i, f)
}

// step lets the collector write what it judged.
func (s State) step(i int, f form) State {
	old := s.objects[i]
	s = s.write(i, f)
	if !old.Orphaning() || f.Orphaning() {
		return s
	}
	if at, found := slices.BinarySearchFunc(s.orphaned, old.Key, graph.Key.Compare); !found {
		s.orphaned = slices.Insert(slices.Clone(s.orphaned), at, old.Key)
	}
	return s
}

// forget returns the state with no write under way.
func (s State) forget() State {
	s.objects = slices.Clone(s.objects)
	for i := range s.objects {
		s.objects[i].judged = nil
	}
	return s
}

// identity is equal for equal states.
func (s State) identity() string {
	var b strings.Builder
	for _, o := range s.objects {
		b.WriteString(o.text)
		for _, f := range o.judged {
			b.WriteString(" | ")
			b.WriteString(f.text)
		}
		b.WriteString("; ")
	}
	for _, uid := range s.spent {
		b.WriteString(strconv.Quote(string(uid)))
	}
	for _, key := range s.orphaned {
		b.WriteString("; ")
		b.WriteString(key.String())
	}
	return b.String()
}

func apply(a Action, states []State) []State {
	out := make([]State, len(states))
	for i, s := range states {
		out[i], _ = a.Apply(s)
	}
	return out
}

func lines(states []State) []string {
	out := make([]string, len(states))
	for i, s := range states {
		out[i] = s.String()
	}
	slices.Sort(out)
	return slices.Compact(out)
}
