package cycle

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Delay is the longest wait for a quiet engine before a search begins. A healthy
// cascade of any depth ends without a search.
const Delay = 10 * time.Second

// Detector finds cycles of waiting objects. The zero value is ready. A Detector is not
// safe for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. a node with State.Suspect is among the suspects, or is searched
//  2. each member of a found cycle has its number as State.Cycle
//  3. a found cycle has two members or more, and its first node is one of them
//  4. nodes are searched during a search only
type Detector struct {
	suspects []graph.NodeID // not searched yet
	search   *graph.RingSearch
	searched []graph.NodeID // the search began with them, and has not cleared them yet
	rest     *rest          // of the search, once its rings are found
	due      time.Time      // a search begins then, even beside other work
	found    map[int32]cycle
	last     int32 // the number of the newest cycle
	count    uint64
}

// cycle is one found cycle.
type cycle struct {
	seen    seq.Stamp
	first   graph.NodeID // it is decided when a fence has passed
	members []graph.NodeID
}

// of returns the cycle of a node, if it still counts.
func (d *Detector) of(v record.Nodes, id graph.NodeID) (cycle, bool) {
	c, ok := d.found[v.State(id).Cycle]
	return c, ok
}

// At returns the members of the cycle with a number, and the moment of its discovery.
// There are none if the cycle no longer counts.
func (d *Detector) At(number int32) (members []graph.NodeID, seen seq.Stamp) {
	c := d.found[number]
	return c.members, c.seen
}

// Suspects returns the nodes that no search has begun with. The detector owns the slice.
func (d *Detector) Suspects() []graph.NodeID { return d.suspects }

// Searching reports whether a search is under way.
func (d *Detector) Searching() bool { return d.search != nil }

// Found returns the number of cycles found so far.
func (d *Detector) Found() uint64 { return d.count }

// HasWork reports whether Step has anything to do: a search is under way, or has to
// begin.
func (d *Detector) HasWork(now time.Time, quiet bool) bool {
	return d.search != nil || d.isDue(now, quiet)
}

// isDue reports whether a search has to begin: there are suspects, and no work under way
// may still clear them.
func (d *Detector) isDue(now time.Time, quiet bool) bool {
	return len(d.suspects) > 0 && d.search == nil && (quiet || !now.Before(d.due))
}

// DueAt returns the time at which a search begins at the latest, false without suspects.
func (d *Detector) DueAt() (time.Time, bool) { return d.due, len(d.suspects) > 0 }

// Check verifies the invariants of Detector.
func (d *Detector) Check(v record.Nodes) error {
	for n := range v.Graph.Nodes() {
		if v.State(n.ID()).Suspect && !slices.Contains(d.suspects, n.ID()) && !slices.Contains(d.searched, n.ID()) {
			return fmt.Errorf("cycle: %s is a suspect and is not listed", n.Key())
		}
	}
	for number, c := range d.found {
		if len(c.members) < 2 || !slices.Contains(c.members, c.first) {
			return fmt.Errorf("cycle: cycle %d has members %v, and begins at node %d", number, c.members, c.first)
		}
		for _, id := range c.members {
			if at := v.State(id).Cycle; at != number {
				return fmt.Errorf("cycle: node %d is in cycle %d, and its state names cycle %d", id, number, at)
			}
		}
	}
	if d.search == nil && len(d.searched) > 0 {
		return fmt.Errorf("cycle: %d nodes are searched without a search", len(d.searched))
	}
	return nil
}

// Clone returns a detector that shares nothing with d. A search reads the graph, so the
// copy begins its own search anew.
func (d *Detector) Clone() Detector {
	c := *d
	c.suspects, c.searched = slices.Clone(d.suspects), slices.Clone(d.searched)
	if d.search != nil {
		c.suspects, c.searched, c.search, c.rest = append(c.suspects, c.searched...), nil, nil, nil
	}
	c.found = maps.Clone(d.found)
	return c
}

// Hash writes the state to the printer. The engine writes the found cycles with their
// nodes: see At.
func (d *Detector) Hash(p *fingerprint.Printer) {
	p.Set(d.suspects)
	if len(d.suspects) > 0 {
		p.Until(d.due)
	}
	p.Set(d.searched)
}
