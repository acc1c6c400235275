package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/plan"
)

const callTimeout = 20 * time.Second // for every request but a stream
var errBadRequest = errors.New("bad request")

// api answers HTTP requests. It is safe for concurrent use.
type api struct {
	records   records
	collector *ownergraph.Collector
	dirs      directories
	plans     sync.Map // the last plans: plan.Target to plan.Plan
	made      atomic.Int64
	member    *group.Membership // nil without a group
}

func (a *api) routes() http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"/teams", "/teams/{team}/{kind}"} {
		mux.Handle("GET "+path, call(a.list, "after"))
		mux.Handle("POST "+path, call(a.create))
	}
	for _, path := range []string{"/teams/{team}", "/teams/{team}/{kind}/{name}"} {
		mux.Handle("GET "+path, call(a.show))
		mux.Handle("GET "+path+"/explain", call(a.explain))
		mux.Handle("GET "+path+"/progress", call(a.progress))
		mux.Handle("DELETE "+path, call(a.delete, "propagation", "plan", "fingerprint", gracePeriodSeconds))
	}
	mux.Handle("GET /archive", call(a.ended, "after"))
	mux.Handle("POST /undo", call(a.undo, "plan"))
	mux.HandleFunc("GET /group", a.group)
	return http.NewCrossOriginProtection().Handler(mux)
}

// call bounds the time of a handler, and writes its answer: a stream, plain text, or JSON.
func call(do func(*http.Request, graph.Key) (int, any, error), parameters ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
		defer cancel()
		status, value := 0, any(nil)
		key, err := keyOf(r, parameters...)
		if err == nil {
			status, value, err = do(r.WithContext(ctx), key)
		}
		if err != nil {
			status, value = statusOf(err), failureOf(err)
		}
		if stream, ok := value.(http.HandlerFunc); ok {
			stream(w, r)
		} else if text, ok := value.(interface{ Text() string }); ok && r.Header.Get("Accept") == "text/plain" {
			fmt.Fprint(w, text.Text())
		} else {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(value) // the client may have gone
		}
	}
}

// keyOf reads a path. It refuses unknown parameters: a misspelt plan=true must not delete.
func keyOf(r *http.Request, parameters ...string) (key graph.Key, err error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	for name, values := range query {
		if !slices.Contains(parameters, name) || len(values) != 1 || values[0] == "" {
			err = errors.New("one is unknown, empty, or there twice")
		}
	}
	if err != nil {
		return key, fmt.Errorf("parameters %.200q: %w: %w", r.URL.RawQuery, err, errBadRequest)
	}
	kind := graph.Kind(r.PathValue("kind"))
	if kind == "" {
		return graph.Key{Kind: "teams", Name: r.PathValue("team")}, nil
	}
	if ownersOf(kind) == nil {
		err = fmt.Errorf("kind %.80q: %w", kind, ownergraph.ErrKindUnknown)
	}
	return graph.Key{Kind: kind, Scope: r.PathValue("team"), Name: r.PathValue("name")}, err
}

// failure is the answer to a refused request.
type failure struct {
	Error string `json:"error"`
	// Dependents are those that restrict a deletion, at most eight. More counts the others.
	Dependents []string `json:"dependents,omitempty"`
	More       int      `json:"more,omitempty"`
	// Refused are the roots of an undo that cannot come back, and Taken the objects that have names of it.
	Refused []left  `json:"refused,omitempty"`
	Taken   []taken `json:"taken,omitempty"`
}

func failureOf(err error) failure {
	f := failure{Error: err.Error()}
	var restricted *graph.RestrictedError
	if errors.As(err, &restricted) {
		f.More = restricted.More
		for _, d := range restricted.Dependents {
			f.Dependents = append(f.Dependents, d.PlaceString())
		}
	}
	f.addUndo(err)
	return f
}

// statusOf returns the status of an error. A write with status 500 may have happened.
func statusOf(err error) int {
	var refused *archive.RefusedError
	switch {
	case errors.Is(err, errBadRequest):
		return http.StatusBadRequest
	case errors.As(err, &refused) && !hasWithoutEntry(refused.Refused):
		return http.StatusConflict
	case errors.As(err, &refused):
		return http.StatusNotFound
	case errors.Is(err, ownergraph.ErrConflict), errors.Is(err, plan.ErrChanged), errors.Is(err, ownergraph.ErrRestricted):
		return http.StatusConflict
	case errors.Is(err, ownergraph.ErrNotFound), errors.Is(err, ownergraph.ErrKindUnknown):
		return http.StatusNotFound
	case errors.Is(err, ownergraph.ErrRefused), errors.Is(err, ownergraph.ErrInvalid), errors.Is(err, plan.ErrBound):
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}
