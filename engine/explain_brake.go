package engine

import (
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/policy"
)

// brakedDecision returns the present decision about an object that the brake may hold.
func (x *explainer) brakedDecision(id graph.NodeID, d policy.Decision) (policy.Decision, brake.Answer) {
	w, ok := x.e.brake.WaitOf(id)
	if !ok {
		return d, brake.AnswerUnset
	}
	if d.Action != policy.Delete { // a sweep deletes it
		d.Reason = policy.HolderDeleted
	}
	return braked(w.For, d), w.For
}

// braked explains a wait for the brake.
func (x *explainer) braked(j judgement, c explain.Condition) (out []explain.Condition) {
	w, _ := x.e.brake.WaitOf(j.id)
	switch j.braked {
	case brake.NeedToken:
		c.End, c.Actor, c.Next = explain.Time, "the window of the brake", w.Next
	case brake.NeedCount:
		c.End, c.Actor = explain.Work, "the count of its cascade"
	case brake.NeedListings:
		return x.unlistedKinds(c)
	default:
		c.End, c.Text = explain.User, held.Join(reports{x.e}.brakeDetail(j.id))
	}
	return x.one(c)
}

// unlistedKinds explains a wait until every kind is listed.
func (x *explainer) unlistedKinds(c explain.Condition) (out []explain.Condition) {
	kinds := reports{x.e}.unlisted()
	for _, k := range kinds[:x.take(len(kinds))] {
		d := c
		x.sick(k.Kind, &d)
		out = append(out, d)
	}
	if len(kinds) == 0 {
		c.End, c.Actor = explain.Work, "the set of kinds"
		return x.one(c)
	}
	return out
}
