package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	maxRoots     = 10_000 // held objects among which the overview looks for roots
	maxDeletions = 10     // deletions that the overview counts
)

// running has the deletions under way that the collector reports one by one, and the causes for
// which it writes nothing.
type running struct {
	// Deletions have a root that waits, the first ones by key. Those of the sweeps and phases below
	// are not repeated. DeletionsCut says that there may be others.
	Deletions    []deletion `json:"deletions,omitempty"`
	DeletionsCut bool       `json:"deletionsCut,omitempty"`

	Pauses   []pause         `json:"pauses,omitempty"`
	Braked   []brakedCascade `json:"braked,omitempty"`
	Sweeps   []sweep         `json:"sweeps,omitempty"`
	Orders   []order         `json:"orders,omitempty"`
	Handlers []handlerRun    `json:"handlers,omitempty"`
}

type pause struct {
	What     string    `json:"what"`
	Since    time.Time `json:"since"`
	Recorded bool      `json:"recorded,omitempty"`
	Unread   string    `json:"unread,omitempty"`
	UnderWay int       `json:"underWay"`
	Unknown  int       `json:"unknownOutcomes"`
}

type brakedCascade struct {
	Root    jsonKey `json:"root"`
	Held    int     `json:"held"`
	Limit   int     `json:"limit"`
	Refused string  `json:"refused,omitempty"`
	Words   string  `json:"words"`
}

// deletion is a deletion under way whose root is still there.
type deletion struct {
	Root jsonKey `json:"root"`
	Link string  `json:"link"` // to its page
	Left int     `json:"left"` // the root and the objects below it
	// Growing says that Left is a least number.
	Growing bool `json:"growing,omitempty"`
}

type sweep struct {
	Holder  jsonKey `json:"holder"`
	Members int     `json:"members"`
	Gone    int     `json:"gone"`
	Left    int     `json:"left"`
	Blocked int     `json:"blocked"`
	Halted  bool    `json:"halted,omitempty"`
}

type order struct {
	Root   jsonKey `json:"root"`
	Phase  string  `json:"phase"`
	Open   int     `json:"open"`
	Phases int     `json:"phases"`
	Left   int     `json:"left"` // of the open phases
}

type handlerRun struct {
	Key       jsonKey   `json:"key"`
	Finalizer string    `json:"finalizer"`
	Since     time.Time `json:"since"`
	Tries     int       `json:"tries,omitempty"`
}

func (h *Handler) running() (r running) {
	for _, p := range first(h.source.Paused()) {
		r.Pauses = append(r.Pauses, pause{p.What.String(), p.Since, p.Recorded, clean(p.Unread), len(p.UnderWay), len(p.Unknown) + p.More})
	}
	for _, b := range h.source.Braked(maxRuns) {
		x := brakedCascade{keyOf(b.Key), b.Held, b.Limit, "", clean(strings.TrimPrefix(b.String(), b.Key.String()+": "))}
		if b.Refused != engine.RefusalUnset {
			x.Refused = b.Refused.String()
		}
		r.Braked = append(r.Braked, x)
	}
	for _, s := range h.source.Sweeps(maxRuns) {
		r.Sweeps = append(r.Sweeps, sweep{keyOf(s.Holder), s.Members, s.MembersGone, s.MembersLeft, s.Blocked, s.Halted})
	}
	for _, o := range h.source.Orders(maxRuns) {
		x := order{Root: keyOf(o.Root), Open: o.Open, Phases: len(o.Phases)}
		for i, p := range o.Phases[:min(o.Open, len(o.Phases))] {
			if x.Left += p.Left; i == o.Open-1 {
				x.Phase = clean(p.Name)
			}
		}
		r.Orders = append(r.Orders, x)
	}
	for _, x := range first(h.source.Running()) {
		r.Handlers = append(r.Handlers, handlerRun{keyOf(x.Key), clean(x.Finalizer), x.Since, x.Tries})
	}
	return r
}

// deletions returns the deletions under way whose root waits for its dependents.
//
//test:by TestOverviewDeletions
func (h *Handler) deletions(ctx context.Context, r *running) error {
	shown := map[string]bool{}
	for _, s := range r.Sweeps {
		shown[s.Holder.Link] = true
	}
	for _, o := range r.Orders {
		shown[o.Root.Link] = true
	}
	held := h.source.Held(maxRoots)
	r.DeletionsCut = len(held) == maxRoots
	keys := make([]graph.Key, len(held))
	for i := range held {
		keys[i] = held[i].Key
	}
	for i, root := range h.source.Roots(keys...) {
		if held[i].Reason != policy.NeedDependents || !slices.Contains(root.Keys, keys[i]) || shown[keyOf(keys[i]).Link] {
			continue
		}
		if len(r.Deletions) == maxDeletions {
			r.DeletionsCut = true
			break
		}
		for p, err := range h.source.Follow(ctx, keys[i]) {
			switch {
			case errors.Is(err, graph.ErrNotFound): // it has gone meanwhile
			case err != nil:
				return err
			case p.Begun && !p.Done:
				r.Deletions = append(r.Deletions, deletion{keyOf(keys[i]), link("cascade", keys[i], nil), p.Left, p.Growing})
			}
			break
		}
	}
	return nil
}

// first returns the first entries of a list.
func first[T any](list []T) []T { return list[:min(len(list), maxRuns)] }

// Words returns the state of a sweep, for a template.
func (s sweep) Words() string {
	if s.Halted {
		return "halted"
	}
	words := fmt.Sprintf("%s of %s members are gone", count(s.Gone), count(s.Members))
	if s.Holder.Scope != "" {
		words += "; members outside its scope are not covered"
	}
	return words
}
