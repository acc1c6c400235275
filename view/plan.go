package view

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	spelling "github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// Plan returns the picture of a plan: the end of each object with its wave, and the reason
// for which an object stays. The objects may be nil. A plan names few references, and the
// references of the objects complete them. The picture begins with the objects that the
// user deletes. The limit is that of Tree. Plan changes nothing.
//
//test:by TestPlanClasses TestGolden
func Plan(p plan.Plan, objects []graph.Object, limit int) Picture {
	b := newBuilder()
	for i := range p.Objects {
		o := &p.Objects[i]
		b.set(ofPlanned(o))
	}
	for i := range p.Objects {
		b.planned(&p.Objects[i])
	}
	for i := range p.Steps {
		for _, owner := range p.Steps[i].Owners {
			b.own(owner, p.Steps[i].Key)
		}
	}
	b.reference(objects)
	b.w.arrange()
	var roots []int
	for i := range b.w.nodes {
		if b.w.nodes[i].subject {
			roots = append(roots, i)
		}
	}
	s := b.w.all(roots, bound(limit))
	out := s.picture(limit)
	out.title = "Plan without a deletion"
	if len(p.Request.Delete) > 0 {
		out.title = "Plan of the deletion of " + some(p.Request.Delete, func(t plan.Target) string { return spell(t.Key) })
	}
	out.omitted += max(p.Truncated, 0)
	out.waves = max(p.Waves, 0)
	out.summary = []string{fmt.Sprintf("%s, %s, %s", numbered(len(p.Objects)+max(p.Truncated, 0), "object"), numbered(out.waves, "wave"), p.Cost)}
	if len(p.Refusals) > 0 {
		out.summary = append(out.summary, "the store refuses the deletion of "+some(p.Refusals, func(r plan.Refusal) string { return spell(r.Target) })+", because other objects restrict it")
	}
	if len(p.WithoutBlocker) > 0 {
		out.summary = append(out.summary, "no dependent blocks the deletion of "+some(p.WithoutBlocker, spell))
	}
	if p.BestEffort {
		out.summary = append(out.summary, "best effort: the deletion may miss a dependent")
	}
	return out
}

func ofPlanned(o *plan.Object) node {
	n := node{key: o.Key, class: kept, wave: max(o.Wave, 0), maybe: o.Possible, subject: o.Root}
	switch {
	case o.Outcome == plan.Removed:
		n.class = going
	case o.Outcome == plan.Held && o.Reason == policy.Protected:
		n.class, n.rank = protected, 2
	case o.Outcome == plan.Held:
		n.class, n.rank = held, 2
	case o.Outcome == plan.OutcomeUnset || o.Outcome > plan.Held:
		n.class = unknown
	}
	if o.Possible {
		n.rank++
	}
	if o.Root {
		n.notes = append(n.notes, "deleted by the user")
	}
	if o.Outcome == plan.Orphaned || o.Outcome == plan.Trimmed {
		n.notes = append(n.notes, o.Outcome.String())
	}
	n.notes = append(n.notes, because(o)...)
	if o.Phase > 0 {
		n.notes = append(n.notes, fmt.Sprintf("phase %d", o.Phase))
	}
	if o.Forward {
		n.notes = append(n.notes, "moved forward by ownership")
	}
	return n
}

// because has the reason with its causes, and the objects behind it.
func because(o *plan.Object) (notes []string) {
	if o.Reason != policy.ReasonUnset && o.Reason != policy.Protected {
		s := policy.Words(o.Reason, o.Doubt)
		if len(o.Causes) > 0 {
			s += ": " + causes(o)
		}
		notes = append(notes, s)
	}
	if o.Holder != (graph.Key{}) {
		notes = append(notes, "by the sweep of "+spell(o.Holder))
	}
	if o.Container != (graph.Key{}) {
		notes = append(notes, "by the actor of "+spell(o.Container))
	}
	if len(o.Owners) > 1 || len(o.Owners) == 1 && o.Owners[0] != o.Parent {
		notes = append(notes, "kept by "+some(o.Owners, spell))
	}
	return notes
}

// causes spells the causes for which an object is held, as the picture spells keys.
func causes(o *plan.Object) string {
	if o.Reason.NamesFinalizers() {
		return some(o.Causes, clean)
	}
	return some(o.Causes, func(s string) string { return clean(spelling.Text(s)) })
}

// builder makes a world from keys.
type builder struct {
	w  *world
	at map[graph.Key]int
}

func newBuilder() *builder { return &builder{&world{}, map[graph.Key]int{}} }

// set adds a node, or replaces it.
func (b *builder) set(n node) int {
	i, ok := b.at[n.key]
	if !ok {
		i = len(b.w.nodes)
		b.at[n.key] = i
		b.w.nodes = append(b.w.nodes, node{})
	}
	b.w.nodes[i] = n
	return i
}

// get returns the node of a key. It adds a live node for a key without one.
func (b *builder) get(k graph.Key) int {
	if i, ok := b.at[k]; ok {
		return i
	}
	return b.set(node{key: k, class: live})
}

func (b *builder) own(owner, dependent graph.Key) {
	b.w.edges = append(b.w.edges, edge{upper: b.get(owner), lower: b.get(dependent), owns: true})
}

// planned adds the edges that the plan of an object names.
func (b *builder) planned(o *plan.Object) {
	_, parent := b.at[o.Parent]
	_, container := b.at[o.Container]
	switch {
	case parent && o.Parent != o.Key && o.Parent != o.Container:
		b.own(o.Parent, o.Key)
	case container && o.Container != o.Key:
		b.w.edges = append(b.w.edges, edge{upper: b.get(o.Container), lower: b.get(o.Key), member: true})
	}
	for _, owner := range o.Owners {
		b.own(owner, o.Key)
	}
	for _, e := range o.Edges {
		if upper, ok := b.at[e.Owner]; ok { // another one may be absent
			b.w.edges = append(b.w.edges, edge{upper: upper, lower: b.get(o.Key), owns: true, policies: policyOf(e.OnDelete)})
		}
	}
}

// reference adds the references between the nodes of the world, as the objects have them.
func (b *builder) reference(objects []graph.Object) {
	x := newIndex(len(b.w.nodes))
	for i := range b.w.nodes {
		x.add(b.w.nodes[i].key)
	}
	for i := range objects {
		o := &objects[i]
		lower, ok := b.at[o.Key]
		if !ok {
			continue
		}
		for _, r := range o.Owners {
			for upper := x.first(r.Key); upper >= 0; upper = x.next[upper] {
				b.w.edges = append(b.w.edges, edge{upper: upper, lower: lower, owns: true, block: r.Block, controller: r.Controller, policies: policyOf(r.OnDelete)})
			}
		}
	}
}
