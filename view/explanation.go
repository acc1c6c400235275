package view

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Explanation returns the picture of an explanation: the object below its owners, and above
// the objects and the actors for which it waits. An owner that keeps an object stands above
// that object. The limit is that of Tree. Explanation changes nothing.
//
//test:by TestGolden TestExplanationShapes
func Explanation(x explain.Explanation, limit int) Picture {
	b := &chain{builder: newBuilder(), actors: map[string]int{}}
	n := node{key: x.Key, class: ofState(&x), subject: true}
	if x.State == explain.Exists {
		n.notes = append(n.notes, policy.Words(x.Decision.Reason, x.Decision.Doubt))
	}
	if x.Decision.Barred != policy.ReasonUnset {
		n.notes = append(n.notes, "no write goes out now: "+x.Decision.Barred.String())
	}
	if x.OwnersCut > 0 {
		n.notes = append(n.notes, numbered(x.OwnersCut, "more owner"))
	}
	b.set(n)
	owners := x.Owners
	if x.Deletion != nil && x.Deletion.Proof != nil {
		owners = append(slices.Clip(owners), x.Deletion.Proof.Owners...)
	}
	for i := range owners {
		b.owner(x.Key, &owners[i])
	}
	b.follow(x.Key, x.Decision.Reason, x.Wait)
	b.w.arrange()
	s := b.w.all([]int{b.w.find(x.Key)}, bound(limit))
	p := s.picture(limit)
	p.title = "Explanation of " + spell(x.Key)
	p.summary = []string{clean(x.Sentence())}
	if x.Cut > 0 {
		p.summary = append(p.summary, numbered(x.Cut, "condition")+" beyond the bound of the explanation")
	}
	return p
}

// ofState returns the class of the explained object.
func ofState(x *explain.Explanation) class {
	switch {
	case x.State == explain.Gone:
		return absent
	case x.State != explain.Exists:
		return unknown
	case x.Decision.Reason == policy.Protected:
		return protected
	case x.Deleting && x.Decision.Reason == policy.NeedDependents:
		return waiting
	case x.Decision.Reason.Held():
		return held
	case x.Deleting && x.Decision.Action == policy.Orphan:
		return orphaning
	case x.Deleting:
		return marked
	}
	return live
}

// chain makes the world of an explanation.
type chain struct {
	*builder
	actors map[string]int
}

func (b *chain) owner(dependent graph.Key, o *explain.Owner) {
	b.w.edges = append(b.w.edges, edge{
		upper: b.get(o.Key), lower: b.get(dependent), owns: true, block: o.Block, controller: o.Controller, policies: policyOf(o.OnDelete),
	})
	n := &b.w.nodes[b.at[o.Key]]
	if o.Self || n.subject {
		return
	}
	switch o.Class {
	case explain.Solid:
		n.class = live
	case explain.Waiting:
		n.class = waiting
	case explain.Orphaning:
		n.class = orphaning
	case explain.Dangling:
		n.class = absent
	default:
		n.class = unknown
	}
	if o.Evidence != explain.EvidenceUnset {
		n.note("evidence: " + strings.ReplaceAll(o.Evidence.String(), "-", " "))
	}
	if o.Doubt != graph.DoubtUnset {
		n.note(o.Doubt.String())
	}
}

// maxNotes bounds the notes of one node of an explanation.
const maxNotes = 8

// note adds a note once.
func (n *node) note(s string) {
	if len(n.notes) < maxNotes && !slices.Contains(n.notes, s) {
		n.notes = append(n.notes, s)
	}
}

// step is a list of conditions under way, and the object that waits for them.
type step struct {
	from   graph.Key
	owners bool // they are about the owners of from
	bars   bool // they are about objects that restrict from
	list   []explain.Condition
}

// follow adds the chains of conditions. A chain goes up if an object is kept by its owners.
func (b *chain) follow(from graph.Key, why policy.Reason, wait []explain.Condition) {
	stack := []step{{from, aboutOwners(why), why == policy.Restricted, wait}}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for i := range s.list {
			c := &s.list[i]
			at := c.Key
			if at == (graph.Key{}) {
				at = s.from
			}
			if at != s.from {
				b.wait(s, at)
			}
			n := &b.w.nodes[b.get(at)]
			if c.Reason != policy.ReasonUnset {
				n.note(policy.Words(c.Reason, c.Doubt))
			}
			if c.Reason.Held() && n.class == live {
				n.class = held
			}
			b.end(at, c)
			stack = append(stack, step{at, aboutOwners(c.Reason), c.Reason == policy.Restricted, c.For})
		}
	}
}

// aboutOwners reports whether an object with the reason waits for its owners.
func aboutOwners(r policy.Reason) bool {
	switch r {
	case policy.OwnerSolid, policy.OwnedInRing, policy.NeedOwner, policy.OwnerUnknown:
		return true
	}
	return false
}

// wait adds the edge from a waiting object to the object of a condition.
func (b *chain) wait(s step, to graph.Key) {
	from := b.get(s.from)
	e := edge{upper: from, lower: b.get(to)}
	if s.bars {
		e.policies = policyOf(graph.OnDeleteRestrict)
	}
	if s.owners {
		e = edge{upper: e.lower, lower: e.upper, owns: true}
	}
	b.w.edges = append(b.w.edges, e)
}

// end adds the actor at the end of a chain.
func (b *chain) end(at graph.Key, c *explain.Condition) {
	switch c.End {
	case explain.EndUnset, explain.Ring:
		return
	}
	name := c.End.String()
	if c.Actor != "" {
		name += " " + clean(c.Actor)
	}
	i, ok := b.actors[name]
	if !ok {
		i = len(b.w.nodes)
		b.actors[name] = i
		b.w.nodes = append(b.w.nodes, node{actor: name, class: actor})
	}
	if c.Text != "" {
		b.w.nodes[i].note(clean(c.Text))
	}
	b.w.edges = append(b.w.edges, edge{upper: b.get(at), lower: i})
}
