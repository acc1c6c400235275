package main

import (
	"github.com/ownergraph/ownergraph/graph"
)

// step is one deletion of the example.
type step struct {
	target      target
	propagation graph.Propagation
}

// showcase returns the default deletions of the example: one Deployment with each
// propagation. Each has several ReplicaSets. They share no object, so no step changes
// the result of another.
//
// Held by TestShowcase.
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

// deletion is a step with its object.
type deletion struct {
	key         graph.Key
	propagation graph.Propagation
}

// plan finds the objects of opts: one to draw, or the ones to delete. There are none if
// the user only wants to see the start of a file. The errors are those of find.
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

// String describes the deletion.
func (d deletion) String() string {
	switch d.propagation {
	case graph.Foreground:
		return "delete " + spell(d.key) + " in the foreground"
	case graph.Orphan:
		return "delete " + spell(d.key) + " and orphan its dependents"
	}
	return "delete " + spell(d.key) + " in the background"
}
