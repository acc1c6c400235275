package ownergraph

import (
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// ringEvery is how long a search for rings is put off while anything is on its
// way: a healthy cascade, however deep, is over without one.
const ringEvery = 10 * time.Second

// rings finds foreground deletions that wait for themselves. A ring is
// suspected when a waiting object is held by dependents and waits for a waiting
// owner; the search for it begins when there is nothing else to do. What it
// finds is broken only if every member still has the same version when a fence
// has passed that began afterwards.
type rings struct {
	suspects []graph.NodeID // not searched yet
	search   *graph.RingSearch
	searched []graph.NodeID // what the search began with
	due      time.Time      // when it begins even if other work is on its way
	found    map[int32]ring
	lastID   int32
}

type ring struct {
	seen    policy.Stamp
	first   graph.NodeID // the member that is looked at when a fence has passed
	members []graph.NodeID
}

// suspectRing notes a waiting node that is held by dependents. One that is in a
// ring which no fence has confirmed yet goes on waiting for one.
func (e *Engine) suspectRing(id graph.NodeID) {
	n, m := e.graph.Node(id), e.edit(id)
	if r, ok := e.ringOf(id); ok {
		if r.first == id && e.fence.Passed() <= r.seen {
			e.fence.Want(r.seen, e.now)
			e.fence.Await(id, e.edit(id))
		}
		return
	}
	if m.Suspect || !n.Waiting() {
		return
	}
	for i := range n.Owners() {
		o := e.ownerID(id, i)
		if o != 0 && o != id && n.OwnerAt(i).Block && e.graph.Node(o).Waiting() {
			e.suspect(id)
			return
		}
	}
}

// suspect has nodes searched for rings, each of them once.
func (e *Engine) suspect(ids ...graph.NodeID) {
	r := &e.rings
	for _, id := range ids {
		if !e.graph.InUse(id) || e.state(id).Suspect {
			continue
		}
		if len(r.suspects) == 0 {
			r.due = e.now.Add(ringEvery)
		}
		e.edit(id).Suspect = true
		r.suspects = append(r.suspects, id)
	}
}

// breakSearch begins a search that is under way anew: something that waits has
// changed. What does not wait, whether it comes, changes or goes, is not in its way.
func (e *Engine) breakSearch() {
	if r := &e.rings; r.search != nil {
		e.suspect(r.searched...)
		r.search, r.searched = nil, nil
	}
}

// breakRing takes a change of a node into account: a ring that it is in counts
// no more.
func (e *Engine) breakRing(id graph.NodeID) {
	if at := e.state(id).Cycle; at != 0 {
		e.breakRingAt(at)
		e.edit(id).Cycle = 0
	}
}

func (e *Engine) breakRingAt(at int32) {
	if at != 0 {
		e.suspect(e.rings.found[at].members...)
		delete(e.rings.found, at)
	}
}

// breakRings lets no ring count that was found until now, nor what a search that
// is under way has seen.
func (e *Engine) breakRings() {
	for _, at := range slices.Sorted(maps.Keys(e.rings.found)) {
		e.breakRing(e.rings.found[at].first)
	}
	e.breakSearch()
}

// ringOf returns the ring that a node is in, if it still counts.
func (e *Engine) ringOf(id graph.NodeID) (ring, bool) {
	r, ok := e.rings.found[e.state(id).Cycle]
	return r, ok
}

// ringOwners returns the references of a waiting node that stay inside of its
// ring, if a fence has confirmed the ring.
func (e *Engine) ringOwners(id graph.NodeID) []int {
	r, ok := e.ringOf(id)
	if !ok || max(e.fence.Passed(), e.released()) <= r.seen {
		return nil
	}
	var in []int
	n := e.graph.Node(id)
	for i := range n.Owners() {
		o := e.ownerID(id, i)
		if o != id && n.OwnerAt(i).Block && e.state(o).Cycle == e.state(id).Cycle {
			in = append(in, i)
		}
	}
	return in
}

// ringsDue reports whether a search has to begin: there are suspects, and
// nothing is on its way that may yet show that they are none.
func (e *Engine) ringsDue() bool {
	r, f := &e.rings, &e.fence
	if len(r.suspects) == 0 || r.search != nil {
		return false
	}
	quiet := len(e.flights) == 0 && e.awaits.len() == 0 && !f.Under() && !f.Wanted()
	return quiet || !e.now.Before(r.due)
}

// beginRings begins a search with the suspects that still wait.
func (e *Engine) beginRings() {
	r := &e.rings
	r.searched = slices.DeleteFunc(r.suspects, func(id graph.NodeID) bool {
		if !e.graph.InUse(id) {
			return true
		}
		e.edit(id).Suspect = false
		return !e.graph.Node(id).Waiting()
	})
	r.suspects = nil
	r.search = graph.NewRingSearch(r.searched)
}

// stepRings begins a search or goes on with it. It reports whether it had
// anything to do.
func (e *Engine) stepRings() bool {
	r := &e.rings
	if e.ringsDue() {
		e.beginRings()
	}
	if r.search == nil {
		return false
	}
	if r.search.Step(e.graph, slice) {
		found := r.search.Rings()
		r.search, r.searched = nil, nil
		for _, members := range found {
			e.keepRing(members)
		}
	}
	return true
}

// keepRing notes a ring. One member is looked at when the fence has passed:
// each reference that is unblocked changes the ring.
func (e *Engine) keepRing(members []graph.NodeID) {
	r := &e.rings
	if r.found == nil {
		r.found = map[int32]ring{}
	}
	r.lastID++
	first := members[0]
	e.counts.Rings++
	for _, id := range members {
		delete(r.found, e.state(id).Cycle) // it stands for what was seen before
		e.edit(id).Cycle = r.lastID
		if e.graph.Node(id).Key().Compare(e.graph.Node(first).Key()) < 0 {
			first = id
		}
	}
	r.found[r.lastID] = ring{e.seq.Stamp(), first, members}
	e.suspectRing(first)
	if e.level < Level2 {
		e.wakeFence()
	}
}

func (r *rings) clone() rings {
	c := *r
	c.suspects, c.searched = slices.Clone(r.suspects), slices.Clone(r.searched)
	if r.search != nil { // a search reads the graph: the copy begins its own anew
		c.suspects, c.searched, c.search = append(c.suspects, c.searched...), nil, nil
	}
	c.found = maps.Clone(r.found)
	return c
}
