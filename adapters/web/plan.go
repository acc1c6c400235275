package web

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/view"
)

const (
	maxPlanned  = 1000     // objects and steps that a page has of a plan
	maxPlanRows = 100      // objects of one page
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
	Rows        []planRow
	From        int    // the number of the first row
	Next        string // the link to the next rows
	Text        template.HTML
	Graph       drawn
	Picture     string // the link, without parameters that are not needed
	Sum         *planSum
}

// planRow is one object of a plan.
type planRow struct {
	Key     jsonKey
	Outcome plan.Outcome
	Maybe   bool
	Wave    int
	Reason  policy.Reason
	Words   string
	Causes  []cause
	Owners  []jsonKey // that keep it
}

// planSum is the JSON form of a plan of too many objects.
type planSum struct {
	Schema string  `json:"schema"`
	Root   jsonKey `json:"root"`
	// Objects counts the root and the objects below it. A deletion removes at most these. Growing says
	// that it is a least number.
	Objects int  `json:"objects"`
	Growing bool `json:"growing,omitempty"`
	Limit   int  `json:"limit"` // Config.MaxPlan
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
		return p, n, errLarge
	}
	from, err := offset(r.URL.Query())
	if err != nil {
		return p, n, err
	}
	limit := min(max(maxPlanned, from+maxPlanRows+1), h.config.MaxPlan)
	p, err = h.source.Plan(ctx, plan.Request{Delete: []plan.Target{{Key: n.Key, Propagation: how}}, Limit: limit})
	return p, n, err
}

// errLarge is the error of a plan of too many objects.
var errLarge = errors.New("too many objects are around this one for a plan on this page (Config.MaxPlan): make the plan by Collector.Plan")

const (
	counting = 2 * time.Second        // for the number of the objects of a plan
	settled  = 250 * time.Millisecond // without another report, the number is complete
)

// countBelow counts an object and those below it, for a bounded time.
func (h *Handler) countBelow(ctx context.Context, key graph.Key) (left int, growing bool, err error) {
	until, stop := context.WithTimeout(ctx, counting)
	defer stop()
	quiet := time.AfterFunc(counting, stop)
	defer quiet.Stop()
	began := time.Now()
	for p, err := range h.source.Follow(until, key) {
		if err != nil && until.Err() == nil {
			return 0, false, err
		}
		if err == nil {
			left = p.Left
			quiet.Reset(settled)
		}
	}
	return left, time.Since(began) >= counting, ctx.Err()
}

// sum makes the page of a plan of too many objects, with their number alone.
//
//test:by TestPlanBound
func (h *Handler) sum(ctx context.Context, key graph.Key) (content, error) {
	left, growing, err := h.countBelow(ctx, key)
	if err != nil {
		return nil, err
	}
	x := planSum{"ownergraph/plan-sum/v1", keyOf(key), left, growing, h.config.MaxPlan}
	out := planPage{head: head{Title: "Plan: delete " + title(key)}, Key: keyOf(key), Place: key.PlaceString(), Sum: &x}
	return page{name: "plan", data: out, json: x}, nil
}

// plan makes the page with the forecast of a deletion.
//
//test:by TestPlan TestPlanPossible TestPlanBound TestHostileMany
func (h *Handler) plan(ctx context.Context, r *http.Request) (content, error) {
	p, n, err := h.planOf(ctx, r)
	if errors.Is(err, errLarge) {
		return h.sum(ctx, n.Key)
	}
	if err != nil {
		return nil, err
	}
	if wantsJSON(r.Header.Values("Accept")) && textOf(n.Objects) > maxPlanText {
		return nil, &statusError{http.StatusNotAcceptable, "the names around this object are too long for JSON: open the page in HTML, or make the plan by Collector.Plan"}
	}
	out := planPage{
		head: head{Title: "Plan: delete " + title(n.Key)}, Key: keyOf(n.Key), Place: n.Key.PlaceString(),
		Propagation: p.Request.Delete[0].Propagation.String(), Plan: p, Text: planned(&p).linked(p.Text()),
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
		{Name: graph.Foreground.String(), Words: "dependents that block go first"},
		{Name: graph.Orphan.String(), Words: "dependents stay"},
	} {
		q := url.Values{"propagation": {c.Name}}
		c.Link, c.Here = link("plan", n.Key, q), c.Name == out.Propagation
		if out.Choices = append(out.Choices, c); c.Here {
			out.Picture = link("plan.svg", n.Key, q)
		}
	}
	out.Graph = drawPage(view.Plan(p, n.Objects, maxNearby), "plan", n.Key, r.URL.Query())
	out.rows(r.URL.Query())
	return page{name: "plan", data: out, json: p}, nil
}

// rows fills one page of the objects of the plan, in the order of their keys.
func (p *planPage) rows(q url.Values) {
	all := p.Plan.Objects
	p.From, _ = offset(q)
	p.From = min(p.From, len(all))
	all = all[p.From:]
	if len(all) > maxPlanRows {
		all = all[:maxPlanRows]
		p.Next = link("plan", p.Plan.Request.Delete[0].Key, url.Values{"propagation": {p.Propagation}, "from": {strconv.Itoa(p.From + maxPlanRows)}})
	}
	for i := range all {
		o := &all[i]
		row := planRow{keyOf(o.Key), o.Outcome, o.Possible, o.Wave, o.Reason, policy.Words(o.Reason, o.Doubt), causesOf(o.Reason, o.Causes), nil}
		for _, k := range o.Owners {
			row.Owners = append(row.Owners, keyOf(k))
		}
		p.Rows = append(p.Rows, row)
	}
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
