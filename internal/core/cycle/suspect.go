package cycle

import (
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Blocked notes that dependents hold a waiting node. The node is a suspect if it waits
// for a waiting owner, too. The first node of a found cycle asks for a fence until one
// has passed that began after the discovery.
func (d *Detector) Blocked(v record.Nodes, id graph.NodeID, now time.Time, passed seq.Stamp, out *effect.List) {
	if c, ok := d.of(v, id); ok {
		if c.first == id && passed <= c.seen {
			out.WantFence(c.seen)
			out.AwaitFence(id)
		}
		return
	}
	d.Suspect(v, id, now)
}

// Suspect notes a waiting node that dependents hold, if it waits for a waiting owner. It asks for no
// fence. A node of another share may close the ring of an own one.
func (d *Detector) Suspect(v record.Nodes, id graph.NodeID, now time.Time) {
	n := v.Node(id)
	if _, found := d.of(v, id); found || v.State(id).Suspect || !n.Waiting() {
		return
	}
	for i := range n.Owners() {
		o := v.OwnerID(id, i)
		if o != 0 && o != id && n.OwnerAt(i).Block && v.Node(o).Waiting() {
			d.suspect(v, now, id)
			return
		}
	}
}

// suspect notes a node for the next search, once.
func (d *Detector) suspect(v record.Nodes, now time.Time, id graph.NodeID) {
	if !v.State(id).Suspect {
		v.Edit(id).Suspect = true
		d.again(now, id)
	}
}

// again makes the next search begin with the nodes. It looks at none of them, since there may
// be many, so a suspect may be there twice.
func (d *Detector) again(now time.Time, ids ...graph.NodeID) {
	if len(d.suspects) == 0 {
		d.due = now.Add(Delay)
	}
	d.suspects = append(d.suspects, ids...)
}

// Changed notes that a node has changed: its cycle no longer counts.
func (d *Detector) Changed(v record.Nodes, id graph.NodeID, now time.Time) {
	if number := v.State(id).Cycle; number != 0 {
		d.Drop(number, now)
		v.Edit(id).Cycle = 0
	}
}

// Drop forgets the cycle with a number, 0 for none. A member has changed or left the
// graph. The others are suspects again.
func (d *Detector) Drop(number int32, now time.Time) {
	if c, ok := d.found[number]; ok {
		d.again(now, c.members...)
		delete(d.found, number)
	}
}

// Restart begins the search under way anew, because a waiting node has changed. Other
// nodes may come, change and go during a search.
func (d *Detector) Restart(now time.Time) {
	if d.search != nil {
		d.again(now, d.searched...)
		d.search, d.searched, d.rest = nil, nil, nil
	}
}

// Reset forgets all cycles found so far, and restarts the search under way. The evidence
// may be of a former history.
func (d *Detector) Reset(v record.Nodes, now time.Time) {
	for _, number := range slices.Sorted(maps.Keys(d.found)) {
		d.Changed(v, d.found[number].first, now)
	}
	d.Restart(now)
}
