package feed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// fence is a fence of this Feed that a watch has not passed yet.
type fence struct {
	token    uint64
	position uint64 // of its entry
	appended bool   // AppendFence has returned the position
}

// Fence appends a fence to the log, and returns its random token (ownergraph.Fencer). Each
// watch that reads the entry reports FencePassed for each kind and then for the set of kinds.
// So it has reported each commit from before the call, also of other processes. If a listing
// has not ended, the watch reports the fence behind the listing.
//
// Each running watch of this Feed reports the fence, even if the log has dropped the entry
// meanwhile. A watch of another Feed reports it if it reads the entry. A watch that is slower
// than its fences reports the newest 64. Errors are the Log's, and the fence may pass then too.
//
//test:by TestKit TestFenceOfOtherFeed TestFenceOfDroppedEntry TestFencesAreBounded
func (f *Feed) Fence(ctx context.Context) (token uint64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for token == 0 {
		token = rand.Uint64()
	}
	f.expect(token)
	position, err := f.log.AppendFence(ctx, token)
	if err != nil {
		f.forget(token)
		return 0, fmt.Errorf("fence: append to the log: %w", err)
	}
	f.place(token, position)
	return token, nil
}

// expect adds the fence to the running watches before its entry is there. Otherwise a watch
// could read the entry first, and report the fence twice.
func (f *Feed) expect(token uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.watches {
		w.fences = keepNewest(append(w.fences, fence{token: token}))
	}
}

func (f *Feed) forget(token uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.watches {
		w.drop(token)
	}
}

func (f *Feed) place(token, position uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.watches {
		for i := range w.fences {
			if w.fences[i].token == token {
				w.fences[i] = fence{token, position, true}
			}
		}
	}
	f.wakeAll()
}

// drop removes a fence that waits for its entry. The caller has the lock of the Feed.
func (w *watch) drop(token uint64) {
	w.fences = slices.DeleteFunc(w.fences, func(x fence) bool { return x.token == token })
}

// reach takes the entry of a fence.
func (w *watch) reach(token uint64) {
	w.feed.mu.Lock()
	w.drop(token)
	w.feed.mu.Unlock()
	w.reached = keepNewest(append(w.reached, token))
	w.pass()
}

// reachDropped takes the fences whose entries the watch has not read and will not read.
func (w *watch) reachDropped() {
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	for _, x := range slices.Clone(w.fences) {
		if x.appended && x.position < w.next {
			w.drop(x.token)
			w.reached = keepNewest(append(w.reached, x.token))
		}
	}
}

// lower gives the fences of a former history a position that the watch has reached. The
// present is behind every commit that they cover.
//
//test:by TestFenceBeforeRestore
func (w *watch) lower() {
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	for i := range w.fences {
		w.fences[i].position = min(w.fences[i].position, w.next-1)
	}
}

// pass reports the reached fences, unless a kind is not listed. In the middle of a listing the
// reader does not know the rest of it.
func (w *watch) pass() {
	if w.listing != nil || w.nextListing() != "" {
		return
	}
	for _, token := range w.reached {
		for _, info := range w.infos {
			if !info.Unwatched {
				w.out.add(graph.Event{Type: graph.FencePassed, Kind: info.Kind, Fence: token})
			}
		}
		w.out.add(graph.Event{Type: graph.FencePassed, Fence: token})
	}
	w.reached = w.reached[:0]
}

func keepNewest[T any](list []T) []T { return list[max(0, len(list)-maxFences):] }
