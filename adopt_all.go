package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// AdoptReport says what came of a pass of AdoptAll. It is a value.
type AdoptReport struct {
	// Seen objects were listed, and Matched ones are to have an owner.
	Seen, Matched int
	// Adopted got one. Already had it, Owned have another, Deleting are on their
	// way out or their owner is, Gone were not there any more.
	Adopted, Already, Owned, Deleting, Gone int
	// Failed counts the others, of which Errors has the first 100. Another pass
	// tries them again.
	Failed int
	Errors []error
	// Unlisted kinds could not be looked at, sorted: another pass is needed for
	// them.
	Unlisted []Kind
}

const mostAdoptErrors = 100

// AdoptAll brings a store whose objects know no owners yet under ownership, in one
// pass: every object for which match names an owner is adopted, as Adopt does it.
// A pass that was broken off is resumed by another one: whoever has its owner costs
// nothing but its place in the listing.
//
// It watches the store until every kind is listed, and then reads and writes two
// or three requests for each that is to be adopted. Kinds that cannot be listed
// are reported. The error is the context's or the watch's; the report says how far
// it came. Match has to be pure. Held by TestAdoptAll and TestAdoptAllResumes.
func AdoptAll(ctx context.Context, store Store, match func(o Object) (Owner, bool)) (AdoptReport, error) {
	l := lister{match: match, owed: map[Kind]bool{}}
	err := store.Watch(ctx, l.hear)
	if !errors.Is(err, errListed) {
		if err == nil {
			err = errEnded
		}
		return l.report, fmt.Errorf("adopt all: watch: %w", err)
	}
	for _, c := range l.orphans {
		if err := ctx.Err(); err != nil {
			return l.report, fmt.Errorf("adopt all: %w", err)
		}
		l.report.count(adoptSoon(ctx, store, c.owner, c.key))
	}
	return l.report, nil
}

var errListed = errors.New("everything is listed")

// candidate is an object that is to be adopted.
type candidate struct {
	owner Owner
	key   Key
}

// lister follows a watch until every kind is listed, or cannot be.
type lister struct {
	match   func(o Object) (Owner, bool)
	owed    map[Kind]bool // kinds that have still to be listed; true for those that are sick
	known   bool
	orphans []candidate
	report  AdoptReport
}

func (l *lister) hear(ev Event) error {
	switch ev.Type {
	case graph.KindsKnown:
		if !l.known {
			for _, k := range ev.Kinds {
				l.owed[k.Kind] = false
			}
		}
		l.known = true
	case graph.Put:
		l.see(ev.Object)
	case graph.KindSick, graph.KindRecovered:
		if _, ok := l.owed[ev.Kind]; ok {
			l.owed[ev.Kind] = ev.Type == graph.KindSick
		}
	case graph.ListEnded, graph.KindVanished:
		delete(l.owed, ev.Kind)
	}
	if !l.known {
		return nil
	}
	for _, sick := range l.owed {
		if !sick {
			return nil
		}
	}
	for k := range l.owed {
		l.report.Unlisted = append(l.report.Unlisted, k)
	}
	slices.Sort(l.report.Unlisted)
	return errListed
}

func (l *lister) see(o Object) {
	l.report.Seen++
	owner, ok := l.match(o)
	if !ok {
		return
	}
	l.report.Matched++
	if slices.ContainsFunc(o.Owners, owner.Same) {
		l.report.Already++
		return
	}
	l.orphans = append(l.orphans, candidate{owner, o.Key})
}

// adoptSoon adopts, and tries again a few times where others write too.
func adoptSoon(ctx context.Context, store Store, owner Owner, key Key) (err error) {
	for range 4 {
		if err = Adopt(ctx, store, owner, key); !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return err
}

func (r *AdoptReport) count(err error) {
	switch {
	case err == nil:
		r.Adopted++
	case errors.Is(err, ErrOwned):
		r.Owned++
	case errors.Is(err, ErrRefused):
		r.Deleting++
	case errors.Is(err, ErrNotFound):
		r.Gone++
	default:
		r.Failed++
		if len(r.Errors) < mostAdoptErrors {
			r.Errors = append(r.Errors, err)
		}
	}
}
