package ownergraph

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/queue"
)

// slice is how many units of bulk work one step does at most.
const slice = 256

// lowWater is how short the queue has to be before bulk work adds to it: the
// dependents of a large owner wait in its list, not in the queue.
const lowWater = 64

// fan has the dependents of an owner looked at, from the first on.
func (e *Engine) fan(id graph.NodeID) {
	e.fanOne(id)
	if c, ok := e.graph.Claim(id); ok {
		e.fanOne(c)
	}
}

func (e *Engine) fanOne(id graph.NodeID) {
	if e.graph.Fan(id) && !e.peek(id).fanning {
		e.mind(id).fanning = true
		e.fans = append(e.fans, id)
	}
}

// stepFans takes dependents of owners whose state has changed into the queue.
// One that waits for reads is looked at when they are over, and not for each of
// its owners.
func (e *Engine) stepFans() {
	for n := 0; n < slice && len(e.fans) > 0 && e.work.Ready() < lowWater; n++ {
		id := e.fans[0]
		if e.graph.InUse(id) && e.peek(id).fanning {
			if dep, ok := e.graph.FanNext(id); ok {
				if e.peek(dep).asked == 0 {
					e.work.Add(dep, queue.Low)
				}
				continue
			}
			e.mind(id).fanning = false
		}
		e.fans = pop(e.fans)
	}
}

// stepWakes takes whoever waited for a fence or a read into the queue, and
// with an owner its dependents.
func (e *Engine) stepWakes() {
	for n := 0; n < slice && len(e.wakes) > 0 && e.work.Ready() < lowWater; n++ {
		id := e.wakes[0]
		e.wakes = pop(e.wakes)
		if !e.graph.InUse(id) {
			continue
		}
		nd := e.graph.Node(id)
		e.work.Add(id, priority(nd))
		if nd.Waiting() || nd.Orphaning() {
			e.fan(id)
		}
	}
}

// line is a first-in, first-out list whose room is used again.
type line[T any] struct {
	items []T
	first int
}

func (l *line[T]) len() int { return len(l.items) - l.first }

// all returns the elements, the oldest first. They are the line's own.
func (l *line[T]) all() []T { return l.items[l.first:] }

func (l *line[T]) push(v *T) {
	if l.first > len(l.items)/2 && len(l.items) == cap(l.items) {
		n := copy(l.items, l.items[l.first:])
		clear(l.items[n:])
		l.items, l.first = l.items[:n], 0
	}
	l.items = append(l.items, *v)
}

// pop makes v the oldest element, if there is one.
func (l *line[T]) pop(v *T) bool {
	if l.len() == 0 {
		return false
	}
	var none T
	*v, l.items[l.first] = l.items[l.first], none
	if l.first++; l.first == len(l.items) {
		l.items, l.first = l.items[:0], 0
	}
	return true
}

func (l *line[T]) clone() line[T] { return line[T]{items: slices.Clone(l.all())} }

// pop drops the first element and gives the memory back at the end.
func pop[T any](s []T) []T {
	if len(s) == 1 {
		return nil
	}
	return s[1:]
}
