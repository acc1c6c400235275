package guards

import (
	"errors"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/grace"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// Settings are the parts of a configuration that guards use. It is a value.
type Settings struct {
	Protect []guard.Protection
	Guards  []guard.Guard
	Grace   []graph.Kind     // whose objects have grace periods
	Members []selecting.Rule // of sweeps: a verdict counts the members
	Page    int              // the number of objects in a page of a selection
}

// Guards has the protections and the guarded roots of one engine, with the labels that both depend
// on. Make it with New. It is not safe for concurrent use.
type Guards struct {
	Rules  Rules         // of protection
	Grace  grace.Periods // that deletes carry
	Roots  Machine       // guarded
	Labels Labels        // of protections
	// Members are the labels that make members of sweeps. A verdict counts the members, so the
	// labels are selected before it: for a root that has members by labels at once, and for
	// another root once its plan has asked for them.
	Members Labels
}

// New returns the guards of a configuration. An error wraps graph.ErrInvalid and names the field.
func New(s Settings) (g Guards, err error) {
	if g.Rules, err = newRules(s.Protect); err != nil {
		return g, err
	}
	if g.Grace, err = grace.New(s.Grace); err != nil {
		return g, err
	}
	if g.Roots, err = newMachine(s.Guards, g.Grace); err != nil {
		return g, err
	}
	if !g.Roots.Any() { // there is no verdict
		s.Members = nil
	}
	g.Labels, g.Members = newLabels(g.Rules, s.Page), newMembers(s.Members, s.Page)
	return g, nil
}

// Judge returns the decision of the guards for an object, where the rules alone decide d. It changes
// nothing: see Commit. The caller leaves Selected of the facts unset.
//
//test:by TestJudgement
func (g *Guards) Judge(v View, id graph.NodeID, o *graph.Object, d policy.Decision, f Facts) Judgement {
	if o.Deleting {
		f.Selected = g.Labels.SelectedAt(v)
		if g.countsMembers(id, f) {
			f.Selected = min(f.Selected, g.Members.SelectedAt(v))
		}
	}
	j := g.Roots.Judge(v, id, o, d, f)
	if j.Decision.Reason == policy.NeedVerdict || j.Decision.Reason == policy.JudgementFails {
		j.labels, j.members = true, g.countsMembers(id, f)
	}
	return j
}

// countsMembers reports whether the verdict about a root needs members by labels. A fork asks
// nothing.
func (g *Guards) countsMembers(id graph.NodeID, f Facts) bool {
	return g.Members.Any() && g.Members.Restored() == nil && (f.HasMembersByLabel || g.Roots.NeedsMembers(id))
}

// JudgeDelete returns Protected or ProtectionUnknown for an object that may not be deleted (RULES,
// G1), and ReasonUnset for every other one. With ProtectionUnknown, Labels.Want follows.
func (g *Guards) JudgeDelete(v View, id graph.NodeID, o *graph.Object) policy.Reason {
	if g.Rules.Protects(o) != "" {
		return policy.Protected
	}
	return g.Labels.Judge(v, id, o)
}

// WithholdsMark reports whether the mark of an object counts for no dependent, by its content or by its
// labels (RULES, G3). Known and rewound are as in Labels.State.
func (g *Guards) WithholdsMark(o *graph.Object, known, rewound seq.Stamp) bool {
	return g.Rules.WithholdsMark(o) || o.Deleting && g.Labels.Any() && g.Labels.MayProtect(o, known, rewound)
}

// Protection returns the name of the rule that protects an object, or "". Unknown says that a
// selection has to tell. An object outside of the graph has no labels.
func (g *Guards) Protection(v View, o *graph.Object) (rule string, unknown bool) {
	rule = g.Rules.Protects(o)
	if n, ok := v.Graph.Lookup(o.Key); ok && rule == "" {
		return g.Labels.State(o, v.State(n.ID()).Known, v.Kinds.Rewound())
	}
	return rule, false
}

// MayProtect reports whether an object is protected, or whether a selection has to tell.
func (g *Guards) MayProtect(v View, o *graph.Object) (protected, unknown bool) {
	rule, unknown := g.Protection(v, o)
	_, ok := v.Graph.Lookup(o.Key)
	return rule != "", unknown || rule == "" && !ok && g.Labels.Any()
}

// Done takes the verdict of the judgement of a root, or its error. Labels that the judgement lacked
// are selected before the next one.
func (g *Guards) Done(v View, call uint64, id graph.NodeID, verdict Verdict, err error) {
	if errors.Is(err, ErrUnlabelled) {
		g.Labels.WantAll(v, id, v.Stamps.Last())
	}
	if errors.Is(err, ErrUnselected) {
		if !g.Roots.NeedsMembers(id) {
			g.Roots.Defer(v, call)
			return
		}
		g.Members.WantAll(v, id, v.Stamps.Last()) // a kind may have joined since
	}
	g.Roots.Done(v, call, verdict, err)
}

// TrySelect asks for the selections that begin after the moment, for protections and members. It
// reports whether all of them are complete.
func (g *Guards) TrySelect(v View, after seq.Stamp) bool {
	g.Labels.WantKinds(v, after)
	g.Members.WantKinds(v, after)
	return g.Labels.SelectedAt(v) > after && g.Members.SelectedAt(v) > after
}

// Follows reports whether the guards know a node, or may know it by its labels.
func (g *Guards) Follows(id graph.NodeID) bool {
	return g.Roots.Follows(id) || g.Labels.Any() || g.Members.Any()
}

// Leave forgets an object that is gone, with its last key and version, as far as it is known. After
// the last root it forgets the members.
func (g *Guards) Leave(v View, id graph.NodeID, k graph.Key, version graph.Version) {
	g.Labels.Leave(id, k)
	g.Members.Leave(id, k)
	if g.Roots.Leave(v, id, k, version); !g.Roots.HasRoots() {
		g.Members.Forget()
	}
}

// Selecting reports whether a selection for a verdict or a protection is due or under way.
func (g *Guards) Selecting(v View) bool { return g.Labels.Busy(v) || g.Members.Busy(v) }

// Detail names the rule or the guard that holds a node, and the cause.
func (g *Guards) Detail(v View, n graph.Node) (out []string) {
	o := n.Object()
	switch v.State(n.ID()).Reason {
	case policy.Protected:
		rule, _ := g.Protection(v, &o)
		return []string{"by " + rule}
	case policy.ProtectionUnknown:
		return g.Labels.Unselected(v, o.Kind)
	case policy.NeedVerdict:
		if !v.Fence.Exact() {
			out = append(out, "the store has no fences")
		}
		out = slices.Concat(out, v.Kinds.SickNames(), g.Labels.Failing(), g.Members.Failing())
	case policy.DeletionRefused:
		out = append(out, g.Roots.Causes(n.ID())...)
	case policy.GuardUnfit:
		out = append(out, "objects of the kind "+string(o.Kind)+" may not own")
	}
	switch _, name := g.Roots.Of(&o); {
	case name != "":
		out = append(out, "guard "+name)
	case o.HasFinalizer(graph.FinalizerHold):
		out = append(out, "no guard of the settings selects "+o.Key.String()+", which carries "+graph.FinalizerHold)
	}
	return out
}

// Check verifies the invariants of Machine and Labels.
func (g *Guards) Check(v View) error {
	for _, check := range []func() error{func() error { return g.Roots.Check(v) }, g.Labels.Check, g.Members.Check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// Clone returns guards that share nothing with g that either may change.
func (g *Guards) Clone() Guards {
	return Guards{g.Rules, g.Grace, g.Roots.Clone(), g.Labels.Clone(), g.Members.Clone()}
}

// Hash writes the state to the printer.
func (g *Guards) Hash(p *fingerprint.Printer, after func(seq.Stamp)) {
	g.Roots.Hash(p, after)
	g.Labels.Hash(p, after)
	g.Members.Hash(p, after)
}
