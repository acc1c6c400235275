package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// AdoptReport says what came of a pass of AdoptAll. It is a value.
type AdoptReport struct {
	// Seen objects were there, and Matched ones are to have an owner.
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
	l := lister{match: match, owed: map[Kind]bool{}, over: map[Kind]bool{}, seen: map[Key]found{}, orphans: map[Key]Owner{}}
	err := store.Watch(ctx, l.hear)
	l.count()
	if !errors.Is(err, errListed) {
		if err == nil {
			err = errEnded
		}
		return l.report, fmt.Errorf("adopt all: watch: %w", err)
	}
	for _, k := range slices.SortedFunc(maps.Keys(l.orphans), Key.Compare) {
		if err := ctx.Err(); err != nil {
			return l.report, fmt.Errorf("adopt all: %w", err)
		}
		l.report.count(adoptSoon(ctx, store, l.orphans[k], k))
	}
	return l.report, nil
}

var errListed = errors.New("everything is listed")

// lister follows a watch until every kind is listed, or cannot be. An object may
// come more than once, and go: what was heard of it last counts.
type lister struct {
	match   func(o Object) (Owner, bool)
	owed    map[Kind]bool // kinds that have still to be listed; true for those that are sick
	over    map[Kind]bool // those of which nothing more is to come
	known   bool
	seen    map[Key]found
	orphans map[Key]Owner // who is to be adopted, and by whom
	report  AdoptReport
}

// found is what a listing showed of an object.
type found uint8

const (
	unmatched found = iota + 1
	matched
	already
)

func (l *lister) hear(ev Event) error {
	switch ev.Type {
	case graph.KindsKnown:
		l.serve(ev.Kinds)
	case graph.Put:
		l.see(ev.Object)
	case graph.Gone:
		delete(l.seen, ev.Key)
		delete(l.orphans, ev.Key)
	case graph.KindSick, graph.KindRecovered:
		if _, ok := l.owed[ev.Kind]; ok {
			l.owed[ev.Kind] = ev.Type == graph.KindSick
		}
	case graph.ListEnded, graph.KindVanished:
		delete(l.owed, ev.Kind)
		l.over[ev.Kind] = ev.Type == graph.ListEnded
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

// serve takes the kinds that the store serves from now on: one that joins is
// listed too, and one that is not among them any more will not be. Nor will one that
// is not watched.
func (l *lister) serve(kinds []KindInfo) {
	was := l.owed
	l.owed, l.known = map[Kind]bool{}, true
	for _, k := range kinds {
		if !l.over[k.Kind] && !k.Unwatched {
			l.owed[k.Kind] = was[k.Kind]
		}
	}
}

func (l *lister) see(o Object) {
	delete(l.orphans, o.Key)
	switch owner, ok := l.match(o); {
	case !ok:
		l.seen[o.Key] = unmatched
	case slices.ContainsFunc(o.Owners, owner.Same):
		l.seen[o.Key] = already
	default:
		l.seen[o.Key], l.orphans[o.Key] = matched, owner
	}
}

func (l *lister) count() {
	r := &l.report
	r.Seen = len(l.seen)
	for _, f := range l.seen {
		if f != unmatched {
			r.Matched++
		}
		if f == already {
			r.Already++
		}
	}
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
