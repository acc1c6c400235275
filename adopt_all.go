package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// AdoptReport is the result of one pass of AdoptAll. It is a value.
type AdoptReport struct {
	// Seen counts the listed objects, and Matched those for which match named an owner.
	Seen, Matched int
	// Adopted counts the objects that got their owner, and Already those that had it.
	// Owned have another owner. Deleting are in deletion, or their owner is. Gone left the
	// store meanwhile.
	Adopted, Already, Owned, Deleting, Gone int
	// Failed counts the other objects, and Errors has their first 100 errors. Another
	// pass tries them again.
	Failed int
	Errors []error
	// Unlisted has the kinds without a listing, sorted. They need another pass.
	Unlisted []Kind
}

const maxAdoptErrors = 100

// AdoptAll brings a store without owner references under ownership, in one pass. It adopts
// every object for which match names an owner, as Adopt does. Another pass resumes a pass
// that has ended early. An object that has its owner costs only its place in the listing.
//
// AdoptAll watches the store until every kind is listed. Then it makes two or three
// requests for each object that it adopts. The report names the kinds that cannot be
// listed. The error is that of the context or of the watch, and the report then has the
// progress so far. Match has to be pure.
//
// Held by TestAdoptAll and TestAdoptAllResumes.
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

// lister follows a watch until every kind is listed or sick. An object may come more than
// once, and go. Its last event counts.
type lister struct {
	match   func(o Object) (Owner, bool)
	owed    map[Kind]bool // kinds without a complete listing, true if the kind is sick
	over    map[Kind]bool // kinds that need no listing any more
	known   bool
	seen    map[Key]found
	orphans map[Key]Owner // the owner for each object to adopt
	report  AdoptReport
}

// found is the state of an object in a listing.
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

// serve takes the kinds that the store serves from now on. A kind that joins needs a
// listing too. A kind that leaves, or that is not watched, needs none.
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

// adoptSoon adopts, and tries again a few times after conflicts with other clients.
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
		if len(r.Errors) < maxAdoptErrors {
			r.Errors = append(r.Errors, err)
		}
	}
}
