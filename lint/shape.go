package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// rings finds the cycles of objects that own each other. The finding is about the member
// with the least key.
func (c *checker) rings(rings [][]int) {
	for _, ring := range rings {
		i := ring[0]
		code, fate := Ring, KeptForever
		for _, m := range ring {
			switch {
			case c.objects[m].Waiting():
				code, fate = WaitingRing, Leaving
			case c.objects[m].Deleting && fate != Leaving:
				fate = Leaving
			}
		}
		if !c.admits(code, c.objects[i].Key) {
			continue
		}
		text := fmt.Sprintf("%d objects own each other: %s.", len(ring), c.members(ring))
		if code == WaitingRing {
			text += " One of them waits for its dependents, and so for itself."
		}
		c.add(code, Error, i, "owners", fate, text)
	}
}

// members names the first objects of a ring, which are in order of keys.
func (c *checker) members(ring []int) string {
	names := make([]string, 0, c.cfg.Details)
	for _, m := range ring[:min(len(ring), c.cfg.Details)] {
		names = append(names, short(c.objects[m].Key.Text()))
	}
	return strings.Join(names, ", ") + andMore(len(ring)-len(names))
}

// cycles returns the cycles as lists of objects. The lists are in order of keys, as the
// objects of each are. An object with owners and dependents can be in a cycle.
// Graph.IsolatedCycles leaves out a cycle with an owner outside, and lint reports it.
func (c *checker) cycles() [][]int {
	var roots []graph.NodeID
	for i, o := range c.objects {
		if len(o.Owners) > 0 && c.node(i).Referring() > 0 {
			roots = append(roots, c.nodes[i])
		}
	}
	search := graph.Inside(inside.Key{}).NewIsolatedCycleSearch(roots)
	search.Step(c.g, math.MaxInt)
	var rings [][]int
	for _, ids := range search.Rings() {
		ring := make([]int, 0, len(ids))
		for _, id := range ids {
			ring = append(ring, c.of(id))
		}
		slices.Sort(ring)
		rings = append(rings, ring)
	}
	slices.SortFunc(rings, func(a, b []int) int { return a[0] - b[0] })
	return rings
}

// depths finds the objects at the first level beyond the bound. The objects of a cycle
// are at one level. The walk goes from the objects without owners to their dependents, and
// takes an object when all its owners have a level.
func (c *checker) depths(rings [][]int) {
	levels := c.levels(rings)
	for i, n := range levels {
		if n == int32(c.cfg.MaxDepth)+1 {
			c.whole(Depth, Note, i, "owners", FateUnset, fmt.Sprintf("The object is at level %d of a chain of owners, and %d is the bound.", n, c.cfg.MaxDepth))
		}
	}
}

// levels returns the level of each object. An object without owners has level 1.
func (c *checker) levels(rings [][]int) []int32 {
	head := make([]int32, len(c.objects)) // the first object of the same cycle
	for i := range head {
		head[i] = int32(i)
	}
	ringOf := map[int32][]int{}
	for _, ring := range rings {
		for _, m := range ring {
			head[m] = int32(ring[0])
		}
		ringOf[int32(ring[0])] = ring
	}
	members := func(h int32) []int {
		if ring := ringOf[h]; ring != nil {
			return ring
		}
		return []int{int(h)}
	}
	levels, open := make([]int32, len(head)), make([]int32, len(head))
	c.edges(head, func(h, owner int32) { open[h]++ })
	var ready []int32
	for i := range head {
		if head[i] == int32(i) && open[i] == 0 {
			ready = append(ready, int32(i))
			levels[i] = 1
		}
	}
	for len(ready) > 0 {
		h := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, m := range members(h) {
			levels[m] = levels[h]
			for d := range c.node(m).Dependents() {
				t := int32(c.of(d.ID()))
				if t < 0 || head[t] == h {
					continue
				}
				t = head[t]
				levels[t] = max(levels[t], levels[h]+1)
				if open[t]--; open[t] == 0 {
					ready = append(ready, t)
				}
			}
		}
	}
	return levels
}

// edges yields each reference between two observed objects of different cycles.
func (c *checker) edges(head []int32, yield func(h, owner int32)) {
	for i := range c.objects {
		for d := range c.node(i).Dependents() {
			if t := int32(c.of(d.ID())); t >= 0 && head[t] != head[i] {
				yield(head[t], head[i])
			}
		}
	}
}
