package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// An undo waits so long for a cascade that still runs. It has at most so many roots, and a list of an answer so many objects.
const undoWait, maxRoots, maxListed = 5 * time.Second, 100, 1000

// undoing is the body of POST /undo: deleted objects by UID, or by kind, team and name, as in "projects/blue/web".
// A name stands for the object of that name that goes now, or ended last.
type undoing struct {
	UIDs    []graph.UID `json:"uids"`
	Objects []string    `json:"objects"`
}

// undo brings deleted objects back, with the objects that their deletion took along, or only plans that. If a root or a
// part of its cascade still goes, the status is 202, and the caller asks again.
func (a *api) undo(r *http.Request, _ graph.Key) (int, any, error) {
	plans := r.URL.Query().Has("plan")
	if plans && r.URL.Query().Get("plan") != "true" {
		return 0, nil, fmt.Errorf("plan %.80q: %w", r.URL.Query().Get("plan"), errBadRequest)
	}
	roots, err := a.roots(r)
	if err != nil {
		return 0, nil, err
	}
	request, u := archive.Request{Roots: roots}, undone{}
	if plans {
		p, wrong := restore.Plan(r.Context(), a.collector, request)
		u, err = plannedOf(&p), wrong
		if err == nil && hasWithoutEntry(p.Refused) {
			err = &archive.RefusedError{Refused: p.Refused}
		}
	} else {
		u, err = a.restore(r.Context(), request)
	}
	if waits, wrong := going(err); wrong != nil || len(waits) > 0 {
		return http.StatusAccepted, undone{Objects: []returned{}, Stays: []left{}, Waits: waits}, wrong
	}
	if !u.Done && !plans {
		return http.StatusAccepted, u, err
	}
	return http.StatusOK, u, err
}

// restore carries an undo out. The files of the databases that are back come back with each outcome, also
// if the client has gone.
func (a *api) restore(ctx context.Context, request archive.Request) (undone, error) {
	waiting, stop := context.WithTimeout(ctx, undoWait)
	defer stop()
	var last archive.Progress
	result, err := restore.Run(waiting, a.collector, request, func(p archive.Progress) { last = p })
	u := undoneOf(&result)
	if u.Done = err == nil; err != nil && waiting.Err() != nil && ctx.Err() == nil {
		u.Waits, err = waitsOf(last.Waits), nil
	}
	late, stop := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer stop()
	teams := map[string]bool{}
	for _, key := range result.Restored {
		teams[key.Scope] = teams[key.Scope] || key.Kind == "databases"
	}
	for _, team := range slices.Sorted(maps.Keys(teams)) {
		if teams[team] {
			err = errors.Join(err, a.dirs.reclaim(late, team))
		}
	}
	return u, err
}

// hasWithoutEntry reports whether a root has no entry.
func hasWithoutEntry(list []archive.Left) bool {
	return slices.ContainsFunc(list, func(l archive.Left) bool { return l.Why == archive.Purged || l.Why == archive.NotEnded })
}

// going returns the roots that have no entry yet, because their deletion still runs. A root that no deletion has
// reached is an error.
func going(err error) (waits []string, _ error) {
	var refused *archive.RefusedError
	if !errors.As(err, &refused) {
		return nil, err
	}
	others := false
	for _, l := range refused.Refused {
		switch o := l.Entry.Object; {
		case l.Why != archive.NotEnded:
			others = true
		case !o.Deleting:
			return nil, fmt.Errorf("undo %s: it is not deleted: %w", o.Key, ownergraph.ErrConflict)
		default:
			waits = append(waits, waitOf(o.Key, o.Finalizers))
		}
	}
	if others {
		return nil, err
	}
	return waits, nil
}

// roots reads the body of an undo.
func (a *api) roots(r *http.Request) ([]graph.UID, error) {
	if !a.dirs.archive.HasArchive() {
		return nil, fmt.Errorf("undo: this program runs without -undo: %w", ownergraph.ErrRefused)
	}
	var u undoing
	if err := readBody(http.MaxBytesReader(nil, r.Body, maxBody), &u); err != nil {
		return nil, err
	}
	if n := len(u.UIDs) + len(u.Objects); n == 0 || n > maxRoots {
		return nil, fmt.Errorf("uids, objects: %d: want 1 to %d together: %w", n, maxRoots, errBadRequest)
	}
	for _, text := range u.Objects {
		uid, err := a.named(r.Context(), text)
		if err != nil {
			return nil, fmt.Errorf("objects: %.80q: %w", text, err)
		}
		u.UIDs = append(u.UIDs, uid)
	}
	return u.UIDs, nil
}

// named returns the UID of a root that has a name.
func (a *api) named(ctx context.Context, text string) (graph.UID, error) {
	key, err := graph.ParsePlace(text)
	if err != nil {
		return "", fmt.Errorf("%w: %w", err, errBadRequest)
	}
	at := slices.IndexFunc(kinds(), func(i graph.KindInfo) bool { return i.Kind == key.Kind })
	if at < 0 || kinds()[at].Scoped != (key.Scope != "") {
		return "", fmt.Errorf("want KIND/TEAM/NAME, or teams/NAME: %w", errBadRequest)
	}
	if o, err := a.records.store().Get(ctx, key); err == nil && o.Deleting {
		return o.UID, nil
	}
	page, err := a.dirs.archive.Entries(ctx, archive.Query{Kind: key.Kind, Scope: key.Scope, Name: key.Name, Limit: 1})
	if err != nil || len(page.Entries) == 0 {
		return "", errors.Join(err, fmt.Errorf("the archive has none of that name: %w", ownergraph.ErrNotFound))
	}
	return page.Entries[0].Object.UID, nil
}

// readBody reads one JSON value without unknown fields.
func readBody(body io.Reader, into any) error {
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil && !errors.Is(d.Decode(new(json.RawMessage)), io.EOF) {
		err = errors.New("text after the value")
	}
	if err != nil {
		return fmt.Errorf("body: %w: %w", err, errBadRequest)
	}
	return nil
}
