package follow

import "github.com/ownergraph/ownergraph/graph"

// Followers are the followers of an engine. Each method gives all of them the same fact.
type Followers []*Follower

// Observe shows a change of the graph to the followers.
func (l Followers) Observe(v View, d *graph.Delta) {
	for _, f := range l {
		f.Observe(v, d)
	}
}

// Ending makes the followers look at an object that is about to go.
func (l Followers) Ending(v View, k graph.Key) {
	for _, f := range l {
		f.Ending(v, k)
	}
}

// Held makes the followers look at an object that is held, or is no longer held.
func (l Followers) Held(v View, id graph.NodeID) {
	for _, f := range l {
		f.Held(v, id)
	}
}

// Rewind tells the followers of a rewind.
func (l Followers) Rewind() {
	for _, f := range l {
		f.Rewind()
	}
}

// Check verifies the invariants of each follower.
func (l Followers) Check(v View) error {
	for _, f := range l {
		if err := f.Check(v); err != nil {
			return err
		}
	}
	return nil
}
