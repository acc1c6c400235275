package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/view"
)

const (
	maxPlanned  = 1000     // objects and steps that a page has of a plan
	maxPlanText = 16 << 20 // bytes of the names around an object whose plan is written in JSON
)

type planPage struct {
	head
	Key         jsonKey
	Place       string
	Propagation string
	Choices     []planChoice
	Plan        plan.Plan
	Total       plan.Total // of all kinds
	Text        string
	Picture     string // the link, without parameters that are not needed
}

type planChoice struct {
	Name, Words, Link string
	Here              bool
}

// planOf makes the plan of a request: the deletion of one object, with a propagation. It counts
// the objects first, since a plan costs in proportion to them.
func (h *Handler) planOf(ctx context.Context, r *http.Request) (p plan.Plan, n ownergraph.Nearby, err error) {
	key, err := objectIn(r)
	if err != nil {
		return p, n, err
	}
	how := graph.Background
	if text := r.URL.Query().Get("propagation"); text != "" {
		if how, err = graph.ParsePropagation(text); err != nil || how == graph.Unset {
			return p, n, &statusError{http.StatusBadRequest, "the propagation is background, foreground or orphan"}
		}
	}
	if n, err = h.source.Nearby(ctx, key, h.config.MaxPlan); err != nil {
		return p, n, err
	}
	if n.More {
		return p, n, &statusError{http.StatusServiceUnavailable,
			fmt.Sprintf("more than %s objects are around this one, which is the limit of this page (Config.MaxPlan): make the plan by Collector.Plan", count(h.config.MaxPlan))}
	}
	p, err = h.source.Plan(ctx, plan.Request{Delete: []plan.Target{{Key: n.Key, Propagation: how}}, Limit: maxPlanned})
	return p, n, err
}

// plan makes the page with the forecast of a deletion.
//
//test:by TestPlan TestPlanPossible TestPlanBound TestHostileMany
func (h *Handler) plan(ctx context.Context, r *http.Request) (content, error) {
	p, n, err := h.planOf(ctx, r)
	if err != nil {
		return nil, err
	}
	if wantsJSON(r.Header.Values("Accept")) && textOf(n.Objects) > maxPlanText {
		return nil, &statusError{http.StatusNotAcceptable, "the names around this object are too long for JSON: open the page in HTML, or make the plan by Collector.Plan"}
	}
	out := planPage{
		head: head{Title: "Plan: delete " + title(n.Key)}, Key: keyOf(n.Key), Place: n.Key.PlaceString(),
		Propagation: p.Request.Delete[0].Propagation.String(), Plan: p, Text: p.Text(),
	}
	for _, t := range p.Totals {
		out.Total.Removed += t.Removed
		out.Total.Orphaned += t.Orphaned
		out.Total.Trimmed += t.Trimmed
		out.Total.Kept += t.Kept
		out.Total.Held += t.Held
		out.Total.Possible += t.Possible
		out.Total.Affected += t.Affected
	}
	for _, c := range []planChoice{
		{Name: graph.Background.String(), Words: "dependents go afterwards"},
		{Name: graph.Foreground.String(), Words: "dependents go first"},
		{Name: graph.Orphan.String(), Words: "dependents stay"},
	} {
		q := url.Values{"propagation": {c.Name}}
		c.Link, c.Here = link("plan", n.Key, q), c.Name == out.Propagation
		if out.Choices = append(out.Choices, c); c.Here {
			out.Picture = link("plan.svg", n.Key, q)
		}
	}
	return page{name: "plan", data: out, json: p}, nil
}

// planPicture draws a plan.
//
//test:by TestPictures
func (h *Handler) planPicture(ctx context.Context, r *http.Request) (content, error) {
	p, n, err := h.planOf(ctx, r)
	if err != nil {
		return nil, err
	}
	return picture(view.Plan(p, n.Objects, maxDrawn).SVG()), nil
}
