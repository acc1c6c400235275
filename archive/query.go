package archive

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Query selects entries. The zero Query selects all. Each field that is set narrows the selection.
//
// With UIDs or Owners the entries come in the order of their UIDs. Without them the newest end comes first, and entries of one
// time come by UID.
type Query struct {
	// UIDs are those of the objects that ended.
	UIDs []graph.UID
	// Owners selects the entries that name one of these UIDs with a reference of any policy, or as the holder of
	// their sweep.
	Owners []graph.UID
	// Explicit selects the objects that users deleted, which are the usual roots.
	Explicit bool
	// Unrestored selects the entries that no restore has brought back.
	Unrestored bool
	// Kind, Scope and Name are those of the objects.
	Kind  graph.Kind
	Scope string
	Name  string
	// Before selects entries that ended before that time.
	Before time.Time
	// After is Page.More of the page before, "" for the first one.
	After string
	// Limit is the largest number of entries, at most MaxPage. 0 stands for MaxPage.
	Limit int
}

// MaxPage bounds the entries of a page, and the UIDs and the owners of a query.
const MaxPage = 1000

// Page has entries in the order of Query. Each page but the last one is full.
type Page struct {
	Entries []Entry
	// More begins the next page, "" at the end.
	More string
}

// Item is an object that a restore creates from its entry.
type Item struct {
	// UID is that of the entry.
	UID graph.UID
	// Root makes the entry an explicit one, whose time begins now. So what hangs from it does not expire while the restore goes
	// on (RULES, A6).
	Root bool
	// Scope and Name are those of the new object.
	Scope, Name string
	// Owners are its references. One to another item of the call names the object of that item instead. With
	// other coordinates than the entry of that item it gets the UID alone.
	Owners []graph.Owner
}

// Extent is the size of an archive.
type Extent struct {
	// Entries counts the entries, Restored those that came back, and Bytes their payloads.
	Entries, Restored int
	Bytes             int64
	// Oldest is the end of the oldest entry, zero without one.
	Oldest time.Time
}

// Check returns the error of a query that no store takes. It wraps graph.ErrRefused and graph.ErrInvalid.
func (q Query) Check() error {
	bad := func(field, cause string) error {
		return fmt.Errorf("read entries: %s: %s: %w: %w", field, cause, graph.ErrRefused, graph.ErrInvalid)
	}
	switch {
	case len(q.UIDs) > MaxPage || len(q.Owners) > MaxPage:
		return bad("UIDs, Owners", fmt.Sprintf("more than %d", MaxPage))
	case q.Limit < 0 || q.Limit > MaxPage:
		return bad("Limit", fmt.Sprintf("%d is not between 0 and %d", q.Limit, MaxPage))
	}
	return nil
}

// Matches reports whether an entry is among those that the query selects. It does not look at After and Limit.
func (q Query) Matches(e *Entry) bool {
	names := func() bool {
		return slices.ContainsFunc(e.Names(), func(u graph.UID) bool { return slices.Contains(q.Owners, u) })
	}
	return (len(q.UIDs) == 0 || slices.Contains(q.UIDs, e.Object.UID)) && (len(q.Owners) == 0 || names()) &&
		(!q.Explicit || e.Explicit) && (!q.Unrestored || !e.IsRestored()) && (q.Kind == "" || q.Kind == e.Object.Kind) && (q.Scope == "" || q.Scope == e.Object.Scope) &&
		(q.Name == "" || q.Name == e.Object.Name) && (q.Before.IsZero() || e.At.Before(q.Before))
}
