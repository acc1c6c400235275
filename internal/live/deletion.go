package live

import (
	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// Deletion is the deletion of one object. It is a value.
type Deletion struct {
	Key         graph.Key
	Propagation graph.Propagation
}

// String describes the deletion.
func (d Deletion) String() string {
	switch d.Propagation {
	case graph.Foreground:
		return "delete " + d.Key.Text() + " in the foreground"
	case graph.Orphan:
		return "delete " + d.Key.Text() + " and orphan its dependents"
	}
	return "delete " + d.Key.Text() + " in the background"
}

// maxGone returns the maximum number of objects that the deletion removes, including
// its own object. It counts all objects below it, and the members of containers. An orphan
// deletion removes only its own object, unless that is a container.
func (d Deletion) maxGone(c *containers, objects []graph.Object) int {
	if d.Propagation == graph.Orphan && !c.is(d.Key) {
		return min(len(c.below(objects, d.Key)), 1)
	}
	return len(c.below(objects, d.Key))
}

// Step is a deletion that a user asks for. It is a value.
type Step struct {
	Target      spell.Target
	Propagation graph.Propagation
}

// Find returns the deletions of the objects that the steps name. The errors are those of
// spell.Find.
func Find(c dump.Content, steps []Step) (todo []Deletion, err error) {
	for _, s := range steps {
		o, err := spell.Find(c.Objects, s.Target)
		if err != nil {
			return nil, err
		}
		todo = append(todo, Deletion{o.Key, s.Propagation})
	}
	return todo, nil
}
