package web

import (
	"context"
	"net/http"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

type cascadePage struct {
	head
	Progress progress
	Place    string
	Events   string // the link to the stream
	Reload   string // the link to the page that reloads itself
	Every    int    // seconds between reloads, or 0
	Now      time.Time
}

// progress is the JSON form of a deletion under way, on its page and in its stream.
type progress struct {
	Schema  string  `json:"schema"`
	Root    jsonKey `json:"root"`
	State   string  `json:"state"` // waiting, running or done
	Known   int     `json:"known"`
	Gone    int     `json:"gone"`
	Left    int     `json:"left"`
	Held    int     `json:"held"`
	Blocked int     `json:"blocked"`
	// An orphan deletion drops References, and Dropped of them have gone.
	References int          `json:"references"`
	Dropped    int          `json:"dropped"`
	By         []heldObject `json:"by"`
	Growing    bool         `json:"growing,omitempty"`
	Rate       float64      `json:"gonePerSecond"`
	Reads      uint64       `json:"reads"`
	Writes     uint64       `json:"writes"`
	Fences     uint64       `json:"fences"`
	Since      time.Time    `json:"since"`
	// Uncounted says that the deletion had ended before the counts began. They are zero then.
	Uncounted bool `json:"uncounted,omitempty"`
}

// progressOf returns the form of a report. The first report of a deletion that has ended counts
// the root alone, so it has no counts.
//
//test:by TestCascadeEnded
func progressOf(p engine.Progress, first bool) progress {
	x := progress{
		Schema: "ownergraph/progress/v1", Root: keyOf(p.Root), State: "running", Known: p.Known, Gone: p.Gone, Left: p.Left,
		Held: p.Held, Blocked: p.Blocked, References: p.References, Dropped: p.Dropped, By: []heldObject{}, Growing: p.Growing, Rate: p.Rate, Reads: p.Reads, Writes: p.Writes, Fences: p.Fences, Since: p.Since,
	}
	switch {
	case p.Done:
		x.State = "done"
		if first {
			x.Uncounted, x.Known, x.Gone = true, 0, 0
		}
	case !p.Begun:
		x.State = "waiting"
	}
	for _, h := range p.By {
		x.By = append(x.By, heldOf(h))
	}
	return x
}

// cascade makes the page of one deletion, as it is now. A script continues it by the stream, and
// a browser without scripts can reload it.
//
//test:by TestCascade
func (h *Handler) cascade(ctx context.Context, r *http.Request) (content, error) {
	key, err := h.rootOf(ctx, r)
	if err != nil {
		return nil, err
	}
	now, err := h.progressNow(ctx, key)
	if err != nil {
		return nil, err
	}
	p := cascadePage{
		head: head{Title: "Deletion of " + title(now.Root)}, Progress: progressOf(now, true), Place: now.Root.PlaceString(),
		Events: link("events", now.Root, nil), Reload: link("cascade", now.Root, map[string][]string{"reload": {"5"}}), Now: h.config.Now(),
	}
	if p.Progress.Uncounted {
		p.Events = "" // there is nothing to wait for
	} else if r.URL.Query().Has("reload") {
		p.Every = 5
	}
	return page{name: "cascade", data: p, json: p.Progress}, nil
}

// rootOf returns the key of a request, by its place or by its UID.
func (h *Handler) rootOf(ctx context.Context, r *http.Request) (graph.Key, error) {
	key, err := objectIn(r)
	if err != nil || key.Kind != "" {
		return key, err
	}
	n, err := h.source.Nearby(ctx, key, 1)
	return n.Key, err
}
