package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// maxRows bounds the kinds of the overview, and maxRuns its cascades of each sort.
const (
	maxRows = 200
	maxRuns = 50
)

// head is the part of the data of every template.
type head struct {
	Title string
	Here  string // the entry of the menu, or empty
}

type overviewPage struct {
	head
	Overview overview
	Now      time.Time
}

// overview is the JSON form of the first page.
type overview struct {
	Schema   string        `json:"schema"`
	Objects  int           `json:"objects"`
	Nodes    int           `json:"nodes"`
	InFlight int           `json:"callsUnderWay"`
	Status   []statusCount `json:"status"`
	Rates    rate          `json:"rates"`
	Held     []heldCount   `json:"held"`
	// Unfinished is the oldest object that is neither finished nor held.
	Unfinished *unfinished `json:"unfinished,omitempty"`
	// Kinds are the sick ones, then those that are not listed, then the others by name.
	Kinds     []kindHealth `json:"kinds"`
	KindsMore int          `json:"kindsMore,omitempty"`
	Unwell    int          `json:"unwellKinds"`
	Group     *groupState  `json:"group,omitempty"`
	running
}

type unfinished struct {
	Objects int       `json:"objects"`
	Oldest  jsonKey   `json:"oldest"`
	Since   time.Time `json:"since"`
}

type statusCount struct {
	Status  string `json:"status"`
	Objects int    `json:"objects"`
}

type heldCount struct {
	Reason  policy.Reason `json:"reason"`
	Words   string        `json:"words"`
	Objects int           `json:"objects"`
	Oldest  time.Time     `json:"oldest"`
}

type kindHealth struct {
	Kind    graph.Kind `json:"kind"`
	Objects int        `json:"objects"`
	Health  string     `json:"health"` // listed, unlisted or sick
	Sick    string     `json:"sick,omitempty"`
}

// overview makes the first page.
//
//test:by TestOverview TestGolden
func (h *Handler) overview(ctx context.Context, _ *http.Request) (content, error) {
	now, s := h.config.Now(), h.source.Stats()
	o := overview{
		Schema: "ownergraph/overview/v1", Objects: s.Objects, Nodes: s.Nodes, InFlight: s.InFlight,
		Rates: h.rates.since(now, s), Held: []heldCount{}, Group: h.group(now), running: h.running(),
	}
	if err := h.addDeletions(ctx, &o.running); err != nil {
		return nil, err
	}
	for st := engine.StatusMoving; st <= engine.StatusStuck; st++ {
		o.Status = append(o.Status, statusCount{st.String(), s.ByStatus.Of(st)})
	}
	if u := s.Unfinished; !u.Since.IsZero() {
		o.Unfinished = &unfinished{u.Objects, keyOf(u.Oldest), u.Since}
	}
	for _, r := range h.source.HeldReasons() {
		o.Held = append(o.Held, heldCount{r.Reason, r.Reason.String(), r.Objects, r.Oldest})
	}
	slices.SortStableFunc(o.Held, func(a, b heldCount) int { return b.Objects - a.Objects })
	o.Kinds, o.Unwell = healths(h.source.Kinds())
	o.KindsMore = max(len(o.Kinds)-maxRows, 0)
	o.Kinds = o.Kinds[:len(o.Kinds)-o.KindsMore]
	return page{name: "overview", data: overviewPage{head{"Overview", "overview"}, o, now}, json: o}, nil
}

// unobserved says that pages may differ from the store: kinds are sick or not listed yet, or there is
// no kind, as before Collector.Run. It is empty if all kinds are observed.
//
//test:by TestUnobserved
func unobserved(kinds []engine.KindStatus) string {
	_, unwell := healths(kinds)
	switch {
	case len(kinds) == 0:
		return "The collector observes no kind yet, so it knows no object."
	case unwell > 0:
		return things(unwell, "kind") + " not observed: their objects may be missing here, or differ from the store."
	}
	return ""
}

// healths returns the kinds, those first that need a look.
func healths(kinds []engine.KindStatus) (out []kindHealth, unwell int) {
	out = []kindHealth{}
	rank := map[string]int{"sick": 1, "unlisted": 2, "listed": 3}
	for _, k := range kinds {
		x := kindHealth{k.Kind, k.Objects, "listed", clean(k.Sick)}
		switch {
		case k.Sick != "":
			x.Health = "sick"
		case !k.Listed:
			x.Health = "unlisted"
		}
		if x.Health != "listed" {
			unwell++
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b kindHealth) int {
		return cmp.Or(rank[a.Health]-rank[b.Health], cmp.Compare(a.Kind, b.Kind))
	})
	return out, unwell
}
