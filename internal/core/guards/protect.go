package guards

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Rules tells which rule protects an object. It is a value and changes nothing, so it is safe
// for concurrent use.
type Rules struct {
	list     []guard.Protection
	labelled []int // the rules with a selector
}

// Any reports whether there is a rule.
func (r *Rules) Any() bool { return len(r.list) > 0 }

// NeedLabels names the first field of the rules that depends on labels, "" without one.
func (r *Rules) NeedLabels() string {
	if len(r.labelled) == 0 {
		return ""
	}
	return fmt.Sprintf("Protect[%d].Selector", r.labelled[0])
}

// MaySelect reports whether a rule may protect a node, by its kind, scope and name. It makes no
// copy of the object, and runs no function of a rule. The finalizer of protection is no rule.
func (r *Rules) MaySelect(n graph.Node) bool {
	for i := range r.list {
		if p := &r.list[i]; mayTake(p.Kinds, p.Scopes, p.Names, n) {
			return true
		}
	}
	return false
}

// mayTake reports whether a node meets the conditions on kind, scope and name.
func mayTake(kinds []graph.Kind, scopes, names []string, n graph.Node) bool {
	if len(kinds) > 0 && !slices.Contains(kinds, n.Kind()) || len(scopes) > 0 && !slices.Contains(scopes, n.Scope()) {
		return false
	}
	if len(names) == 0 {
		return true
	}
	k := graph.Key{Kind: n.Kind(), Scope: n.Scope()}
	for _, k.Name = range names {
		if n.Inside(inside.Key{}).IsPlaced(k) {
			return true
		}
	}
	return false
}

// Protects returns the name of the rule that protects an object by its own content: the
// finalizer of protection, or a rule without a selector. It returns "" without one.
func (r *Rules) Protects(o *graph.Object) string {
	if len(o.Finalizers) > 0 && o.HasFinalizer(graph.FinalizerProtect) {
		return graph.FinalizerProtect
	}
	for i := range r.list {
		if p := &r.list[i]; p.Selector == "" && selects(p.Kinds, p.Scopes, p.Names, p.Where, o) {
			return ruleName(p.Name, "Protect", i)
		}
	}
	return ""
}

// WithholdsMark reports whether the mark of an object counts for no dependent, by the content of
// the object alone (RULES, G3).
func (r *Rules) WithholdsMark(o *graph.Object) bool {
	return o.Deleting && (len(o.Finalizers) > 0 && o.HasFinalizer(graph.FinalizerHold) || r.Protects(o) != "")
}

// MarkWithholder returns WithholdsMark as the setting of a graph, or nil without a rule, since a
// graph knows the finalizers. It keeps a copy of the rules, because a snapshot of the
// graph outlives the engine.
func (r *Rules) MarkWithholder() func(graph.Object) bool {
	if !r.Any() {
		return nil
	}
	rules := *r
	return func(o graph.Object) bool { return rules.WithholdsMark(&o) }
}

// MayWithholdMark is WithholdsMark without the labels of objects: a rule with a selector counts for each
// object that its other conditions select.
//
//test:by TestMayWithholdMark
func (r *Rules) MayWithholdMark(o *graph.Object) bool {
	return o.Deleting && (r.WithholdsMark(o) || slices.ContainsFunc(r.list, func(p guard.Protection) bool {
		return p.Selector != "" && selects(p.Kinds, p.Scopes, p.Names, p.Where, o)
	}))
}

// selects reports whether an object meets all conditions that are set.
func selects(kinds []graph.Kind, scopes, names []string, where func(graph.Object) bool, o *graph.Object) bool {
	return within(kinds, o.Kind) && within(scopes, o.Scope) && within(names, o.Name) && (where == nil || where(o.Clone()))
}

// within reports whether a list is empty or has the value.
func within[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }
