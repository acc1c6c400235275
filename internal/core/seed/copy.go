package seed

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/plan"
)

const (
	// Slice is the number of objects and references that one step of a copy looks at.
	Slice = 256
	// ScanSlice is the number of nodes and references that one step of a scan looks at.
	ScanSlice = 2048
)

// maxWalks bounds the walks for members of sweeps. Members that come without an end would
// otherwise keep a copy from its own.
const maxWalks = 16

// Copy copies the part of an engine's state that a request can affect, in steps of bounded work
// (RULES, P1). The engine shows each change of the graph to the copy until the last step, or
// until Close. Afterwards the goroutine that plans has the copy to itself.
//
// Make one with New. A Copy is not safe for concurrent use.
type Copy struct {
	req   plan.Request
	parts *excerpt.Copy
	phase copyPhase
	scan  graph.NodeID       // the next node of a scan
	found [][]graph.Node     // the objects at the coordinates of each target
	keys  map[graph.Key]int  // the targets of the request, by key
	next  int                // the next target to add
	era   uint64             // the number of rewinds at the beginning
	known int                // the members at the beginning of the walk for sweeps
	walks int                // for sweeps
	gone  map[graph.Key]bool // the members of sweeps whose holders are gone
	torn  bool
	after seq.Stamp     // the members by labels are those of a later instant
	shown *guards.Shown // by selections, or nil
	// unselected is Seed.Unselected.
	unselected map[graph.Kind]bool
}

type copyPhase uint8

const (
	copyUnset   copyPhase = iota
	copyNames             // looks for the targets that the request names without a UID
	copyDue               // looks for everything that is due, without a target
	copyTargets           // adds the targets
	copyParts             // copies
	copyMembers           // looks for the members of sweeps
	copyDone
)

// New returns the copy for a request, which is sound. The members by labels are those of an instant
// after the moment, for an approval. Restart begins the copy.
func New(req plan.Request, after seq.Stamp) *Copy {
	c := &Copy{req: req, after: after, found: make([][]graph.Node, len(req.Delete)), keys: make(map[graph.Key]int, len(req.Delete))}
	for i, t := range req.Delete {
		c.keys[t.Key] = i
	}
	return c
}

// Request returns the request, with the UIDs that the copy has found.
func (c *Copy) Request() plan.Request { return c.req }

// Restart begins the copy, or begins it anew, as after a rewind.
func (c *Copy) Restart(v *View) {
	c.Close(v)
	c.parts, c.scan, c.era, c.walks, c.next, c.torn = excerpt.New(v.Graph), 1, v.Rewinds, 0, 0, false
	clear(c.found)
	c.shown, c.unselected = nil, nil
	v.Open.Add(c.parts, c)
	switch {
	case len(c.req.Delete) == 0:
		c.phase = copyDue
	case slices.ContainsFunc(c.req.Delete, func(t plan.Target) bool { return t.Key.UID == "" }):
		c.phase = copyNames
	default:
		c.phase = copyTargets
	}
}

// Close ends the copy. It may be called again.
func (c *Copy) Close(v *View) {
	if c.parts != nil {
		v.Open.Close(v.Graph, c.parts)
	}
}

// Step does a slice of the copy. It returns true at the end, which closes the copy. The parts are
// then of one instant, unless torn. An error wraps graph.ErrNotFound for a target that is not
// observed, and graph.ErrInvalid for one that stands there twice or is ambiguous. A function of a
// sweep may panic.
//
//test:by TestPlanCopyEnds TestPlanCopyTorn
func (c *Copy) Step(v *View) (done bool, err error) {
	if v.Rewinds != c.era {
		c.Restart(v)
	}
	if done, err = c.stepPhase(v); done {
		c.Close(v)
		c.torn = c.torn || c.parts.IsCut()
	}
	return done, err
}

func (c *Copy) stepPhase(v *View) (done bool, err error) {
	switch c.phase {
	case copyNames:
		if c.stepScan(v, c.findNames) {
			c.phase = copyTargets
		}
	case copyTargets:
		if done, err := c.addTargets(v); !done {
			return false, err
		}
		c.phase = copyParts
		return c.stepParts(v)
	case copyDue:
		if c.stepScan(v, c.addDue) {
			c.phase = copyParts
		}
	case copyParts:
		return c.stepParts(v)
	case copyMembers:
		return c.stepMembers(v)
	}
	return c.phase == copyDone, nil
}

// stepScan calls look for a slice of the observed nodes. It returns true at the end. Look returns
// the number of references that it has looked at.
//
//test:by TestPlanScanSteps
func (c *Copy) stepScan(v *View, look func(*View, graph.Node) int) (done bool) {
	for budget := ScanSlice; budget > 0 && int(c.scan) < v.Graph.Inside(inside.Key{}).Cap(); c.scan++ {
		if budget--; v.InUse(c.scan) && v.Node(c.scan).State() == graph.Observed {
			budget -= look(v, v.Node(c.scan))
		}
	}
	return int(c.scan) >= v.Graph.Inside(inside.Key{}).Cap()
}

func (c *Copy) findNames(_ *View, n graph.Node) int {
	if i, ok := c.keys[n.Key().Place()]; ok {
		c.found[i] = append(c.found[i], n)
	}
	return 0
}

// addDue adds an object to which a write may be due: it is marked, held or queued, or an owner
// of it is not solid. Such an object may wait for a read, or for the fan-out of its owner.
//
//test:by ownergraph.TestPlanDumpDue
func (c *Copy) addDue(v *View, n graph.Node) (cost int) {
	if n.Deleting() || v.Held.Has(n.ID()) || v.Work.Has(n.ID()) || !ownersSolid(n) {
		c.parts.Add(n.ID())
	}
	return n.Owners()
}

func ownersSolid(n graph.Node) bool {
	for i := range n.Owners() {
		if c, _ := n.Inside(inside.Key{}).OwnerClass(i); c != graph.Solid && !n.Inside(inside.Key{}).SelfOwner(i) {
			return false
		}
	}
	return true
}

func (c *Copy) stepParts(v *View) (done bool, err error) {
	if !c.stepCopy(v) {
		return false, nil
	}
	if c.phase = copyDone; v.Sweeps.Any() {
		c.shown = v.shownFor(&c.req, c.after)
		c.phase, c.scan, c.known = copyMembers, 1, c.parts.Members()
	}
	return c.phase == copyDone, nil
}

// stepMembers looks for members of sweeps whose holder is a member of the copy. A member may
// itself have members, so the walk begins anew until it finds none.
func (c *Copy) stepMembers(v *View) (done bool, err error) {
	limit, sv := v.Graph.Inside(inside.Key{}).Cap(), c.sweepView(v)
	for end := min(int(c.scan)+Slice, limit); int(c.scan) < end; c.scan++ {
		if v.InUse(c.scan) && v.Node(c.scan).State() == graph.Observed {
			addMember(v.Sweeps, sv, c.parts, c.scan)
			c.noteGone(v, c.scan)
			c.noteUnselected(v.Sweeps, sv, c.scan)
		}
	}
	quiet := c.stepCopy(v)
	switch {
	case int(c.scan) < limit || !quiet:
		return false, nil
	case c.parts.Members() > c.known && c.walks < maxWalks: // one of them may have members
		c.scan, c.known = 1, c.parts.Members()
		c.walks++
		return false, nil
	}
	c.torn = c.torn || c.parts.Members() > c.known
	c.phase = copyDone
	return true, nil
}

// stepCopy copies a slice of the parts. It returns true once nothing is left to copy. Parts
// that change faster than they are copied would keep it from an end, so from a bound on it
// copies each part once.
func (c *Copy) stepCopy(v *View) (done bool) {
	if c.parts.Changes() > 1000+2*c.parts.Len() {
		c.parts.Loosen()
		c.torn = true
	}
	return c.parts.Step(v.excerptView(), Slice)
}

// noteGone notes a member of a sweep whose holder is gone.
func (c *Copy) noteGone(v *View, id graph.NodeID) {
	if !v.Sweeps.Detached() || len(v.Sweeps.GoneHoldersOf(id)) == 0 {
		return
	}
	if c.gone == nil {
		c.gone = map[graph.Key]bool{}
	}
	c.gone[v.Node(id).Key()] = true
}

// sweepView returns the view of the sweeps with the members by labels of the copy.
func (c *Copy) sweepView(v *View) sweep.View {
	sv := v.View
	if c.shown != nil {
		sv.Shown = c.shown
	}
	return sv
}

// noteUnselected notes the kind of an object that unknown labels may make a member of a marked holder
// outside of the copy. The sweep of a holder that is gone counts for the objects of the copy alone.
func (c *Copy) noteUnselected(sw *sweep.Sweeps, v sweep.View, id graph.NodeID) {
	kind, member := v.Graph.Node(id).Kind(), c.parts.Has(id)
	if noted, is := c.unselected[kind]; noted || is && !member {
		return
	}
	if !sw.MayBelong(v, id, func(holder graph.NodeID) bool { return holder == 0 && member || holder != 0 && !c.parts.Has(holder) }) {
		return
	}
	if c.unselected == nil {
		c.unselected = map[graph.Kind]bool{}
	}
	c.unselected[kind] = member
}

// addTargets adds a slice of the objects of the request, and fills in the UIDs. It returns
// true at the end.
func (c *Copy) addTargets(v *View) (done bool, err error) {
	for end := min(c.next+Slice, len(c.req.Delete)); c.next < end; c.next++ {
		t := &c.req.Delete[c.next]
		if t.Key.UID == "" {
			if err := c.resolve(v, c.next); err != nil {
				return false, err
			}
		}
		n, ok := v.Graph.Lookup(t.Key)
		if !ok || n.State() != graph.Observed {
			return false, fmt.Errorf("plan: Delete[%d]: %s: %w%s", c.next, t.Key, graph.ErrNotFound, v.Kinds.WhyUnobserved(t.Key.Kind))
		}
		c.parts.Add(n.ID())
	}
	return c.next == len(c.req.Delete), nil
}

// resolve fills in the UID of the i-th target. A store may have shown one object after
// another at one place, and their kinds are watched apart.
func (c *Copy) resolve(v *View, i int) error {
	t := &c.req.Delete[i]
	var alive []graph.Key
	for _, n := range c.found[i] {
		if v.InUse(n.ID()) && n.State() == graph.Observed && n.Inside(inside.Key{}).IsPlaced(t.Key) {
			alive = append(alive, n.Key())
		}
	}
	slices.SortFunc(alive, graph.Key.Compare)
	alive = slices.Compact(alive)
	key, err := Only(t.Key, alive)
	switch {
	case len(alive) == 0:
		return fmt.Errorf("plan: Delete[%d]: %w%s", i, err, v.Kinds.WhyUnobserved(t.Key.Kind))
	case err != nil:
		return fmt.Errorf("plan: Delete[%d]: %w", i, err)
	}
	t.Key = key
	if _, twice := c.keys[t.Key]; twice {
		return fmt.Errorf("plan: Delete[%d]: %s: twice: %w", i, t.Key, graph.ErrInvalid)
	}
	return nil
}
