package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	maxDeletions    = 10_000                 // deletions that one answer looks at
	maxDeletionRows = 50                     // of one page
	maxCounting     = 500 * time.Millisecond // for the counts of one page
)

type deletionsPage struct {
	head
	List deletionList
	Now  time.Time
}

// deletionList is the JSON form of the deletions under way, those with the most objects first.
type deletionList struct {
	Schema string    `json:"schema"`
	At     time.Time `json:"at"`
	// Total counts all deletions under way. Cut says that there are more than 10,000 of them.
	Total     int        `json:"total"`
	Cut       bool       `json:"cut,omitempty"`
	Deletions []deletion `json:"deletions"`
	Next      string     `json:"next,omitempty"`
	// Unobserved says that there may be other deletions, and why.
	Unobserved string `json:"unobserved,omitempty"`
}

// deletion is a deletion under way.
type deletion struct {
	Root jsonKey `json:"root"`
	Link string  `json:"link"` // to its page
	// Since is the time at which the collector saw the deletion begin. It is left out if that is not known.
	Since time.Time `json:"since,omitzero"`
	// Known is the sum of Gone and Left. Gone counts the ends since the collector began.
	Known int `json:"known"`
	Gone  int `json:"gone"`
	Left  int `json:"left"`
	// Held counts the objects that wait for something outside, and Blocked those that wait for others
	// of the deletion.
	Held    int `json:"held"`
	Blocked int `json:"blocked"`
	// References counts the references that an orphan deletion has still to drop.
	References int `json:"references,omitempty"`
	// Growing says that Known, Left, Held and Blocked are least numbers.
	Growing bool    `json:"growing,omitempty"`
	Rate    float64 `json:"gonePerSecond"`
	// Blocker is one of the held objects: a stuck one before a pending one, and the oldest of those.
	Blocker *blocker `json:"blocker,omitempty"`
}

type blocker struct {
	Key    jsonKey       `json:"key"`
	Status string        `json:"status"`
	Reason policy.Reason `json:"reason"`
	Doubt  graph.Doubt   `json:"doubt,omitzero"`
	Detail []string      `json:"detail,omitempty"`
	Since  time.Time     `json:"since"`
}

// Words and Causes have the reason in words, for a template.
func (b *blocker) Words() string   { return policy.Words(b.Reason, b.Doubt) }
func (b *blocker) Causes() []cause { return causesOf(b.Reason, b.Detail) }

// deletions lists the deletions under way, page by page.
//
//test:by TestDeletions TestDeletionsPages TestGolden
func (h *Handler) deletions(ctx context.Context, r *http.Request) (content, error) {
	from, err := offset(r.URL.Query())
	if err != nil {
		return nil, err
	}
	all := h.largest()
	list := deletionList{Schema: "ownergraph/deletions/v1", At: h.config.Now().UTC(), Total: len(all), Cut: len(all) == maxDeletions, Unobserved: unobserved(h.source.Kinds())}
	rest := all[min(from, len(all)):]
	if len(rest) > maxDeletionRows {
		rest, list.Next = rest[:maxDeletionRows], "deletions?from="+strconv.Itoa(from+maxDeletionRows)
	}
	if list.Deletions, err = h.counted(ctx, rest); err != nil {
		return nil, err
	}
	return page{name: "deletions", data: deletionsPage{head{"Deletions", "deletions"}, list, h.config.Now()}, json: list}, nil
}

// offset reads the number of the entries before a page.
func offset(q url.Values) (int, error) {
	text := q.Get("from")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 1<<30 {
		return 0, &statusError{http.StatusBadRequest, "from is no number of entries"}
	}
	return n, nil
}

// largest returns the deletions under way, those with the most objects first, and then the oldest ones.
func (h *Handler) largest() []engine.Deletion {
	all := h.source.Deletions(maxDeletions)
	slices.SortStableFunc(all, func(a, b engine.Deletion) int { return cmp.Or(b.Open-a.Open, a.Since.Compare(b.Since)) })
	return all
}

// counted counts the objects of some deletions. Beyond a time it goes on with the least numbers that the
// list has.
func (h *Handler) counted(ctx context.Context, list []engine.Deletion) ([]deletion, error) {
	out, now, until := []deletion{}, h.config.Now(), time.Now().Add(maxCounting)
	for _, d := range list {
		x := deletion{Root: keyOf(d.Root), Link: link("cascade", d.Root, nil), Since: d.Since, Gone: d.Gone, Left: d.Open, Growing: true}
		if time.Now().Before(until) {
			p, err := h.progressNow(ctx, d.Root)
			switch {
			case errors.Is(err, graph.ErrNotFound) || err == nil && p.Done: // it has ended meanwhile
				continue
			case err != nil:
				return nil, err
			}
			x.Left, x.Held, x.Blocked, x.References = p.Left, p.Held, p.Blocked, p.References
			x.Growing, x.Blocker = p.Growing, blockerOf(p.By)
		}
		x.Known, x.Rate = x.Gone+x.Left, h.paces.of(d, now)
		out = append(out, x)
	}
	return out, nil
}

// progressNow returns the first report about a deletion.
func (h *Handler) progressNow(ctx context.Context, k graph.Key) (engine.Progress, error) {
	for p, err := range h.source.Follow(ctx, k) {
		return p, err
	}
	return engine.Progress{}, context.Cause(ctx)
}

// blockerOf returns the held object that needs a look first, or nil. Objects that wait for others of the
// deletion are none.
func blockerOf(held []engine.Held) *blocker {
	held = slices.DeleteFunc(slices.Clone(held), func(x engine.Held) bool { return x.Status == engine.StatusBlocked })
	if len(held) == 0 {
		return nil
	}
	h := slices.MinFunc(held, func(a, b engine.Held) int {
		return cmp.Or(cmp.Compare(b.Status, a.Status), a.Since.Compare(b.Since), a.Key.Compare(b.Key))
	})
	x := &blocker{Key: keyOf(h.Key), Status: h.Status.String(), Reason: h.Reason, Doubt: h.Doubt, Since: h.Since}
	for _, d := range h.Detail {
		x.Detail = append(x.Detail, clean(d))
	}
	return x
}
