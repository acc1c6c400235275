package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const searchEveryWrite = "search/every-write"

// lawsOfSearch are about moments that come by luck. Each searches for as long as
// Config.Search says.
func lawsOfSearch() []law {
	return []law{
		{
			name: searchEveryWrite, rests: []string{watchSeveral, readFresh},
			why: "a change that a watch has missed while several writers committed is never seen: an owner's end, a mark or a reference",
			run: everyWriteIsReported,
		},
		{
			name: "search/beginning", rests: []string{watchNoGap, watchReconnect, searchEveryWrite},
			why: "what is committed just when a watch begins, and is in neither its listings nor its changes, is never seen",
			run: beginningsMissNothing,
		},
		{
			name: "search/fence", level: ownergraph.Level2, needs: []need{needFencer}, rests: []string{fenceNotEarly, searchEveryWrite},
			why: "a fence that begins while the watch reads may cover what it has not read: an owner is freed under a dependent",
			run: fencesAreNotEarlyBesideWriters,
		},
		{
			name: "search/cancelled", rests: []string{readFresh, deleteUID, "delete/conflict-changes-nothing", watchReconnect, "cancel/ended", "cancel/whole"},
			why: "a call that was cut off and leaves a transaction, a lock or a connection behind spoils the calls of others: they answer the past, or nothing",
			run: cancelledCallsLeaveNothing,
		},
	}
}

// write has the writers touch each of their objects, in one round. After each
// write they call then, on the writer's goroutine.
func (c *crowd) write(then func(ctx context.Context, number int) error) {
	t := c.t
	t.Helper()
	errs := t.together(func(ctx context.Context, i int) error {
		for n, o := range c.objects[i] {
			o.Finalizers = toggled(o.Finalizers)
			o, err := c.clients[i%len(c.clients)].Update(ctx, o)
			if err != nil {
				return err
			}
			c.objects[i][n] = o
			if err := then(ctx, c.note(o)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.broken("several users write at once, each at objects of their own", err.Error())
	}
}

func toggled(finalizers []string) []string {
	if len(finalizers) > 0 {
		return nil
	}
	return []string{foreign}
}

// knows breaks the law unless the watch comes to know what the writers have left.
func (c *crowd) knows(w *watcher) {
	c.t.Helper()
	if w.sees(func(r *replica) bool { return r.listed() && r.agrees(c.t.main.Kind, c.all()) }) {
		return
	}
	events, _ := w.look()
	known := w.after(events)
	var behind []ownergraph.Object
	for _, o := range c.all() {
		if !known.holds(o) {
			behind = append(behind, o)
		}
	}
	c.t.broken(fmt.Sprintf("the watch knows what several writers have left, %d objects", len(c.all())),
		fmt.Sprintf("it has not reported %s", graph.Format(behind[:min(3, len(behind))])))
}

func none(context.Context, int) error { return nil }

func everyWriteIsReported(t *trial) {
	c := t.crowd(t.Client)
	watches := []*watcher{t.watch().ready(), t.watch().ready()}
	t.search(func(int) {
		c.begin()
		c.write(none)
		for _, w := range watches {
			c.knows(w)
		}
	})
}

func beginningsMissNothing(t *trial) {
	c := t.crowd(t.Client)
	t.search(func(int) {
		c.begin()
		var mu sync.Mutex
		var watches []*watcher
		c.write(func(_ context.Context, number int) error {
			if number%8 == 4 {
				mu.Lock()
				defer mu.Unlock()
				watches = append(watches, t.watch())
			}
			return nil
		})
		for _, w := range watches {
			c.knows(w)
			if _, ended := w.stop(); !ended {
				t.broken(fmt.Sprintf("a watch ends within %s when its context does", t.patience), "it goes on")
			}
		}
	})
}

// fencesAreNotEarlyBesideWriters begins a fence behind every second write, while
// others go on.
func fencesAreNotEarlyBesideWriters(t *trial) {
	f, _ := ownergraph.As[ownergraph.Fencer](t.Store)
	c := t.crowd(t.Client)
	w := t.watch().ready()
	t.search(func(int) { t.fenceRound(c, f, w) })
}

// fenceRound is one round, judged by what the watch reports of it.
func (t *trial) fenceRound(c *crowd, f ownergraph.Fencer, w *watcher) {
	t.Helper()
	c.begin()
	marks, first := map[uint64]int{}, w.count()
	c.write(func(ctx context.Context, number int) error {
		if number%2 == 0 {
			return nil
		}
		id := uint64(rand.Uint32())
		c.mu.Lock()
		marks[id] = c.journal.now()
		c.mu.Unlock()
		return f.Fence(ctx, id)
	})
	last := t.fenceBy(f)
	marks[last] = c.journal.now()
	t.mustPass(w, last)
	events, _ := w.look()
	t.notEarlyIn(events[first:], c.journal, marks)
}

// count returns how many events were reported.
func (w *watcher) count() int {
	events, _ := w.look()
	return len(events)
}
