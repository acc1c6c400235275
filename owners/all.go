package owners

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// Report is the result of one pass of AdoptAll. It is a value.
type Report struct {
	// Adopted counts the objects that got their owner, and Already those that had it. Left
	// counts the other objects for which match named an owner.
	Adopted, Already, Left int
	// Errors has the first 100 errors of Adopt. Another pass helps after an error of the
	// store, and after graph.ErrConflict.
	Errors []error
	// Unlisted has the kinds without a listing, sorted. They need another pass.
	Unlisted []graph.Kind
}

const maxErrors = 100

// AdoptAll brings a store without owner references under ownership, in one pass. It adopts
// every object for which match names an owner, as Adopt does. Another pass resumes a pass
// that has ended early. An object that has its owner costs only its place in the listing.
//
// AdoptAll watches the store until every kind is listed. Then it makes two or three
// requests for each object that it adopts. The report names the kinds that cannot be
// listed. The error is that of the context or of the watch, and the report then has the
// progress so far. Match has to be pure.
//
//test:by TestAdoptAll TestAdoptAllResumes
func AdoptAll(ctx context.Context, store ownergraph.Store, match func(o graph.Object) (graph.Owner, bool)) (Report, error) {
	l := lister{match: match, owed: map[graph.Kind]bool{}, over: map[graph.Kind]bool{}, already: map[graph.Key]bool{}, orphans: map[graph.Key]graph.Owner{}}
	err := store.Watch(ctx, l.hear)
	l.report.Already = len(l.already)
	if !errors.Is(err, errListed) {
		if err == nil {
			err = errEnded
		}
		return l.report, fmt.Errorf("adopt all: watch: %w", err)
	}
	for _, k := range slices.SortedFunc(maps.Keys(l.orphans), graph.Key.Compare) {
		if err := ctx.Err(); err != nil {
			return l.report, fmt.Errorf("adopt all: %w", err)
		}
		l.report.count(adoptSoon(ctx, store, l.orphans[k], k))
	}
	return l.report, nil
}

var (
	errListed = errors.New("everything is listed")
	errEnded  = errors.New("ended without an error")
)

// lister follows a watch until every kind is listed or sick. An object may come more than
// once, and go. Its last event counts.
type lister struct {
	match   func(o graph.Object) (graph.Owner, bool)
	owed    map[graph.Kind]bool // kinds without a complete listing, true if the kind is sick
	over    map[graph.Kind]bool // kinds that no longer need a listing
	known   bool
	already map[graph.Key]bool        // objects that have their owner
	orphans map[graph.Key]graph.Owner // the owner for each object to adopt
	report  Report
}

func (l *lister) hear(batch []graph.Event) error {
	for i := range batch {
		switch ev := &batch[i]; ev.Type {
		case graph.KindsKnown:
			l.serve(ev.Kinds)
		case graph.Put:
			l.see(ev.Object)
		case graph.Gone:
			delete(l.already, ev.Key)
			delete(l.orphans, ev.Key)
		case graph.KindSick, graph.KindRecovered:
			if _, ok := l.owed[ev.Kind]; ok {
				l.owed[ev.Kind] = ev.Type == graph.KindSick
			}
		case graph.ListEnded, graph.KindVanished:
			delete(l.owed, ev.Kind)
			l.over[ev.Kind] = ev.Type == graph.ListEnded
		}
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
func (l *lister) serve(kinds []graph.KindInfo) {
	was := l.owed
	l.owed, l.known = map[graph.Kind]bool{}, true
	for _, k := range kinds {
		if !l.over[k.Kind] && !k.Unwatched {
			l.owed[k.Kind] = was[k.Kind]
		}
	}
}

func (l *lister) see(o graph.Object) {
	delete(l.already, o.Key)
	delete(l.orphans, o.Key)
	switch owner, ok := l.match(o); {
	case !ok:
	case slices.ContainsFunc(o.Owners, owner.Same):
		l.already[o.Key] = true
	default:
		l.orphans[o.Key] = owner
	}
}

// adoptSoon adopts, and tries again a few times after conflicts with other clients.
func adoptSoon(ctx context.Context, store ownergraph.Store, owner graph.Owner, key graph.Key) (err error) {
	for range 4 {
		if err = Adopt(ctx, store, owner, key); !errors.Is(err, graph.ErrConflict) {
			return err
		}
	}
	return err
}

func (r *Report) count(err error) {
	if err == nil {
		r.Adopted++
		return
	}
	r.Left++
	if len(r.Errors) < maxErrors {
		r.Errors = append(r.Errors, err)
	}
}
