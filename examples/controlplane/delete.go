package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

const maxPlans, maxPlanned = 64, 1000 // plans that are kept, and objects that each of them names

// delete deletes an object, or only plans that, or carries out the plan with a fingerprint.
func (a *api) delete(r *http.Request, key graph.Key) (_ int, _ any, err error) {
	q, t := r.URL.Query(), plan.Target{}
	t.Propagation, err = graph.ParsePropagation(cmp.Or(q.Get("propagation"), "background"))
	if err != nil || t.Propagation == graph.Unset || q.Has("plan") && q.Get("plan") != "true" {
		return 0, nil, fmt.Errorf("propagation %.80q, plan %.80q: %w", q.Get("propagation"), q.Get("plan"), errBadRequest)
	}
	period, err := gracePeriod(q)
	if err != nil {
		return 0, nil, err
	}
	o, err := a.records.store().Get(r.Context(), key)
	t.Key = o.Key // with the UID, so a later object of this name stays
	switch {
	case err != nil:
	case q.Has("plan"):
		p, err := a.plan(r.Context(), t)
		return http.StatusOK, p, err
	case q.Has("fingerprint"):
		err = a.deletePlanned(r.Context(), t, q.Get("fingerprint"))
	default:
		err = a.records.store().Delete(r.Context(), t.Key, graph.DeleteOptions{Precondition: graph.Precondition{UID: o.UID}, Propagation: keptBy(t.Propagation, q, o), GraceSeconds: period})
	}
	return http.StatusAccepted, map[string]any{"deleting": t.Key.PlaceString(), "uid": t.Key.UID}, err
}

const gracePeriodSeconds = "gracePeriodSeconds" // as Kubernetes names it

// gracePeriod reads the grace period of a deletion in seconds, nil for none. A plan has no period, so
// it refuses one.
func gracePeriod(q url.Values) (*int64, error) {
	if !q.Has(gracePeriodSeconds) {
		return nil, nil
	}
	text := q.Get(gracePeriodSeconds)
	n, err := strconv.ParseUint(text, 10, 31)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %.80q: want 0 to %d: %w", gracePeriodSeconds, text, math.MaxInt32, errBadRequest)
	case q.Has("plan"), q.Has("fingerprint"):
		return nil, fmt.Errorf("%s: a plan has no grace period: %w", gracePeriodSeconds, errBadRequest)
	}
	seconds := int64(n)
	return &seconds, nil
}

// keptBy returns the propagation of a deletion. The end of a grace period leaves that of the mark as
// it is. Otherwise an agent would end the foreground deletion, too.
func keptBy(p graph.Propagation, q url.Values, o graph.Object) graph.Propagation {
	if o.Deleting && !q.Has("propagation") && q.Has(gracePeriodSeconds) {
		return graph.Unset
	}
	return p
}

// plan makes a plan, of the objects that the client created before, and keeps it.
func (a *api) plan(ctx context.Context, t plan.Target) (plan.Plan, error) {
	a.rest(ctx, t.Key)
	p, err := a.collector.Plan(ctx, plan.Request{Delete: []plan.Target{t}, Limit: maxPlanned})
	if a.made.Add(1)%maxPlans == 0 {
		a.plans.Clear()
	}
	a.plans.Store(t, p)
	return p, err
}

// deletePlanned needs the plan, because a fingerprint does not cover the propagation.
func (a *api) deletePlanned(ctx context.Context, t plan.Target, fingerprint string) error {
	if p, ok := a.plans.Load(t); ok && p.(plan.Plan).Fingerprint == fingerprint {
		return a.collector.DeletePlanned(ctx, p.(plan.Plan))
	}
	return fmt.Errorf("fingerprint: not of the last plan of this deletion: %w", ownergraph.ErrConflict)
}

// explain answers why an object is there, or why it is gone.
func (a *api) explain(r *http.Request, key graph.Key) (int, any, error) {
	x, err := a.collector.Explain(r.Context(), key)
	if errors.Is(err, ownergraph.ErrNotFound) { // it may be new
		a.rest(r.Context(), key)
		x, err = a.collector.Explain(r.Context(), key)
	}
	return http.StatusOK, &x, err
}

func (a *api) progress(r *http.Request, key graph.Key) (int, any, error) {
	_, _, err := a.explain(r, key) // of an object that was never there
	return http.StatusOK, a.follow(key), err
}

// follow streams server-sent events until the deletion, the client or the collector ends.
func (a *api) follow(key graph.Key) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for p, err := range a.collector.Follow(r.Context(), key) {
			name, value := "progress", map[string]any{"gone": p.Gone, "left": p.Left, "held": p.Held, "blocked": p.Blocked, "dropped": p.Dropped, "references": p.References, "done": p.Done}
			if err != nil {
				name, value = "error", map[string]any{"error": err.Error()}
			}
			text, _ := json.Marshal(value) // of texts and numbers only
			control := http.NewResponseController(w)
			late := control.SetWriteDeadline(time.Now().Add(callTimeout))
			if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, text); errors.Join(late, err, control.Flush()) != nil {
				return // the client has gone, or is too slow
			}
		}
	}
}

// rest lets the collector observe earlier writes and end its work in the team, for two seconds.
func (a *api) rest(ctx context.Context, key graph.Key) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, _ = a.collector.WaitIdleIn(ctx, cmp.Or(key.Scope, key.Name))
}
