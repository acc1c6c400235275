package engine

import (
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/policy"
)

// brakedDecision returns the present decision about an object that the brake may hold.
func (e *Engine) brakedDecision(id graph.NodeID, d policy.Decision) (policy.Decision, brake.Answer) {
	w, ok := e.brake.WaitOf(id)
	if !ok {
		return d, brake.AnswerUnset
	}
	if d.Action != policy.Delete { // a sweep deletes it
		d.Reason = policy.HolderDeleted
	}
	return braked(w.For, d), w.For
}

// brakeDetail names the cascade that holds an object, with the count and the limit.
func (e *Engine) brakeDetail(id graph.NodeID) []string {
	switch w, ok := e.brake.WaitOf(id); {
	case !ok:
		return nil
	case w.For == brake.NeedRoom:
		return []string{"too many cascades are under way"}
	default:
		return []string{"cascade " + brakedCascade(w.Cascade).String()}
	}
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
		c.End, c.Text = explain.User, held.Join(x.e.brakeDetail(j.id))
	}
	return x.one(c)
}

// unlisted returns the kinds whose listings the brake awaits.
func (e *Engine) unlisted() (out []KindStatus) {
	for _, k := range e.Kinds() {
		awaited := k.Sick == "" || e.cfg.Brake.AwaitSick || e.kinds.Relisting()
		if awaited && (!k.Listed || e.kinds.Stale(k.Kind)) {
			out = append(out, k)
		}
	}
	return out
}

// namesOf names kinds, each with the reason for which it is sick, if it is.
func namesOf(kinds []KindStatus) (names []string) {
	for _, k := range kinds {
		if k.Sick != "" {
			k.Kind += graph.Kind(": " + k.Sick)
		}
		names = append(names, string(k.Kind))
	}
	return names
}

// unlistedKinds explains a wait until every kind is listed.
func (x *explainer) unlistedKinds(c explain.Condition) (out []explain.Condition) {
	kinds := x.e.unlisted()
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
