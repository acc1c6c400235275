package web

import (
	"context"
	"net/http"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	maxHeld     = 10_000 // held objects that one answer looks at
	maxHeldRows = 100    // and shows
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
	// More counts the objects that were found and left out. Cut says that there may be others
	// among the objects that were not looked at.
	More int  `json:"more,omitempty"`
	Cut  bool `json:"cut,omitempty"`
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

func heldOf(h ownergraph.Held) heldObject {
	x := heldObject{keyOf(h.Key), h.Status.String(), h.Reason, policy.Words(h.Reason, h.Doubt), nil, clean(h.LastError), h.Since, nil}
	for _, d := range h.Detail {
		x.Detail = append(x.Detail, clean(d))
	}
	return x
}

// held lists held objects, of all reasons or of one.
//
// Held by TestHeldPage and TestHeldMany.
func (h *Handler) held(_ context.Context, r *http.Request) (content, error) {
	list := heldList{Schema: "ownergraph/held/v1", Objects: []heldObject{}, Unobserved: unobserved(h.source.Kinds())}
	if code := r.URL.Query().Get("reason"); code != "" {
		var err error
		if list.Reason, err = policy.ParseReason(code); err != nil {
			return nil, &statusError{http.StatusBadRequest, "the address names no reason: " + clean(err.Error())}
		}
	}
	limit := maxHeldRows + 1
	if list.Reason != policy.ReasonUnset {
		limit = maxHeld
	}
	found := h.source.Held(limit)
	list.Cut = len(found) == limit
	var keys []graph.Key
	for _, x := range found {
		switch {
		case list.Reason != policy.ReasonUnset && x.Reason != list.Reason:
		case len(keys) == maxHeldRows:
			list.More++
		default:
			list.Objects, keys = append(list.Objects, heldOf(x)), append(keys, x.Key)
		}
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
