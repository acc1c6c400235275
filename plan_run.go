package ownergraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// forecast runs an engine of its own on the parts of a copy, in virtual time, against a
// draft store (RULES, P2). It makes no call outside.
type forecast struct {
	req plan.Request
	planFacts
	level  Level
	engine *Engine
	store  *draft.Store
	target []bool        // by part
	until  time.Duration // without progress for so long the engine rests
	fence  uint64        // the last token
	bound  draft.Bound   // of the calls
	calls  int

	decided    []DecisionEvent // of the calls to come, few
	steps      []plan.Step
	cost       plan.Cost
	bestEffort bool // of one of the writes
	links      links
	contents   *draft.Contents
	acted      bool                                   // the actor of a container has deleted an object
	waited     map[int32]bool                         // the parts that have been marked with a propagation
	anyway     map[int32]bool                         // the parts that go without the target's deletion
	open       map[Key]bool                           // the guarded roots that the engine may pass
	verdicts   []plan.Verdict                         // about the targets
	ordered    map[int32]int                          // the guards of ordered roots that wait, by part
	waits      map[plan.AssumptionType]map[string]int // the assumptions that the run used
}

// planFacts is the knowledge that a forecast starts with.
type planFacts struct {
	now     time.Time
	kinds   []kindFacts    // by name
	defined []KindInfo     // the kinds of a definition that the store does not serve
	parts   []excerpt.Part // by key
	sweeps  []sweep.Memory
	behind  map[Key]bool // the members of sweeps whose holders are gone
	torn    bool
	busy    bool          // the engine has work to do
	nested  *draft.Nested // the judgements around this forecast, or nil
	labels  guards.Labels
	rewound seq.Stamp
	paused  []PauseReport
	brake   brake.Memory
	shown   *guards.Shown // the members by labels, or nil

	approving bool // the plan is for an approval of its target
}

// protections returns what is known of the protection of the parts by labels.
func (f *planFacts) protections() map[Key]string {
	known := make(map[Key]string, len(f.parts))
	for i := range f.parts {
		if p := &f.parts[i]; p.State == excerpt.Exists {
			if rule, unknown := f.labels.State(&p.Object, p.Known, f.rewound); !unknown {
				known[p.Object.Key] = rule
			}
		}
	}
	return known
}

// kindFacts is the knowledge of one kind that a forecast starts with.
type kindFacts struct {
	KindInfo
	part, listed bool
	sick         string
}

// kindFacts returns the kinds that the store serves, by name.
func (e *Engine) kindFacts() (out []kindFacts) {
	for _, k := range e.graph.Kinds() {
		if x := e.kinds.Of(k.Kind); k.Known {
			out = append(out, kindFacts{KindInfo: k.KindInfo, part: x.Part, listed: x.Listed, sick: x.Sick})
		}
	}
	return out
}

// definedKinds returns the kinds of a definition that the store does not serve any more. Their
// objects are members of the definition until their ends.
//
//test:by TestPlanUnservedMembers
func definedKinds(g *graph.Graph) (out []KindInfo) {
	for _, k := range g.Kinds() {
		if !k.Known && k.Definition != "" {
			out = append(out, k.KindInfo)
		}
	}
	return out
}

// newForecast returns a forecast for an engine's configuration.
func newForecast(cfg Config, level Level, req plan.Request, facts planFacts) (*forecast, error) {
	parts := facts.parts
	f := &forecast{
		req: req, planFacts: facts, level: level, bound: draft.NewBound(parts, len(cfg.Sweeps)),
		steps: make([]plan.Step, 0, len(parts)+len(req.Delete)), waited: map[int32]bool{}, open: map[Key]bool{}, waits: map[plan.AssumptionType]map[string]int{},
	}
	f.store = draft.NewStore(parts, f.isFull)
	dependents, below := f.store.Dependents(req.Delete, &graph.Config{Scope: cfg.Scope, OwnerName: cfg.OwnerName})
	f.links = newLinks(parts, &f.store.Index, dependents, below)
	if err := f.findTargets(); err != nil {
		return nil, err
	}
	cfg.ObserveOnly, cfg.CompareVersions = false, nil
	cfg.AuditEvery, cfg.History = century, -1
	cfg.MaxRetryAfter = century // the draft's last answer about an unknown object
	cfg.Brake.Window, cfg.Brake.Per = 0, 0
	cfg.OnDecision = nil // until all is listed, since the fast path reports each object
	e, err := NewEngine(level, cfg)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	e.cfg.Misplaced = len(parts) // no audit decides the others
	e.keepLog()
	if facts.labels.Any() {
		e.labels.Recall(facts.protections())
	}
	if f.engine = e; e.members.Any() {
		e.shown = cmp.Or(facts.shown, &guards.Shown{})
	}
	for i := range parts {
		f.noteMark(&parts[i].Object)
	}
	f.until = time.Minute + max(2*e.cfg.AwaitTimeout, e.cfg.AcknowledgeWithin, e.cfg.FenceWait)
	return f, nil
}

// isFull reports whether an object of the kind that no listing brought does not exist.
func (f *forecast) isFull(k Kind) bool {
	i, ok := slices.BinarySearchFunc(f.kinds, k, func(a kindFacts, k Kind) int { return compareText(a.Kind, k) })
	return ok && f.kinds[i].listed && f.kinds[i].sick == ""
}

func (f *forecast) noteDecision(d DecisionEvent) {
	if d.Call != 0 {
		f.decided = append(f.decided, d)
	}
}

// takeDecision returns the decision that wanted a call.
func (f *forecast) takeDecision(id CallID) (d DecisionEvent) {
	for i := len(f.decided) - 1; i >= 0; i-- {
		if f.decided[i].Call == id {
			d = f.decided[i]
			f.decided = slices.Delete(f.decided, i, i+1)
			break
		}
	}
	return d
}

// load has the engine observe the parts.
func (f *forecast) load() error {
	for i := range f.parts {
		if f.parts[i].State == excerpt.Absent {
			f.engine.absent.Add(f.parts[i].Object.Key)
		}
		if f.parts[i].Orphaned {
			f.engine.orphaned.Add(f.parts[i].Object.Key, f.parts[i].End)
		}
		for _, owner := range f.parts[i].Shown {
			f.engine.orphaned.Show(f.parts[i].Object.UID, owner)
		}
	}
	err := insider{f.engine}.ObserveAll(f.now, f.events())
	f.engine.sweeps.Recall(f.engine.sweepView(), f.sweeps)
	f.engine.brake.Recall(f.engine.brakeView(), f.brake)
	f.linkMembers()
	f.linkContents()
	f.engine.cfg.OnDecision, f.engine.cfg.Brief = f.noteDecision, true
	return err
}

// events returns the events of a watch that lists the parts.
func (f *forecast) events() []Event {
	infos := make([]KindInfo, len(f.kinds))
	for i, k := range f.kinds {
		infos[i] = k.KindInfo
	}
	events := make([]Event, 0, len(f.parts)+3*len(f.kinds)+1)
	events = append(events, Event{Type: graph.KindsKnown, Kinds: infos})
	at := 0
	for _, k := range f.kinds {
		for at < len(f.parts) && f.parts[at].Object.Kind < k.Kind {
			at++
		}
		if !k.part {
			continue
		}
		events = append(events, Event{Type: graph.ListBegun, Kind: k.Kind})
		for ; at < len(f.parts) && f.parts[at].Object.Kind == k.Kind; at++ {
			if o, ok := f.store.At(f.parts[at].Object.Key); ok {
				events = append(events, Event{Type: graph.Put, Object: o})
			}
		}
		switch {
		case k.sick != "":
			events = append(events, Event{Type: graph.KindSick, Kind: k.Kind, Reason: k.sick})
		case k.listed:
			events = append(events, Event{Type: graph.ListEnded, Kind: k.Kind})
		}
	}
	return events
}

// run takes the forecast: the work that is due, the deletions of the request, and what
// follows.
func (f *forecast) run(ctx context.Context) error {
	if err := f.load(); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	if err := f.rest(ctx); err != nil {
		return err
	}
	for _, t := range f.req.Delete {
		f.userDeletes(t)
	}
	for i := range f.parts {
		if o, ok := f.store.At(f.parts[i].Object.Key); ok && f.parts[i].Member {
			out := finalizer.Outcome{Effect: finalizer.Stored, Object: o}
			f.noteContent(out)
			f.others(out)
		}
	}
	f.emptyContainers()
	err := f.rest(ctx)
	f.holdUnread()
	return err
}

// holdUnread holds the objects that still wait for an unknown owner. The engine does so with
// each read that fails, and the store has ended the reads.
func (f *forecast) holdUnread() {
	for _, k := range f.store.Unknown() {
		if n, ok := f.engine.graph.Lookup(k); ok {
			f.engine.holdUnreadable(n.ID(), draft.ErrUnknown, false)
		}
	}
}

// rest runs the engine until it has nothing left to do.
func (f *forecast) rest(ctx context.Context) error {
	last := f.now
	for {
		progress, err := f.drain(ctx)
		if err != nil {
			return err
		}
		if progress {
			last = f.now
		}
		at := f.engine.wake(one(LaneStore) | one(LaneHandler) | one(LaneControl))
		if at.IsZero() || at.Sub(last) > f.until {
			return nil
		}
		if at.After(f.now) {
			f.now = at
		}
	}
}

// drain makes every call that the engine wants now. It reports whether one succeeded.
//
//test:by TestPlanCalls TestPlanBound
func (f *forecast) drain(ctx context.Context) (progress bool, err error) {
	var c Call
	for again := true; again; {
		again = false
		for _, lane := range [...]Lane{LaneControl, LaneHandler, LaneStore} {
			more, ok := f.engine.nextInto(f.now, lane, &c)
			for ; ok; more, ok = f.engine.nextInto(f.now, lane, &c) {
				again = true
				if err := f.bound.Count(); err != nil {
					return false, err
				}
				if f.calls++; f.calls&1023 == 0 && ctx.Err() != nil {
					return false, fmt.Errorf("plan: %w", context.Cause(ctx))
				}
				progress = f.tryCall(ctx, &c) || progress
			}
			again = again || more
		}
		if err := f.engine.Err(); err != nil {
			return false, fmt.Errorf("plan: %w", err)
		}
	}
	f.engine.takeLog() // the log is about the store, and not about a forecast
	return progress, nil
}

// tryCall makes one call on the draft store, and reports whether it succeeded.
func (f *forecast) tryCall(ctx context.Context, c *Call) bool {
	r := Result{}
	switch c.Type {
	case CallRead:
		f.cost.Reads++
		r.Object, r.Err = f.store.Get(c.Key)
	case CallPatch, CallDelete:
		return f.tryWrite(c)
	case CallFence:
		f.cost.Fences++
		f.fence++
		r.Fence = f.fence
	case CallHandle:
		r.Err = f.handle(c)
	case CallSelect:
		f.assumeUncounted(plan.LabelsUnknown, string(c.Select.Kind))
	case CallJudge:
		if i, ok := f.links.index.Of(c.Key); !ok || !f.target[i] { // a target counts as passed
			r.Verdict, r.Err = f.judge(ctx, c.Key)
		}
	}
	_ = f.engine.Done(f.now, c.ID, r) // the id is under way
	switch c.Type {
	case CallFence:
		f.passFence()
	case CallList:
		f.list(c.Kind)
	}
	return r.Err == nil || errors.Is(r.Err, ErrNotFound)
}

// passFence reports the newest fence for each kind that can be watched.
func (f *forecast) passFence() {
	f.observe(Event{Type: graph.FencePassed, Fence: f.fence})
	for _, k := range f.kinds {
		if k.part && k.sick == "" {
			f.observe(Event{Type: graph.FencePassed, Kind: k.Kind, Fence: f.fence})
		}
	}
}

// list reports a kind anew.
func (f *forecast) list(k Kind) {
	if k == "" || !f.isFull(k) {
		return
	}
	f.observe(Event{Type: graph.ListBegun, Kind: k})
	for _, o := range f.store.OfKind(k) {
		f.observe(Event{Type: graph.Put, Object: o})
	}
	f.observe(Event{Type: graph.ListEnded, Kind: k})
}

// observe gives the engine an event. The draft store makes none that an engine refuses.
func (f *forecast) observe(ev Event) { _ = f.engine.Observe(f.now, ev) }

// handle runs a handler as the request assumes.
func (f *forecast) handle(c *Call) error {
	f.cost.Handlers++
	if slices.Contains(f.req.Failing, c.Finalizer) {
		f.assume(plan.HandlerFails, c.Finalizer)
		return fmt.Errorf("handler of %s: %w", c.Finalizer, errAssumed)
	}
	f.assume(plan.HandlerSucceeds, c.Finalizer)
	f.addStep(plan.Step{
		Actor: plan.Engine, Action: policy.Release, Key: c.Key, Reason: policy.HandlerRuns, Finalizer: c.Finalizer, Handler: true,
	}, f.links.own(c.Key))
	return nil
}

// errAssumed is the failure of a handler that the request names. The handler does not run
// again for the object.
var errAssumed = errors.New("assumed to fail")

// tryWrite makes a write of the engine.
func (f *forecast) tryWrite(c *Call) bool {
	d := f.takeDecision(c.ID)
	d.Key = c.Key
	f.bestEffort = f.bestEffort || d.BestEffort
	var out finalizer.Outcome
	var err error
	if c.Type == CallPatch {
		out, err = f.store.Patch(c.Key, c.Precondition, c.Change)
	} else {
		out, err = f.store.Delete(c.Key, c.Options)
	}
	f.cost.Writes++
	if err == nil {
		f.bound.Wrote(out.Effect)
		f.addStep(f.stepOf(&d, out), f.before(&d))
		f.report(out)
	}
	_ = f.engine.Done(f.now, c.ID, Result{Err: err}) // the id is under way
	if err == nil {
		f.others(out)
		f.emptyContainers()
	}
	return err == nil
}

// report has the engine observe the outcome of a write.
func (f *forecast) report(out finalizer.Outcome) {
	switch out.Effect {
	case finalizer.Stored:
		f.noteMark(&out.Object)
		f.observe(Event{Type: graph.Put, Object: out.Object})
	case finalizer.Removed:
		f.observe(Event{Type: graph.Gone, Key: out.Object.Key})
	}
	f.noteContent(out)
}

// noteMark notes an object that is marked with a propagation.
func (f *forecast) noteMark(o *Object) {
	if o.Deleting && o.Propagation() != graph.Unset {
		if i, ok := f.links.index.Of(o.Key); ok {
			f.waited[i] = true
			f.noteRoot(i, o)
		}
	}
}

func (f *forecast) assume(t plan.AssumptionType, name string) {
	if f.waits[t] == nil {
		f.waits[t] = map[string]int{}
	}
	f.waits[t][name]++
}

// assumeUncounted notes an assumption about objects that the copy does not have.
func (f *forecast) assumeUncounted(t plan.AssumptionType, name string) {
	f.assume(t, name)
	f.waits[t][name] = 0
}
