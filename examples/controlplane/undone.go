package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// undone is the answer of an undo, or of a plan, whose objects have no new UID yet. Its lists are sorted by object,
// and bounded. Done is false if objects of the cascade still go.
type undone struct {
	Done     bool       `json:"done"`
	Restored int        `json:"restored"` // the number of the objects
	Objects  []returned `json:"objects"`
	Stays    []left     `json:"stays"`
	Taken    []taken    `json:"taken,omitempty"`
	Refused  []left     `json:"refused,omitempty"`
	Waits    []string   `json:"waits,omitempty"` // for the end of these objects, with their finalizers
}

type (
	// returned is an object that comes back.
	returned struct {
		Object string    `json:"object"`
		Former graph.UID `json:"former"`
		UID    graph.UID `json:"uid,omitempty"`
	}
	// left is an object that stays away. Owner is the missing owner, which has to come back first.
	left struct {
		Object   string    `json:"object,omitempty"`
		UID      graph.UID `json:"uid"`
		Why      string    `json:"why"`
		Owner    string    `json:"owner,omitempty"`
		OwnerUID graph.UID `json:"ownerUID,omitempty"`
	}
	// taken is an object whose name another one has.
	taken struct {
		Object string    `json:"object"`
		By     graph.UID `json:"by"`
	}
)

func undoneOf(r *archive.Result) undone {
	u := undone{Restored: len(r.Restored), Stays: leftOf(r.Left), Taken: takenOf(r.Held), Objects: []returned{}}
	for former, key := range r.Restored {
		u.Objects = append(u.Objects, returned{key.PlaceString(), former, key.UID})
	}
	slices.SortFunc(u.Objects, func(a, b returned) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Former, b.Former))
	})
	u.Objects = bounded(u.Objects)
	return u
}

func plannedOf(p *archive.Plan) undone {
	u := undone{Restored: len(p.Members), Stays: leftOf(p.Left), Taken: takenOf(p.Taken), Refused: leftOf(p.Refused), Objects: []returned{}}
	for _, m := range p.Members {
		u.Objects = append(u.Objects, returned{Object: m.Entry.Object.PlaceString(), Former: m.Entry.Object.UID})
	}
	slices.SortFunc(u.Objects, func(a, b returned) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Former, b.Former))
	})
	u.Objects, u.Waits = bounded(u.Objects), waitsOf(p.Waits)
	return u
}

func bounded[T any](list []T) []T { return list[:min(len(list), maxListed)] }

func leftOf(list []archive.Left) []left {
	out := []left{}
	for _, l := range bounded(list) {
		x := left{UID: l.Entry.Object.UID, Why: l.Why.String()}
		if l.Entry.Object.Kind != "" { // a root without an entry has a UID alone
			x.Object = l.Entry.Object.PlaceString()
		}
		if l.Owner.UID != "" {
			x.Owner, x.OwnerUID = l.Owner.PlaceString(), l.Owner.UID
		}
		out = append(out, x)
	}
	return out
}

func takenOf(list []archive.Taken) (out []taken) {
	for _, t := range bounded(list) {
		out = append(out, taken{t.Member.PlaceString(), t.By.UID})
	}
	return out
}

func waitsOf(list []archive.Waiting) (out []string) {
	for _, w := range bounded(list) {
		out = append(out, waitOf(w.Key, w.Finalizers))
	}
	return out
}

func waitOf(key graph.Key, finalizers []string) string {
	return fmt.Sprintf("%s (finalizers %q)", key.PlaceString(), finalizers)
}

// addUndo adds the objects of a refused undo.
func (f *failure) addUndo(err error) {
	var refused *archive.RefusedError
	var names *archive.TakenError
	if errors.As(err, &refused) {
		f.Refused = leftOf(refused.Refused)
	}
	if errors.As(err, &names) {
		for _, by := range names.Taken {
			f.Taken = append(f.Taken, taken{by.PlaceString(), by.UID})
		}
		slices.SortFunc(f.Taken, func(a, b taken) int { return cmp.Compare(a.Object, b.Object) })
		f.Taken = bounded(f.Taken)
	}
}

// entry is an entry of the archive in an answer. It has no payload.
type entry struct {
	Object   string    `json:"object"`
	UID      graph.UID `json:"uid"`
	Ended    time.Time `json:"ended"`
	Explicit bool      `json:"explicit"` // a client deleted it
	Until    time.Time `json:"until,omitzero"`
	Restored graph.UID `json:"restored,omitempty"`
}

// ended lists the entries of the archive, the newest end first.
func (a *api) ended(r *http.Request, _ graph.Key) (int, any, error) {
	if !a.dirs.archive.HasArchive() {
		return 0, nil, fmt.Errorf("archive: this program runs without -undo: %w", ownergraph.ErrRefused)
	}
	page, err := a.dirs.archive.Entries(r.Context(), archive.Query{After: r.URL.Query().Get("after"), Limit: maxListed})
	list := []entry{}
	for _, e := range page.Entries {
		list = append(list, entry{e.Object.PlaceString(), e.Object.UID, e.At.UTC(), e.Explicit, e.Until.UTC(), e.Restored.UID})
	}
	return http.StatusOK, map[string]any{"entries": list, "after": page.More}, err
}
