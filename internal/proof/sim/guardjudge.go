package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	planning "github.com/ownergraph/ownergraph/plan"
)

// This file judges guards and protections. The other judges get the objects as they count
// for their dependents: the mark of an object that a guard holds, or that is protected, is
// no mark (RULES, G3). So a write below such an object that relies on its mark breaks S1 to
// S4, S23 or S24.

// shield judges the writes of an engine under the settings of that engine.
type shield struct {
	cfg    *ownergraph.Config
	ledger *invariant.Ledger
}

// makeShields makes the judges of a world with guards.
func (s *sim) makeShields(cfgs []ownergraph.Config) {
	if !s.o.has(guards) {
		return
	}
	s.shields = make([]shield, len(cfgs))
	for i := range cfgs {
		s.shields[i].cfg = &cfgs[i]
	}
	s.issuers = map[issue][]int{}
}

// beginShields begins the histories of the judges with the present store.
func (s *sim) beginShields() {
	for i := range s.shields {
		x := &s.shields[i]
		objects := slices.Clone(s.w.Store.Objects())
		for j := range objects {
			objects[j] = x.counts(objects[j])
		}
		x.ledger = invariant.NewLedger(objects)
		x.ledger.Override, x.ledger.Strict = s.o.override, s.w.Ledger.Strict
		x.ledger.Scope, x.ledger.OwnerName = s.w.Ledger.Scope, s.w.Ledger.OwnerName
	}
}

// protects reports whether a rule of the engine, or the object itself, protects an object.
func (x *shield) protects(o *graph.Object) bool {
	return o.HasFinalizer(graph.FinalizerProtect) || slices.ContainsFunc(x.cfg.Protect, func(p guard.Protection) bool {
		return listed(p.Kinds, o.Kind) && listed(p.Scopes, o.Scope) && listed(p.Names, o.Name) && (p.Where == nil || p.Where(*o))
	})
}

// guard returns the guard of the engine that judges the deletion of an object, or nil.
func (x *shield) guard(o *graph.Object) *guard.Guard {
	i := slices.IndexFunc(x.cfg.Guards, func(g guard.Guard) bool {
		return listed(g.Kinds, o.Kind) && listed(g.Scopes, o.Scope) && listed(g.Names, o.Name) && (g.Where == nil || g.Where(*o))
	})
	if i < 0 {
		return nil
	}
	return &x.cfg.Guards[i]
}

// listed reports whether a condition is not set, or names the value.
func listed[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }

// counts returns an object as it counts for its dependents.
func (x *shield) counts(o graph.Object) graph.Object {
	o.Deleting = o.Deleting && !o.HasFinalizer(graph.FinalizerHold) && !x.protects(&o)
	return o
}

// seen returns an event as it counts for the dependents in one engine.
func (s *sim) seen(side int, ev graph.Event) graph.Event {
	if s.shields != nil && ev.Type == graph.Put {
		ev.Object = s.shields[side].counts(ev.Object)
	}
	return ev
}

// answered returns a result as it counts for the dependents in one engine.
func (s *sim) answered(side int, r engine.Result) engine.Result {
	if s.shields != nil {
		r.Object = s.shields[side].counts(r.Object)
	}
	return r
}

// acting returns the judges of the engines that write.
func (s *sim) acting() (out []*shield) {
	for i := range s.shields {
		if !s.shields[i].cfg.ObserveOnly {
			out = append(out, &s.shields[i])
		}
	}
	return out
}

// countAll returns the objects as they count for every engine that writes.
func (s *sim) countAll(objects []graph.Object) []graph.Object {
	if s.shields == nil {
		return objects
	}
	objects = slices.Clone(objects)
	for i := range objects {
		o := objects[i]
		if o.Deleting && !slices.ContainsFunc(s.acting(), func(x *shield) bool { return x.counts(o).Deleting }) {
			objects[i].Deleting = false
		}
	}
	return objects
}

// shieldCommit gives the judges a change of the store.
func (s *sim) shieldCommit(ev graph.Event) {
	for i := range s.shields {
		s.shields[i].ledger.Commit(s.seen(i, ev))
	}
}

// judgeShield judges a write before its commit. Two engines may count their calls alike. Then
// one of them may have sent it.
func (s *sim) judgeShield(c engine.Call, o graph.Object) error {
	switch {
	case repeated(c, &o):
		return s.judgeRepeat(c, o)
	case graph.IsGuardFinalizer(c.Change.DropFinalizer) || graph.IsGuardFinalizer(c.Change.AddFinalizer):
		return nil // the ledgers know no withheld marks: see judgeAsked
	}
	var bad error
	for _, side := range s.issuers[issue{c.ID, c.Key}] {
		err := s.judgeBy(s.shields[side].ledger, c)
		if err == nil {
			return nil
		}
		bad = errors.Join(bad, err)
	}
	return bad
}

// repeated reports whether a write deletes a root again that a guard holds.
func repeated(c engine.Call, o *graph.Object) bool {
	return c.Type == engine.CallDelete && o.Deleting && o.HasFinalizer(graph.FinalizerHold)
}

// judgeRepeat judges the repeated deletion of a root that passes in order, or whose period passes on
// (RULES, G7 and E7). A deletion with a period has that of the mark, less one second.
func (s *sim) judgeRepeat(c engine.Call, o graph.Object) error {
	ordered := func(side int) bool {
		g := s.shields[side].guard(&o)
		return g != nil && (len(g.Phases) > 0 || c.Options.GraceSeconds != nil)
	}
	if p := c.Options.GraceSeconds; p != nil && (c.Options.GraceAtMost || *p < 1 || *p != o.GraceSeconds-1 || !slices.Contains(s.o.periods, o.Kind)) {
		return fmt.Errorf("E7: %s is deleted again with a period of %d seconds", o, *p)
	} else if p != nil {
		s.repeats++
	}
	if c.Options.Propagation != graph.Foreground || o.Propagation() != graph.Unset || !o.HasFinalizer(graph.FinalizerNew) ||
		!slices.ContainsFunc(s.issuers[issue{c.ID, c.Key}], ordered) {
		return fmt.Errorf("G2: %s is deleted again, and no guard with an order has passed it", o)
	}
	return nil
}

// judgeAsked judges a write as an engine asks for it. The object is at the version of the
// write.
func (s *sim) judgeAsked(side int, c engine.Call, o *graph.Object) error {
	if s.shields == nil || o == nil {
		return nil
	}
	s.issuers[issue{c.ID, c.Key}] = append(s.issuers[issue{c.ID, c.Key}], side)
	x := &s.shields[side]
	switch name := c.Change.DropFinalizer; {
	case c.Type == engine.CallDelete && !o.Deleting && x.protects(o):
		return fmt.Errorf("G1: engine %d deletes %s, which is protected", side, o)
	case name == graph.FinalizerProtect:
		return fmt.Errorf("G1: engine %d takes the protection off %s", side, o)
	case name == graph.FinalizerHold && (!o.Deleting || !o.HasFinalizer(graph.FinalizerNew) || s.o.level < ownergraph.Level2):
		return fmt.Errorf("G2: engine %d lets the cascade of %s begin, which is not marked, is judged, or has no fences", side, o)
	case name == graph.FinalizerHold && (x.guard(o) == nil || x.guard(o).Always):
		return fmt.Errorf("G2: engine %d lets the cascade of %s begin, and its guard does not permit that", side, o)
	case name == graph.FinalizerNew && (!o.Deleting || o.HasFinalizer(graph.FinalizerHold) && x.guard(o) == nil):
		return fmt.Errorf("G2: engine %d refuses the deletion of %s, which is not marked or not guarded", side, o)
	case (name == graph.FinalizerForeground || name == graph.FinalizerOrphan) && o.Deleting && !x.counts(*o).Deleting:
		return fmt.Errorf("G3: engine %d ends the propagation of %s, whose mark is withheld", side, o)
	}
	return nil
}

// checkGuards checks the guarded roots of a world at rest. A root that lives carries both
// finalizers. Each marked one is judged, and each one that passed is on its way.
func (s *sim) checkGuards() error {
	if s.shields == nil || s.o.has(duplicateUIDs) {
		return nil
	}
	for _, o := range s.w.Store.Objects() {
		if garbled(o) || s.o.flawed(o) {
			continue
		}
		hold, isNew := o.HasFinalizer(graph.FinalizerHold), o.HasFinalizer(graph.FinalizerNew)
		guarded := slices.ContainsFunc(s.acting(), func(x *shield) bool { return x.guard(&o) != nil })
		switch {
		case !o.Deleting && guarded && !(hold && isNew):
			return fmt.Errorf("G2: %s lives, and is not guarded", o)
		case o.Deleting && guarded && hold && isNew && s.o.level >= ownergraph.Level2 && o.GraceSeconds == 0: // an order waits for the end of the grace period
			return fmt.Errorf("G2: %s is not judged", o)
		case o.Deleting && isNew && !hold:
			return fmt.Errorf("G2: %s has passed, and stays", o)
		}
	}
	return nil
}

// isQuiet reports whether no rule of the oracle applies to the objects as each engine that writes
// counts them. A mark may count in one engine and not in another, which protects the object (RULES,
// G3). So the mark that one engine counts gives no other engine anything to do.
func (s *sim) isQuiet(objects []graph.Object) bool {
	cfg := s.o.forOracle()
	quiet := func(objects []graph.Object) bool {
		return oracle.Quiet(oracle.NewState(forOracle(objects)), cfg)
	}
	if s.shields == nil {
		return quiet(objects)
	}
	for i := range s.shields {
		cfg.Policies = s.o.policied(i)
		if !s.shields[i].cfg.ObserveOnly && !quiet(s.forQuiet(i, objects)) {
			return false
		}
	}
	return true
}

// forQuiet returns the objects for the oracle, which knows no guards, as one engine counts them. An
// object that the engine may not delete, or whose mark counts for no dependent, is one that a
// foreign finalizer keeps. So is one that waits for a phase. If it is an owner in a foreground
// deletion, its end alone waits.
func (s *sim) forQuiet(side int, objects []graph.Object) []graph.Object {
	x, waits := &s.shields[side], s.phasedIn(side)
	out := make([]graph.Object, 0, len(objects))
	for _, o := range objects {
		switch {
		case x.protects(&o) || o.Deleting && !x.counts(o).Deleting:
			o = kept(o, graph.FinalizerHold) // it restricts others as an unmarked object does
		case !waits.excuses(s, o.Key):
		case o.Propagation() == graph.Foreground && o.Deleting:
			out = append(out, blocker(o))
		case !o.Deleting:
			o = kept(o, graph.FinalizerHold)
		default:
			o = kept(o, "kept")
		}
		out = append(out, o)
	}
	return out
}

// kept returns an object that a finalizer keeps, and whose mark counts for no dependent.
func kept(o graph.Object, by string) graph.Object {
	o = o.Clone()
	o.Finalizers = append(slices.DeleteFunc(o.Finalizers, func(f string) bool {
		return f == graph.FinalizerForeground || f == graph.FinalizerOrphan
	}), by)
	o.Deleting = true
	return o
}

// refuses reports whether a guard refuses a deletion of the plan. No guard may judge a target
// that is held: it has been judged, no guard selects it, it is flawed, or the store has no
// fences.
func (c *comparison) refuses() bool {
	judged := func(o graph.Object) bool {
		return !o.Deleting && c.s.o.level >= ownergraph.Level2 && !c.s.o.flawed(o) &&
			slices.ContainsFunc(c.s.acting(), func(x *shield) bool { return x.guard(&o) != nil })
	}
	held := func(o graph.Object) bool {
		p, planned := c.plan.At(o.Key)
		return planned && p.Root && o.HasFinalizer(graph.FinalizerHold) && !judged(o)
	}
	return slices.ContainsFunc(c.plan.Verdicts, func(v planning.Verdict) bool { return v.Refused() }) || slices.ContainsFunc(c.before, held)
}

// guardsDiffer reports whether the engines have different guards or protections.
func (s *sim) guardsDiffer() bool {
	own := s.o.guarding.attitudes[:s.o.engines]
	return s.shields != nil && slices.ContainsFunc(own, func(a attitude) bool { return a != own[0] })
}

// keepsRefused checks that no object ends whose root is the only target of a plan, and was
// refused. Where the plan does not know all labels, the judgement may need none of them. Other
// clients may end an object before the judgement.
func (c *comparison) keepsRefused() error {
	if len(c.plan.Request.Delete) != 1 || len(c.plan.Verdicts) != 1 || c.s.guardsDiffer() || c.helped {
		return nil
	}
	if v := &c.plan.Verdicts[0]; !v.Refused() || v.Unknown {
		return nil
	}
	root := c.plan.Verdicts[0].Root
	if o, ok := c.s.w.Store.At(root); !ok || o.Key != root || !o.HasFinalizer(graph.FinalizerHold) || o.Deleting && o.HasFinalizer(graph.FinalizerNew) && c.s.o.level >= ownergraph.Level2 {
		return fmt.Errorf("G2: the plan of engine %d says %s, and the root is %s", c.side, c.plan.Verdicts[0].String(), o)
	}
	for _, o := range c.before {
		if now, ok := c.s.w.Store.At(o.Key); o.Key != root && !o.Deleting && (!ok || now.Key != o.Key || now.Deleting) {
			return fmt.Errorf("G2: the deletion of %s is refused, and %s goes", root, o)
		}
	}
	return nil
}

// checkPassed checks the only target of a plan that a guard has passed: its deletion ends no
// more objects than the guard permits, and keeps none because of its protection. An object that
// does not hang below the target goes because of others, such as one whose grace period ends. With
// sweeps that is not known.
func (c *comparison) checkPassed() error {
	ends := func(o graph.Object) bool { return o.Deleting && o.GraceSeconds > 0 }
	if c.s.shields == nil || c.s.sweeps != nil && slices.ContainsFunc(c.before, ends) || len(c.plan.Request.Delete) != 1 || c.s.guardsDiffer() {
		return nil
	}
	k := c.plan.Request.Delete[0].Key
	i := slices.IndexFunc(c.before, func(o graph.Object) bool { return o.Key == k })
	x, root := &c.s.shields[0], c.before[i]
	g := x.guard(&root)
	if now, ok := c.s.w.Store.At(k); g == nil || root.Deleting || !root.HasFinalizer(graph.FinalizerNew) || ok && now.Key == k && now.HasFinalizer(graph.FinalizerHold) {
		return nil
	}
	count, below := 0, c.below(k.UID)
	for _, o := range c.before {
		now, ok := c.s.w.Store.At(o.Key)
		switch ok = ok && now.Key == o.Key; {
		case o.Key == k || o.Deleting || c.s.o.flawed(o) || c.s.sweeps == nil && !below[o.UID]: // a flawed object stays anyway
		case !ok || now.Deleting:
			count++
		case g.Protected && x.protects(&now) && c.owned(o) && !c.s.owned(now):
			return fmt.Errorf("G2: a guard has passed the deletion of %s, and %s stays because it is protected", root, now)
		}
	}
	if g.Above != nil && count > *g.Above {
		return fmt.Errorf("G2: a guard has passed the deletion of %s, which ends %d objects, more than %d", root, count, *g.Above)
	}
	return nil
}

// below returns the UIDs of the objects that hung below an object, by their references' UIDs.
func (c *comparison) below(root graph.UID) map[graph.UID]bool {
	out := map[graph.UID]bool{root: true}
	for n := 0; n < len(out); {
		n = len(out)
		for _, o := range c.before {
			if slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return out[r.UID] }) {
				out[o.UID] = true
			}
		}
	}
	return out
}

// owned reports whether an owner of the object was in the store before.
func (c *comparison) owned(o graph.Object) bool {
	return slices.ContainsFunc(c.before, func(x graph.Object) bool {
		return x.Key != o.Key && slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.Key == x.Key })
	})
}

// owned reports whether an owner of the object is in the store, or may be, or there is none.
func (s *sim) owned(o graph.Object) bool {
	return len(o.Owners) == 0 || slices.ContainsFunc(o.Owners, func(r graph.Owner) bool {
		x, ok := s.w.Store.At(r.Key)
		return r.Unresolved || r.Kind == unserved || ok && x.UID == r.UID
	})
}
