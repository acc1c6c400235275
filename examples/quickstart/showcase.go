package main

import (
	"github.com/ownergraph/ownergraph/graph"
)

// step is one deletion of the example.
type step struct {
	target      target
	propagation graph.Propagation
}

// showcase is what the example deletes without being told: one Deployment with
// each propagation. They have several ReplicaSets each and share nothing, so
// that no step changes what another leaves behind. Held by TestShowcase.
func showcase() []step {
	deployment := func(scope, name string) target {
		return target{kind: "Deployment", group: "apps", grouped: true, scope: scope, name: name}
	}
	return []step{
		{deployment("shop", "frontend"), graph.Background},
		{deployment("shop", "search"), graph.Foreground},
		{deployment("payments", "checkout"), graph.Orphan},
	}
}

// deletion is a step whose target was found.
type deletion struct {
	key         graph.Key
	propagation graph.Propagation
}

// plan finds the objects that opts is about: one to draw, those to delete, or
// none where a file of the user's is only to be looked at. The errors are
// find's.
func (c cluster) plan(opts options) ([]deletion, error) {
	var steps []step
	switch {
	case opts.tree != nil:
		steps = []step{{target: *opts.tree}}
	case opts.delete != nil:
		steps = []step{{*opts.delete, opts.propagation}}
	case opts.file == "":
		steps = showcase()
	}
	var todo []deletion
	for _, s := range steps {
		o, err := c.find(s.target)
		if err != nil {
			return nil, err
		}
		todo = append(todo, deletion{o.Key, s.propagation})
	}
	return todo, nil
}

// String says what the deletion does.
func (d deletion) String() string {
	switch d.propagation {
	case graph.Foreground:
		return "delete " + spell(d.key) + " in the foreground"
	case graph.Orphan:
		return "delete " + spell(d.key) + " and orphan its dependents"
	}
	return "delete " + spell(d.key) + " in the background"
}
