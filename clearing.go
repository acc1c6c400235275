package ownergraph

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// clearings follows the sweeps of Config.Sweeps. A clearing is one of them at
// work for one holder that is marked. All of it follows from the graph, but for
// how far things are, so that nothing is lost by a crash.
//
// Who is a member is counted as events come, and by a walk over all nodes that
// serves every clearing at once. A member is deleted when its key is decided, as
// everything else, so that preconditions, conflicts and what bars a write are
// the same. What has to be proven before: at an instant after the member came
// under its claim the holder still existed. Otherwise it may be a new holder's,
// of the same name, that this engine has not seen yet.
type clearings struct {
	plans   []*finalizer.Plan
	holders map[holderName][]observed.NodeID // that are observed, sorted
	known   map[observed.NodeID]Object       // the same, as they were last observed
	dying   map[observed.NodeID]seq.Stamp    // since when those of them are known to be deleted that are
	latest  seq.Stamp                        // the last of those in yielded, or later
	yielded map[holderName]seq.Stamp         // when one of that name last had a claim, while something is swept: see noteYield
	lapsed  seq.Stamp                        // the same of those that are another's by a label, and of whom else nobody keeps in mind
	runs    map[runID]*clearing
	of      map[runKey]runID
	members map[observed.NodeID][]membership // lists are never changed in place
	ghosts  map[holderName]runID             // of holders that are gone, and were never guarded
	labels  labels                           // what is known of those that say who is a member
	last    runID

	walk   observed.NodeID // whom the walk looks at next, 0 without one
	again  bool            // another one is wanted
	began  seq.Stamp       // when the one under way began
	walked seq.Stamp       // when the last one that is over began
	stir   bool            // something has changed for ghosts
	due    time.Time       // when one of them has to be seen to, zero for never
	proofs time.Time       // no fence is asked for a proof before this
	ends   time.Time       // nor for a release before this
}

type runID uint32

// runKey names the clearing of a holder.
type runKey struct {
	node observed.NodeID
	plan int
}

// holderName is what members say of their holder.
type holderName struct {
	plan        int
	scope, name string
}

// clearing is a sweep at work for one holder.
type clearing struct {
	plan   int
	node   observed.NodeID // of the holder, 0 if it is gone
	holder Object          // as it was last observed
	turned seq.Stamp       // since when the holder is swept, and says who belongs to it as it does
	hinted seq.Stamp       // when the graph last showed who may belong to it, by labels that nobody had seen
	seen   seq.Stamp       // when a member last came or went
	need   seq.Stamp       // of the latest member that waits for a proof, 0 without one
	sought seq.Stamp       // the holder has to be seen after this, 0 if nobody has asked
	proved seq.Stamp       // without fences: when the last read began that showed how things are with it
	asked  seq.Stamp       // without fences: when every kind was asked for anew
	lacks  Kind            // one that was not listed since, when that was last asked
	fenced seq.Stamp       // when that began by which nothing was left
	read   bool            // such a read is under way
	halted bool            // nothing is deleted for now
	over   bool            // the holder needs it no more
	bare   bool            // the holder does not carry the finalizer
	done   bool            // nothing is left, and the finalizer may go
	paced  bool            // it waits for its turn to ask for a fence
	waves  int             // how often a proof was given
	next   time.Time       // none is asked for before

	members     int   // that are left
	left        []int // the same by phase
	open        int   // how many phases may delete, by what is counted
	first       int   // and how many whatever is counted
	total, gone int
	kinds       map[Kind]int      // members left by kind
	blocked     int               // members that are held
	sample      []observed.NodeID // some of them, sorted
}

// membership is what makes a node a member of a clearing.
type membership struct {
	run   runID
	kind  Kind
	phase int
	since seq.Stamp         // when the claim became known
	fixed bool              // it holds whatever becomes of the object, and by says all that anybody else has a claim by
	by    []finalizer.Claim // what the object names, and may not any more; never changed in place
	owned bool              // it is by owner references alone
}

func newClearings(sweeps []finalizer.Sweep) (clearings, error) {
	c := clearings{
		holders: map[holderName][]observed.NodeID{}, known: map[observed.NodeID]Object{},
		dying: map[observed.NodeID]seq.Stamp{}, yielded: map[holderName]seq.Stamp{},
		runs: map[runID]*clearing{}, of: map[runKey]runID{}, members: map[observed.NodeID][]membership{},
		ghosts: map[holderName]runID{},
	}
	for _, s := range sweeps {
		p, err := finalizer.NewPlan(s)
		if err != nil {
			return c, err
		}
		c.plans = append(c.plans, p)
	}
	c.labels = newLabels(c.plans)
	return c, nil
}

func (c *clearings) clone() clearings {
	d := *c
	d.holders, d.known, d.dying, d.yielded = cloneMap(c.holders), cloneMap(c.known), cloneMap(c.dying), cloneMap(c.yielded)
	for name, ids := range d.holders {
		d.holders[name] = slices.Clone(ids)
	}
	d.runs, d.of = cloneMap(c.runs), cloneMap(c.of)
	for id, r := range d.runs {
		r := *r
		r.left, r.kinds, r.sample = slices.Clone(r.left), maps.Clone(r.kinds), slices.Clone(r.sample)
		d.runs[id] = &r
	}
	d.members, d.ghosts = cloneMap(c.members), cloneMap(c.ghosts)
	d.labels = c.labels.clone()
	return d
}

// sorted returns the clearings in order of their holders' keys and plans.
func (c *clearings) sorted() []runID {
	return slices.SortedFunc(maps.Keys(c.runs), func(a, b runID) int {
		x, y := c.runs[a], c.runs[b]
		return cmp.Or(x.holder.Key.Compare(y.holder.Key), cmp.Compare(x.plan, y.plan))
	})
}

// noteHolder keeps the table of holders as the graph shows them. Members that
// only another holder kept from being deleted are looked at again when that
// changes, and all of them where the holder itself says who they are.
func (e *Engine) noteHolder(id observed.NodeID) {
	c, n := &e.clear, e.graph.Node(id)
	o, noted := n.Object(), false
	was, had := c.known[id]
	turned := had && !was.EqualContent(o)
	for i, p := range c.plans {
		if o.Kind != p.Sweep().Holder {
			continue
		}
		noted = true
		c.list(i, o, id, p.IsHolder(o))
		if r, ok := c.of[runKey{id, i}]; ok {
			c.runs[r].holder = o
			c.runs[r].halted = c.runs[r].halted || !p.IsHolder(o) || e.halt(id, i, o) != policy.ReasonUnset
			if turned && p.Sweep().DependsOnHolder() {
				c.runs[r].turned = e.seq.Stamp()
				e.walkAgain()
			}
		}
	}
	if noted {
		if turned {
			e.yield()
		}
		if turned || !had {
			e.noteYield(id, was, o, had)
		}
		if had && was.Version != o.Version {
			e.relabelled(id, o)
		}
		if !had {
			e.stirGhosts()
		}
		c.known[id] = o
		switch _, dying := c.dying[id]; {
		case !o.Deleting:
			delete(c.dying, id)
		case !dying:
			c.dying[id] = e.seq.Stamp()
		}
	}
}

// parted takes a node that is gone out of the tables; unseen says that there may have
// been states of it that the watch has not told.
func (e *Engine) parted(id observed.NodeID, unseen bool) {
	c := &e.clear
	e.discharge(id, nil, true)
	e.unmark(id)
	was, had := c.known[id]
	if !had {
		return
	}
	if last, dying := c.dying[id]; dying || slices.ContainsFunc(c.plans, func(p *finalizer.Plan) bool { return p.IsHolder(was) }) {
		if !dying { // it has lived until now
			last = e.seq.Stamp()
		}
		e.yielded(was, last)
	}
	delete(c.known, id)
	delete(c.dying, id)
	for i, p := range c.plans {
		if was.Kind == p.Sweep().Holder {
			c.list(i, was, id, false)
			e.holderGone(i, id, was, unseen || e.kinds.Of(was.Kind).NeedsRelist)
		}
	}
	e.yield()
}

// list puts a holder into the table, or takes it out.
func (c *clearings) list(plan int, o Object, id observed.NodeID, in bool) {
	for _, name := range c.names(plan, o) {
		c.listAs(name, id, in)
	}
}

// names returns what claims say of a holder: its name, and none where the claims with
// Rest alone may mean it.
func (c *clearings) names(plan int, o Object) []holderName {
	names := []holderName{{plan, o.Scope, o.Name}}
	if c.plans[plan].NamedByRest(o) {
		names = append(names, holderName{plan: plan, scope: o.Scope})
	}
	return names
}

func (c *clearings) listAs(name holderName, id observed.NodeID, in bool) {
	ids := c.holders[name]
	switch i, ok := slices.BinarySearch(ids, id); {
	case in && !ok:
		c.holders[name] = slices.Insert(ids, i, id)
	case !in && ok && len(ids) == 1:
		delete(c.holders, name)
	case !in && ok:
		c.holders[name] = slices.Delete(ids, i, i+1)
	}
}

// rewind forgets everything that was begun: the mark may be of a history that is
// no more.
func (c *clearings) rewind() {
	clear(c.runs)
	clear(c.of)
	clear(c.members)
	clear(c.ghosts)
	clear(c.yielded)
	c.labels.forget()
	c.walk, c.again, c.stir, c.due = 0, false, false, time.Time{}
}

// beginClearing begins the sweep of a holder, which is node, or gone if that is 0.
func (e *Engine) beginClearing(plan int, node observed.NodeID, holder Object) *clearing {
	c := &e.clear
	c.last++
	r := &clearing{
		plan: plan, node: node, holder: holder, turned: e.seq.Stamp(),
		left: make([]int, c.plans[plan].Phases()), kinds: map[Kind]int{},
	}
	r.open, r.first = c.plans[plan].Phases(), c.plans[plan].Open(slices.Repeat([]int{1}, len(r.left)))
	r.bare = !holder.HasFinalizer(c.plans[plan].Sweep().Finalizer)
	c.runs[c.last] = r
	if node == 0 {
		e.haunt(r, c.last)
	} else {
		c.of[runKey{node, plan}] = c.last
	}
	e.selected(r, r.turned)
	e.walkAgain()
	return r
}

// haunt makes a clearing that of a holder which is gone. One of an earlier
// namesake gives way to it: what is left is the same.
func (e *Engine) haunt(r *clearing, id runID) {
	c := &e.clear
	name := holderName{r.plan, r.holder.Scope, r.holder.Name}
	if former, ok := c.ghosts[name]; ok {
		delete(c.runs, former)
	}
	c.ghosts[name] = id
	e.walkAgain()
}

// mostGhosts bounds how many holders are swept at once that are gone.
const mostGhosts = 64

// holderGone ends the sweep of a holder that is gone. One that was never guarded
// is reported, and swept all the same where a setting says so. One of whose states
// some may be unseen may have been guarded and set free, or be of a history that is
// no more: unknown deletes nothing, and it is reported alone. Held by
// TestSweepUnguardedUnseen.
func (e *Engine) holderGone(plan int, id observed.NodeID, was Object, unseen bool) {
	c, p := &e.clear, e.clear.plans[plan]
	k := runKey{id, plan}
	at, under := c.of[k]
	r := c.runs[at]
	delete(c.of, k)
	if under && r.done && !r.over {
		e.counts.Swept++
	}
	switch {
	case under && r.bare && !r.over && len(c.ghosts) < mostGhosts:
		r.node = 0
		e.haunt(r, at)
		e.lookAt(r)
		return
	case under:
		delete(c.runs, at)
		return
	case e.kinds.Relisting() || was.Deleting || !p.IsHolder(was) || was.HasFinalizer(p.Sweep().Finalizer):
		return
	}
	e.counts.Unguarded++
	e.cfg.Logger.Warn("holder deleted before its finalizer was set", "object", was.Key.String(), "unseen", unseen)
	if e.cfg.OnDecision != nil {
		e.cfg.OnDecision(DecisionEvent{Key: was.Key, Version: was.Version, Decision: policy.Decision{Action: policy.Keep, Reason: policy.HolderUnguarded}})
	}
	if p.Sweep().Unguarded && p.Fit(was) == nil && !unseen && len(c.ghosts) < mostGhosts {
		e.beginClearing(plan, 0, was)
	}
}
