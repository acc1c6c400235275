package follow

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// maxClimb bounds the owners that Ending looks at.
const maxClimb = 1024

// Ending takes the key of an object that is about to go. While the first walk is under way,
// the object may hang below the root and be no member yet. Afterwards its owners are
// unknown. So Ending climbs from the object to the root. With more than 1,024 objects on
// the way it takes the object for a member.
//
//test:by TestGoneDuringWalk
func (f *Follower) Ending(v View, k graph.Key) {
	f.ending, f.holder, f.content = 0, false, graph.Content{}
	n, ok := v.Graph.Lookup(k)
	if ok {
		f.content, f.finalizer = n.Inside(inside.Key{}).Content(), n.Inside(inside.Key{}).Container().Finalizer != ""
	}
	f.holder = ok && v.Sweeps.Any() && v.Sweeps.IsHolder(n.ID())
	if !ok || n.State() != graph.Observed || f.set.has(n.ID()) || f.scan == 0 && f.set.isDone(&v) {
		return
	}
	f.climb(&v, n.ID())
}

// climb notes that a node is about to go, if a way leads from it to a member.
func (f *Follower) climb(v *View, id graph.NodeID) {
	todo, seen, total := []graph.NodeID{id}, map[graph.NodeID]bool{id: true}, 0
	for at := 0; at < len(todo); at++ {
		n := v.Graph.Node(todo[at])
		_, ok := f.set.support(v, n)
		before, cost := f.wentBefore(v, n.ID())
		if total += cost - 1; ok || before || len(todo)+total > maxClimb {
			f.ending = id
			return
		}
		up := func(id graph.NodeID) {
			if !seen[id] {
				seen[id] = true
				todo = append(todo, id)
			}
		}
		for _, o := range n.OwnerNodes() {
			if f.set.owns(v, o, n) {
				up(o.ID())
			}
			if o.Inside(inside.Key{}).ByUID() {
				for _, id := range o.Inside(inside.Key{}).SameUID() {
					if f.set.owns(v, v.Graph.Node(id), n) {
						up(id)
					}
				}
			}
		}
		for _, id := range n.Inside(inside.Key{}).Containers() {
			up(id)
		}
		if v.Sweeps.Any() && n.State() == graph.Observed {
			for _, h := range v.Sweeps.HoldersOf(v.View, n.ID()) {
				up(h)
			}
		}
	}
}

// Observe takes a change of the graph. The delta's nodes may have left the graph.
//
//test:by TestRecount
func (f *Follower) Observe(v View, d *graph.Delta) {
	if f.search != nil {
		f.search.look(&v, d.Node)
		for _, id := range d.Added {
			f.search.look(&v, id)
		}
	}
	f.lookAdded(&v, d)
	switch {
	case d.Node == 0:
	case d.Gone:
		f.end(&v, d)
	case d.Observed || d.Version && !d.Alike:
		f.look(&v, d)
	}
	if f.ending = 0; d.Mark || d.Observed || d.Gone || len(d.Owners) > 0 {
		f.countReferences(&v)
	}
	for _, x := range d.Freed {
		for _, m := range f.sets() {
			m.forget(x.ID)
		}
	}
}

// lookAdded takes the nodes that references name anew. One may stand for a member that is
// gone.
func (f *Follower) lookAdded(v *View, d *graph.Delta) {
	for _, id := range d.Added {
		if len(f.past.keys)+len(f.origins.keys) == 0 || !v.InUse(id) {
			continue
		}
		if !f.past.has(v.Graph.Node(id).Key()) {
			f.joinGone(v, id)
			continue
		}
		for _, m := range f.sets() {
			m.anchor(id)
		}
	}
}

// end counts a member that is gone. Its dependents stay members.
func (f *Follower) end(v *View, d *graph.Delta) {
	member := d.Node == f.ending
	for _, m := range f.sets() {
		member = member || m.has(d.Node)
	}
	if !member {
		return
	}
	var key graph.Key
	if v.InUse(d.Node) {
		key = v.Graph.Node(d.Node).Key()
	}
	for _, x := range d.Freed {
		if x.ID == d.Node {
			key = x.Key
		}
	}
	f.gone++
	f.changed = true
	f.past.add(key, true)
	f.anchor(v, key)
	f.leaveContent(v)
	f.set.suspect = f.set.suspect || f.holder // its members stay, unless a sweep goes on without it
}

// leaveContent asks for a visit of the members that a container leaves to its actor. A container
// with the actor's finalizer leaves none: one that is there all the same is no longer a member.
func (f *Follower) leaveContent(v *View) {
	if f.content.Name == "" || f.past.contents[f.content] {
		return
	}
	var c graph.Cursor
	c.StartContent(v.Graph, f.content)
	if _, some := c.Next(v.Graph); f.finalizer {
		f.set.suspect = f.set.suspect || some
		return
	}
	f.past.contents[f.content] = true
	for _, m := range f.sets() {
		m.contents = append(m.contents, f.content)
	}
}

// look takes the new state of an observed object.
func (f *Follower) look(v *View, d *graph.Delta) {
	if !v.InUse(d.Node) {
		return
	}
	n := v.Graph.Node(d.Node)
	if d.Observed {
		key := n.Key()
		if back := f.past.has(key); back || f.isRoot(key) {
			f.changed = true
			for _, m := range f.sets() {
				m.leave(v, d.Node)
			}
			if back {
				f.restore(v, key)
			}
		}
		if f.isRoot(key) {
			for _, m := range f.sets() {
				m.add(v, d.Node, 0)
			}
			return
		}
	}
	f.changed = f.changed || d.Mark && f.isRoot(n.Key())
	for _, m := range f.sets() {
		_, changed := m.review(v, d.Node)
		f.changed = f.changed || changed
	}
}

// restore takes back that an object is gone: the history of the store went backwards.
func (f *Follower) restore(v *View, k graph.Key) {
	if f.past.remove(k) {
		f.gone--
	}
	if n, ok := v.Graph.Lookup(k); ok && f.past.contents[n.Inside(inside.Key{}).Content()] {
		delete(f.past.contents, n.Inside(inside.Key{}).Content())
		f.set.suspect = true
	}
	if n, ok := v.Graph.Lookup(claim(k.UID)); ok {
		for _, m := range f.sets() {
			m.leave(v, n.ID())
		}
	}
}

// Held takes the outcome of a decision about a node: it is held, or is no longer held.
func (f *Follower) Held(v View, id graph.NodeID) {
	for _, m := range f.sets() {
		is, _, ok := m.place(id)
		if !ok || is == gone || !v.InUse(id) || v.Graph.Node(id).State() != graph.Observed {
			continue
		}
		if c := classOf(&v, id); c != is {
			m.move(id, c)
			f.changed = true
		}
	}
}

// Rewind asks for a new walk over the members: the history of the store went backwards. An object
// that was gone and comes back is no longer gone.
func (f *Follower) Rewind() {
	f.set.suspect, f.changed = true, true
	f.references.dropped = 0
}
