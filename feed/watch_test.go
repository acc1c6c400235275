package feed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
)

var nodes = []graph.KindInfo{{Kind: "node"}}

func newFeed(t testing.TB, log feed.Log, c feed.Config) *feed.Feed {
	t.Helper()
	f, err := feed.New(log, c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// watching runs a watch in a bubble of synctest, and returns its events so far.
func watching(t *testing.T, f *feed.Feed, at func(e graph.Event)) (seen func() string, stop func() error) {
	ctx, cancel := context.WithCancel(t.Context())
	var events []string
	done := make(chan error, 1)
	go func() {
		done <- f.Watch(ctx, func(batch []graph.Event) error {
			for _, e := range batch {
				events = append(events, say(e))
				if at != nil {
					at(e)
				}
			}
			return nil
		})
	}()
	seen = func() string {
		synctest.Wait()
		out := strings.Join(events, ", ")
		events = nil
		return out
	}
	return seen, func() error { cancel(); return <-done }
}

func TestNewRefuses(t *testing.T) {
	for _, tc := range []struct {
		log    feed.Log
		conf   feed.Config
		want   string
		reason string
	}{
		{nil, feed.Config{}, "make feed: log: nil: invalid", "there is nothing to read"},
		{newDatabase(), feed.Config{Poll: -1}, "make feed: config: poll: -1ns is negative: invalid", "no time is negative"},
		{newDatabase(), feed.Config{PageSize: -1}, "make feed: config: page size: -1 is negative: invalid", "no page has -1 entries"},
	} {
		if _, err := feed.New(tc.log, tc.conf); err == nil || err.Error() != tc.want || !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("New: %v, want %s: %s", err, tc.want, tc.reason)
		}
	}
}

// TestChangedWakes: a watch reports a write of its own process without waiting.
func TestChangedWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(nodes...)
		f := newFeed(t, d, feed.Config{Poll: time.Hour})
		seen, stop := watching(t, f, nil)
		if got := seen(); got != "kinds 1, list-begun node, list-ended node" {
			t.Errorf("at first: %s", got)
		}
		d.put(t, "a")
		if got := seen(); got != "" {
			t.Errorf("without Changed, before the time of a poll: %s", got)
		}
		f.Changed()
		if got := seen(); got != "put a" {
			t.Errorf("after Changed: %s", got)
		}
		if err := stop(); err != context.Canceled {
			t.Errorf("Watch = %v, want the context's error as it is", err)
		}
	})
}

// TestPoll: a watch sees a write of another process after Config.Poll at the latest.
func TestPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(nodes...)
		seen, stop := watching(t, newFeed(t, d, feed.Config{Poll: time.Minute}), nil)
		seen()
		d.put(t, "a")
		<-time.After(time.Minute)
		if got := seen(); got != "put a" {
			t.Errorf("after the time of a poll: %s", got)
		}
		_ = stop()
	})
}

func TestWatchEnds(t *testing.T) {
	d := newDatabase(nodes...)
	f := newFeed(t, d, feed.Config{})
	if err := f.Watch(t.Context(), nil); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("a nil sink: %v, want %v", err, graph.ErrRefused)
	}
	full := errors.New("full")
	if err := f.Watch(t.Context(), func([]graph.Event) error { return full }); !errors.Is(err, full) || err.Error() != "watch: sink: full" {
		t.Errorf("a failing sink: %v", err)
	}
	d.down = true
	none := func([]graph.Event) error { return nil }
	if err := f.Watch(t.Context(), none); !errors.Is(err, errDown) || !strings.HasPrefix(err.Error(), "watch: read the log: ") {
		t.Errorf("a database out of reach: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Watch(ended, none); err != context.Canceled {
		t.Errorf("an ended context: %v", err)
	}
}

// TestListRefuses: a listing of a kind that is not watched would never end.
func TestListRefuses(t *testing.T) {
	d := newDatabase(graph.KindInfo{Kind: "node"}, graph.KindInfo{Kind: "event", Unwatched: true})
	f := newFeed(t, d, feed.Config{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		ctx    context.Context
		kind   graph.Kind
		want   error
		reason string
	}{
		{t.Context(), "node", nil, "it is served"},
		{t.Context(), "pod", graph.ErrKindUnknown, "it is not served"},
		{t.Context(), "event", graph.ErrKindUnknown, "it is not watched"},
		{ended, "node", context.Canceled, "the context has ended"},
	} {
		if err := f.List(tc.ctx, tc.kind); !errors.Is(err, tc.want) {
			t.Errorf("List of %s: %v, want %v: %s", tc.kind, err, tc.want, tc.reason)
		}
	}
	d.down = true
	if err := f.List(t.Context(), "node"); !errors.Is(err, errDown) {
		t.Errorf("List of a database out of reach: %v", err)
	}
}

// TestUnwatchedKind: a watch reports neither objects nor fences of it.
func TestUnwatchedKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(graph.KindInfo{Kind: "event"}, graph.KindInfo{Kind: "node", Unwatched: true})
		f := newFeed(t, d, feed.Config{})
		seen, stop := watching(t, f, nil)
		seen()
		d.put(t, "a")
		token, err := f.Fence(t.Context())
		if got, want := seen(), fmt.Sprintf(`fence %d of "event", fence %d of ""`, token, token); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
		_ = stop()
	})
}

// TestRewoundWithoutEpoch: a backup that was put in place without an epoch is seen, and ends
// the watch.
func TestRewoundWithoutEpoch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(nodes...)
		d.put(t, "a")
		d.put(t, "b")
		f := newFeed(t, d, feed.Config{})
		seen, stop := watching(t, f, nil)
		seen()
		_ = d.set(func() error { d.next, d.entries = 2, d.entries[:1]; return nil })
		f.Changed()
		if got := seen(); got != "rewound: the log ends below a position that it had" {
			t.Errorf("the watch reports %s", got)
		}
		want := "watch: read the log: next: position 2 is below 3, and the epoch is the same: invalid"
		if err := stop(); err == nil || err.Error() != want {
			t.Errorf("Watch = %v, want %s", err, want)
		}
	})
}

// restoring is a Log whose database is restored to its begin before the second page of a listing.
type restoring struct {
	*database
	pages   int
	restore func() error
}

func (r *restoring) ReadObjects(ctx context.Context, kind graph.Kind, after graph.Key, limit int) (feed.ObjectPage, error) {
	if r.pages++; r.pages == 2 {
		if err := r.restore(); err != nil {
			return feed.ObjectPage{}, err
		}
	}
	return r.database.ReadObjects(ctx, kind, after, limit)
}

// TestRestoreBesideListing: a restore takes the log back in the middle of a listing. The watch reports it
// as it does between two listings. Otherwise a restore without an epoch would never be reported.
func TestRestoreBesideListing(t *testing.T) {
	for _, tc := range []struct {
		epoch bool
		want  string
		err   string
	}{
		{true, "kinds 1, list-begun node, put a, rewound: the log has a new epoch, kinds 1, list-begun node, put z, list-ended node", "context canceled"},
		{false, "kinds 1, list-begun node, put a, rewound: the log ends below a position that it had", "watch: read the log: next: position 2 is below 4, and the epoch is the same: invalid"},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newDatabase(nodes...)
			d.put(t, "z")
			r := &restoring{database: d, restore: d.backup()}
			if !tc.epoch {
				r.restore = func() error { return d.set(func() error { d.next, d.entries = 2, d.entries[:1]; return nil }) }
			}
			d.put(t, "a")
			d.put(t, "b")
			seen, stop := watching(t, newFeed(t, r, feed.Config{PageSize: 1}), nil)
			if got := seen(); got != tc.want {
				t.Errorf("the watch reports %s", got)
			}
			if err := stop(); err == nil || err.Error() != tc.err {
				t.Errorf("Watch = %v, want %s", err, tc.err)
			}
		})
	}
}

// TestWatchRefusesBadPages: each breach that a watch can see ends it with the place of the
// breach.
func TestWatchRefusesBadPages(t *testing.T) {
	for _, tc := range []struct {
		log    broken
		want   string
		reason string
	}{
		{pages(func(p *feed.LogPage) { p.Kinds = append(p.Kinds, p.Kinds[0]) }),
			"read the log: kinds: node is there twice", "one of the two would have no listing"},
		{pages(func(p *feed.LogPage) { p.First = p.Next + 1 }),
			"read the log: first: 4 is behind the next position 3", "the watch would list for ever"},
		{entries(func(e *feed.Entry) { e.Position = 0 }),
			"read the log: entry 0: position: 0 is not from 1 to 2", "positions begin at 1"},
		{entries(func(e *feed.Entry) { e.Position = 9 }),
			"read the log: entry 0: position: 9 is not from 1 to 2", "the watch would jump over entries"},
		{pages(func(p *feed.LogPage) { p.Entries = append(p.Entries, p.Entries...) }),
			"read the log: entry 1: position: 1 is not from 2 to 2", "a change would come twice, or out of order"},
		{entries(func(e *feed.Entry) { e.Object.UID = "" }),
			"read the log: entry at position 1: object node/a@\"\": a kind, a name or a UID is missing", "no reader could name the object"},
		{listings(func(p *feed.ObjectPage) { p.Next-- }),
			"list kind node: next: position 2 is older than the read of 3 before it", "the listing would go back"},
		{listings(func(p *feed.ObjectPage) { slices.Reverse(p.Objects) }),
			"list kind node: object node/a@", "the next page would leave out objects"},
		{listings(func(p *feed.ObjectPage) {
			for i := range p.Objects {
				p.Objects[i].Kind = "pod"
			}
		}), "list kind node: object pod/a@", "it is of another listing"},
	} {
		synctest.Test(t, func(t *testing.T) {
			tc.log.database = newDatabase(nodes...)
			tc.log.put(t, "a")
			tc.log.put(t, "b")
			_, stop := watching(t, newFeed(t, tc.log, feed.Config{}), nil)
			synctest.Wait()
			err := stop()
			if err == nil || !strings.HasPrefix(err.Error(), "watch: "+tc.want) || !errors.Is(err, graph.ErrInvalid) {
				t.Errorf("Watch = %v, want %s: %s", err, tc.want, tc.reason)
			}
		})
	}
}

// TestEntryJSON: the text of an entry has all of it except the position.
func TestEntryJSON(t *testing.T) {
	objects, err := graph.Parse("pod/x/a@u#3~[example.org/hold]%2/1 -> node/b@v!")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		entry  feed.Entry
		text   string
		reason string
	}{
		{feed.Entry{Fence: 1<<64 - 1}, `{"fence":18446744073709551615}`, "a fence has no object, and a token of 64 bits"},
		{feed.Entry{Object: graph.Object{Key: graph.Key{Kind: "a", Name: "b", UID: "c"}}, Removed: true},
			`{"object":{"kind":"a","name":"b","uid":"c"},"removed":true}`, "a removal needs the key alone"},
		{feed.Entry{Object: objects[0]}, "", "a state has every field"},
	} {
		tc.entry.Position = 7
		text, err := json.Marshal(tc.entry)
		if err != nil || tc.text != "" && string(text) != tc.text {
			t.Errorf("%s, %v, want %s: %s", text, err, tc.text, tc.reason)
		}
		read := feed.Entry{Position: 7}
		if err := json.Unmarshal(text, &read); err != nil || !read.Object.Equal(tc.entry.Object) || read.Removed != tc.entry.Removed || read.Fence != tc.entry.Fence {
			t.Errorf("%s is read as %+v, %v: %s", text, read, err, tc.reason)
		}
	}
}
