// Package forecast tells what deletions will do, before any of them begins. A fork of an engine runs
// on a seed in virtual time, against a draft store (RULES, P2). So the decisions of a plan are those
// of the engine itself. A forecast makes no call outside, and changes nothing.
package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// forecast is a fork on a seed with its draft store, and the results of its run.
type forecast struct {
	req plan.Request
	seed.Seed
	beside
	cfg    engine.Config // with the level of the engine
	fork   engine.Fork
	store  *draft.Store
	target []bool        // by part
	until  time.Duration // without progress for so long the engine rests
	fence  uint64        // the last token
	bound  draft.Bound   // of the calls
	calls  int

	decided    []inflight.Sent // of the calls to come, few
	steps      []plan.Step
	cost       plan.Cost
	bestEffort bool // of one of the writes
	links      links
	contents   *draft.Contents
	acted      bool                                   // the actor of a container has deleted an object
	waited     map[int32]bool                         // the parts that have been marked with a propagation
	anyway     map[int32]bool                         // the parts that go without the target's deletion
	open       map[graph.Key]bool                     // the guarded roots that the engine may pass
	refusals   []plan.Refusal                         // of the targets, by the store
	verdicts   []plan.Verdict                         // about the targets
	ordered    map[int32]int                          // the guards of ordered roots that wait, by part
	waits      map[plan.AssumptionType]map[string]int // the assumptions that the run used
}

// beside has the facts that the caller of a forecast knows.
type beside struct {
	nested    *draft.Nested // the judgements around this forecast, or nil
	approving bool          // the plan is for an approval of its target
}

// newForecast returns a forecast for an engine's settings.
func newForecast(cfg engine.Config, req plan.Request, facts seed.Seed, by beside) (*forecast, error) {
	parts := facts.Parts
	f := &forecast{
		req: req, Seed: facts, beside: by, cfg: cfg, bound: draft.NewBound(parts, len(cfg.Sweeps)),
		steps: make([]plan.Step, 0, len(parts)+len(req.Delete)), waited: map[int32]bool{}, open: map[graph.Key]bool{}, waits: map[plan.AssumptionType]map[string]int{},
	}
	f.store = draft.NewStore(parts, f.isFull)
	dependents, below := f.store.Dependents(req.Delete, &graph.Config{Scope: cfg.Scope, OwnerName: cfg.OwnerName})
	f.links = newLinks(parts, &f.store.Index, dependents, below)
	if err := f.findTargets(); err != nil {
		return nil, err
	}
	var err error
	if f.fork, err = engine.Inside(inside.Key{}).Fork(cfg, &f.Seed); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	for i := range parts {
		f.noteMark(&parts[i].Object)
	}
	f.until = f.fork.Rests()
	return f, nil
}

// isFull reports whether an object of the kind that no listing brought does not exist.
func (f *forecast) isFull(k graph.Kind) bool {
	i, ok := slices.BinarySearchFunc(f.Kinds, k, func(a seed.Kind, k graph.Kind) int { return cmp.Compare(a.Kind, k) })
	return ok && f.Kinds[i].Listed && f.Kinds[i].Sick == ""
}

func (f *forecast) noteSent(d inflight.Sent) { f.decided = append(f.decided, d) }

// takeDecision returns the decision that wanted a call.
func (f *forecast) takeDecision(id engine.CallID) (d inflight.Sent) {
	for i := len(f.decided) - 1; i >= 0; i-- {
		if f.decided[i].Call == uint64(id) {
			d = f.decided[i]
			f.decided = slices.Delete(f.decided, i, i+1)
			break
		}
	}
	return d
}

// load lists the parts to the fork.
func (f *forecast) load() error {
	err := f.fork.Load(&f.Seed, f.events(), f.noteSent)
	f.linkMembers()
	f.linkContents()
	return err
}

// events returns the events of a watch that lists the parts.
func (f *forecast) events() []graph.Event {
	infos := make([]graph.KindInfo, len(f.Kinds))
	for i, k := range f.Kinds {
		infos[i] = k.KindInfo
	}
	events := make([]graph.Event, 0, len(f.Parts)+3*len(f.Kinds)+1)
	events = append(events, graph.Event{Type: graph.KindsKnown, Kinds: infos})
	at := 0
	for _, k := range f.Kinds {
		for at < len(f.Parts) && f.Parts[at].Object.Kind < k.Kind {
			at++
		}
		if !k.Part {
			continue
		}
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
		for ; at < len(f.Parts) && f.Parts[at].Object.Kind == k.Kind; at++ {
			if o, ok := f.store.At(f.Parts[at].Object.Key); ok {
				events = append(events, graph.Event{Type: graph.Put, Object: o})
			}
		}
		switch {
		case k.Sick != "":
			events = append(events, graph.Event{Type: graph.KindSick, Kind: k.Kind, Reason: k.Sick})
		case k.Listed:
			events = append(events, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
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
	if err := f.runUntilIdle(ctx); err != nil {
		return err
	}
	for _, t := range f.req.Delete {
		f.userDeletes(t)
	}
	for i := range f.Parts {
		if o, ok := f.store.At(f.Parts[i].Object.Key); ok && f.Parts[i].Member {
			out := finalizer.Outcome{Effect: finalizer.Stored, Object: o}
			f.noteContent(out)
			f.others(out)
		}
	}
	f.emptyContainers()
	err := f.runUntilIdle(ctx)
	f.holdUnread()
	return err
}

// holdUnread holds the objects that still wait for an unknown owner. The engine does so with
// each read that fails, and the store has ended the reads.
func (f *forecast) holdUnread() {
	for _, k := range f.store.Unknown() {
		f.fork.HoldUnread(k, draft.ErrUnknown)
	}
}

// runUntilIdle runs the engine until it has nothing left to do.
func (f *forecast) runUntilIdle(ctx context.Context) error {
	last := f.Now
	for {
		progress, err := f.drain(ctx)
		if err != nil {
			return err
		}
		if progress {
			last = f.Now
		}
		at := f.fork.Wake(engine.Lanes{engine.LaneStore: true, engine.LaneHandler: true, engine.LaneControl: true})
		if at.IsZero() || at.Sub(last) > f.until {
			return nil
		}
		if at.After(f.Now) {
			f.Now = at
		}
	}
}

// drain makes every call that the engine wants now. It reports whether one succeeded.
//
//test:by TestPlanCalls TestPlanBound
func (f *forecast) drain(ctx context.Context) (progress bool, err error) {
	var c engine.Call
	for again := true; again; {
		again = false
		for _, lane := range [...]engine.Lane{engine.LaneControl, engine.LaneHandler, engine.LaneStore} {
			more, ok := f.fork.NextInto(f.Now, lane, &c)
			for ; ok; more, ok = f.fork.NextInto(f.Now, lane, &c) {
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
		if err := f.fork.Err(); err != nil {
			return false, fmt.Errorf("plan: %w", err)
		}
	}
	f.fork.TakeLog() // the log is about the store, and not about a forecast
	return progress, nil
}

// tryCall makes one call on the draft store, and reports whether it succeeded.
func (f *forecast) tryCall(ctx context.Context, c *engine.Call) bool {
	r := engine.Result{}
	switch c.Type {
	case engine.CallRead:
		f.cost.Reads++
		r.Object, r.Err = f.store.Get(c.Key)
	case engine.CallPatch, engine.CallDelete:
		return f.tryWrite(c)
	case engine.CallFence:
		f.cost.Fences++
		f.fence++
		r.Fence = f.fence
	case engine.CallHandle:
		if err := f.handle(c); err != nil {
			f.fork.FailForGood(f.Now, c.ID, err)
			return false
		}
	case engine.CallSelect:
		f.assumeUncounted(plan.LabelsUnknown, string(c.Select.Kind))
	case engine.CallJudge:
		if i, ok := f.links.index.Of(c.Key); !ok || !f.target[i] { // a target counts as passed
			r.Verdict, r.Err = f.judge(ctx, c.Key)
		}
	}
	_ = f.fork.Done(f.Now, c.ID, r) // the id is under way
	switch c.Type {
	case engine.CallFence:
		f.passFence()
	case engine.CallList:
		f.list(c.Kind)
	}
	return r.Err == nil || errors.Is(r.Err, graph.ErrNotFound)
}

// passFence reports the newest fence for each kind that can be watched.
func (f *forecast) passFence() {
	f.observe(graph.Event{Type: graph.FencePassed, Fence: f.fence})
	for _, k := range f.Kinds {
		if k.Part && k.Sick == "" {
			f.observe(graph.Event{Type: graph.FencePassed, Kind: k.Kind, Fence: f.fence})
		}
	}
}

// list reports a kind anew.
func (f *forecast) list(k graph.Kind) {
	if k == "" || !f.isFull(k) {
		return
	}
	f.observe(graph.Event{Type: graph.ListBegun, Kind: k})
	for _, o := range f.store.OfKind(k) {
		f.observe(graph.Event{Type: graph.Put, Object: o})
	}
	f.observe(graph.Event{Type: graph.ListEnded, Kind: k})
}

// observe gives the engine an event. The draft store makes none that an engine refuses.
func (f *forecast) observe(ev graph.Event) { _ = f.fork.Observe(f.Now, ev) }

// handle runs a handler as the request assumes.
func (f *forecast) handle(c *engine.Call) error {
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

// errAssumed is the failure of a handler that the request names.
var errAssumed = errors.New("assumed to fail")

// tryWrite makes a write of the engine.
func (f *forecast) tryWrite(c *engine.Call) bool {
	d := f.takeDecision(c.ID)
	f.bestEffort = f.bestEffort || d.BestEffort
	var out finalizer.Outcome
	var err error
	if c.Type == engine.CallPatch {
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
	_ = f.fork.Done(f.Now, c.ID, engine.Result{Err: err}) // the id is under way
	if err == nil {
		f.others(out)
		f.emptyContainers()
	}
	return err == nil
}

// report shows the outcome of a write to the fork.
func (f *forecast) report(out finalizer.Outcome) {
	switch out.Effect {
	case finalizer.Stored:
		f.noteMark(&out.Object)
		f.observe(graph.Event{Type: graph.Put, Object: out.Object})
	case finalizer.Removed:
		f.observe(graph.Event{Type: graph.Gone, Key: out.Object.Key})
	}
	f.noteContent(out)
}

// noteMark notes an object that is marked with a propagation.
func (f *forecast) noteMark(o *graph.Object) {
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
