// Package restoring carries restores out (RULES, A2 to A5). A restore has no state of its own: each turn reads the graph
// and the entries anew, and does the rest. So it goes on after a crash, beside another restore, and while the cascade
// still runs.
//
// # A turn
//
//	1  a fence that begins now passes: the graph has each commit from before
//	2  the living objects that name a former UID of the set, as the turn before has found it
//	3  the entries, the set, and its writes
//
// The restore is done if a turn finds nothing in 2 and 3, and the set of 2 was that of 3. An object that ends after 2 has
// its entry by 3, because its end and its entry are one transaction. After a turn that has brought all back, 3 reads the
// entries alone that could be further members: those that name an object of the set, and were not restored.
package restoring

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// Entries reads the archive of a store.
type Entries interface {
	Entries(ctx context.Context, q archive.Query) (archive.Page, error)
}

// Store has the writes of a restore.
type Store interface {
	Entries
	RestoreEntries(ctx context.Context, items []archive.Item) ([]graph.Key, error)
	Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error
}

// The waits between two turns that found nothing to do.
const firstWait, longestWait = 100 * time.Millisecond, 10 * time.Second

// Plan returns the forecast of a restore. It writes nothing.
//
//test:by TestPlan
func Plan(ctx context.Context, s Entries, g Graph, r archive.Request) (archive.Plan, error) {
	if err := cmp.Or(hasRoots(r), g.Observe(ctx)); err != nil {
		return archive.Plan{}, fmt.Errorf("plan restore: %w", err)
	}
	t, err := look(ctx, s, g, r)
	if err != nil {
		return archive.Plan{}, fmt.Errorf("plan restore: %w", err)
	}
	t.name(g.naming(t.former()))
	return t.plan, nil
}

// Restore brings the set of a request back. It returns when that is done, or when only held members are left. Progress, if
// set, gets a report after each turn and each call, on the goroutine of the caller.
//
//test:by TestRestore TestRestoreHeld TestRestoreUnderWay
func Restore(ctx context.Context, s Store, g Graph, req archive.Request, progress func(archive.Progress)) (archive.Result, error) {
	r := restore{s: s, g: g, req: req, progress: progress, places: map[graph.UID]graph.Key{}}
	r.out.Restored = map[graph.UID]graph.Key{}
	if err := hasRoots(req); err != nil {
		return r.out, fmt.Errorf("restore: %w", err)
	}
	wait := firstWait
	for {
		done, moved, err := r.turn(ctx)
		switch {
		case err != nil || done:
			return r.out, err
		case moved:
			wait = firstWait
			continue
		}
		select {
		case <-ctx.Done():
			return r.out, fmt.Errorf("restore: %s: %w", r.waitsFor(), context.Cause(ctx))
		case <-time.After(wait):
			wait = min(2*wait, longestWait)
		}
	}
}

// hasRoots refuses a request without roots. A caller whose list is empty by mistake would take the restore as done.
//
//test:by TestRestoreNoRoots
func hasRoots(r archive.Request) error {
	if len(r.Roots) == 0 {
		return fmt.Errorf("request: Roots: empty: %w", graph.ErrInvalid)
	}
	return nil
}

// restore is one call of Restore.
type restore struct {
	s        Store
	g        Graph
	req      archive.Request
	progress func(archive.Progress)
	out      archive.Result
	began    bool
	former   []graph.UID // of the set of the turn before
	waits    []archive.Waiting
	places   map[graph.UID]graph.Key // of the entries of members that this call has created
	failures int                     // turns in a row that the store has refused
	whole    []graph.UID             // the present objects of the set, if the turn before has brought all back
}

// turn does the writes that the present state lacks. Moved says that it has written something, or has to look again at once.
func (r *restore) turn(ctx context.Context) (done, moved bool, err error) {
	if err := r.g.Observe(ctx); err != nil {
		return false, false, fmt.Errorf("restore: %w", err)
	}
	living := r.g.naming(r.former)
	if len(r.whole) > 0 && len(living) == 0 {
		if done, err := r.isOver(ctx); err != nil || done {
			return done, false, err
		}
	}
	t, err := look(ctx, r.s, r.g, r.req)
	if err != nil {
		return false, false, fmt.Errorf("restore: %w", err)
	}
	if err := r.refusals(&t); err != nil {
		return false, false, err
	}
	for _, l := range t.plan.Back {
		r.out.Restored[l.From.UID] = l.To
	}
	t.name(living)
	moved, refused := r.relink(ctx, &t)
	created, err := r.create(ctx, t.plan.Members)
	moved = moved || created
	err = r.tolerate(cmp.Or(refused, err), moved)
	former := t.former()
	moved = moved || !slices.Equal(former, r.former)
	r.former, r.waits, r.out.Left = former, t.plan.Waits, t.plan.Left
	r.whole = nil
	if err == nil && refused == nil && len(living) == 0 && len(t.plan.Left)+len(t.plan.Ending)+len(r.out.Held) == 0 {
		r.whole = r.present(&t)
	}
	r.report(len(t.plan.Members))
	return !moved && len(t.plan.Members) == len(r.out.Held) && len(living)+len(t.plan.Ending) == 0, moved, err
}

// present returns the UIDs of the objects of a set that is there, or none if another turn has to tell.
func (r *restore) present(t *turn) (uids []graph.UID) {
	for _, l := range t.plan.Back {
		uids = append(uids, l.To.UID)
	}
	for _, m := range t.plan.Members {
		k, back := r.out.Restored[m.Entry.Object.UID]
		if !back || len(m.Former) > 0 {
			return nil
		}
		uids = append(uids, k.UID)
	}
	return uids
}

// isOver reports whether the set is still whole: each object of it lives unmarked, and each entry that names one was restored. A
// member names an object of the set, so there is none.
//
//test:by TestRestoreEndsAgain TestRestoreUnderWay
func (r *restore) isOver(ctx context.Context) (bool, error) {
	states := r.g.states(r.whole)
	for _, x := range states {
		if x.marked {
			return false, nil
		}
	}
	if len(states) < len(r.whole) {
		return false, nil
	}
	for some := range slices.Chunk(slices.Concat(r.former, r.whole), archive.MaxPage) {
		page, err := r.s.Entries(ctx, archive.Query{Owners: some, Unrestored: true, Limit: 1})
		if err != nil {
			return false, fmt.Errorf("restore: read entries: %w", err)
		}
		if len(page.Entries) > 0 {
			return false, nil
		}
	}
	return true, nil
}

// refusals refuses a restore before its first write (RULES, A3), and one whose root a user has deleted or purged since.
//
//test:by TestRestoreRefusesBefore TestRootGoes TestRestoreRootEndsAgain
func (r *restore) refusals(t *turn) error {
	switch {
	case len(t.plan.Refused) > 0 && r.began:
		return fmt.Errorf("restore: broken off after %d objects: %w", r.out.Created, &archive.RefusedError{Refused: t.plan.Refused})
	case len(t.plan.Refused) > 0:
		return &archive.RefusedError{Refused: t.plan.Refused}
	case len(t.plan.Taken) > 0 && !r.began:
		return t.takenError()
	}
	r.began = true
	return nil
}

func (r *restore) report(members int) {
	if r.progress != nil {
		r.progress(archive.Progress{Created: r.out.Created, Members: members, Waits: r.waits})
	}
}

// waitsFor names the objects that the restore waits for.
func (r *restore) waitsFor() string {
	if len(r.waits) == 0 {
		return "still under way"
	}
	const most = 8
	var text []string
	for _, w := range r.waits[:min(len(r.waits), most)] {
		text = append(text, fmt.Sprintf("%s (%s)", w.Key, strings.Join(w.Finalizers, ", ")))
	}
	if n := len(r.waits) - most; n > 0 {
		text = append(text, fmt.Sprintf("%d more", n))
	}
	return "still waiting for the end of: " + strings.Join(text, ", ")
}
