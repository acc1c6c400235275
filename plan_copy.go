package ownergraph

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/plan"
)

// copySlice is the number of objects and references that one step of a copy looks at.
const copySlice = 256

// scanSlice is the number of nodes and references that one step of a scan looks at.
const scanSlice = 2048

// maxWalks bounds the walks for members of sweeps. Members that come without an end would
// otherwise keep a copy from its own.
const maxWalks = 16

// planCopy copies the part of an engine's state that a request can affect, in steps of
// bounded work (RULES, P1). The last step or close ends it: until then the engine changes
// the copy, and afterwards the goroutine that planned has it to itself.
type planCopy struct {
	req   plan.Request
	copy  *excerpt.Copy
	phase copyPhase
	scan  graph.NodeID   // the next node of a scan
	found [][]graph.Node // the objects at the coordinates of each target
	keys  map[Key]int    // the targets of the request, by key
	next  int            // the next target to add
	era   uint64         // the number of rewinds at the beginning
	known int            // the members at the beginning of the walk for sweeps
	walks int            // for sweeps
	gone  map[Key]bool   // the members of sweeps whose holders are gone
	torn  bool
	after seq.Stamp     // the members by labels are those of a later instant, of an approval
	shown *guards.Shown // by selections, or nil
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

// newPlanCopy returns the copy for a request, which is sound. Restart begins it.
func newPlanCopy(req plan.Request) *planCopy {
	p := &planCopy{req: req, found: make([][]graph.Node, len(req.Delete)), keys: make(map[Key]int, len(req.Delete))}
	for i, t := range req.Delete {
		p.keys[t.Key] = i
	}
	return p
}

// restart begins the copy, or begins it anew, as after a rewind.
func (p *planCopy) restart(e *Engine) {
	p.close(e)
	p.copy, p.scan, p.era, p.walks, p.next, p.torn = excerpt.New(e.graph), 1, e.counts.Rewinds, 0, 0, false
	clear(p.found)
	p.shown = nil
	e.copies = append(e.copies, p.copy)
	switch {
	case len(p.req.Delete) == 0:
		p.phase = copyDue
	case slices.ContainsFunc(p.req.Delete, func(t plan.Target) bool { return t.Key.UID == "" }):
		p.phase = copyNames
	default:
		p.phase = copyTargets
	}
}

// close ends the copy. It may be called again.
func (p *planCopy) close(e *Engine) {
	if p.copy != nil {
		closeCopy(e, p.copy)
	}
}

// closeCopy ends a copy: the engine and its graph forget it. It may be called again.
func closeCopy(e *Engine, c *excerpt.Copy) {
	c.Close(e.graph)
	e.copies = slices.DeleteFunc(e.copies, func(open *excerpt.Copy) bool { return open == c })
}

// excerptView returns the machines that a copy reads.
func (e *Engine) excerptView() excerpt.View {
	return excerpt.View{Nodes: e.view(), Orphaned: &e.orphaned, Rewound: e.kinds.Rewound()}
}

// observeCopies has the copies under way follow a change of the graph.
func (e *Engine) observeCopies(d *graph.Delta) {
	if d.Node == 0 && len(d.Freed) == 0 {
		return
	}
	v := e.excerptView()
	member := d.Node != 0 && e.sweeps.Any() && e.graph.Inside(inside.Key{}).InUse(d.Node) && e.graph.Node(d.Node).State() == graph.Observed
	for _, c := range e.copies {
		c.Observe(v, d)
		if member && !c.IsLoose() {
			e.addMember(e.sweepView(), c, d.Node)
		}
	}
}

// addMember adds an object to a copy if its holder is a member, and the holders of an
// object that is a member.
func (e *Engine) addMember(v sweep.View, c *excerpt.Copy, id graph.NodeID) {
	holders := e.sweeps.HoldersOf(v, id)
	if !c.Has(id) && !slices.ContainsFunc(holders, c.Has) {
		return
	}
	c.Add(id)
	for _, h := range holders {
		c.AddOwner(h)
	}
}

// step does a slice of the copy. It returns true at the end, which closes the copy. The
// parts are then of one instant, unless torn.
//
//test:by TestPlanCopyEnds TestPlanCopyTorn
func (p *planCopy) step(e *Engine) (done bool, err error) {
	defer run.CatchFunction(&err, "plan") // it is under the engine's lock
	if e.counts.Rewinds != p.era {
		p.restart(e)
	}
	if done, err = p.stepPhase(e); done {
		p.close(e)
		p.torn = p.torn || p.copy.IsCut()
	}
	return done, err
}

func (p *planCopy) stepPhase(e *Engine) (done bool, err error) {
	switch p.phase {
	case copyNames:
		if p.stepScan(e, p.findNames) {
			p.phase = copyTargets
		}
	case copyTargets:
		if done, err := p.addTargets(e); !done {
			return false, err
		}
		p.phase = copyParts
		return p.stepParts(e)
	case copyDue:
		if p.stepScan(e, p.addDue) {
			p.phase = copyParts
		}
	case copyParts:
		return p.stepParts(e)
	case copyMembers:
		return p.stepMembers(e)
	}
	return p.phase == copyDone, nil
}

// stepScan calls look for a slice of the observed nodes. It returns true at the end. Look returns
// the number of references that it has looked at.
//
//test:by TestPlanScanSteps
func (p *planCopy) stepScan(e *Engine, look func(*Engine, graph.Node) int) (done bool) {
	for budget := scanSlice; budget > 0 && int(p.scan) < e.graph.Inside(inside.Key{}).Cap(); p.scan++ {
		if budget--; e.graph.Inside(inside.Key{}).InUse(p.scan) && e.graph.Node(p.scan).State() == graph.Observed {
			budget -= look(e, e.graph.Node(p.scan))
		}
	}
	return int(p.scan) >= e.graph.Inside(inside.Key{}).Cap()
}

func (p *planCopy) findNames(_ *Engine, n graph.Node) int {
	if i, ok := p.keys[n.Key().Place()]; ok {
		p.found[i] = append(p.found[i], n)
	}
	return 0
}

// addDue adds an object to which a write may be due: it is marked, held or queued, or an owner
// of it is not solid. Such an object may wait for a read, or for the fan-out of its owner.
//
//test:by TestPlanDumpDue
func (p *planCopy) addDue(e *Engine, n graph.Node) (cost int) {
	if n.Deleting() || e.held.Has(n.ID()) || e.work.Has(n.ID()) || !ownersSolid(n) {
		p.copy.Add(n.ID())
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

func (p *planCopy) stepParts(e *Engine) (done bool, err error) {
	if !p.stepCopy(e) {
		return false, nil
	}
	if p.phase = copyDone; e.sweeps.Any() {
		p.shown = e.shownFor(&p.req, p.after)
		p.phase, p.scan, p.known = copyMembers, 1, p.copy.Members()
	}
	return p.phase == copyDone, nil
}

// stepMembers looks for members of sweeps whose holder is a member of the copy. A member may
// itself hold others, so the walk begins anew until it finds none.
func (p *planCopy) stepMembers(e *Engine) (done bool, err error) {
	end, v := min(int(p.scan)+copySlice, e.graph.Inside(inside.Key{}).Cap()), e.sweepView()
	if p.shown != nil {
		v.Shown = p.shown
	}
	for ; int(p.scan) < end; p.scan++ {
		if e.graph.Inside(inside.Key{}).InUse(p.scan) && e.graph.Node(p.scan).State() == graph.Observed {
			e.addMember(v, p.copy, p.scan)
			p.noteGone(e, p.scan)
		}
	}
	quiet := p.stepCopy(e)
	switch {
	case int(p.scan) < e.graph.Inside(inside.Key{}).Cap() || !quiet:
		return false, nil
	case p.copy.Members() > p.known && p.walks < maxWalks: // one of them may hold others
		p.scan, p.known = 1, p.copy.Members()
		p.walks++
		return false, nil
	}
	p.torn = p.torn || p.copy.Members() > p.known
	p.phase = copyDone
	return true, nil
}

// facts returns the facts beside the parts, which the caller takes after this step.
func (p *planCopy) facts(e *Engine, now time.Time) planFacts {
	return planFacts{
		now: now, kinds: e.kindFacts(), defined: definedKinds(e.graph), sweeps: e.sweeps.Memory(), behind: p.gone, torn: p.torn, busy: !e.Idle(),
		labels: e.labels.Clone(), rewound: e.kinds.Rewound(), paused: e.Paused(),
		brake: e.brake.Memory(e.brakeView()), shown: p.shown,
	}
}

// forecast returns the plan of an ended copy, and the targets as they were, in their order. It
// needs no lock: it reads the setting of the engine alone.
func (p *planCopy) forecast(ctx context.Context, e *Engine, facts planFacts) (_ plan.Plan, _ []Object, err error) {
	defer run.CatchFunction(&err, "plan")
	f, err := p.run(ctx, e, facts)
	if err == nil {
		err = f.findVerdicts(ctx)
	}
	if err != nil {
		return plan.Plan{}, nil, err
	}
	return f.plan(), f.targets(), nil
}

// run returns the forecast of an ended copy, which has come to rest.
func (p *planCopy) run(ctx context.Context, e *Engine, facts planFacts) (f *forecast, err error) {
	defer run.CatchFunction(&err, "plan")
	facts.parts = p.copy.Take()
	f, err = newForecast(e.cfg.Config, e.level, p.req, facts)
	if err == nil {
		err = f.run(ctx)
	}
	return f, err
}

// stepCopy copies a slice of the parts. It returns true once nothing is left to copy. Parts
// that change faster than they are copied would keep it from an end, so from a bound on it
// copies each part once.
func (p *planCopy) stepCopy(e *Engine) (done bool) {
	if p.copy.Changes() > 1000+2*p.copy.Len() {
		p.copy.Loosen()
		p.torn = true
	}
	return p.copy.Step(e.excerptView(), copySlice)
}

// noteGone notes a member of a sweep whose holder is gone.
func (p *planCopy) noteGone(e *Engine, id graph.NodeID) {
	if !e.sweeps.Detached() || len(e.sweeps.GoneHoldersOf(id)) == 0 {
		return
	}
	if p.gone == nil {
		p.gone = map[Key]bool{}
	}
	p.gone[e.graph.Node(id).Key()] = true
}

// addTargets adds a slice of the objects of the request, and fills in the UIDs. It returns
// true at the end.
func (p *planCopy) addTargets(e *Engine) (done bool, err error) {
	for end := min(p.next+copySlice, len(p.req.Delete)); p.next < end; p.next++ {
		t := &p.req.Delete[p.next]
		if t.Key.UID == "" {
			if err := p.resolve(e, p.next); err != nil {
				return false, err
			}
		}
		n, ok := e.graph.Lookup(t.Key)
		if !ok || n.State() != graph.Observed {
			return false, fmt.Errorf("plan: Delete[%d]: %s: %w%s", p.next, t.Key, ErrNotFound, e.whyNotFound(t.Key))
		}
		p.copy.Add(n.ID())
	}
	return p.next == len(p.req.Delete), nil
}

// resolve fills in the UID of the i-th target. A store may have shown one object after
// another at one place, and their kinds are watched apart.
func (p *planCopy) resolve(e *Engine, i int) error {
	t := &p.req.Delete[i]
	var uids []string
	for _, n := range p.found[i] {
		if e.graph.Inside(inside.Key{}).InUse(n.ID()) && n.State() == graph.Observed && n.Inside(inside.Key{}).IsPlaced(t.Key) {
			uids = append(uids, string(n.Key().UID))
		}
	}
	slices.Sort(uids)
	switch uids = slices.Compact(uids); len(uids) {
	case 0:
		return fmt.Errorf("plan: Delete[%d]: %s: %w%s", i, placeText(t.Key), ErrNotFound, e.whyNotFound(t.Key))
	case 1:
		t.Key.UID = graph.UID(uids[0])
		if _, twice := p.keys[t.Key]; twice {
			return fmt.Errorf("plan: Delete[%d]: %s: twice: %w", i, t.Key, ErrInvalid)
		}
		return nil
	}
	return fmt.Errorf("plan: Delete[%d]: %w", i, errAmbiguous(t.Key, uids))
}

// errAmbiguous is the error for a key without a UID that several objects have. It names the
// first of the sorted UIDs.
func errAmbiguous(k Key, uids []string) error {
	return fmt.Errorf("%s: ambiguous: UIDs %s: %w", placeText(k), strings.Join(uids[:min(len(uids), maxShown)], ", "), ErrInvalid)
}

// placeText names a key in an error, also one without a UID.
func placeText(k Key) string { return strings.TrimSuffix(k.String(), `@""`) }

// whyNotFound says why the engine may not know an object that exists.
func (e *Engine) whyNotFound(k Key) string {
	x := e.kinds.Of(k.Kind)
	switch {
	case !x.Part:
		return ": the collector does not watch its kind"
	case x.Sick != "":
		return ": its kind is sick: " + x.Sick
	case !x.Listed:
		return ": its kind is not listed yet"
	}
	return ""
}
