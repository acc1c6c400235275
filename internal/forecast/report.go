package forecast

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// plan returns the plan of a forecast that has come to rest.
func (f *forecast) plan() plan.Plan {
	p := plan.Plan{
		Request: f.req, Steps: f.steps, Cost: f.cost, BestEffort: f.cfg.Level < engine.Level2 || f.bestEffort, Fingerprint: f.fingerprint(),
		Torn: f.Torn, Busy: f.Busy,
	}
	for i := range f.steps {
		p.Waves = max(p.Waves, f.steps[i].Wave)
	}
	f.addNested()
	f.addUnselected()
	possible := f.possible()
	parents := f.parents()
	ends := f.ends()
	p.Objects = make([]plan.Object, 0, len(f.Parts))
	for i := range f.Parts {
		if !f.Parts[i].Member || f.Parts[i].State != excerpt.Exists {
			continue
		}
		o := f.object(int32(i), ends)
		o.Possible = possible[i]
		if at := parents[i]; at >= 0 {
			o.Parent = f.Parts[at].Object.Key
		}
		p.Objects = append(p.Objects, o)
	}
	f.addPhases(p.Objects)
	p.Totals, p.Scopes = draft.Totals(p.Objects), draft.Scopes(p.Objects)
	p.Verdicts, p.Refusals = f.verdicts, f.refusals
	p.Cost.Varies = f.acted || slices.Contains(possible, true) || f.varies()
	f.boundCost(&p.Cost)
	p.Assumptions = f.assumptions()
	p.WithoutBlocker = f.withoutBlocker()
	if f.req.Limit > 0 && len(p.Objects) > f.req.Limit {
		p.Truncated = len(p.Objects) - f.req.Limit
		p.Objects = p.Objects[:f.req.Limit]
	}
	if f.req.Limit > 0 && len(p.Steps) > f.req.Limit {
		p.StepsTruncated = len(p.Steps) - f.req.Limit
		p.Steps = p.Steps[:f.req.Limit]
	}
	return p
}

// addNested adds the open roots and the unknown labels of the judgements around the forecast. Which
// ends are possible depends on both.
func (f *forecast) addNested() {
	if f.nested == nil {
		return
	}
	f.nested.AddOpen(f.open)
	for kind := range f.nested.Labels {
		f.assumeUncounted(plan.LabelsUnknown, kind)
	}
}

// addUnselected adds the kinds whose labels the forecast did not ask for, because the holders are no
// parts. An object of the parts ends the wait of such a holder. The end of a holder of the parts lets
// go of members that it contests.
//
//test:by ownergraph.TestPlanUnselected
func (f *forecast) addUnselected() {
	for kind, part := range f.Unselected {
		if part || slices.ContainsFunc(f.Parts, f.isGoingHolder) {
			f.assumeUncounted(plan.LabelsUnknown, string(kind))
		}
	}
}

// isGoingHolder reports whether a part is of a kind of holders, and is marked or removed in the end.
func (f *forecast) isGoingHolder(p excerpt.Part) bool {
	now, stays := f.store.At(p.Object.Key)
	return p.Member && p.State == excerpt.Exists && f.mayHold(&p.Object) && (!stays || now.Deleting)
}

// rule returns the name of the rule that protects a part, or "".
func (f *forecast) rule(i int32) string {
	rule, _ := f.fork.RuleOf(&f.Parts[i].Object)
	return rule
}

// labelFacts returns the known facts about the labels of an object, for the fingerprint of a plan: the
// rule that protects it, and the matches that make it a member of a sweep. An object whose labels are not
// known is neither protected nor unprotected, so it has a text of its own.
func (f *forecast) labelFacts(o *graph.Object) string {
	rule, unknown := f.fork.RuleOf(o)
	if unknown {
		rule = "?"
	}
	return rule + f.fork.MemberText(o.Key)
}

// ends has the last step of each kind that tells an object's end, by part.
type ends struct {
	reason   []policy.Reason // of its deletion
	orphaned []bool
	holder   map[int32]graph.Key
	// container has the container whose actor deletes a part.
	container map[int32]graph.Key
}

func (f *forecast) ends() ends {
	e := ends{make([]policy.Reason, len(f.Parts)), make([]bool, len(f.Parts)), map[int32]graph.Key{}, map[int32]graph.Key{}}
	for n := range f.steps {
		s := &f.steps[n]
		i, ok := f.links.index.Of(s.Key)
		switch {
		case ok && s.Actor == plan.Container && s.Action == policy.Delete:
			e.container[i] = f.Parts[f.contents.ContainerOf(i)].Object.Key
		case !ok || s.Actor != plan.Engine:
		case s.Action == policy.Delete:
			e.reason[i] = s.Reason
		case s.Action == policy.Orphan:
			e.orphaned[i] = true
		}
	}
	for holder, steps := range f.links.members {
		for _, n := range steps {
			if i, ok := f.links.index.Of(f.steps[n-1].Key); ok {
				e.holder[i] = holder
			}
		}
	}
	return e
}

// object returns the end of one part.
func (f *forecast) object(i int32, e ends) plan.Object {
	was := &f.Parts[i].Object
	o := plan.Object{
		Key: was.Key, Root: f.target[i], Reason: e.reason[i], Holder: e.holder[i], Container: e.container[i], Edges: edgesOf(was),
	}
	if n := f.links.last[i]; n > 0 {
		o.Wave = f.steps[n-1].Wave
	}
	now, stays := f.store.At(was.Key)
	n, known := f.fork.Node(was.Key)
	if !stays {
		o.Outcome = plan.Removed
		return o
	}
	if r := f.refusalOf(was.Key); r != nil && !now.Deleting {
		o.Outcome, o.Reason, o.Causes = plan.Held, policy.Restricted, causesOf(r)
		return o
	}
	if known {
		if h, held := f.fork.ReportOf(n, now.Deleting); held {
			o.Outcome, o.Reason, o.Doubt, o.Causes = plan.Held, h.Reason, h.Doubt, h.Detail
			return o
		}
	}
	switch {
	case e.orphaned[i]:
		o.Outcome = plan.Orphaned
	case len(now.Owners) < len(was.Owners):
		o.Outcome = plan.Trimmed
	default:
		o.Outcome = plan.Kept
	}
	o.Reason = f.fork.ReasonOf(was.Key)
	for _, r := range now.Owners {
		if _, lives := f.store.At(r.Key); lives && r.OnDelete == graph.OnDeleteUnset && r.Key != was.Key && len(o.Owners) < run.MaxNames {
			o.Owners = append(o.Owners, r.Key)
		}
	}
	return o
}

// possible returns the parts whose end depends on the order of the writes.
func (f *forecast) possible() []bool { return draft.Possible(f.question()) }

// mayEnd returns the possible parts that may go.
func (f *forecast) mayEnd() []bool { return draft.MayEnd(f.question()) }

func (f *forecast) question() draft.Question {
	cfg := &f.cfg
	return draft.Question{
		Parts: f.Parts, Dependents: f.links.dependents, Below: f.links.below, Members: f.links.within, Targets: f.deleted(),
		Foreground: slices.ContainsFunc(cfg.Sweeps, mayForeground), Override: cfg.Override, Stays: f.stays, Unknown: f.hasUnknownOwner,
		Fixed: f.isFixed, Open: f.isOpen, Kept: f.isKept, Container: func(i int32) bool { return f.contents.Container(i).Members != graph.MembershipUnset },
	}
}

// deleted returns the propagation of the targets by part. It leaves out those that are restricted in the
// end, since nothing goes because of them.
func (f *forecast) deleted() map[int32]graph.Propagation {
	out := f.links.index.Targets(f.req.Delete, f.steps)
	maps.DeleteFunc(out, func(i int32, _ graph.Propagation) bool { return f.staysRestricted(i) })
	return out
}

// staysRestricted reports whether other objects restrict a part in the end: the store refuses its deletion,
// its mark counts for no dependent, or it has to go and stays.
func (f *forecast) staysRestricted(i int32) bool {
	return f.reasonOf(i) == policy.Restricted || f.refusalOf(f.Parts[i].Object.Key) != nil
}

// isFlawed reports whether the fork observes an object that is flawed.
func (f *forecast) isFlawed(k graph.Key) bool {
	n, ok := f.fork.Graph().Lookup(k)
	return ok && n.Inside(inside.Key{}).Flawed()
}

// isFixed reports whether a part stays and keeps its references: it is flawed, or a marked
// holder that still has the finalizer of its sweep.
func (f *forecast) isFixed(i int32) bool {
	k := f.Parts[i].Object.Key
	if f.isFlawed(k) {
		return true
	}
	if why := f.reasonOf(i); why == policy.Protected || why == policy.ProtectionUnknown || why == policy.Braked || f.staysRestricted(i) {
		return true
	}
	now, ok := f.store.At(k)
	if ok && f.stillBlocks(now) {
		return true
	}
	if ok && now.Deleting && now.HasFinalizer(f.contents.Container(i).Finalizer) {
		return true
	}
	return ok && now.MarkWithheld() || ok && now.Deleting && slices.ContainsFunc(f.cfg.Sweeps, func(s sweepConfig) bool { return now.HasFinalizer(s.Finalizer) })
}

// stillBlocks reports whether an object still blocks the end of another one that went or waits. The engine takes no such
// reference away if it reads it as unknown, also beside an owner that stays: one across scopes for example.
//
//test:by internal/proof/sim.TestPossibleAcrossScopes
func (f *forecast) stillBlocks(now graph.Object) bool {
	return !now.Deleting && slices.ContainsFunc(now.Owners, func(r graph.Owner) bool {
		i, ok := f.links.index.Of(r.Key)
		if !ok || !r.Block || !f.Parts[i].Member {
			return false
		}
		owner, lives := f.store.At(r.Key)
		return !lives || owner.Waiting()
	})
}

// isKept reports whether a part is unmarked, and protected from its deletion, restricted or flawed.
func (f *forecast) isKept(i int32) bool {
	why := f.reasonOf(i)
	now, ok := f.store.At(f.Parts[i].Object.Key)
	return ok && f.staysRestricted(i) || ok && !now.Deleting && (why == policy.Protected || why == policy.ProtectionUnknown || why == policy.ObjectFlawed)
}

// isMisplaced reports whether a part with several references has one to the UID of a member under
// another kind. Only an audit looks at such a reference after the end of that member. With another
// scope or name, or without another reference, the engine looks at once. An orphaning of the
// member drops the reference.
func (f *forecast) isMisplaced(i int32) bool {
	if len(f.Parts[i].Object.Owners) == 1 {
		return false
	}
	for _, r := range f.Parts[i].Object.Owners {
		o, ok := f.links.index.OfUID(r.UID)
		if !ok || o == i || !f.Parts[o].Member || draft.IsDependent(i, f.links.dependents[o]) {
			continue
		}
		if f.Parts[o].Object.Key.Kind != r.Kind {
			return true
		}
	}
	return false
}

// isOpen reports whether the end of a part depends on more than the parts: see isMisplaced. It
// may be a member of a sweep whose holder is gone, which the forecast does not have. Or the
// forecast has asked for labels, which are unknown. Then the part may be a member by its
// labels, a holder that waits for such a member, or an owner below one.
func (f *forecast) isOpen(i int32) bool {
	o, asked := &f.Parts[i].Object, f.waits[plan.LabelsUnknown]
	switch _, kind := asked[string(o.Kind)]; {
	case f.Behind[o.Key], f.isMisplaced(i), f.open[o.Key]:
		return true
	case len(asked) == 0 && len(f.Behind) == 0:
		return false
	case kind && f.fork.DependsOnLabels(*o):
		return true
	case !f.Parts[i].Member:
		return len(o.Owners) > 0
	}
	now, stays := f.store.At(o.Key)
	return len(asked) > 0 && (!stays || now.Deleting) && f.mayHold(o)
}

// mayHold reports whether an object is of a kind of holders.
func (f *forecast) mayHold(o *graph.Object) bool {
	return slices.ContainsFunc(f.cfg.Sweeps, func(s sweepConfig) bool { return s.Holder == o.Kind })
}

// mayForeground reports whether a phase of a sweep deletes in the foreground.
func mayForeground(s sweepConfig) bool {
	return slices.ContainsFunc(s.Phases, func(p guard.Phase) bool { return p.Propagation == graph.Foreground })
}

// hasUnknownOwner reports whether a part has stayed with a reference to an owner that is
// proven neither present nor absent.
func (f *forecast) hasUnknownOwner(i int32) bool { return f.fork.IsUnproven(f.Parts[i].Object.Key) }

// stays reports whether a marked object keeps the finalizer, by the request.
func (f *forecast) stays(name string) bool {
	switch {
	case name == graph.FinalizerForeground || name == graph.FinalizerOrphan || name == graph.FinalizerHold || name == graph.FinalizerNew || slices.Contains(f.req.Removed, name):
		return false
	case f.cfg.Handlers[name] != nil:
		return slices.Contains(f.req.Failing, name)
	}
	if f.contents.Ends(name) { // its members hold a container
		return false
	}
	return !slices.ContainsFunc(f.cfg.Sweeps, func(s sweepConfig) bool { return s.Finalizer == name })
}

// parents returns the part under which a tree shows each part, or -1. Each part of a target's
// tree comes below the target, and no parent is below its own child.
func (f *forecast) parents() []int32 {
	out, seen := slices.Repeat([]int32{-1}, len(f.Parts)), make([]bool, len(f.Parts))
	var todo []int32
	walk := func(top int32) {
		if seen[top] {
			return
		}
		seen[top], todo = true, append(todo[:0], top)
		for at := 0; at < len(todo); at++ {
			for _, d := range f.links.goWith(todo[at]) {
				if !seen[d] && f.Parts[d].Member {
					seen[d], out[d], todo = true, todo[at], append(todo, d)
				}
			}
		}
	}
	for _, t := range f.req.Delete {
		if i, ok := f.links.index.Of(t.Key); ok && !f.below(i) {
			walk(i)
		}
	}
	for _, t := range f.req.Delete {
		if i, ok := f.links.index.Of(t.Key); ok {
			walk(i)
		}
	}
	for i := range f.Parts {
		if f.Parts[i].Member && !f.below(int32(i)) {
			walk(int32(i))
		}
	}
	for i := range f.Parts {
		if f.Parts[i].Member {
			walk(int32(i))
		}
	}
	return out
}

// goWith returns the parts that go with a part: those below it, and its members.
func (l *links) goWith(i int32) []int32 {
	if l.within == nil {
		return l.below[i]
	}
	return slices.Concat(l.below[i], l.within[i])
}

// below reports whether a part has an owner that is a member, or a container that is one.
func (f *forecast) below(i int32) bool {
	if h := f.contents.ContainerOf(i); h >= 0 && f.Parts[h].Member {
		return true
	}
	for _, r := range f.Parts[i].Object.Owners {
		if o, ok := f.links.index.OwnerOf(i, &r, f.links.below); ok && o != i && f.Parts[o].Member {
			return true
		}
	}
	return false
}
