package offline

import (
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// noObject is the reason for which a kind of dump.Content.Unlisted is not listed.
const noObject = "the dump has no object of it"

// rewordExplanation puts an explanation by the copy in terms of the dump.
//
//test:by cmd/internal/cli.TestUnlistedKinds
func (c *Content) rewordExplanation(x *explain.Explanation) {
	if len(c.Unlisted) == 0 {
		return
	}
	owners := make([]graph.Owner, len(x.Owners))
	for i := range x.Owners {
		owners[i] = x.Owners[i].Owner
		x.Owners[i].Doubt = c.Unlisted.Doubt(x.Owners[i].Doubt, owners[i:i+1])
	}
	if x.Decision.Reason == policy.OwnerUnknown {
		x.Decision.Doubt = c.Unlisted.Doubt(x.Decision.Doubt, owners)
	}
	c.rewordConditions(x.Wait)
}

func (c *Content) rewordConditions(list []explain.Condition) {
	for i := range list {
		w := &list[i]
		if (w.Doubt == graph.UnservedKind || w.Doubt == graph.UnresolvedScope) && c.Unlisted.Has(w.Key.Kind) {
			w.Doubt, w.End, w.Actor, w.Text = graph.Unlisted, explain.Kind, string(w.Key.Kind), noObject
		}
		c.rewordConditions(w.For)
	}
}

// rewordPlan puts a plan by the copy in terms of the dump.
//
//test:by cmd/internal/cli.TestUnlistedKinds
func (c *Content) rewordPlan(p *plan.Plan) {
	if len(c.Unlisted) == 0 {
		return
	}
	owners := map[graph.Key][]graph.Owner{}
	for i := range c.Objects {
		owners[c.Objects[i].Key] = c.Objects[i].Owners
	}
	for i := range p.Objects {
		if o := &p.Objects[i]; o.Reason == policy.OwnerUnknown {
			o.Doubt = c.Unlisted.Doubt(o.Doubt, owners[o.Key])
		}
	}
}
