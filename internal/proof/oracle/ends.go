package oracle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Ends returns every permitted end state of a store that begins with the objects.
// Users do the actions in the given order, at any time. The end states are the quiet
// states of all interleavings with the collector's steps. They have the form of
// Line, are sorted and distinct. The empty store is "".
//
// With Config.Strict it leaves out the interleavings in which the store refuses one of
// the actions. It returns no end state if the store has to refuse one in each of them.
//
//test:by TestStrictEnds
func Ends(start []graph.Object, actions []Action, cfg Config) []string {
	all, quiet := explore([]State{newState(start, cfg)}, cfg)
	for _, a := range actions {
		all, quiet = explore(apply(a, all, cfg), cfg)
	}
	return lines(quiet)
}

// EndsQuiet is Ends for actions that wait until the state is quiet and no write is
// under way. It is a subset of Ends, and often has one element.
//
//test:by TestLaws
func EndsQuiet(start []graph.Object, actions []Action, cfg Config) []string {
	_, quiet := explore([]State{newState(start, cfg)}, cfg)
	for _, a := range actions {
		_, quiet = explore(apply(a, quiet, cfg), cfg)
	}
	return lines(quiet)
}

// explore returns all states that the collector's steps reach, with the given ones.
// It also returns the quiet states, without steps under way. Every step removes a
// reference, a Block, a finalizer or an object, or sets a mark. So the search ends.
func explore(todo []State, cfg Config) (all, quiet []State) {
	seen := map[string]bool{}
	for len(todo) > 0 {
		s, still := todo[len(todo)-1].observe(cfg)
		todo = todo[:len(todo)-1]
		id := s.identity()
		if seen[id] {
			continue
		}
		seen[id] = true
		all = append(all, s)
		if still {
			quiet = append(quiet, s.forget())
		}
		for i, o := range s.objects {
			for _, f := range o.judged {
				if !f.Deleting || !s.stops(o.Object, cfg) { // W5
					todo = append(todo, s.step(i, f))
				}
			}
		}
	}
	return all, quiet
}

// observe adds the steps that the collector judges by this state to its earlier ones
// (J1). It returns true if the state is quiet.
func (s State) observe(cfg Config) (State, bool) {
	still := true
	s.objects = slices.Clone(s.objects)
	for i := range s.objects {
		for _, c := range cfg.all() {
			must := s.must(i, c)
			still = still && len(must) == 0
			for _, o := range append(must, s.may(i, c)...) {
				s.objects[i].judged = insert(s.objects[i].judged, newForm(o))
			}
		}
	}
	return s, still
}

func insert(forms []form, f form) []form {
	i, found := slices.BinarySearchFunc(forms, f, func(a, b form) int { return strings.Compare(a.text, b.text) })
	if found {
		return forms
	}
	return slices.Insert(slices.Clip(forms), i, f)
}

// step writes a step that the collector has judged.
func (s State) step(i int, f form) State {
	old := s.objects[i]
	s = s.write(i, f, false)
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
		b.WriteString(o.trail.String())
		b.WriteString("; ")
	}
	for _, uid := range s.spent {
		b.WriteString(strconv.Quote(string(uid)))
	}
	for _, key := range s.orphaned {
		b.WriteString("; ")
		b.WriteString(key.String())
	}
	for _, e := range s.entries {
		b.WriteString("; " + e.String())
	}
	return b.String()
}

// apply returns the states after the action, without those in which the store refuses it.
func apply(a Action, states []State, cfg Config) []State {
	out := make([]State, 0, len(states))
	for _, s := range states {
		if cfg.Strict && a.Refused(s) {
			continue
		}
		s, _ = a.Apply(s)
		out = append(out, s)
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
