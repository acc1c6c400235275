package feed_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
)

// broken is a Log with one bug. A nil function is the sound method of the database.
type broken struct {
	*database
	readLog     func(d *database, page feed.LogPage) feed.LogPage
	readObjects func(d *database, page feed.ObjectPage) feed.ObjectPage
	fence       func(d *database, token uint64) uint64
}

func (b broken) ReadLog(ctx context.Context, from uint64, limit int) (feed.LogPage, error) {
	page, err := b.database.ReadLog(ctx, from, limit)
	if err == nil && b.readLog != nil {
		page = b.readLog(b.database, page)
	}
	return page, err
}

func (b broken) ReadObjects(ctx context.Context, kind graph.Kind, after graph.Key, limit int) (feed.ObjectPage, error) {
	page, err := b.database.ReadObjects(ctx, kind, after, limit)
	if err == nil && b.readObjects != nil {
		page = b.readObjects(b.database, page)
	}
	return page, err
}

func (b broken) AppendFence(ctx context.Context, token uint64) (uint64, error) {
	if b.fence != nil {
		return b.fence(b.database, token), nil
	}
	return b.database.AppendFence(ctx, token)
}

// dropping hides the entries that the function picks.
func dropping(pick func(e feed.Entry) bool) broken {
	return broken{readLog: func(_ *database, page feed.LogPage) feed.LogPage {
		page.Entries = slices.DeleteFunc(page.Entries, pick)
		return page
	}}
}

// entries changes each entry.
func entries(change func(e *feed.Entry)) broken {
	return broken{readLog: func(_ *database, page feed.LogPage) feed.LogPage {
		for i := range page.Entries {
			change(&page.Entries[i])
		}
		return page
	}}
}

// pages changes each page of the log.
func pages(change func(page *feed.LogPage)) broken {
	return broken{readLog: func(_ *database, page feed.LogPage) feed.LogPage { change(&page); return page }}
}

// listings changes each page of a listing.
func listings(change func(page *feed.ObjectPage)) broken {
	return broken{readObjects: func(_ *database, page feed.ObjectPage) feed.ObjectPage { change(&page); return page }}
}

// hides leaves an object out of a listing.
func hides(pick func(o graph.Object) bool) broken {
	return listings(func(page *feed.ObjectPage) { page.Objects = slices.DeleteFunc(page.Objects, pick) })
}

// mutants are the laws of package documentation, each broken once.
var mutants = []struct {
	name   string
	log    broken
	finds  string // the first law of the kit that is broken, or the beginning of its name
	reason string
}{
	{"a creation is not in the log", dropping(func(e feed.Entry) bool { return e.Object.Generation == 1 && !e.Removed && e.Object.Finalizers == nil }),
		"watch/every-change", "law 1: the entry is appended in the transaction of the write"},
	{"a mark is not in the log", dropping(func(e feed.Entry) bool { return e.Object.Deleting && !e.Removed }),
		"watch/every-change", "law 1"},
	{"a removal is not in the log", dropping(func(e feed.Entry) bool { return e.Removed }),
		"watch/gone", "law 1: a removal is a write"},
	{"a refused commit is in the log", broken{readLog: func(d *database, page feed.LogPage) feed.LogPage {
		_ = d.set(func() error { d.leaks = true; return nil })
		return page
	}}, "commit/failed", "law 1: the entry is refused with its write"},
	{"the newest entry appears late", broken{readLog: func(_ *database, page feed.LogPage) feed.LogPage {
		page.Entries = slices.DeleteFunc(page.Entries, func(e feed.Entry) bool { return e.Position == page.Next-1 })
		return page
	}}, "watch/every-change", "law 2: a transaction with a lower position commits later"},
	{"two entries change places", broken{readLog: func(_ *database, page feed.LogPage) feed.LogPage {
		if n := len(page.Entries); n > 1 {
			page.Entries[n-1].Object, page.Entries[n-2].Object = page.Entries[n-2].Object, page.Entries[n-1].Object
		}
		return page
	}}, "watch/", "law 2: positions are in the order of the commits; the time decides which law sees it first"},
	{"an entry has no blocking references", entries(func(e *feed.Entry) {
		for i := range e.Object.Owners {
			e.Object.Owners[i].Block = false
		}
	}), "watch/exact", "law 3: the entry has the stored state"},
	{"a removal has another UID", entries(func(e *feed.Entry) {
		if e.Removed {
			e.Object.UID = "another"
		}
	}), "watch/gone", "law 3"},
	{"a removal looks like a state", entries(func(e *feed.Entry) { e.Removed = false }),
		"watch/gone", "law 3"},
	{"a listing is in the order of the bytes", listings(func(page *feed.ObjectPage) {
		slices.SortFunc(page.Objects, func(a, b graph.Object) int {
			return strings.Compare(a.Scope+"/"+a.Name, b.Scope+"/"+b.Name)
		})
	}), "watch/every-change", "law 4: a hyphen is below the slash, so a scope is before its prefix"},
	{"a listing has no marked objects", hides(func(o graph.Object) bool { return o.Deleting }),
		"watch/listing-complete", "law 4: the page has every object"},
	{"a listing has one page", hides(func(o graph.Object) bool { return o.Name > "a25" }),
		"watch/listing-complete", "law 4"},
	{"a page has objects from before its position", broken{
		readLog: func(d *database, page feed.LogPage) feed.LogPage {
			_ = d.set(func() error { d.was.Store(d.state.Clone()); return nil })
			return page
		},
		readObjects: func(d *database, page feed.ObjectPage) feed.ObjectPage {
			was := d.was.Load()
			page.Objects = slices.DeleteFunc(page.Objects, func(o graph.Object) bool { _, err := was.Get(o.Key); return err != nil })
			for i, o := range page.Objects {
				page.Objects[i], _ = was.Get(o.Key)
			}
			return page
		},
	}, "watch/", "law 5: objects and position are of one snapshot; several laws of a watch see the gap"},
	{"a page has a position from before its snapshot", broken{
		readLog:     func(d *database, page feed.LogPage) feed.LogPage { d.noted.Store(page.Next); return page },
		readObjects: func(d *database, page feed.ObjectPage) feed.ObjectPage { page.Next = d.noted.Load(); return page },
	}, "watch/not-back", "law 5"},
	{"a page is out of order", listings(func(page *feed.ObjectPage) { slices.Reverse(page.Objects) }),
		"watch/every-change", "law 4: the order of the places"},
	{"the log hides that it was cut", pages(func(page *feed.LogPage) { page.First = 0 }),
		"watch/compaction", "law 6: First is the oldest entry"},
	{"a fence has the first position", broken{fence: func(d *database, token uint64) uint64 {
		_, _ = d.AppendFence(context.Background(), token)
		return 1
	}}, "fence/not-early", "law 7: the entry is behind all commits"},
	{"a fence has no entry", broken{fence: func(*database, uint64) uint64 { return 1 << 60 }},
		"fence/passes", "law 7"},
	{"a restore has no epoch", pages(func(page *feed.LogPage) { page.Epoch = "" }),
		"rewind/late-watch", "law 8: later watches report the restore, too"},
	{"each restore has the same epoch", pages(func(page *feed.LogPage) {
		if page.Epoch != "" {
			page.Epoch = "restored"
		}
	}), "rewind/another-epoch", "law 8: the epoch is random"},
	{"the kinds are those of the start", pages(func(page *feed.LogPage) { page.Kinds = allKinds }),
		"kinds/vanished-told", "law 9: the kinds are the present ones"},
}

// TestMutants: the kit finds each broken law of a Log. Time is virtual, so that a wait for an
// event that never comes takes none.
func TestMutants(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := storetest.Judge(t.Context(), storetest.Config{Search: 20 * time.Millisecond, Without: without, New: func(tb storetest.TB) storetest.Subject {
					log := m.log
					log.database = newDatabase(allKinds...)
					return subject(tb, log.database, log)
				}})
				var laws []string
				for _, b := range r.Of(storetest.Broken) {
					laws = append(laws, b.Law)
				}
				if len(laws) == 0 || !strings.HasPrefix(laws[0], m.finds) {
					t.Errorf("the kit finds %q, want %s first: %s", laws, m.finds, m.reason)
				}
			})
		})
	}
}
