package web

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	maxHeld     = 100_000 // held objects that one answer looks at
	maxHeldRows = 100     // and shows
)

type heldPage struct {
	head
	List heldList
	Now  time.Time
}

// heldList is the JSON form of the list of held objects.
type heldList struct {
	Schema string `json:"schema"`
	// Reason is the only reason that the list takes, or the zero reason for all.
	Reason  policy.Reason `json:"reason,omitzero"`
	Objects []heldObject  `json:"objects"`
	// Total counts all held objects, or those for the reason. Next is the link to the next page.
	// Cut says that the page may lack objects, since an answer looks at a bounded number.
	Total int    `json:"total"`
	Next  string `json:"next,omitempty"`
	Cut   bool   `json:"cut,omitempty"`
	// Unobserved says that other objects may be held, and why.
	Unobserved string `json:"unobserved,omitempty"`
}

type heldObject struct {
	Key    jsonKey       `json:"key"`
	Status string        `json:"status"`
	Reason policy.Reason `json:"reason"`
	Words  string        `json:"words"`
	Detail []string      `json:"detail,omitempty"`
	Error  string        `json:"lastError,omitempty"`
	Since  time.Time     `json:"since"`
	Roots  []jsonKey     `json:"roots,omitempty"`
}

func heldOf(h engine.Held) heldObject {
	x := heldObject{keyOf(h.Key), h.Status.String(), h.Reason, policy.Words(h.Reason, h.Doubt), nil, clean(h.LastError), h.Since, nil}
	for _, d := range h.Detail {
		x.Detail = append(x.Detail, clean(d))
	}
	return x
}

// Causes have the links of the objects in the detail, for a template.
func (h heldObject) Causes() []cause { return causesOf(h.Reason, h.Detail) }

// held lists held objects, of all reasons or of one, page by page.
//
//test:by TestHeldPage TestHeldMany TestHeldPages
func (h *Handler) held(ctx context.Context, r *http.Request) (content, error) {
	q := r.URL.Query()
	list := heldList{Schema: "ownergraph/held/v1", Objects: []heldObject{}, Unobserved: unobserved(h.source.Kinds())}
	if code := q.Get("reason"); code != "" {
		var err error
		if list.Reason, err = policy.ParseReason(code); err != nil {
			return nil, &statusError{http.StatusBadRequest, "the address names no reason: " + clean(err.Error())}
		}
	}
	after, err := h.after(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, x := range h.source.HeldReasons() {
		if list.Reason == policy.ReasonUnset || list.Reason == x.Reason {
			list.Total += x.Objects
		}
	}
	found, cut := h.heldAfter(after, list.Reason)
	list.Cut = cut
	var keys []graph.Key
	for _, x := range found[:min(len(found), maxHeldRows)] {
		list.Objects, keys = append(list.Objects, heldOf(x)), append(keys, x.Key)
	}
	if len(found) > maxHeldRows {
		list.Next = list.next(keys[maxHeldRows-1])
	}
	for i, root := range h.source.Roots(keys...) {
		for _, k := range root.Keys {
			if k != keys[i] {
				list.Objects[i].Roots = append(list.Objects[i].Roots, keyOf(k))
			}
		}
	}
	return page{name: "held", data: heldPage{head{"Held objects", "held"}, list, h.config.Now()}, json: list}, nil
}

// heldAfter returns the held objects behind a key, of all reasons or of one: those of one page,
// and one more if there is one. It reports whether it has looked at as many as it may.
func (h *Handler) heldAfter(after graph.Key, reason policy.Reason) (found []engine.Held, cut bool) {
	for limit := 4 * maxHeldRows; ; limit = min(4*limit, maxHeld) {
		all := h.source.Held(limit)
		found = slices.DeleteFunc(all, func(x engine.Held) bool {
			return x.Key.Compare(after) <= 0 || reason != policy.ReasonUnset && x.Reason != reason
		})
		switch {
		case len(found) > maxHeldRows || len(all) < limit:
			return found, false
		case limit == maxHeld:
			return found, true
		}
	}
}

// next returns the link to the page behind a key. The UID stands for a key that is too long for a
// link.
func (l *heldList) next(after graph.Key) string {
	q := keyQuery(after, "after", "afteruid")
	if l.Reason != policy.ReasonUnset {
		q.Set("reason", l.Reason.Code())
	}
	if len(q.Encode()) > 4*maxLink {
		q.Del("after")
	}
	return "held?" + q.Encode()
}
