package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// newArchive is the shop on a store with an archive.
func newArchive(t *testing.T) *rig {
	t.Helper()
	list, err := graph.Parse(shop)
	if err != nil {
		t.Fatal(err)
	}
	return newRigOf(t, memory.Config{Objects: list, UIDPrefix: "new-", Archive: &archive.Config{Keep: time.Hour}}, Config{})
}

// TestArchivePage: the entries have their ends, times, holds and restored objects, and the page has the extent. It shows
// no payload, and changes nothing.
func TestArchivePage(t *testing.T) {
	r := newArchive(t)
	r.contains(r.get("archive"), 200, "No entry fits.", ">none<")
	r.delete("pod/shop/b@p2", graph.Background)
	r.delete("deploy/shop/web@d1", graph.Background)
	r.release("pod/shop/a@p1")
	law := archive.Hold{By: "law", Reason: "case 7", Until: time.Date(2099, 1, 2, 3, 4, 5, 0, time.UTC)}
	if err := r.store.HoldEntry(t.Context(), r.key("rs/shop/web-1@r1"), law); err != nil {
		t.Fatal(err)
	}
	keys, err := r.store.RestoreEntries(t.Context(), []archive.Item{{UID: "p2", Scope: "shop", Name: "b"}})
	if err != nil {
		t.Fatal(err)
	}
	r.idle()
	before, err := r.store.Entries(t.Context(), archive.Query{})
	if err != nil {
		t.Fatal(err)
	}
	a := decode[archiveList](r, "archive")
	if a.Extent.Entries != 4 || a.Extent.Restored != 1 || a.Extent.Oldest.IsZero() || len(a.Entries) != 4 || a.Next != "" {
		t.Fatalf("%+v", a)
	}
	byUID := map[graph.UID]entryState{}
	for _, e := range a.Entries {
		if e.Key.Link != "" {
			t.Errorf("%v has a link, and has ended", e.Key)
		}
		byUID[e.Key.UID] = e
	}
	if e := byUID["d1"]; !e.Explicit || !e.Until.Equal(e.Ended.Add(time.Hour)) || e.Restored != nil {
		t.Errorf("the deployment is %+v", e)
	}
	if e := byUID["r1"]; e.Explicit || !e.Until.IsZero() || len(e.Holds) != 1 || e.Holds[0] != (entryHold{"law", "case 7", law.Until}) {
		t.Errorf("the replica set is %+v", e)
	}
	if e := byUID["p2"]; e.Restored == nil || e.Restored.UID != keys[0].UID || e.Restored.Link == "" {
		t.Errorf("the restored pod is %+v", e)
	} else {
		r.contains(r.get(e.Restored.Link), 200, string(keys[0].UID))
	}
	w := r.get("archive")
	r.contains(w, 200, "deleted by a user", "went with an owner", "held by <bdi>law</bdi>: <bdi>case 7</bdi>, until", "with its owners", `aria-current="page">Archive</a>`)
	after, err := r.store.Entries(t.Context(), archive.Query{})
	if err != nil || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("the pages have changed the archive: %v, %v", after, err)
	}
}

// TestStill: the pages that no event changes, and the one with a stream of its own, do not load themselves again. An empty
// template would not replace the block of the layout.
func TestStill(t *testing.T) {
	r := newArchive(t)
	for _, c := range []struct {
		page   string
		still  bool
		reason string
	}{
		{"archive", true, "it reads the store"}, {"reasons", true, "it never changes"}, {"object?key=pod/shop/none", true, "an error"},
		{"cascade?key=deploy/shop/web", true, "it has a stream of its own"}, {"", false, "its figures change"}, {"search", false, "objects come and go"},
	} {
		if still := strings.Contains(r.get(c.page).Body.String(), `data-every="0"`); still != c.still {
			t.Errorf("%q is still: %t, want %t: %s", c.page, still, c.still, c.reason)
		}
	}
}

// TestArchiveRestoredGone: a restored object that ended again has no link, since its page may not be there.
func TestArchiveRestoredGone(t *testing.T) {
	r := newArchive(t)
	r.delete("node/n1@n1", graph.Background)
	keys, err := r.store.RestoreEntries(t.Context(), []archive.Item{{UID: "n1", Name: "n1"}})
	if err != nil {
		t.Fatal(err)
	}
	r.idle()
	r.delete(keys[0].String(), graph.Background)
	for _, successor := range []bool{false, true} {
		if successor { // another object has the place then
			if _, err := r.store.Create(t.Context(), graph.Object{Key: graph.Key{Kind: "node", Name: "n1"}}); err != nil {
				t.Fatal(err)
			}
			r.idle()
		}
		for _, e := range decode[archiveList](r, "archive").Entries {
			if e.Key.UID == "n1" && (e.Restored == nil || e.Restored.Link != "") {
				t.Errorf("with a successor %t: %+v", successor, e)
			}
		}
	}
}

// TestArchivePages: pages have a bounded number of entries, each entry is on one page, and the filters stay in the links.
func TestArchivePages(t *testing.T) {
	m := memory.Config{Archive: &archive.Config{}}
	const n = 2*maxEntries + 7
	for i := range n {
		m.Objects = append(m.Objects, graph.Object{Key: graph.Key{Kind: graph.Kind([]string{"pod", "node"}[i%2]), Name: fmt.Sprintf("n%d", i/2), UID: graph.UID(fmt.Sprint("u", i))}})
	}
	r := newRigOf(t, m, Config{})
	for i, o := range m.Objects { // an engine deletes the nodes
		if err := r.store.Delete(t.Context(), o.Key, graph.DeleteOptions{Cause: []*graph.Cause{nil, {}}[i%2]}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		query       string
		want, pages int
		reason      string
	}{
		{"", n, 3, "all entries"},
		{"?kind=node", n / 2, 2, "a kind"},
		{"?kind=none", 0, 1, "an unknown kind"},
		{"?name=n7", 2, 1, "a name"},
		{"?name=n", 0, 1, "a part of a name"},
		{"?scope=s", 0, 1, "a scope"},
		{"?explicit=true", n - n/2, 2, "the filter stays in the link"},
		{"?explicit=true&kind=pod", n - n/2, 2, "the ones that a user deleted"},
	} {
		seen, pages, last := map[graph.UID]bool{}, 0, time.Now().Add(time.Hour)
		for next := "archive" + c.query; next != ""; pages++ {
			a := decode[archiveList](r, next)
			for _, e := range a.Entries {
				if e.Ended.After(last) || seen[e.Key.UID] {
					t.Errorf("%q: %s is out of order, or twice", next, e.Key.UID)
				}
				seen[e.Key.UID], last = true, e.Ended
			}
			if w := r.get(next); a.Next != "" {
				r.contains(w, 200, `rel="next"`)
			}
			next = a.Next
		}
		if len(seen) != c.want || pages != c.pages {
			t.Errorf("%q: %d entries on %d pages, want %d on %d: %s", c.query, len(seen), pages, c.want, c.pages, c.reason)
		}
	}
}

// brokenArchive is an archive that does not answer.
type brokenArchive struct {
	Archive
	entries, extent error
}

func (b brokenArchive) Entries(context.Context, archive.Query) (archive.Page, error) {
	return archive.Page{}, b.entries
}

func (b brokenArchive) Extent(context.Context) (archive.Extent, error) {
	return archive.Extent{}, b.extent
}

// TestArchiveErrors: without an archive there is no page and no link to it. An error of the store is no empty page.
func TestArchiveErrors(t *testing.T) {
	r := newArchive(t)
	r.contains(r.get("archive?after=x"), 400, "After: ")
	r.contains(r.get("archive?name="+strings.Repeat("x", maxText+1)), 400, "longer than")
	r.contains(r.get("overview"), 404, "no such page")
	if !strings.Contains(r.get("").Body.String(), `href="archive"`) {
		t.Error("the menu has no link to the archive")
	}
	failed := errors.New("the database is away")
	for _, c := range []struct {
		archive Archive
		reason  string
	}{{brokenArchive{entries: failed}, "the entries"}, {brokenArchive{extent: failed}, "the extent"}} {
		r.handler.config.Archive = c.archive
		for _, w := range []*httptest.ResponseRecorder{r.get("archive"), r.json("archive")} {
			if r.contains(w, 503, "the database is away"); strings.Contains(w.Body.String(), "No entry fits") {
				t.Errorf("%s: the archive looks empty", c.reason)
			}
		}
	}
	plain := newRig(t, shop, Config{})
	off, err := New(plain.collector, Config{Archive: plain.store}) // the store has no archive
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []*Handler{plain.handler, off} {
		plain.handler = h
		if plain.contains(plain.get("archive"), 404, "Config.Archive"); strings.Contains(plain.get("").Body.String(), `"archive"`) {
			t.Error("the menu has a link to an archive that is not there")
		}
	}
	if a, ok := ownergraph.As[archive.Store](r.store); !ok || !a.HasArchive() {
		t.Error("the store is no archive.Store")
	}
}

// TestArchiveHostile: no name, hold or reason of an entry breaks out of its place, and no page grows with them.
func TestArchiveHostile(t *testing.T) {
	m := memory.Config{Limits: graph.Limits{Text: 4 << 20}, Archive: &archive.Config{}}
	for i, name := range hostile() {
		m.Objects = append(m.Objects, graph.Object{Key: graph.Key{Kind: "pod", Scope: "s", Name: name, UID: graph.UID(fmt.Sprint("u", i))}})
	}
	r := newRigOf(t, m, Config{})
	for i, o := range m.Objects {
		if err := r.store.Delete(t.Context(), o.Key, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if utf8.ValidString(o.Name) && !strings.ContainsFunc(o.Name, unicode.IsControl) { // the store takes no other new name
			if _, err := r.store.RestoreEntries(t.Context(), []archive.Item{{UID: o.UID, Scope: o.Scope, Name: o.Name}}); err != nil {
				t.Fatal(err)
			}
		}
		for j := range archive.MaxHolds {
			text := strings.ToValidUTF8(strings.ReplaceAll(hostile()[(i+j)%len(hostile())], "\x00", ""), "")
			h := archive.Hold{By: fmt.Sprint(j, text[:min(len(text), 200)]), Reason: text[:min(len(text), archive.MaxReason)]}
			if err := r.store.HoldEntry(t.Context(), o.Key, h); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.idle()
	r.contains(r.get("archive"), 200, "and 12 holds more")
	for _, target := range []string{"archive", "archive?kind=%3Cscript%3E&name=%22%3E%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "archive?name=%3Cscript%3Ealert(1)%3C%2Fscript%3E"} {
		body := r.get(target).Body.String()
		for _, wrong := range []string{"<script>", "<img src=x", "<b>", "' onfocus", "\u202e", "\u2066", "\u200e", "\x00", `href="javascript:`, `href="//`, "\xff"} {
			if i := strings.Index(body, wrong); i >= 0 {
				t.Errorf("%s has %q: %q", target, wrong, body[max(i-60, 0):min(i+60, len(body))])
			}
		}
		if j := r.json(target).Body; len(body) > 400_000 || j.Len() > 400_000 || !json.Valid(j.Bytes()) {
			t.Errorf("%s has %d bytes, and %d of JSON", target, len(body), j.Len())
		}
	}
}
