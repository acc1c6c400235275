package web

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/engine"
)

// maxShown bounds the deletions of the overview.
const maxShown = 10

// running has the deletions under way that the collector reports one by one, and the causes for
// which it writes nothing.
type running struct {
	// Deletions are the largest ones. Those of the sweeps and phases below are not repeated.
	// DeletionsTotal counts all of them, and DeletionsCut says that it is a least number.
	Deletions      []deletion `json:"deletions,omitempty"`
	DeletionsTotal int        `json:"deletionsTotal"`
	DeletionsCut   bool       `json:"deletionsCut,omitempty"`

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

type sweep struct {
	Holder  jsonKey `json:"holder"`
	Members int     `json:"members"`
	Gone    int     `json:"gone"`
	Left    int     `json:"left"`
	Held    int     `json:"held"`
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
		x := brakedCascade{keyOf(b.Key), b.Held, b.Limit, "", clean(strings.TrimPrefix(b.String(), b.Key.Text()+": "))}
		if b.Refused != engine.RefusalUnset {
			x.Refused = b.Refused.String()
		}
		r.Braked = append(r.Braked, x)
	}
	for _, s := range h.source.Sweeps(maxRuns) {
		r.Sweeps = append(r.Sweeps, sweep{keyOf(s.Holder), s.Members, s.MembersGone, s.MembersLeft, s.Held, s.Blocked, s.Halted})
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

// addDeletions adds the largest deletions under way. It leaves out those of the sweeps and phases.
//
//test:by TestOverviewDeletions TestOverviewAtWork
func (h *Handler) addDeletions(ctx context.Context, r *running) (err error) {
	shown := map[string]bool{}
	for _, s := range r.Sweeps {
		shown[s.Holder.Link] = true
	}
	for _, o := range r.Orders {
		shown[o.Root.Link] = true
	}
	all := h.largest()
	r.DeletionsTotal, r.DeletionsCut = len(all), len(all) == maxDeletions
	all = slices.DeleteFunc(all, func(d engine.Deletion) bool { return shown[objectLink(d.Root)] })
	r.Deletions, err = h.counted(ctx, all[:min(len(all), maxShown)])
	return err
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
