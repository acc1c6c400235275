package feed_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
)

// TestFenceOfDroppedEntry: a watch passes a fence whose entry the log dropped before the watch
// read it. It is behind the new listing.
func TestFenceOfDroppedEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(nodes...)
		f := newFeed(t, d, feed.Config{})
		begun := 0
		seen, stop := watching(t, f, func(e graph.Event) {
			if begun++; begun != 1 { // once, and the watch has read the log already
				return
			}
			if _, err := f.Fence(t.Context()); err != nil {
				t.Error(err)
			}
			d.put(t, "a")
			d.compact()
		})
		got := seen()
		if !strings.HasPrefix(got, "kinds 1, list-begun node, put a, kinds 1, list-begun node, put a, list-ended node, fence ") || strings.Count(got, "fence") != 2 {
			t.Errorf("the watch reports %s", got)
		}
		_ = stop()
	})
}

// TestFenceBeforeRestore: a watch passes a fence whose entry a restore has removed.
func TestFenceBeforeRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(nodes...)
		f := newFeed(t, d, feed.Config{})
		restore := d.backup()
		events := 0
		seen, stop := watching(t, f, func(e graph.Event) {
			if events++; events != 1 {
				return
			}
			for range 9 {
				d.put(t, strings.Repeat("a", int(d.next)))
			}
			if _, err := f.Fence(t.Context()); err != nil {
				t.Error(err)
			}
			if err := restore(); err != nil {
				t.Error(err)
			}
		})
		if got := seen(); !strings.Contains(got, "rewound: the log has a new epoch, kinds 1, list-begun node, list-ended node, fence ") {
			t.Errorf("the watch reports %s", got)
		}
		_ = stop()
	})
}

// TestFencesAreBounded: a watch that is slower than its fences passes the newest 64.
func TestFencesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(nodes...)
		f := newFeed(t, d, feed.Config{})
		events := 0
		seen, stop := watching(t, f, func(e graph.Event) {
			if events++; events != 1 {
				return
			}
			for range 100 {
				if _, err := f.Fence(t.Context()); err != nil {
					t.Error(err)
				}
			}
			d.compact()
		})
		if n := strings.Count(seen(), `of ""`); n != 64 {
			t.Errorf("the watch passes %d fences, want the newest 64", n)
		}
		_ = stop()
	})
}

// TestFenceOfOtherFeed: a fence passes the watches of another process, in the order of the log.
func TestFenceOfOtherFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(nodes...)
		one, other := newFeed(t, d, feed.Config{}), newFeed(t, d, feed.Config{})
		seen, stop := watching(t, other, nil)
		seen()
		d.put(t, "a")
		token, err := one.Fence(t.Context())
		d.put(t, "b")
		<-time.After(time.Second) // a poll sees them
		if got, want := seen(), fmt.Sprintf(`put a, fence %d of "node", fence %d of "", put b`, token, token); err != nil || got != want {
			t.Errorf("the watch reports %s, %v, want %s", got, err, want)
		}
		_ = stop()
	})
}

// TestFenceFails: a fence without an entry is an error, and no watch waits for it.
func TestFenceFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(nodes...)
		f := newFeed(t, d, feed.Config{})
		seen, stop := watching(t, f, nil)
		seen()
		_ = d.set(func() error { d.down = true; return nil })
		if _, err := f.Fence(t.Context()); !errors.Is(err, errDown) || err.Error() != "fence: append to the log: "+errDown.Error() {
			t.Errorf("Fence = %v", err)
		}
		_ = d.set(func() error { d.down = false; return nil })
		d.put(t, "a")
		f.Changed()
		if got := seen(); got != "put a" {
			t.Errorf("the watch reports %s", got)
		}
		_ = stop()
	})
}

// TestSinkMayCall: the sink of a watch may call its Feed.
func TestSinkMayCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(nodes...)
		f := newFeed(t, d, feed.Config{})
		lists := 0
		seen, stop := watching(t, f, func(e graph.Event) {
			f.Changed()
			if e.Type == graph.ListEnded && lists < 2 {
				lists++
				if err := f.List(t.Context(), "node"); err != nil {
					t.Error(err)
				}
			}
		})
		if n := strings.Count(seen(), "list-ended node"); n != 3 {
			t.Errorf("%d listings, want 3", n)
		}
		_ = stop()
	})
}
