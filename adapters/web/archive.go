package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	maxEntries    = 50 // of one page
	maxEntryHolds = 4  // that one row shows
)

type archivePage struct {
	head
	List archiveList
	Now  time.Time
}

// archiveList is the JSON form of a page of the archive: the newest end first. It has no payload.
type archiveList struct {
	Schema string    `json:"schema"`
	At     time.Time `json:"at"`
	// Kind, Scope and Name, if they are not empty, are those of the listed objects. Explicit leaves those out that no user
	// deleted.
	Kind     string       `json:"kind,omitempty"`
	Scope    string       `json:"scope,omitempty"`
	Name     string       `json:"name,omitempty"`
	Explicit bool         `json:"explicit,omitempty"`
	Extent   extent       `json:"extent"`
	Entries  []entryState `json:"entries"`
	Next     string       `json:"next,omitempty"`
	// Cut says that entries follow whose page has no address, because that is too long.
	Cut bool `json:"cut,omitempty"`
}

// extent is the size of the whole archive.
type extent struct {
	Entries  int       `json:"entries"`
	Restored int       `json:"restored"`
	Bytes    int64     `json:"bytes"`
	Oldest   time.Time `json:"oldest,omitzero"`
}

// entryState is an entry. Its object has ended, so its key has no link.
type entryState struct {
	Key       jsonKey   `json:"key"`
	Ended     time.Time `json:"ended"`
	Explicit  bool      `json:"explicit,omitempty"`
	Orphaning bool      `json:"orphaning,omitempty"`
	// Until is the time from which the entry may be purged. It is left out for no end, and for each cascade entry.
	Until     time.Time   `json:"until,omitzero"`
	Holds     []entryHold `json:"holds,omitempty"`
	HoldsMore int         `json:"holdsMore,omitempty"`
	// Restored is the object that came back. It has a link if it is observed.
	Restored   *jsonKey `json:"restored,omitempty"`
	Size       int      `json:"size"`
	Unreadable string   `json:"unreadable,omitempty"`
}

// entryHold is a hold that keeps an entry. Until is left out for no end.
type entryHold struct {
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	Until  time.Time `json:"until,omitzero"`
}

// archive lists the entries of the archive, page by page. It changes nothing.
//
//test:by TestArchivePage TestArchivePages TestArchiveErrors TestArchiveHostile TestGolden
func (h *Handler) archive(ctx context.Context, r *http.Request) (content, error) {
	if h.config.Archive == nil {
		return nil, &statusError{http.StatusNotFound, "there is no archive: the host program sets Config.Archive for a store that has one"}
	}
	q := r.URL.Query()
	list := archiveList{
		Schema: "ownergraph/archive/v1", At: h.config.Now().UTC(), Kind: q.Get("kind"), Scope: q.Get("scope"), Name: q.Get("name"),
		Explicit: q.Has("explicit"), Entries: []entryState{},
	}
	if max(len(list.Kind), len(list.Scope), len(list.Name)) > maxText {
		return nil, &statusError{http.StatusBadRequest, "the searched text is longer than 1,024 bytes"}
	}
	found, err := h.config.Archive.Entries(ctx, archive.Query{
		Kind: graph.Kind(list.Kind), Scope: list.Scope, Name: list.Name, Explicit: list.Explicit, After: q.Get("after"), Limit: maxEntries,
	})
	if err != nil {
		return nil, err
	}
	x, err := h.config.Archive.Extent(ctx)
	if err != nil {
		return nil, err
	}
	list.Extent = extent{x.Entries, x.Restored, x.Bytes, x.Oldest.UTC()}
	for i := range found.Entries {
		list.Entries = append(list.Entries, h.entry(ctx, &found.Entries[i]))
	}
	list.Next, list.Cut = list.next(found.More)
	return page{name: "archive", data: archivePage{head{"Archive", "archive"}, list, h.config.Now()}, json: list}, nil
}

// entry returns the form of an entry.
func (h *Handler) entry(ctx context.Context, e *archive.Entry) entryState {
	x := entryState{
		Key: keyOf(e.Object.Key), Ended: e.At.UTC(), Explicit: e.Explicit, Orphaning: e.Orphaning, Until: e.Until.UTC(),
		HoldsMore: max(len(e.Holds)-maxEntryHolds, 0), Size: e.Size, Unreadable: clean(e.Unreadable),
	}
	x.Key.Link = ""
	for _, hold := range e.Holds[:len(e.Holds)-x.HoldsMore] {
		x.Holds = append(x.Holds, entryHold{clean(hold.By), clean(hold.Reason), hold.Until.UTC()})
	}
	if e.IsRestored() {
		k := keyOf(e.Restored)
		if near, err := h.source.Nearby(ctx, e.Restored, 1); err != nil || len(near.Objects) == 0 || near.Objects[0].UID != e.Restored.UID {
			k.Link = ""
		}
		x.Restored = &k
	}
	return x
}

// next returns the link to the page behind a place, and whether that is too long for an address.
func (l *archiveList) next(more string) (link string, long bool) {
	if more == "" {
		return "", false
	}
	q := url.Values{"after": {more}}
	for name, text := range map[string]string{"kind": l.Kind, "scope": l.Scope, "name": l.Name} {
		if text != "" {
			q.Set(name, text)
		}
	}
	if l.Explicit {
		q.Set("explicit", "true")
	}
	if text := "archive?" + q.Encode(); len(text) <= 8*maxLink {
		return text, false
	}
	return "", true
}

// State says how the object of an entry ended, for a template.
func (e entryState) State() string {
	words := []string{"went with an owner"}
	if e.Explicit {
		words[0] = "deleted by a user"
	}
	if e.Orphaning {
		words = append(words, "left its dependents behind")
	}
	return strings.Join(words, ", ")
}
