package storetest

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfVersions() []mutant {
	return []mutant{
		{name: "another propagation makes no version", law: "version/new", reason: "a marked object counts as done", plant: markedOnce},
		{name: "versions are ordered as text", law: versionOrdered, reason: "10 comes before 9", plant: func(_ TB, s Subject) Subject {
			s.Store = &comparing{Store: s.Store, compare: func(a, b ownergraph.Version) int { return strings.Compare(string(a), string(b)) }}
			return s
		}},
		{name: "progress comes first", law: "version/progress", reason: "the cursor is reported before its change", plant: early},
	}
}

// markedOnce shows a marked object in one version, with any propagation.
func markedOnce(tb TB, s Subject) Subject {
	var first guarded[map[string]ownergraph.Version]
	first.v = map[string]ownergraph.Version{}
	return renaming(func(n *renamed) {
		n.version = func(o ownergraph.Object) (v ownergraph.Version) {
			if !o.Deleting {
				return o.Version
			}
			v, o.Version = o.Version, ""
			o.Finalizers = slices.DeleteFunc(slices.Clone(o.Finalizers), func(f string) bool {
				return f == graph.FinalizerForeground || f == graph.FinalizerOrphan
			})
			first.with(func(m *map[string]ownergraph.Version) {
				if old, seen := (*m)[o.String()]; seen {
					v = old
				}
				(*m)[o.String()] = v
			})
			return v
		}
	})(tb, s)
}

// early reports the progress of an event before the event.
func early(_ TB, s Subject) Subject {
	s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
		in := newListings()
		return func(e ownergraph.Event, sink sinkFunc) error {
			if in.applyEvent(e); e.Type != graph.Put || !in.change(e) {
				return sink(e)
			}
			return sendAll(sink, ownergraph.Event{Type: graph.Progress, Kind: e.Object.Kind, Version: e.Object.Version}, e)
		}
	})
	return s
}
