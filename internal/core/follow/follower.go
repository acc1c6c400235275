package follow

import (
	"github.com/ownergraph/ownergraph/graph"
)

// Counts are the numbers of the members. It is a value.
type Counts struct {
	// Gone counts the members that the watch has shown to go, and the roots that were gone
	// at the beginning.
	Gone int
	// Left counts the members that exist. Held of them wait for something that is no member, and
	// Blocked of them for their dependents or members.
	Left, Held, Blocked int
	// References counts the references to a root in an orphan deletion, and Dropped those of
	// them that have gone since Begin.
	References, Dropped int
	// Complete: no walk is under way.
	Complete bool
	// Begun: the first root is marked or gone.
	Begun bool
	// Over: the roots are gone, and no member is left.
	Over bool
}

// Follower follows the members of the deletions of its roots. Make one with New, Open,
// StepSearch and Begin. Call Ending before and Observe after each change of the graph, Held after each
// change of the held objects, and Step until it is done. A Follower is not safe for
// concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. each entry is in one list, and names a node in use. The entry of an object that exists
//     is in the list that the held objects give
//  2. a member of a depth above 0 depends on a member of a smaller depth, unless steps are
//     left or a walk is wanted
//  3. when nothing is left to do, a way leads from each member to the root or to a member
//     that is gone, and from no other object
type Follower struct {
	root      graph.Key              // the first root
	roots     map[graph.Key]struct{} // those that have begun
	search    *search                // for the UIDs of the roots, or nil
	scan      graph.NodeID           // the next node of the scan for objects that went before, 0 without one
	origins   origins
	past      past
	set       *members
	next      *members      // the set of a second walk, or nil
	seed      int32         // the entries of objects that are gone and that next has not taken yet
	gone      int           // see Counts
	ending    graph.NodeID  // a node that is about to go, and hangs below a root
	holder    bool          // the node that is about to go is a holder of a sweep
	content   graph.Content // of that node
	finalizer bool          // its members go first
	changed   bool          // since the last Counts

	references references
}

// New returns a follower of the roots. Open comes next, then StepSearch, then Roots and Begin
// for each key, and EndSearch.
func New(roots ...graph.Key) *Follower {
	return &Follower{root: roots[0], roots: map[graph.Key]struct{}{}, search: newSearch(roots), origins: newOrigins(), past: newPast(), changed: true}
}

// Open opens the follower in the graph, until Close.
func (f *Follower) Open(g *graph.Graph) { f.set = newMembers(g, &f.past) }

// Begin takes a root as the graph has it, and begins the search for its members. The key has a UID.
// A root that the graph does not show counts as gone, and references to it lead to a member. With a
// root that is marked or gone, others may have gone with it before the call. A scan finds these
// others, and the objects below them.
//
//test:by TestGoneBefore
func (f *Follower) Begin(v View, root graph.Key) {
	if f.isRoot(root) {
		return
	}
	if len(f.roots) == 0 {
		f.root = root
	}
	f.roots[root] = struct{}{}
	n, ok := v.Graph.Lookup(root)
	exists := ok && n.State() == graph.Observed
	if !exists || n.Deleting() {
		f.origins.add(&v, root)
		f.scan = 1
	}
	f.countReferences(&v)
	if exists {
		f.set.add(&v, n.ID(), 0)
		return
	}
	f.gone++
	f.past.add(root, true)
	f.anchor(&v, root)
	if v.Sweeps.Detached() {
		f.wantScan()
	}
}

func (f *Follower) isRoot(k graph.Key) bool {
	_, ok := f.roots[k]
	return ok
}

// Close ends the follower. The graph then forgets it.
func (f *Follower) Close(g *graph.Graph) {
	for _, m := range f.sets() {
		g.CloseCursor(&m.cursor)
	}
}

// Root returns the key of the first root.
func (f *Follower) Root() graph.Key { return f.root }

// sets returns the set, and that of a second walk.
func (f *Follower) sets() []*members {
	if f.next == nil {
		return []*members{f.set}
	}
	return []*members{f.set, f.next}
}

// anchor makes the nodes of an object that is gone members: its own, and that of the
// references to its UID alone.
func (f *Follower) anchor(v *View, k graph.Key) {
	for _, key := range [...]graph.Key{k, claim(k.UID)} {
		if n, ok := v.Graph.Lookup(key); ok {
			for _, m := range f.sets() {
				m.anchor(n.ID())
			}
		}
	}
}

// Step visits about budget nodes and references. It returns true once nothing is left to
// visit. The counts are then those of this moment.
func (f *Follower) Step(v View, budget int) (done bool) {
	budget, changed := f.set.step(&v, f.stepScan(&v, budget))
	f.changed = f.changed || changed
	if budget <= 0 {
		return false
	}
	if f.next == nil {
		if !f.set.suspect {
			return true
		}
		f.beginNext(&v)
	}
	for ; budget > 0 && f.seed > 0; budget-- {
		f.seed = min(f.seed, int32(f.set.len(gone))) - 1
		if f.seed >= 0 {
			f.next.anchor(f.set.lists[gone].At(f.seed).id)
		}
	}
	if budget, _ = f.next.step(&v, budget); budget > 0 {
		v.Graph.CloseCursor(&f.set.cursor)
		f.set, f.next, f.changed = f.next, nil, true
	}
	return budget > 0 && !f.set.suspect
}

// beginNext begins a second walk. It takes the objects that are gone from the first one.
func (f *Follower) beginNext(v *View) {
	f.next, f.seed = newMembers(v.Graph, &f.past), int32(f.set.len(gone))
	f.next.holder, f.next.again = f.set.holder, f.set.holder
	for c := range f.past.contents {
		f.next.contents = append(f.next.contents, c)
	}
	for root := range f.roots {
		if n, ok := v.Graph.Lookup(root); ok && n.State() == graph.Observed {
			f.next.add(v, n.ID(), 0)
		}
	}
}

// Changed reports whether Step has something to do, or Counts something to report.
func (f *Follower) Changed(v View) bool {
	return f.changed || !f.isWalked(&v)
}

// isWalked reports whether Step has nothing to do.
func (f *Follower) isWalked(v *View) bool {
	return f.scan == 0 && f.next == nil && !f.set.suspect && f.set.isDone(v)
}

// Counts returns the numbers of the members now.
func (f *Follower) Counts(v View) Counts {
	f.changed = false
	n, ok := v.Graph.Lookup(f.root)
	exists := ok && n.State() == graph.Observed
	c := Counts{
		Gone: f.gone, Held: f.set.len(caused), Blocked: f.set.len(blocked),
		References: f.references.left + f.references.dropped, Dropped: f.references.dropped,
		Complete: f.isWalked(&v) && !(f.set.holder && v.Sweeps.Walking()),
		Begun:    !exists || n.Deleting(),
	}
	c.Left = c.Held + c.Blocked + f.set.len(active)
	c.Over = c.Complete && c.Left == 0 // a root that exists is left
	if f.isAlone(&v) {
		f.countAlone(&v, &c)
	}
	return c
}

// Sample returns at most limit of the members that are held or blocked, the held ones first. With others
// it goes on with the other members.
func (f *Follower) Sample(v View, limit int, others bool) (out []graph.NodeID) {
	alone := f.isAlone(&v)
	for _, c := range [...]class{caused, blocked, active} {
		l := &f.set.lists[c]
		for i := 0; i < l.Len() && len(out) < limit && (c != active || others); i++ {
			if id := l.At(int32(i)).id; !alone || v.Graph.Node(id).Key() == f.root {
				out = append(out, id)
			}
		}
	}
	return out
}
