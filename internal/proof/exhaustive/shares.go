package exhaustive

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/share"
)

// spread is the end of the UIDs of graphs for shares. The last bytes of a text hardly change its
// slot.
const spread = "/spread"

// maxIncarnations is more than the incarnations of a name in any scope.
const maxIncarnations = 8

// spreadUIDs gives the objects of a graph UIDs that have different slots.
func spreadUIDs(objects []graph.Object) {
	for i := range objects {
		o := &objects[i]
		o.UID += spread
		o.Owners = slices.Clone(o.Owners)
		for j := range o.Owners {
			o.Owners[j].UID += spread
		}
	}
}

// setsOf returns the shares of the objects of a graph, by mask: a bit for each object, with all
// incarnations of its name.
func setsOf(start []graph.Object) []share.Set {
	sets := make([]share.Set, 1<<len(start))
	for mask := range sets {
		sets[mask] = share.None()
		for i := range start {
			if mask>>i&1 != 0 {
				sets[mask] = sets[mask].Or(incarnationsOf(start[i].UID))
			}
		}
	}
	return sets
}

// incarnationsOf returns the slots of the UIDs of one name.
func incarnationsOf(uid graph.UID) share.Set {
	set := share.None()
	for range maxIncarnations {
		first := uint64(share.SlotOf(uid)) << 52
		one, _ := share.OfRanges(share.Range{First: first, Last: first | (1<<52 - 1)}) // of a whole slot
		set = set.Or(one)
		uid += "'"
	}
	return set
}

// firstMask returns the objects of a side at the start: the sides take turns.
func firstMask(side, objects int) (mask uint8) {
	for i := range objects {
		if i%maxSides == side {
			mask |= 1 << i
		}
	}
	return mask
}

// shared returns the settings of the engines with their first shares.
func (s Scope) shared(start []graph.Object) []ownergraph.Config {
	cfgs := s.configs()
	if s.Shares > 0 {
		sets := setsOf(start)
		for i := range cfgs {
			cfgs[i].Share = sets[firstMask(i, len(start))]
		}
	}
	return cfgs
}

// outside returns the breach of H1 by a call that an engine begins with a share. A read has a
// dependent in the share. An engine without a share asks for nothing.
func outside(e *engine.Engine, c engine.Call, set share.Set) error {
	switch {
	case c.Type == engine.CallList || c.Key.UID != "" && set.Has(c.Key.UID):
		return nil
	case c.Type == engine.CallFence && set != share.None():
		return nil
	case c.Type == engine.CallRead:
		for n := range probe.Graph(e).Nodes() {
			for i := range n.Owners() {
				if n.OwnerAt(i).UID == c.Key.UID && set.Has(n.Key().UID) {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("H1: the engine begins %s outside of its share", callText(c))
}

// setShare gives an engine the objects of a mask.
func (l *live) setShare(sets []share.Set, mask uint8) error {
	l.mask = mask
	return l.engine.SetShare(l.now, sets[mask], time.Time{})
}

// missing returns the objects that are in no share.
func missing(masks [maxSides]uint8, objects int) uint8 {
	mask := uint8(1)<<objects - 1
	for _, m := range masks {
		mask &^= m
	}
	return mask
}

// share gives a side another share: an object joins or leaves, or all objects join that are in no
// share.
func (t *tables) share(x *node, m short) error {
	mask := x.masks[m.side] | missing(x.masks, t.objects)
	if m.op == opShare {
		x.moves--
		mask = x.masks[m.side] ^ 1<<m.at
	}
	x.masks[m.side] = mask
	return t.tell(x, m.side, input{op: inputShare, slot: mask})
}

// share does the same on a world.
func (x *state) share(m move) error {
	mask := x.masks[m.side] | missing(x.masks, len(x.start))
	if m.op == opShare {
		x.moves--
		mask = x.masks[m.side] ^ 1<<m.at
	}
	x.masks[m.side] = mask
	return x.w.Sides[m.side].Engine.SetShare(x.w.Now, x.sets[mask], time.Time{})
}

// covers appends the moves that give an engine the objects which are in no share. They stay
// possible until there is none, so each history ends with every object in a share.
func (x *state) covers(out []move) []move {
	if x.sets != nil && missing(x.masks, len(x.start)) != 0 {
		for i := range x.w.Sides {
			out = append(out, move{op: opCover, side: i})
		}
	}
	return out
}

// ringGraph is the number of the graph of three objects that is a ring of blocking references.
const ringGraph = 82

// Shared returns the stages of CI in which two engines have shares. An object joins or leaves a
// share at any time.
func Shared() []Stage {
	two := func(objects int, s Scope) Stage {
		s.Engines = 2
		return Stage{Objects: objects, Scope: s, Whole: true}
	}
	guarded := func(g Guard) Stage {
		return guardStage(2, Scope{Actions: 1, Engines: 2, Switches: 2, Shares: 1}, g, g)
	}
	return []Stage{
		two(2, Scope{Actions: 1, Shares: 3, Switches: 2}),
		two(2, Scope{Actions: 2, Shares: 1, Switches: 1}),
		two(2, Scope{Actions: 1, Shares: 1, Switches: 1, Late: true}),
		two(2, Scope{Actions: 1, Shares: 1, Switches: 1, Crashes: 1}),
		{Objects: 3, From: ringGraph, To: ringGraph + 4, Scope: Scope{Actions: 1, Shares: 1, Engines: 2, Switches: 1}, Whole: true},
		guarded(GuardOrder), guarded(GuardNone), guarded(GuardProtected),
	}
}

// longShared returns the stages with shares that take minutes.
func longShared() []Stage {
	return []Stage{
		{Objects: 2, Scope: Scope{Actions: 2, Shares: 2, Engines: 2, Switches: 2}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 1, Shares: 2, Engines: 2, Switches: 2, Late: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 1, Shares: 3, Crashes: 1, Engines: 2, Switches: 2}, Whole: true},
		{Objects: 3, Scope: Scope{Actions: 1, Shares: 1, Engines: 2, Switches: 1}, Whole: true},
	}
}
